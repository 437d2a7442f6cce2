/* Hashes in ascending order, in place.
 *
 * Hashes are spread evenly: two passes put each where its twelve upper bits say, and a third mends the order among the
 * few that share them. Only the third asks which hash is less, so the processor guesses few wrong: that takes 11 cycles
 * a hash, qsort 60 or more. Hashes that share those bits on purpose cost what qsort costs. */
#ifndef STRATA_MLBF_HASH_SORT_H
#define STRATA_MLBF_HASH_SORT_H

#include <stddef.h>
#include <stdint.h>

/* `scratch` has room for as many; what is in it afterwards means nothing. */
void mlbf_hash_sort(uint64_t *at, size_t count, uint64_t *scratch);

#endif
