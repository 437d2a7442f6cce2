/* crawler/loop/requeue.h: URLs that failed are queued again: all of them (--retry-failed), or start URLs by name. */
#ifndef STRATA_CRAWLER_REQUEUE_H
#define STRATA_CRAWLER_REQUEUE_H

#include "frontier/frontier.h"

/* Every URL that failed, or was skipped as its robots.txt could not be read, waits again under its id, and counts as
 * failed no more, unless it is deeper than `max_depth`. `*queued`: how many. What the frontier said. */
frontier_status requeue_failed(frontier *f, uint16_t max_depth, uint64_t *queued);

/* The same for the start URLs with these `count` keys, and for what they redirected to; also if a
 * robots.txt forbade it. Where nothing has failed yet no URL is looked at; else all that ended are read. */
frontier_status requeue_starts(frontier *f, uint16_t max_depth, char *const *keys, size_t count, uint64_t *queued);

#endif
