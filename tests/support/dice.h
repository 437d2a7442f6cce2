/* tests/support/dice.h: random numbers from a seed that is printed; STRATA_SEED repeats a run. */
#ifndef STRATA_TESTS_DICE_H
#define STRATA_TESTS_DICE_H

#include "tests/site/random.h"

static uint64_t dice_state;

static inline void dice_begin(uint64_t seed)
{
  dice_state = random_seed_or(seed);
}

static inline uint64_t dice_throw(uint64_t sides)
{
  return random_next(&dice_state) % sides;
}

#endif
