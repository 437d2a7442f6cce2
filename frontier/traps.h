/* frontier/traps.h: URL spaces without end (calendars, session ids, loops of relative links, facets), noticed by what
 * their URLs look like. What looks like a trap's gets the lowest priority class and a budget of its own; it is counted
 * and listed, and never dropped.
 *
 * A new URL is *suspect* if
 *   - every segment of it was seen at its depth on this host, and only their combination is new: so are 99 % of the new
 *     URLs of calendars, facets and link loops, and 4 to 19 % of those of real lists; or
 *   - a path segment stands in it three times; or it has more than 20 path segments, or more than 1,024 bytes; or
 *   - a parameter with a session's name (sid, PHPSESSID, ...) has a value of 8 bytes or more.
 * One suspect URL says nothing. If a directory has given 64 new URLs and three of four were suspect, all further ones
 * are of class TRAP: a directory is the first path segment (numbers are one: /2026/ is /2027/) and the names of the
 * parameters, so that a calendar does not harm the pages beside it. If what a host gives outside of such directories
 * comes to 512 and three of four were suspect, further suspects are. Counts are halved when they reach 4,096: what
 * came lately counts.
 *
 * Two traps show in what one directory has for children, and by nothing else, or much sooner:
 *   - of 366 children that are dates (/agenda/2026-11-20, /agenda?day=2026-11-20) all further ones are of class TRAP:
 *     no part of such a URL was ever seen. A daily archive of 27 years still fits a budget of 10,000;
 *   - if it has 64 queries of several parameters or more, made of a quarter as many different parameters or fewer,
 *     further suspects are: whatever names these have, so that filters that are left out where nothing is chosen do not
 *     make a directory of their own for each choice.
 *
 * Measured (tests/bench/bench_traps): of 20,000 URLs of a calendar, of session ids, of links in circles or of facets 64
 * to 70 are taken before the trap is known; 230 of such filters (577 without the children), 367 of such dates (all
 * without). Of 4.2 million real URLs, host after host, 5,038 are called a trap's, one of 838: half of them one book in
 * thirty languages. Children call none of them so. What no URL shows is not seen: ?seed=17 leads to ?seed=4711, and so
 * do the topics of a forum.
 *
 * Directories, segments and children are remembered as far as 3.5 MB go. Another handle learns them anew, but for what
 * waits in class TRAP: of that it reads up to 16,384 URLs when it begins to watch, so that a trap that was known is
 * known. What is counted of a host is kept on disk. */
#ifndef STRATA_FRONTIER_TRAPS_H
#define STRATA_FRONTIER_TRAPS_H

#include "frontier/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, with this handle; also for URLs that were put into class TRAP before. Of each host at most `budget` URLs
 * of class TRAP are handed out, ever (a host's own frontier_host_control.trap_budget wins); the rest stays queued and
 * is held. 0: no limit. */
frontier_status frontier_watch_traps(frontier *f, uint64_t budget);

typedef struct frontier_trapped {
  const char *host;  /* host[:port]; neither is NUL-terminated */
  size_t host_size;
  const char *url;
  size_t url_size;
  bool is_queued;    /* waiting or in flight; else it ended */
  uint64_t directory; /* one number for all URLs of one directory of one host: see above */
  size_t directory_end; /* where its name ends within `url`: behind "/cal/", or before the '?' of "/list?color=3" */
} frontier_trapped;

typedef bool frontier_trapped_visitor(void *context, const frontier_trapped *trapped); /* false: enough */

/* Every committed URL of class TRAP: those that wait first. Read from disk as it goes, in fixed memory; the pointers
 * are valid during the call. FRONTIER_DAMAGED: a record is. */
frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
