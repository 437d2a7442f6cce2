/* The hashing loop for batches. A file of its own, so that XXH3 is inlined into it: inlining, a constant zero seed and
 * prefetched texts halve the time of a batch of URLs (tests/bench/bench_filters strings). */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

XXH_FORCE_INLINE mlbf_hash128 hash_key(const mlbf_key *key, uint64_t seed)
{
  if (key->count != 1)
    return mlbf_hash_bytes(key->segments, key->count, seed);
  XXH128_hash_t hash = XXH3_128bits_withSeed(key->segments[0].bytes, key->segments[0].size, seed);
  return (mlbf_hash128){hash.low64, hash.high64};
}

XXH_FORCE_INLINE void hash_and_fetch(const mlbf_filter *filter, const mlbf_batch *batch, uint64_t seed,
                                     mlbf_hash128 *wholes)
{
  const mlbf_array array = filter->arrays[0]; /* a copy: nothing in the loop could change it */
  for (size_t i = 0; i < batch->count; i++) {
    mlbf_batch_fetch(batch, i);
    mlbf_hash128 whole = wholes[i] = hash_key(&batch->keys[i], seed);
    if (array.layout != MLBF_LAYOUT_CLASSIC)
      mlbf_line_prefetch(&array, whole);
    else
      filter->operations->prefetch_wholes(filter, &wholes[i], 1);
  }
}

__attribute__((flatten)) void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes)
{
  if (filter->seed == 0)
    hash_and_fetch(filter, batch, 0, wholes);
  else
    hash_and_fetch(filter, batch, filter->seed, wholes);
}
