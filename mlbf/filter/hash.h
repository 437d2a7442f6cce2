/* mlbf/filter/hash.h: arithmetic of hashes. Internal to mlbf/. */
#ifndef STRATA_MLBF_HASH_H
#define STRATA_MLBF_HASH_H

#include "mlbf/filter.h"

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
