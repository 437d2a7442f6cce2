/* frontier/promote.h: moves queued URLs to class HIGH because of facts learnt since they were queued, such as how many
 * pages link to them by now.
 *
 * The caller chooses them. After a crash a URL is queued in one class or in the other, never in both, and it is handed
 * out once. Its id stays.
 *
 * frontier_promote considers URLs of class NORMAL: all that have their text in memory (the heads of their hosts'
 * queues, 65,536 at most) and, with each call, some whose text is on disk. Not moved: URLs deeper than the cap,
 * URLs held back by a block or a budget, and those with a priority or a time (frontier_link).
 *
 * Threads, processes, errors: as frontier.h. */
#ifndef STRATA_FRONTIER_PROMOTE_H
#define STRATA_FRONTIER_PROMOTE_H

#include "frontier/frontier.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Should this fetch URL, `size` bytes and NUL-terminated, go first? May not call the frontier. */
typedef bool frontier_wanted(void *context, const char *url, size_t size);

/* Ask `wanted` about every URL in memory and up to `most` on disk, and move those it wants. `*from` is the place on
 * disk to go on from, 0 at first; it is 0 again after the last URL. `*promoted`: how many were moved. Commits. On
 * failure some may have been moved, and the call may be repeated; FRONTIER_DAMAGED: a record on disk is damaged.
 * Takes a microsecond per URL and the time of `wanted`, and a commit if any URL moves: call it once a minute, not for
 * every page. */
frontier_status frontier_promote(frontier *f, frontier_wanted *wanted, void *context, size_t most, uint64_t *from,
                                 size_t *promoted);

#ifdef __cplusplus
}
#endif
#endif
