/* Many keys at once: hash them, prefetch their memory, then test or insert them in order. A batch has as many keys as
 * the memory system can fetch while the processor hashes. */
#include <assert.h>

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

static bool has_layers(const mlbf_filter *filter)
{
  return filter->operations->insert_layers;
}

static void say_unknown(size_t count, mlbf_verdict *verdicts)
{
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){MLBF_UNKNOWN, 0};
}

static void test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t known = filter->operations->test_wholes(filter, wholes, count);
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){known >> i & 1 ? MLBF_SEEN : MLBF_NEW, 0};
}

/* The whole keys' hashes alone, their places fetched. */
static void take_wholes(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_hash128 *wholes)
{
  size_t i = 0;
  assert(count);
  do
    wholes[i] = hashes[i].whole;
  while (++i < count);
  filter->operations->prefetch_wholes(filter, wholes, count);
}

static void test_hashes(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[BATCH];
  if (has_layers(filter) || !filter->operations->test_wholes) {
    for (size_t i = 0; i < count; i++)
      filter->operations->prefetch(filter, &hashes[i]);
    for (size_t i = 0; i < count; i++)
      verdicts[i] = filter->operations->test(filter, &hashes[i]);
    return;
  }
  take_wholes(filter, hashes, count, wholes);
  test_wholes(filter, wholes, count, verdicts);
}

void mlbf_test_many(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  assert_filter(filter);
  for (size_t begin = 0; begin < count; begin += BATCH)
    test_hashes(filter, hashes + begin, smaller(BATCH, count - begin), verdicts + begin);
  if (mlbf_filter_cannot_tell(filter))
    say_unknown(count, verdicts);
}

/* Bit i: key i is new. */
static uint64_t settle_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  assert_filter(filter);
  assert(count && count <= BATCH);
  if (filter->is_patch)
    return 0;
  if (!filter->stripes)
    return filter->operations->insert_wholes(filter, wholes, count);
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++) {
    mlbf_stripe *stripe = mlbf_stripe_lock(filter->stripes, wholes[i].low);
    were_new |= filter->operations->insert_wholes(filter, &wholes[i], 1) << i;
    mlbf_stripe_unlock(stripe);
  }
  return were_new;
}

/* Kinds without layers: 16 bytes of a key are needed between hashing and settling, not a whole mlbf_hashes. Returns the
 * number of new keys. */
static uint64_t insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t were_new = settle_wholes(filter, wholes, count), new_keys = (uint64_t)__builtin_popcountll(were_new);
  if (mlbf_filter_cannot_tell(filter)) {
    say_unknown(count, verdicts);
    return 0;
  }
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){were_new >> i & 1 ? MLBF_NEW : MLBF_SEEN, 0};
  mlbf_counter_add(filter, &filter->answers.new_combination, new_keys);
  mlbf_counter_add(filter, &filter->answers.seen, count - new_keys);
  return new_keys;
}

/* With layers; the filter's counters, which threads may share, are changed once. */
static uint64_t insert_layers(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count,
                              mlbf_verdict *verdicts)
{
  mlbf_answers answers = {0};
  assert_filter(filter);
  if (!filter->is_patch)
    filter->operations->insert_layers(filter, hashes, count, verdicts);
  if (mlbf_filter_cannot_tell(filter)) {
    say_unknown(count, verdicts);
    return 0;
  }
  for (size_t i = 0; i < count; i++)
    ++*mlbf_answer_counter(&answers, verdicts[i]);
  mlbf_counter_add(filter, &filter->answers.seen, answers.seen);
  mlbf_counter_add(filter, &filter->answers.new_combination, answers.new_combination);
  for (uint32_t i = 0; i < mlbf_layer_count(filter); i++)
    if (answers.new_segment[i])
      mlbf_counter_add(filter, &filter->answers.new_segment[i], answers.new_segment[i]);
  return count - answers.seen;
}

static uint64_t insert_hashes(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  if (has_layers(filter) && !filter->stripes) {
    mlbf_layer_hashes flat;
    mlbf_flatten(filter, hashes, count, &flat);
    return insert_layers(filter, &flat, count, verdicts);
  }
  if (filter->operations->insert_wholes && !has_layers(filter)) {
    mlbf_hash128 wholes[BATCH];
    take_wholes(filter, hashes, count, wholes);
    return insert_wholes(filter, wholes, count, verdicts);
  }
  for (size_t i = 0; i < count; i++) {
    verdicts[i] = mlbf_filter_insert_one(filter, &hashes[i]);
    new_keys += mlbf_verdict_is_new(verdicts[i]);
  }
  return new_keys;
}

mlbf_status mlbf_insert_many(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH)
    new_keys += insert_hashes(filter, hashes + begin, smaller(BATCH, count - begin), verdicts + begin);
  return mlbf_filter_count_keys(filter, new_keys);
}

/* Hashes of whole keys alone */

mlbf_status mlbf_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  if (!filter->operations->insert_wholes)
    return MLBF_BAD_ARGUMENT;
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    filter->operations->prefetch_wholes(filter, wholes + begin, size);
    uint64_t were_new = settle_wholes(filter, wholes + begin, size);
    for (size_t i = 0; i < size; i++) {
      bool is_new = were_new >> i & 1;
      was_new[begin + i] = is_new;
    }
    new_keys += (uint64_t)__builtin_popcountll(were_new);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

mlbf_status mlbf_insert_whole(mlbf_filter *filter, mlbf_hash128 whole)
{
  bool was_new;
  return mlbf_insert_wholes(filter, &whole, 1, &was_new);
}

/* Keys */

static void test_batch(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  if (filter->operations->test_wholes) {
    mlbf_hash128 wholes[BATCH];
    mlbf_batch_hash(filter, batch, wholes);
    test_wholes(filter, wholes, batch->count, verdicts);
    return;
  }
  mlbf_hashes hashes[BATCH];
  for (size_t i = 0; i < batch->count; i++)
    filter->operations->hash(filter, batch->keys[i].segments, batch->keys[i].count, &hashes[i]);
  test_hashes(filter, hashes, batch->count, verdicts);
}

void mlbf_test_keys(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  void (*test)(const mlbf_filter *, const mlbf_batch *, mlbf_verdict *) = filter->operations->test_keys;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    (test ? test : test_batch)(filter, &batch, verdicts + begin);
  }
  if (mlbf_filter_cannot_tell(filter))
    say_unknown(count, verdicts);
}

static uint64_t insert_batch(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  if (has_layers(filter) && !filter->stripes) {
    mlbf_layer_hashes hashes;
    mlbf_batch_hash_layers(filter, batch, &hashes);
    return insert_layers(filter, &hashes, batch->count, verdicts);
  }
  if (filter->operations->insert_wholes && !has_layers(filter)) {
    mlbf_hash128 wholes[BATCH];
    mlbf_batch_hash(filter, batch, wholes);
    return insert_wholes(filter, wholes, batch->count, verdicts);
  }
  mlbf_hashes hashes[BATCH];
  for (size_t i = 0; i < batch->count; i++)
    filter->operations->hash(filter, batch->keys[i].segments, batch->keys[i].count, &hashes[i]);
  return insert_hashes(filter, hashes, batch->count, verdicts);
}

mlbf_status mlbf_insert_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    new_keys += insert_batch(filter, &batch, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}
