/* The loop in which hashing costs most. A file of its own, so that XXH3 is called once in it and thereby inlined:
 * that, and fetching texts ahead, makes a batch of URLs a third faster (tests/bench/bench_filters strings). */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "mlbf/inside.h"

void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes)
{
  for (size_t i = 0; i < batch->count; i++) {
    const mlbf_key *key = &batch->keys[i];
    mlbf_batch_fetch(batch, i);
    if (key->count == 1) {
      XXH128_hash_t hash = XXH3_128bits_withSeed(key->segments[0].bytes, key->segments[0].size, filter->seed);
      wholes[i] = (mlbf_hash128){ hash.low64, hash.high64 };
    } else {
      wholes[i] = mlbf_hash_bytes(key->segments, key->count, filter->seed);
    }
    filter->operations->prefetch_wholes(filter, &wholes[i], 1);
  }
}
