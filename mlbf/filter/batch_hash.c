/* Hashes of a batch: the fastest path of this processor, or what the paper's kinds have. */
#include "mlbf/filter/inside.h"

/* The paper's: XXH3, unkeyed. */
static void hash_unkeyed(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes)
{
  for (size_t i = 0; i < batch->count; i++)
    wholes[i] = mlbf_hash_bytes(batch->keys[i].segments, batch->keys[i].count, filter->keying.seed);
}

void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes)
{
  const mlbf_hash_keys *keys = &filter->keying.keys;
  if (mlbf_kind_is_paper(filter->plan.kind))
    hash_unkeyed(filter, batch, wholes);
  else
    keys->path->wholes(keys, batch->keys, batch->count, batch->following, wholes);
  filter->operations->prefetch_wholes(filter, wholes, batch->count);
}
