/* tests/dice.h: random numbers from a seed that is printed; STRATA_SEED repeats a run. */
#ifndef STRATA_TESTS_DICE_H
#define STRATA_TESTS_DICE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t dice_state;

static inline void dice_begin(uint64_t seed)
{
  const char *given = getenv("STRATA_SEED");
  dice_state = given ? strtoull(given, NULL, 10) : seed;
  printf("STRATA_SEED=%llu\n", (unsigned long long)dice_state);
}

static inline uint64_t dice_throw(uint64_t sides) /* splitmix64 */
{
  dice_state += 0x9e3779b97f4a7c15;
  uint64_t x = dice_state;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (x ^ x >> 31) % sides;
}

#endif
