/* Hashes of a batch, by the fastest path of this processor. */
#include "mlbf/filter/inside.h"

void mlbf_batch_hash(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hash128 *wholes)
{
  const mlbf_hash_keys *keys = &filter->keying.keys;
  keys->path->wholes(keys, batch->keys, batch->count, batch->following, wholes);
  filter->operations->prefetch_wholes(filter, wholes, batch->count);
}
