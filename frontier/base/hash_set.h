/* An exact set of 128-bit hashes: open addressing by the low half, at most half full. */
#ifndef STRATA_FRONTIER_HASH_SET_H
#define STRATA_FRONTIER_HASH_SET_H

#include "mlbf/filter.h"

typedef struct hash_set {
  mlbf_hash128 *slots; /* all zeros = free */
  size_t size;         /* a power of two; 0: nothing was ever put */
  size_t used;
} hash_set; /* all zeros is an empty set */

void hash_set_free(hash_set *s);

bool hash_set_has(const hash_set *s, mlbf_hash128 hash);
bool hash_set_put(hash_set *s, mlbf_hash128 hash);    /* false: no memory */
void hash_set_remove(hash_set *s, mlbf_hash128 hash); /* fine if it is not there */

/* What is in slot `at` < size. false: nothing. */
bool hash_set_at(const hash_set *s, size_t at, mlbf_hash128 *hash);

/* The high halves of up to `max` hashes with this low half, in no order; returns how many there are. */
size_t hash_set_highs(const hash_set *s, uint64_t low, uint64_t *highs, size_t max);

#endif
