/* tests/site/archive.h: the WARC files of a trial's crawl, held against its pages.jsonl. */
#ifndef STRATA_TESTS_SITE_ARCHIVE_H
#define STRATA_TESTS_SITE_ARCHIVE_H

#include "tests/site/trial.h"
#include "tests/site/warc_reader.h"

typedef struct archive_verdict {
  unsigned files, captures;
  unsigned bad;       /* faults by the standard */
  unsigned missed;    /* lines of pages.jsonl with a status whose response is in no file */
  unsigned again;     /* responses of a URL beyond its first */
  unsigned strangers; /* responses of URLs that have no such line */
} archive_verdict;

/* Each fault is printed. */
archive_verdict archive_judge(const trial *t);

/* CRAWL/pages-00001 + suffix, to be freed by the caller. */
char *archive_path(const trial *t, unsigned number, const char *suffix);

/* A response or a revisit. */
bool archive_is_capture(const warc_item *item);

#endif
