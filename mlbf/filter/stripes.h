/* mlbf/filter/stripes.h: why no two threads hear "new" for one key. Internal to mlbf/.
 *
 * A key's bits lie in several words, and two threads that insert one key could each be first in another word.
 * So a key's insertion holds one of 1024 spin locks, chosen by the key's hash: the same key always waits for
 * itself, different keys nearly never for each other (their words are OR-ed atomically). Held for some tens of
 * nanoseconds. Readers take none. */
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
