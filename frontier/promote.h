/* frontier/promote.h: URLs that wait, moved to class HIGH because of what was learnt since they were queued: how many
 * pages link to them by now.
 *
 * The caller says which. A URL is moved on disk first, in a transaction of its own, and then in memory: after a crash
 * it waits in one class or in the other, never in both, and it is handed out once. Its id stays.
 *
 * Looked at are URLs of class NORMAL: all that wait in memory (the heads of their hosts' queues, 65,536 at most) and,
 * some with each call, those on disk that nobody has read yet. Not moved: what a host with a long queue has in chunks
 * (it is looked at once it is read back), what is deeper than the cap, what a block or a budget holds back, and what
 * class HIGH has no room for now.
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

/* Ask `wanted` about every URL in memory and up to `most` on disk, and move those it wants. `*from` says where on disk
 * to go on, 0 at first; it is 0 again when all were looked at. `*promoted`: how many were moved. Commits. On failure
 * nothing was moved, and the same may be tried again; FRONTIER_DAMAGED: a record on disk is.
 * A microsecond a URL and what `wanted` takes, and a commit if there is anything to move: for every minute, not for
 * every page. */
frontier_status frontier_promote(frontier *f, frontier_wanted *wanted, void *context, size_t most, uint64_t *from,
                                 size_t *promoted);

#ifdef __cplusplus
}
#endif
#endif
