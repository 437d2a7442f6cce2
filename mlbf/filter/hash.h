/* mlbf/filter/hash.h: unkeyed hashes, for the papers' structures; and arithmetic of hashes. Internal to mlbf/.
 *
 * All others have the keyed hash of mlbf/hash/keyed_hash.h. */
#ifndef STRATA_MLBF_HASH_H
#define STRATA_MLBF_HASH_H

#include "mlbf/filter.h"

/* XXH3_128 of the spans' bytes, end to end. */
mlbf_hash128 mlbf_hash_bytes(const mlbf_span *spans, size_t count, uint64_t seed);

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
