/* mlbf/filter/stripes.h: locks, so that only one thread gets "new" for a key. Internal to mlbf/.
 *
 * A key's bits are in several words, and two threads that insert one key could each be first in a different word.
 * So inserting a key holds one of the spin locks, that of the key's line or page (line.h): insertions of one key wait
 * for each other, those of different keys seldom, and all who write to a line of the deciding array hold its lock, so
 * they need no atomic OR. A batch takes each lock once for all its keys there. Readers take no lock. */
#ifndef STRATA_MLBF_STRIPES_H
#define STRATA_MLBF_STRIPES_H

#include <stdbool.h>
#include <stdint.h>

enum { MLBF_STRIPES = 128 };

typedef struct mlbf_stripe {
  _Alignas(64) bool is_locked; /* a cache line each: neighbours do not disturb each other */
} mlbf_stripe;

mlbf_stripe *mlbf_stripes_create(void); /* MLBF_STRIPES of them. NULL: out of memory */
void mlbf_stripes_free(mlbf_stripe *stripes);

void mlbf_stripe_lock(mlbf_stripe *stripe);
bool mlbf_stripe_try(mlbf_stripe *stripe); /* false: another thread has it */
void mlbf_stripe_unlock(mlbf_stripe *stripe);

#endif
