/* datasets/sort/rng.h: random numbers from a seed, the same on every machine. */
#ifndef STRATA_DATASETS_RNG_H
#define STRATA_DATASETS_RNG_H

#include <stdint.h>

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose every output bit depends on every
 * input bit. */
static inline uint64_t rng_mix(uint64_t x)
{
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

/* The next random number in 0..limit-1. The bias of % is below limit / 2^64. */
static inline uint64_t rng_below(uint64_t *rng, uint64_t limit)
{
  *rng = rng_mix(*rng);
  return *rng % limit;
}

#endif
