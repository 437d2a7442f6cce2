/* mlbf/key_set.h: an exact set of keys, in memory.
 *
 * The 128-bit hashes of all keys, 16 bytes each, in a table that is seven tenths to seven eighths full: 18.3 to 22.9
 * bytes per key, also while it grows, since it grows in place. A filter with a false-positive rate of 1e-6 takes 4.3
 * bytes per key. Two of 10^9 keys have equal hashes with probability 1.5e-21; otherwise every answer is exact.
 *
 *     slots, by hash:   [ a . b c d . e . . f g h . . ]          home of a hash: hash.low x homes / 2^64. Each is
 *                             |                                  there, or in the first slot after smaller hashes:
 *                             +-> i, home of b: b i c d          ordered linear probing
 *
 * Slots are in the order of their hashes (Amble, Knuth, "Ordered hash tables", 1974, with scaling): a search ends at
 * the first larger hash, growing is one pass, and the saved file is sorted, whatever the order of insertion.
 *
 * An attacker who chooses keys and knows the secret (secret.h) can crowd them at one home, which costs time, not
 * correctness. Threads: as a filter. */
#ifndef STRATA_MLBF_KEY_SET_H
#define STRATA_MLBF_KEY_SET_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_key_set mlbf_key_set;

/* Empty; secret, seed and profile as in mlbf_options. MLBF_NO_MEMORY; MLBF_BAD_ARGUMENT: a profile too long. */
mlbf_status mlbf_key_set_create(const uint8_t *secret, uint64_t seed, const char *profile, mlbf_key_set **set);
void mlbf_key_set_free(mlbf_key_set *set); /* NULL is fine */

/* A key's hash, for every set of this secret. */
mlbf_hash128 mlbf_key_set_hash(const mlbf_key_set *set, mlbf_span key);

/* Prefetches the memory for an insert: hash some tens of keys first, then insert them. */
void mlbf_key_set_prefetch(const mlbf_key_set *set, mlbf_hash128 hash);

/* Is the key of this hash in the set? */
bool mlbf_key_set_test(const mlbf_key_set *set, mlbf_hash128 hash);

/* Inserts the hash; was it there before? MLBF_NO_MEMORY: the hash was not in the set and was not added; `*was_seen` is
 * untouched. */
mlbf_status mlbf_key_set_insert(mlbf_key_set *set, mlbf_hash128 hash, bool *was_seen);

typedef struct mlbf_key_set_stats {
  uint64_t keys, memory_bytes;
  const char *profile; /* lives as long as the set */
} mlbf_key_set_stats;

/* Number of keys, and memory. */
void mlbf_key_set_stats_read(const mlbf_key_set *set, mlbf_key_set_stats *stats);

/* As mlbf_save and mlbf_load: 16 bytes per key. Saving compacts the slots in place, so no thread may read meanwhile. */
mlbf_status mlbf_key_set_save(mlbf_key_set *set, const char *path);
mlbf_status mlbf_key_set_load(const char *path, const uint8_t *secret, mlbf_key_set **set);

#ifdef __cplusplus
}
#endif
#endif
