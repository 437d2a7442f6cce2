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
 * Of 4.2 million real URLs one in a thousand is called a trap's, mostly one book in thirty languages.
 *
 * Directories and segments are remembered for this handle only, as far as 2.2 MB go; what is counted of a host, on
 * disk. */
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
} frontier_trapped;

typedef bool frontier_trapped_visitor(void *context, const frontier_trapped *trapped); /* false: enough */

/* Every committed URL of class TRAP: those that wait first. Read from disk as it goes, in fixed memory; the pointers
 * are valid during the call. FRONTIER_DAMAGED: a record is. */
frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
