/* Batches of a shared filter (mlbf_share), a lock taken once for many keys.
 *
 *   wholes --by stripe--> rows --a row with enough keys, its lock held--> answers, where the caller wants them
 *
 * Always: keys of one line or page of array 0 have one stripe, and who writes there holds it. So a plain load, OR and
 * store of each word loses nothing, and of two threads with one key the second finds all its bits. Keys of one stripe
 * keep their order, so a key that comes twice in a call is first new, then seen.
 *
 * A row whose stripe another thread holds goes on growing, and waits only when it is full or at the end. */
#include <assert.h>
#include <string.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

enum { ENOUGH = MLBF_SORTED_KEYS / 2, TRY_EVERY = 8 };

void mlbf_sorter_begin(mlbf_sorter *sorter, mlbf_filter *filter, mlbf_verdict *verdicts, bool *was_new)
{
  assert(filter->stripes && filter->stripe_count == MLBF_SORTED_STRIPES);
  sorter->filter = filter;
  sorter->verdicts = verdicts;
  sorter->was_new = was_new;
  sorter->new_keys = 0;
  memset(sorter->count, 0, sizeof sorter->count);
}

/* The keys of a stripe that this thread holds. */
static void settle(mlbf_sorter *sorter, size_t stripe)
{
  mlbf_array *array = &sorter->filter->arrays[0];
  size_t count = sorter->count[stripe];
  const size_t *number = sorter->number[stripe];
  uint64_t were_new = array->path->insert(array, sorter->wholes[stripe], count);
  sorter->new_keys += (uint64_t)__builtin_popcountll(were_new);
  sorter->count[stripe] = 0;
  mlbf_stripe_unlock(&sorter->filter->stripes[stripe]);
  if (sorter->verdicts)
    for (size_t i = 0; i < count; i++)
      sorter->verdicts[number[i]] = (mlbf_verdict){were_new >> i & 1 ? MLBF_NEW : MLBF_SEEN, 0};
  else
    for (size_t i = 0; i < count; i++)
      sorter->was_new[number[i]] = were_new >> i & 1;
}

static void settle_some(mlbf_sorter *sorter, size_t stripe)
{
  mlbf_stripe *lock = &sorter->filter->stripes[stripe];
  if (sorter->count[stripe] == MLBF_SORTED_KEYS)
    mlbf_stripe_lock(lock);
  else if (!mlbf_stripe_try(lock))
    return;
  settle(sorter, stripe);
}

void mlbf_sorter_add(mlbf_sorter *sorter, const mlbf_hash128 *wholes, size_t count, size_t first_number)
{
  uint64_t places = sorter->filter->arrays[0].places;
  for (size_t i = 0; i < count; i++) {
    size_t stripe = mlbf_scale(wholes[i].low, places) % MLBF_SORTED_STRIPES, at = sorter->count[stripe];
    assert(at < MLBF_SORTED_KEYS);
    sorter->wholes[stripe][at] = wholes[i];
    sorter->number[stripe][at] = first_number + i;
    sorter->count[stripe] = (uint8_t)++at;
    if (at >= ENOUGH && at % TRY_EVERY == 0)
      settle_some(sorter, stripe);
  }
}

uint64_t mlbf_sorter_end(mlbf_sorter *sorter)
{
  for (size_t stripe = 0; stripe < MLBF_SORTED_STRIPES; stripe++)
    if (sorter->count[stripe] && mlbf_stripe_try(&sorter->filter->stripes[stripe]))
      settle(sorter, stripe);
  for (size_t stripe = 0; stripe < MLBF_SORTED_STRIPES; stripe++)
    if (sorter->count[stripe]) {
      mlbf_stripe_lock(&sorter->filter->stripes[stripe]);
      settle(sorter, stripe);
    }
  return sorter->new_keys;
}
