/* frontier/base/limits.h: two sizes of every limit. The tests build a part of the room a second time with tiny limits,
 * so that a small crawl meets every one of them. */
#ifndef STRATA_FRONTIER_LIMITS_H
#define STRATA_FRONTIER_LIMITS_H

#ifdef FRONTIER_TINY
#define FRONTIER_LIMIT(usual, tiny) tiny
#else
#define FRONTIER_LIMIT(usual, tiny) usual
#endif

#endif
