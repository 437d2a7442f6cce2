/* Keeps the files beside the frontier in step with its commits: before each, what they hold in memory is written. */
#ifndef STRATA_CRAWLER_COMMIT_FILES_H
#define STRATA_CRAWLER_COMMIT_FILES_H

#include "crawler/loop/crawl_warc.h"
#include "crawler/loop/edge_log.h"
#include "crawler/loop/fingerprint_index.h"

typedef struct commit_files {
  crawl_warc *warc;            /* NULL: none is written */
  fingerprint_index *contents; /* NULL: no texts are kept */
  edge_log *edges;             /* NULL: no audit */
} commit_files;

/* All must stay where they are while the frontier lives. */
void commit_files_begin(commit_files *files, frontier *f);

#endif
