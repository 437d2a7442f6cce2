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

typedef struct revoked {
  hash_set set;
  uint64_t *changed; /* low halves of hashes put or removed since the last commit */
  size_t changed_count, changed_room;
} revoked; /* all zeros is an empty one */

void revoked_free(revoked *r);
frontier_status revoked_load(revoked *r, store *s); /* NO_MEMORY, DAMAGED, or the store's */

static inline bool revoked_is_empty(const revoked *r)
{
  return r->set.used == 0;
}

bool revoked_has(const revoked *r, mlbf_hash128 hash);
bool revoked_put(revoked *r, mlbf_hash128 hash);         /* false: no memory, nothing changed */
bool revoked_make_room(revoked *r);                      /* for one removal; false: no memory */
void revoked_remove(revoked *r, mlbf_hash128 hash);      /* cannot fail in such room; fine if it is not there */
/* Removes all but those that are needed. false: no memory, and some are left. */
typedef bool revoked_test(void *context, mlbf_hash128 hash);
bool revoked_drop(revoked *r, revoked_test *is_needed, void *context);

/* Its part of the transaction; and the transaction is committed. */
void revoked_write(const revoked *r, store *s);
void revoked_settle(revoked *r);

#endif
