/* Counts the children of directories, for trap_detector.c; private to frontier/traps/.
 *
 * A directory is the part before the last segment of a path, or before the query if there is one; the rest is its
 * child. Each URL is noted once, so its directory has one child more. All are counted in one counting filter
 * (mlbf/count.h), keyed by host and directory:
 *
 *     /cal/2026-11-20        /cal/ has one more child that is a date
 *     /list?color=3&size=7   /list? has one more child of several parameters; color=3 and size=7 are counted below it;
 *                            the first time each is also one more of its different pairs
 *
 * The filter has a fixed size. When full it is cleared, and directories must be detected again. A count since then is
 * never too low, except that one URL in a hundred has pairs that collide with another's. */
#ifndef STRATA_FRONTIER_FANOUT_H
#define STRATA_FRONTIER_FANOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlbf/secret.h"

typedef struct span {
  const char *at;
  size_t size;
} span;

typedef struct fanout fanout;

fanout *fanout_create(const mlbf_hasher *hasher); /* which outlives it; NULL: out of memory */
void fanout_free(fanout *c);                      /* NULL is fine */

/* Of the URL's directory, with this URL; all 0 if it is neither a date nor of several parameters. */
typedef struct fanout_count {
  uint32_t dates;   /* children that are dates and nothing else */
  uint32_t queries; /* children of two parameters or more, */
  uint32_t parts;   /* and the different parameters, with their values, that these are made of */
} fanout_count;

/* One new URL, its path without the first '/' and its query without '?'. If its child is a date, it counts for `dates`
 * of them. Memory that cannot be had: not counted. */
fanout_count fanout_note(fanout *c, uint32_t host_id, span path, span query, uint32_t dates);

#endif
