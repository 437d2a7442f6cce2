/* Batches of a shared filter (mlbf_share), each lock taken once for all its keys.
 *
 *   wholes --count, begin, scatter--> by stripe, in order --stripe after stripe--> answers, in the order they came
 *
 * Always: keys of one line or page of array 0 have one stripe, and who writes there holds it. So a plain load, OR and
 * store of each word loses nothing, and of two threads with one key the second finds all its bits. Keys of one stripe
 * keep their order, so a key that comes twice in a batch is first new, then seen.
 *
 * A stripe that another thread holds is left for later, and waited for when the others are done. */
#include <assert.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

enum { GROUP = MLBF_KEYS_AT_ONCE, LOCKS_AHEAD = 8 };

typedef struct sorted_batch {
  mlbf_hash128 wholes[MLBF_SHARED_BATCH];
  uint16_t key[MLBF_SHARED_BATCH];  /* its number in the caller's order */
  uint16_t begin[MLBF_STRIPES + 1]; /* of a stripe's keys */
  uint8_t stripes[MLBF_STRIPES];    /* those that have keys */
  size_t stripe_count;
} sorted_batch;

static void sort_by_stripe(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, sorted_batch *sorted)
{
  uint8_t stripe[MLBF_SHARED_BATCH];
  uint16_t next[MLBF_STRIPES] = {0};
  uint64_t places = filter->arrays[0].places;
  for (size_t i = 0; i < count; i++) {
    stripe[i] = (uint8_t)(mlbf_scale(wholes[i].low, places) % MLBF_STRIPES);
    next[stripe[i]]++;
  }
  size_t end = 0, used = 0;
  for (size_t s = 0; s < MLBF_STRIPES; s++) {
    sorted->stripes[used] = (uint8_t)s;
    used += next[s] > 0;
    sorted->begin[s] = (uint16_t)end;
    end += next[s];
    next[s] = sorted->begin[s];
  }
  assert(end == count);
  sorted->begin[MLBF_STRIPES] = (uint16_t)end;
  sorted->stripe_count = used;
  for (size_t i = 0; i < count; i++) {
    size_t to = next[stripe[i]]++;
    sorted->wholes[to] = wholes[i];
    sorted->key[to] = (uint16_t)i;
  }
}

/* The keys of a stripe that this thread holds. */
static void insert_stripe(mlbf_filter *filter, const sorted_batch *sorted, size_t stripe, bool *was_new)
{
  mlbf_array *array = &filter->arrays[0];
  for (size_t begin = sorted->begin[stripe], end = sorted->begin[stripe + 1]; begin < end; begin += GROUP) {
    size_t size = end - begin < GROUP ? end - begin : GROUP;
    uint64_t were_new = array->path->insert(array, sorted->wholes + begin, size);
    for (size_t i = 0; i < size; i++)
      was_new[sorted->key[begin + i]] = were_new >> i & 1;
  }
}

/* `bloom`: its keys share words with keys of every stripe, whose bits are set by atomic OR. */
static void insert_one_by_one(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  for (size_t i = 0; i < count; i++) {
    mlbf_stripe *stripe = mlbf_stripe_of(filter, wholes[i]);
    mlbf_stripe_lock(stripe);
    was_new[i] = filter->operations->insert_wholes(filter, &wholes[i], 1);
    mlbf_stripe_unlock(stripe);
  }
}

void mlbf_shared_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  sorted_batch sorted;
  size_t left = 0;
  assert(count <= MLBF_SHARED_BATCH && filter->stripes);
  if (filter->arrays[0].layout == MLBF_LAYOUT_CLASSIC) {
    insert_one_by_one(filter, wholes, count, was_new);
    return;
  }
  sort_by_stripe(filter, wholes, count, &sorted);
  for (size_t i = 0; i < sorted.stripe_count; i++) {
    size_t stripe = sorted.stripes[i];
    if (i + LOCKS_AHEAD < sorted.stripe_count)
      mlbf_fetch(&filter->stripes[sorted.stripes[i + LOCKS_AHEAD]]);
    if (mlbf_stripe_try(&filter->stripes[stripe])) {
      insert_stripe(filter, &sorted, stripe, was_new);
      mlbf_stripe_unlock(&filter->stripes[stripe]);
    } else {
      sorted.stripes[left++] = (uint8_t)stripe;
    }
  }
  for (size_t i = 0; i < left; i++) {
    mlbf_stripe_lock(&filter->stripes[sorted.stripes[i]]);
    insert_stripe(filter, &sorted, sorted.stripes[i], was_new);
    mlbf_stripe_unlock(&filter->stripes[sorted.stripes[i]]);
  }
}
