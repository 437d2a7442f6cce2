/* crawler/robots/robots_passes.h: URLs that a robots.txt has allowed, and that wait for their host's next turn.
 *
 * The rules may be forgotten before that turn comes, where memory is short (robots_cache.h). With its pass a page is
 * fetched all the same, so each robots.txt that is read leads to a page. Fixed memory; a pass that is lost costs one
 * more request for robots.txt. */
#ifndef STRATA_CRAWLER_ROBOTS_PASSES_H
#define STRATA_CRAWLER_ROBOTS_PASSES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct robots_passes robots_passes;

robots_passes *robots_passes_create(void); /* NULL: out of memory */
void robots_passes_free(robots_passes *p); /* NULL is fine */

/* This lease's URL is allowed; `crawl_delay` as in robots_cache.h. */
void robots_passes_give(robots_passes *p, uint64_t lease, double crawl_delay, uint64_t now_ms);

/* Was it allowed within the last hours? Then it is not any more. */
bool robots_passes_take(robots_passes *p, uint64_t lease, uint64_t now_ms, double *crawl_delay);

#endif
