/* Tombstones: the keys that were forgotten (frontier_forget). The filter cannot unlearn a key, so each SEEN is looked
 * up here; and these keys are left out when a filter is filled from the hash log, which still has them. A key loses its
 * tombstone when it is accepted again, or when compaction has erased it from the log (erase.h).
 *
 *     frontier_forget --> set in memory --commit--> table `revoked`: FORMAT.md
 *
 * The set is exact, 32 to 64 bytes a key, and read whole at open: some 0.1 s for a million. */
#ifndef STRATA_FRONTIER_TOMBSTONES_H
#define STRATA_FRONTIER_TOMBSTONES_H

#include "frontier/base/hash_set.h"
#include "frontier/store/store.h"

typedef struct tombstones {
  hash_set set;
  uint64_t *changed; /* low halves of hashes put or removed since the last commit */
  size_t changed_count, changed_room;
} tombstones; /* all zeros is an empty one */

void tombstones_free(tombstones *r);
frontier_status tombstones_load(tombstones *r, store *s); /* NO_MEMORY, DAMAGED, or the store's */

static inline bool tombstones_is_empty(const tombstones *r)
{
  return r->set.used == 0;
}

bool tombstones_has(const tombstones *r, mlbf_hash128 hash);
bool tombstones_put(tombstones *r, mlbf_hash128 hash);    /* false: no memory, nothing changed */
bool tombstones_make_room(tombstones *r);                 /* for one removal; false: no memory */
void tombstones_remove(tombstones *r, mlbf_hash128 hash); /* cannot fail in such room; fine if it is not there */
/* Removes all but those that are needed. false: no memory, and some are left. */
typedef bool tombstones_test(void *context, mlbf_hash128 hash);
bool tombstones_drop(tombstones *r, tombstones_test *is_needed, void *context);

/* Those of `from` that are wanted, in `to` too, which is not for a transaction. false: no memory. */
bool tombstones_choose(const tombstones *from, tombstones_test *is_wanted, void *context, tombstones *to);

/* Its part of the transaction; and the transaction is committed. */
void tombstones_write(const tombstones *r, store *s);
void tombstones_settle(tombstones *r);

#endif
