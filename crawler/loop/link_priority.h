/* URLs that many pages link to go first: in-link counts become priority classes of the frontier. */
#ifndef STRATA_CRAWLER_LINK_PRIORITY_H
#define STRATA_CRAWLER_LINK_PRIORITY_H

#include "frontier/inlinks.h"
#include "frontier/promote.h"

/* Do enough pages link to it? */
bool link_priority_is_popular(const inlinks *counts, const url *u);

typedef struct link_priority {
  const inlinks *counts; /* NULL: links are not counted, and nothing is done */
  uint64_t from;         /* of the frontier's disk: where the next call goes on; 0 at first */
} link_priority;

/* URLs that wait, by the counts as they are now: all in memory, and some more of those on disk with each call. Takes
 * some 50 ms when a million wait. That it failed shows with the next commit; nothing is lost, and nothing said. */
void link_priority_put_first(link_priority *l, frontier *f);

#endif
