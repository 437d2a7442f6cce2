/* Many keys at once: hash them, prefetch their memory, then test or insert them in order. A batch has as many keys as
 * the memory system can fetch while the processor hashes. */
#include <assert.h>
#include <string.h>

#include "mlbf/filter/inside.h"

enum { BATCH = MLBF_BATCH };

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Keys from `begin` on. */
static mlbf_batch batch_from(const mlbf_key *keys, size_t count, size_t begin)
{
  assert(begin < count);
  size_t size = smaller(BATCH, count - begin);
  return (mlbf_batch){keys + begin, size, count - begin - size};
}

/* Hashes at hand */

void mlbf_test_many(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t end = begin + smaller(BATCH, count - begin);
    for (size_t i = begin; i < end; i++)
      filter->operations->prefetch(filter, &hashes[i]);
    for (size_t i = begin; i < end; i++)
      verdicts[i] = mlbf_test(filter, &hashes[i]);
  }
}

static uint64_t settle(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t i = 0; i < count; i++) {
    verdicts[i] = mlbf_filter_insert_one(filter, &hashes[i]);
    new_keys += mlbf_verdict_is_new(verdicts[i]);
  }
  return new_keys;
}

mlbf_status mlbf_insert_many(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    for (size_t i = 0; i < size; i++)
      filter->operations->prefetch(filter, &hashes[begin + i]);
    new_keys += settle(filter, hashes + begin, size, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

/* Hashes of whole keys alone */

static void insert_wholes_shared(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  for (size_t i = 0; i < count; i++) {
    mlbf_stripe *stripe = mlbf_stripe_lock(filter->stripes, wholes[i].low);
    filter->operations->insert_wholes(filter, &wholes[i], 1, &was_new[i]);
    mlbf_stripe_unlock(stripe);
  }
}

static uint64_t settle_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  uint64_t new_keys = 0;
  assert_filter(filter);
  assert(count && count <= BATCH);
  if (filter->is_patch)
    memset(was_new, 0, count * sizeof *was_new);
  else if (filter->stripes)
    insert_wholes_shared(filter, wholes, count, was_new);
  else
    filter->operations->insert_wholes(filter, wholes, count, was_new);
  for (size_t i = 0; i < count; i++)
    new_keys += was_new[i];
  return new_keys;
}

mlbf_status mlbf_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  if (!filter->operations->insert_wholes)
    return MLBF_BAD_ARGUMENT;
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    filter->operations->prefetch_wholes(filter, wholes + begin, size);
    new_keys += settle_wholes(filter, wholes + begin, size, was_new + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

mlbf_status mlbf_insert_whole(mlbf_filter *filter, mlbf_hash128 whole)
{
  bool was_new;
  return mlbf_insert_wholes(filter, &whole, 1, &was_new);
}

/* Keys. Those of kinds without layers need 16 bytes each between hashing and settling, not a whole mlbf_hashes. */

/* No key of these was found new. */
static uint64_t say_unknown(size_t count, mlbf_verdict *verdicts)
{
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){MLBF_UNKNOWN, 0};
  return 0;
}

static bool has_layers(const mlbf_filter *filter)
{
  return filter->operations->test_segment;
}

static void hash_layered(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_hashes *hashes)
{
  for (size_t i = 0; i < batch->count; i++) {
    filter->operations->hash(filter, batch->keys[i].segments, batch->keys[i].count, &hashes[i]);
    filter->operations->prefetch(filter, &hashes[i]);
  }
}

static void test_unlayered(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[BATCH];
  bool is_known[BATCH];
  mlbf_batch_hash(filter, batch, wholes);
  filter->operations->test_wholes(filter, wholes, batch->count, is_known);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = (mlbf_verdict){is_known[i] ? MLBF_SEEN : MLBF_NEW, 0};
}

static void test_layered(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_hashes hashes[BATCH];
  hash_layered(filter, batch, hashes);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = filter->operations->test(filter, &hashes[i]);
}

void mlbf_test_keys(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  void (*test)(const mlbf_filter *, const mlbf_batch *, mlbf_verdict *) = filter->operations->test_keys;
  if (!test)
    test = has_layers(filter) ? test_layered : test_unlayered;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    test(filter, &batch, verdicts + begin);
  }
  if (mlbf_filter_cannot_tell(filter))
    say_unknown(count, verdicts);
}

static uint64_t insert_unlayered(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[BATCH];
  bool was_new[BATCH];
  mlbf_batch_hash(filter, batch, wholes);
  uint64_t new_keys = settle_wholes(filter, wholes, batch->count, was_new);
  if (mlbf_filter_cannot_tell(filter))
    return say_unknown(batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = (mlbf_verdict){was_new[i] ? MLBF_NEW : MLBF_SEEN, 0};
  assert(new_keys <= batch->count);
  mlbf_counter_add(filter, &filter->answers.new_combination, new_keys);
  mlbf_counter_add(filter, &filter->answers.seen, batch->count - new_keys);
  return new_keys;
}

/* The kind's own function for a batch; no other thread writes. */
static uint64_t insert_alone(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  assert(!filter->stripes && !filter->is_patch);
  filter->operations->insert_keys(filter, batch, verdicts);
  if (mlbf_filter_cannot_tell(filter))
    return say_unknown(batch->count, verdicts);
  for (size_t i = 0; i < batch->count; i++) {
    mlbf_filter_count_answer(filter, verdicts[i]);
    new_keys += mlbf_verdict_is_new(verdicts[i]);
  }
  return new_keys;
}

static uint64_t insert_layered(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_hashes hashes[BATCH];
  if (filter->operations->insert_keys && !filter->stripes && !filter->is_patch)
    return insert_alone(filter, batch, verdicts);
  hash_layered(filter, batch, hashes);
  return settle(filter, hashes, batch->count, verdicts);
}

mlbf_status mlbf_insert_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    new_keys += (has_layers(filter) ? insert_layered : insert_unlayered)(filter, &batch, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}
