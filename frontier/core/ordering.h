/* Ordered URLs: those with a priority or a time (fields.h). A part of the handle (part.h).
 *
 *                 its time is to come                      its time has come
 *     accepted -------------------------> timed, by time ----------------------.
 *         \                                                                    v
 *          `--------------------------------------------> hosts: by host, class, priority, sequence --> lease
 *
 * All of them are in one of the two heaps, as numbers; the newest have their entries here too ("kept"), others are
 * looked up on disk when their turn comes. So a lease takes the first there is, whatever is queued. */
#ifndef STRATA_FRONTIER_ORDERING_H
#define STRATA_FRONTIER_ORDERING_H

#include "frontier/base/limits.h"
#include "frontier/base/pair_heap.h"
#include "frontier/core/settings.h"
#include "frontier/hosts/hosts.h"
#include "frontier/hosts/leases.h"

enum { KEPT_MAX = FRONTIER_LIMIT(16384, 16) }; /* entries, by hosts_weight, of what is on disk too */

typedef struct ordering {
  pair_heap timed;         /* wall-clock milliseconds, sequence */
  lease_table kept;        /* by sequence; `taken_ms` is `age` at that time */
  size_t weight;           /* of those kept */
  uint64_t age;            /* entries ever kept */
  uint64_t sealed, landed; /* `age` when the last transaction was sealed; the rows of those before are on disk */
  bool is_marked;          /* there may be ordered URLs on disk, now or later; */
  bool is_on_disk;         /* the record that says so is */
} ordering;

#define ORDERED_MARK "ordered"                         /* the meta record: one byte, 1 */
#define ORDERED_MARK_OLD SETTING_PREFIX "ordered-urls" /* where older versions had it */

frontier_status ordering_load(frontier *f); /* at open: the mark. On failure frontier_fail was called */
void ordering_begin(frontier *f);           /* at open */
/* May there be ordered URLs on disk, of earlier runs? */
bool ordering_is_marked(const frontier *f);

void ordering_mark(frontier *f); /* the next transaction has a row of one */

/* Room for one more. On failure frontier_fail was called. */
frontier_status ordering_make_room(frontier *f, host *who, frontier_class class);
/* It waits from now on. Room is made. `e`: its entry, which is taken; NULL: it is on disk. */
void ordering_put(frontier *f, host *who, frontier_class class, uint64_t sequence, url_order order, entry *e);
/* What was leased, or is due again: true if it is ordered, and waits from now on. */
bool ordering_takes(frontier *f, entry *e);

/* Those whose time has come by this own time are due. */
frontier_status ordering_wake(frontier *f, uint64_t now_ms);
uint64_t ordering_first_due(const frontier *f); /* own time of the next; UINT64_MAX: no time is waited for */

const lease_table *ordering_kept(const frontier *f); /* without a directory: all */

#endif
