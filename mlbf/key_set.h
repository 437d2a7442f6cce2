/* mlbf/key_set.h: keys without doubt, in memory.
 *
 * The 128-bit hashes of all keys, 16 bytes each, in a table that is seven tenths to seven eighths full: 18.3 to 22.9
 * bytes a key, also while it grows, since it grows in place. A filter of 1e-6 takes 4.3. Of 10^9 keys two have one hash
 * with probability 1.5e-21; nothing else can go wrong, so a new key is never called seen.
 *
 *     slots, by hash:   [ a . b c d . e . . f g h . . ]          each at its home, low x homes / 2^64, or as near
 *                             |                                  behind it as those before it leave room:
 *                             +-> i, home of b: b i c d          ordered linear probing
 *
 * Slots in the order of their hashes (Amble, Knuth, "Ordered hash tables", 1974, laid out by scaling): a search ends at
 * the first larger one, growing is one walk, and what is saved is sorted, whatever the order of insertion.
 *
 * Whoever may choose keys and knows the seed can make them crowd at one home, which costs time, not truth: give a
 * secret one. Threads: as a filter. */
#ifndef STRATA_MLBF_KEY_SET_H
#define STRATA_MLBF_KEY_SET_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_key_set mlbf_key_set;

/* Empty. MLBF_NO_MEMORY; MLBF_BAD_ARGUMENT: a profile too long. `profile` as in mlbf_options. */
mlbf_status mlbf_key_set_create(uint64_t seed, const char *profile, mlbf_key_set **set);
void mlbf_key_set_free(mlbf_key_set *set); /* NULL is fine */

/* A key's hash is good for this set, and for those of its seed. */
mlbf_hash128 mlbf_key_set_hash(const mlbf_key_set *set, mlbf_span key);

/* Begin to fetch what an insert will touch: for callers who hash some tens of keys and ask then. */
void mlbf_key_set_prefetch(const mlbf_key_set *set, mlbf_hash128 hash);

/* Is it there? */
bool mlbf_key_set_test(const mlbf_key_set *set, mlbf_hash128 hash);

/* Was it there, and now it is. MLBF_NO_MEMORY: it was not, and could not be put; `*was_seen` is untouched. */
mlbf_status mlbf_key_set_insert(mlbf_key_set *set, mlbf_hash128 hash, bool *was_seen);

typedef struct mlbf_key_set_stats {
  uint64_t keys, memory_bytes;
  const char *profile; /* lives as long as the set */
} mlbf_key_set_stats;

/* How much is in it, and what it takes. */
void mlbf_key_set_stats_read(const mlbf_key_set *set, mlbf_key_set_stats *stats);

/* As mlbf_save and mlbf_load: 16 bytes a key. Saving moves the slots together meanwhile, so nobody may read. */
mlbf_status mlbf_key_set_save(mlbf_key_set *set, const char *path);
mlbf_status mlbf_key_set_load(const char *path, mlbf_key_set **set);

#ifdef __cplusplus
}
#endif
#endif
