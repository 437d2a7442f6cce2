/* frontier/recrawl.h: pages are fetched again once they are old enough, or by name.
 *
 *     lease --fetched--> frontier_visit_note + frontier_done --> [visits, by id]  [due, by time]
 *       ^                                                                              |
 *       '------------- frontier_next, among new URLs <--- frontier_recrawl <-----------'
 *
 * The record of a visit has its time, the validators for a conditional request (RFC 9110, 8.8), and a hash of the
 * content. The interval between visits adapts: it is halved if the page had changed, doubled if not, within two bounds.
 *
 * Visits are on disk, ordered by due time; memory is fixed. A URL keeps its id and is counted once: while it is queued
 * again it does not count as done. It comes back as it was accepted, with the payload of then. A URL that ended without
 * a noted visit is fetched again only if its state was FRONTIER_DONE when frontier_recrawl was called. */
#ifndef STRATA_FRONTIER_RECRAWL_H
#define STRATA_FRONTIER_RECRAWL_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FRONTIER_VALIDATOR_MAX = 1024 }; /* bytes of an ETag or Last-Modified; a longer one is not kept */

typedef struct frontier_visit {
  uint64_t at_s;       /* wall-clock time, seconds since 1970; 0: not known */
  uint64_t interval_s; /* until the next visit; from frontier_visit_get only */
  bool is_unchanged;   /* for frontier_visit_note: a 304, or the server could not be reached */
  bool has_content;
  uint8_t content[16]; /* a hash of the body, of the caller's choice */
  const char *etag;    /* as in the header; not NUL-terminated; size 0: no ETag */
  size_t etag_size;
  const char *last_modified;
  size_t last_modified_size;
} frontier_visit;

/* The last visit of a lease's URL, for a conditional request; its strings are valid until the next call on the handle.
 * FRONTIER_NOT_FOUND: no visit was noted, or no such lease. */
static inline frontier_status frontier_visit_get(frontier *f, uint64_t lease, frontier_visit *visit);

/* Notes a fetch of the lease, at `at_s`: committed with its frontier_done, dropped by frontier_release. A page counts
 * as unchanged if `is_unchanged` is set or the content is that of the last visit; the last visit's validators are then
 * kept where `visit` has none. */
static inline frontier_status frontier_visit_note(frontier *f, uint64_t lease, const frontier_visit *visit);

/* From now on also hand out pages due up to `until_s`, a wall-clock time; the interval between visits of a page is from
 * `least_s` to `most_s` seconds. frontier_is_finished waits for these pages. May be called again, with a later time or
 * other bounds. Pages that are done and have no noted visit count as due. Before it returns it reads the history, and
 * if the bounds changed all visits: some seconds for 10^6 pages.
 * If a page's last visit is so far in the future that the wall clock must have been set back, its interval starts now
 * (by frontier_clock, or `until_s`) and is at most `most_s`.
 * BAD_ARGUMENT: least_s is 0 or more than most_s, or the frontier has no directory. */
frontier_status frontier_recrawl(frontier *f, uint64_t least_s, uint64_t most_s, uint64_t until_s);

/* URLs that have ended, in whatever state, wait again under their ids: for what failed and is to be tried once more.
 * `ids` rise. Those that wait, are in flight or deeper than the cap stay as they are. `*queued`: how many of them wait
 * now that had ended, also on failure. Commits first, and what it queues with the next commit; a disk read for each.
 * BAD_ARGUMENT: the ids do not rise, or the frontier has no directory. */
frontier_status frontier_again(frontier *f, const uint64_t *ids, size_t count, uint64_t *queued);

/* The functions of the same names above, with the size of the caller's struct: see frontier_open_sized. */
frontier_status frontier_visit_get_sized(frontier *f, uint64_t lease, frontier_visit *visit, size_t size);
frontier_status frontier_visit_note_sized(frontier *f, uint64_t lease, const frontier_visit *visit, size_t size);

static inline frontier_status frontier_visit_get(frontier *f, uint64_t lease, frontier_visit *visit)
{
  return frontier_visit_get_sized(f, lease, visit, sizeof *visit);
}

static inline frontier_status frontier_visit_note(frontier *f, uint64_t lease, const frontier_visit *visit)
{
  return frontier_visit_note_sized(f, lease, visit, sizeof *visit);
}

#ifdef __cplusplus
}
#endif
#endif
