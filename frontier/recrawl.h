/* frontier/recrawl.h: pages that are fetched again once they are old enough.
 *
 *     lease --fetched--> frontier_visit_note + frontier_done --> [visits, by id]  [due, by time]
 *       ^                                                                              |
 *       '------------- frontier_next, among new URLs <--- frontier_recrawl <-----------'
 *
 * What is noted of a visit: when it was, the validators for a conditional request (RFC 9110, 8.8), and a hash of the
 * content. How long a page may rest is learnt: half as long if it had changed, twice as long if not, within two bounds.
 *
 * All of it is on disk, ordered by due time; memory is fixed. A URL keeps its id and its place in the counts: while it
 * is queued again it is not done. Its payload does not come back. A URL of which no visit was noted when it ended is
 * not fetched again, unless it is done and frontier_recrawl finds it. */
#ifndef STRATA_FRONTIER_RECRAWL_H
#define STRATA_FRONTIER_RECRAWL_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FRONTIER_VALIDATOR_MAX = 1024 }; /* bytes of an ETag or Last-Modified; a longer one is not kept */

typedef struct frontier_visit {
  uint64_t at_s;              /* wall-clock time, seconds since 1970; 0: not known */
  uint64_t interval_s;        /* of rest before the next; from frontier_visit_get only */
  bool is_unchanged;          /* for note: the server said so (304), or could not be asked */
  bool has_content;
  uint8_t content[16];        /* a hash of the body, the caller's choice */
  const char *etag;           /* as in the header; not NUL-terminated; size 0: none */
  size_t etag_size;
  const char *last_modified;
  size_t last_modified_size;
} frontier_visit;

/* The last visit of a lease's URL, for a conditional request; its strings are valid until the next call on the handle.
 * FRONTIER_NOT_FOUND: there was none, or no such lease. */
frontier_status frontier_visit_get(frontier *f, uint64_t lease, frontier_visit *visit);

/* The lease was fetched, at `at_s`: committed with its frontier_done, forgotten with frontier_release. A page is taken
 * to be unchanged if the caller says so or its content is the last one's; validators not given are kept then. */
frontier_status frontier_visit_note(frontier *f, uint64_t lease, const frontier_visit *visit);

/* From now on, hand out what is due until `until_s`, a wall-clock time: a page rests `least_s` seconds at least and
 * `most_s` at most. frontier_is_finished waits for it. May be called again, with a later time or other bounds.
 * Pages that are done and without a visit, because nobody noted one, count as due. Reads the history, and with other
 * bounds than the last time all visits, before it returns: some seconds for 10^6 pages.
 * A page visited so far in the future that the wall clock must have been set back since rests from now on (now: what
 * frontier_clock said, or `until_s`): at most `most_s`, whatever the clock was.
 * BAD_ARGUMENT: least_s is more than most_s or 0, or the frontier keeps nothing. */
frontier_status frontier_recrawl(frontier *f, uint64_t least_s, uint64_t most_s, uint64_t until_s);

#ifdef __cplusplus
}
#endif
#endif
