/* mlbf/filter/stripes.h: locks, so that only one thread gets "new" for a key. Internal to mlbf/.
 *
 * A key's bits are in several words, and two threads that insert one key could each be first in a different word.
 * So inserting a key holds one of 1024 spin locks, chosen by the key's hash: insertions of one key wait for each
 * other, those of different keys nearly never (their words are OR-ed atomically). A lock is held for some tens of
 * nanoseconds. Readers take no lock. */
#ifndef STRATA_MLBF_STRIPES_H
#define STRATA_MLBF_STRIPES_H

#include <stdint.h>

typedef struct mlbf_stripe mlbf_stripe;

mlbf_stripe *mlbf_stripes_create(void); /* NULL: out of memory */
void mlbf_stripes_free(mlbf_stripe *stripes);

/* The stripe of a key's hash, locked; unlock that. */
mlbf_stripe *mlbf_stripe_lock(mlbf_stripe *stripes, uint64_t hash);
void mlbf_stripe_unlock(mlbf_stripe *stripe);

#endif
