/* The workbench: which of the URLs that wait have their text in memory, so that hosts that may not be asked now take
 * no room from others. BUbiNG's workbench virtualizer is the model. A part of the handle (part.h).
 *
 *     queue on disk:  h h h h h h h a h h b h r r r ...
 *                     |--- read so far -----------|
 *     window:   h: e e e e | 6 7 9 10       entries, then refs: sequence numbers (hosts/refs.h)
 *               a: e                        due now
 *               b: e                        due now
 *               r:         | 13 14 15       rests: due later than HORIZON_MS, or blocked
 *
 * A host with refs waits in the same heap as any other; when its turn comes and it has no entry, its first refs are
 * looked up in the queue. Nothing on disk changes by any of this. */
#ifndef STRATA_FRONTIER_WORKBENCH_H
#define STRATA_FRONTIER_WORKBENCH_H

#include "frontier/hosts/hosts.h"

typedef struct workbench {
  size_t heap_at;         /* where bench_make_room goes on */
  frontier_status status; /* of the last look-up of refs */
} workbench;

void bench_begin(frontier *f); /* at open */

/* Will no URL of this class of the host be asked for within the horizon? */
bool bench_rests(const frontier *f, const host *who, frontier_class class);
/* Its URLs in memory become refs. For one that is blocked, which no time ends. */
void bench_give_back(frontier *f, host *who);
/* Entries of this class become refs: those of hosts that rest, and, if `is_full`, what others have beyond a share. In
 * bounded steps. */
void bench_make_room(frontier *f, frontier_class class, bool is_full);
/* Not enough is due: is there more among up to `wanted` URLs further back in the queues? In bounded steps; *progressed
 * is false if nothing was read. */
frontier_status bench_read_on(frontier *f, size_t wanted, bool may_commit, bool *progressed);
void bench_fail(frontier *f, frontier_status status); /* it is: by hosts_fetcher */
/* OK, or why the refs of a host could not be looked up since this was asked last. */
frontier_status bench_take_status(frontier *f);

#endif
