/* Keeps the WARC files of a crawl's directory in step with the frontier's commits (warc.h says how). */
#ifndef STRATA_CRAWLER_CRAWL_WARC_H
#define STRATA_CRAWLER_CRAWL_WARC_H

#include "crawler/http/fetch.h"
#include "crawler/warc/warc.h"
#include "frontier/frontier.h"

typedef struct crawl_warc {
  warc *warc; /* NULL: none is written */
  frontier *frontier;
  warc_place place; /* that the frontier was told last */
} crawl_warc;

/* What an earlier run left is made good in any case; `wanted`: this run writes one. false: `message` has one
 * sentence. */
bool crawl_warc_open(crawl_warc *k, frontier *f, const warc_options *options, bool wanted,
                     char message[WARC_MESSAGE_SIZE]);

/* Before each commit, if one is written (commit_files.h): syncs the files, and tells the frontier how far they go. */
frontier_status crawl_warc_settle(crawl_warc *k, char message[FRONTIER_MESSAGE_SIZE]);

/* What came of a lease, if an answer came. Else what the frontier would say: FRONTIER_NO_SPACE, and the call may be
 * repeated; warc_message has the sentence. */
frontier_status crawl_warc_keep(warc *w, const frontier_lease *lease, const fetch_response *response);

/* After the frontier was closed. false: `message` has one sentence. */
bool crawl_warc_close(crawl_warc *k, bool is_committed, char message[WARC_MESSAGE_SIZE]);

#endif
