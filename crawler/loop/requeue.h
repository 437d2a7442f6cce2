/* crawler/loop/requeue.h: --retry-failed, which queues failed URLs of earlier runs again. */
#ifndef STRATA_CRAWLER_REQUEUE_H
#define STRATA_CRAWLER_REQUEUE_H

#include "frontier/frontier.h"

/* Queue every URL that failed since the last call on this directory, or was skipped as its robots.txt could not be
 * read, each once, as a URL of its own with a new id; its failure stays in the history. `*count`: how many. What the
 * frontier said, or FRONTIER_IO if there is no room for a nameless file in `directory`. */
frontier_status requeue_failed(frontier *f, const char *directory, uint64_t now_ms, uint64_t *count);

#endif
