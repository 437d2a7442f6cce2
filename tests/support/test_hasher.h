/* tests/support/test_hasher.h: secrets that are the same in every run, and a hasher keyed with the first. */
#ifndef STRATA_TESTS_TEST_HASHER_H
#define STRATA_TESTS_TEST_HASHER_H

#include "mlbf/secret.h"

/* Lives until the end of the process. */
static inline const uint8_t *test_secret(unsigned number) /* 0 to 3 */
{
  static uint8_t secrets[4][MLBF_SECRET_BYTES];
  mlbf_secret_from_seed(number + 1, secrets[number % 4]);
  return secrets[number % 4];
}

/* Lives until the end of the process. */
static inline const mlbf_hasher *test_hasher(void)
{
  static mlbf_hasher *made;
  if (!made)
    made = mlbf_hasher_create(test_secret(0));
  return made;
}

#endif
