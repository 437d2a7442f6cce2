/* mlbf/filter/hash.h: from segments to the 128-bit hashes a filter places. Internal to mlbf/.
 *
 *   segment 1 --XXH3, salt 1--> layer[0] --+
 *   segment 2 --XXH3, salt 2--> layer[1] --+ XOR --> finish(depth) --> whole
 *   segment 3 --XXH3, salt 3--> layer[2] --+
 *
 * Invariants
 *   - The salt differs by layer, so the XOR sees order and repetition: (a,b) and (b,a) differ, and
 *     (a,a) is not (b,b). The paper XORs unsalted hashes and collides with certainty on both.
 *   - finish() is a bijection for each depth: different XORs stay different. It is not linear: else the hash of a
 *     key recombined from inserted ones, (a,b) from (a,d), (c,b) and (c,d), would be the XOR of their hashes.
 *   - Nothing here knows a filter's size: a log of hashes rebuilds a larger one.
 *
 * Kinds without layers hash the bytes end to end; how the key was cut does not matter to them. */
#ifndef STRATA_MLBF_HASH_H
#define STRATA_MLBF_HASH_H

#include "mlbf/filter.h"

/* One salt a layer, made once from the filter's seed. */
typedef struct mlbf_salts {
  uint64_t layer[MLBF_LAYERS_MAX];
} mlbf_salts;

void mlbf_salts_make(uint64_t seed, mlbf_salts *salts);

/* XXH3_128 of the spans' bytes, end to end. */
mlbf_hash128 mlbf_hash_bytes(const mlbf_span *spans, size_t count, uint64_t seed);

/* Salted layer hashes and their combination, as drawn above; segments from the 16th on share layer 16. */
void mlbf_hash_layered(const mlbf_salts *salts, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);

/* The same in two steps, for callers that need no other layer: the first layer's hash, then the whole's from it. */
mlbf_hash128 mlbf_hash_first_layer(const mlbf_salts *salts, const mlbf_span *segments);
mlbf_hash128 mlbf_hash_whole(const mlbf_salts *salts, const mlbf_span *segments, size_t count, mlbf_hash128 first);

/* The seed paper's: unsalted, at most `layers` of them, the last one taking the whole remainder. */
void mlbf_hash_paper(uint64_t seed, uint32_t layers, const mlbf_span *segments, size_t count, mlbf_hashes *hashes);

__extension__ typedef unsigned __int128 mlbf_product; /* both compilers have it on every 64-bit machine */

/* The upper half of a 64 x 64 bit product: maps a uniform `x` to 0..range-1 without a division. */
static inline uint64_t mlbf_scale(uint64_t x, uint64_t range)
{
  return (uint64_t)((mlbf_product)x * range >> 64);
}

static inline uint64_t mlbf_rotate(uint64_t x, unsigned bits)
{
  return (x << bits) | (x >> (64 - bits));
}

#endif
