/* frontier/traps.h: traps, endless URL spaces (calendars, session ids, loops of relative links, facets), detected by
 * the look of their URLs. A URL that looks like a trap's gets the lowest priority class and counts against a budget of
 * its own; it is counted and listed, and never dropped.
 *
 * A new URL is *suspect* if
 *   - every segment of it was seen at its depth on this host, and only their combination is new: true of 99 % of the
 *     new URLs of calendars, facets and link loops, and of 4 to 19 % of new URLs in real lists; or
 *   - one path segment occurs three times; or it has more than 20 path segments, or more than 1,024 bytes; or
 *   - a parameter with a usual name of session ids (sid, PHPSESSID, ...) has a value of 8 bytes or more.
 * One suspect URL decides nothing. If a directory has given 64 new URLs and three of four were suspect, all its further
 * URLs are of class TRAP. A directory here is the first path segment (all numbers are equal: /2026/ is /2027/) and the
 * names of the parameters, so that a calendar does not affect other pages. If a host has given 512 new URLs outside of
 * such directories and three of four were suspect, its further suspect URLs are of class TRAP. Counts are halved when
 * they reach 4,096, so recent URLs weigh more.
 *
 * Two kinds of trap show only, or much earlier, in the children of one parent: a path up to its last segment, or up to
 * the query if there is one.
 *   - After 366 children that are dates (/agenda/2026-11-20, /agenda?day=2026-11-20) all further dates are of class
 *     TRAP. (Each date is a new segment, so it is not suspect.) Of an honest daily archive 27 years fit a budget of
 *     10,000.
 *   - If 64 or more children are queries of several parameters, and these have at most a quarter as many different
 *     name=value pairs, further suspect URLs are of class TRAP, whatever their parameters' names. (If a facet that is
 *     not chosen is left out of the URL, each choice has other names and so would count as a directory of its own.)
 *
 * Measured: of 20,000 URLs of a calendar, of session ids, of circular links or of facets, 64
 * to 70 are accepted before the trap is detected; 230 of facets left out as above (577 without the rules on children),
 * 367 of dates (all 20,000 without these rules). Of 4.2 million real URLs, host after host, 5,038 (1 in 838) are
 * judged a trap's, half of them of one book in thirty languages; none by the rules on children. A trap that
 * does not show in its URLs is missed: endless links from ?seed=17 to ?seed=4711 look like the topics of an honest
 * forum.
 *
 * Directories, segments and children are remembered in 3.5 MB of memory. After a reopen the new handle starts without
 * them, but reads up to 16,384 queued URLs of class TRAP when it begins to watch, so that it knows the old traps; those
 * in directories that the caller marked say nothing of the others there. The counts of a host are kept on disk. */
#ifndef STRATA_FRONTIER_TRAPS_H
#define STRATA_FRONTIER_TRAPS_H

#include "frontier/host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Watches for traps from now on, with this handle. At most `budget` URLs of class TRAP are handed out per host, in all,
 * including those put into the class before (frontier_host_control.trap_budget overrides it for a host); the others
 * stay queued and are held. 0: no limit. */
frontier_status frontier_watch_traps(frontier *f, uint64_t budget);

typedef struct frontier_trapped {
  const char *host; /* host[:port]; neither is NUL-terminated */
  size_t host_size;
  const char *url;
  size_t url_size;
  bool is_queued;       /* or in flight; else it ended */
  uint64_t directory;   /* one number for all URLs of one directory of one host: see above */
  size_t directory_end; /* where its name ends within `url`: after "/cal/", or before the '?' of "/list?color=3" */
} frontier_trapped;

typedef bool frontier_trapped_visitor(void *context, const frontier_trapped *trapped); /* false: enough */

/* Every committed URL of class TRAP, queued ones first. Reads from disk as it goes, as frontier_each does; the pointers
 * are valid during the call. FRONTIER_DAMAGED: a record is damaged. */
frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context);

/* ---- directories that the caller marks ------------------------------------------------------------------- */

/* Some traps show in their pages alone: a server that answers whatever is asked for with one text and links to more of
 * it. The frontier reads no pages. So a caller who does may mark a directory, and give URLs in it class TRAP: in its
 * classifier (frontier_classify), for the caller alone knows which page leads there. A mark by itself changes no class.
 * Marks are committed with the open batch, and kept. */

enum {
  FRONTIER_MARKS_MAX = 16384,
  FRONTIER_MARK_NAME_MAX = 255,
  FRONTIER_MARK_NOTE_MAX = 512,
};

typedef struct frontier_mark {
  const char *name; /* host[:port], and a path up to a '/', or all of it and '?': "a.org/lost/", "a.org/find?" */
  size_t name_size;
  const void *note; /* of the caller: comes back with the mark */
  size_t note_size;
} frontier_mark;

/* Marks a directory; one that is marked stays as it is. BAD_ARGUMENT: no such name, too long a one or too long a note,
 * or there are FRONTIER_MARKS_MAX already. */
frontier_status frontier_mark_trap(frontier *f, const frontier_mark *mark);

/* Is a URL, given from its host on, in a directory that is marked? Then `*mark` is the innermost of these; its pointers
 * are valid while the handle is open. May be called by a classifier. false also if the marks cannot be read. */
bool frontier_find_mark(frontier *f, const char *where, size_t size, frontier_mark *mark);

typedef bool frontier_mark_visitor(void *context, const frontier_mark *mark); /* false: enough */

/* Every mark, the oldest first. FRONTIER_DAMAGED, NO_MEMORY: they cannot be read. */
frontier_status frontier_each_mark(frontier *f, frontier_mark_visitor *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
