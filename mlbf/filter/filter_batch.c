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

/* Bits as booleans, eight at a time. */
static void spread(uint64_t bits, size_t count, bool *to)
{
  const uint64_t ones = UINT64_C(0x0101010101010101);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight = (((bits >> i & 0xff) * ones & UINT64_C(0x8040201008040201)) + 0x7f * ones) >> 7 & ones;
    memcpy(to + i, &eight, sizeof eight);
  }
  for (; i < count; i++)
    to[i] = bits >> i & 1;
}

/* At most so many wholes at once: a shared filter sorts as many as make a lock worth its time. */
static size_t wholes_at_once(const mlbf_filter *filter)
{
  return filter->stripes && filter->arrays[0].layout != MLBF_LAYOUT_CLASSIC ? MLBF_SHARED_BATCH : BATCH;
}

/* Returns the number of new keys. */
static uint64_t settle_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  uint64_t new_keys = 0;
  assert_filter(filter);
  assert(count && count <= wholes_at_once(filter));
  if (filter->is_patch)
    memset(was_new, 0, count);
  else if (!filter->stripes)
    spread(filter->operations->insert_wholes(filter, wholes, count), count, was_new);
  else
    mlbf_shared_insert_wholes(filter, wholes, count, was_new);
  for (size_t i = 0; i < count; i++)
    new_keys += was_new[i];
  return new_keys;
}

/* Kinds without layers: 16 bytes of a key are needed between hashing and settling, not a whole mlbf_hashes. Returns the
 * number of new keys. */
static uint64_t insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, mlbf_verdict *verdicts)
{
  bool was_new[MLBF_SHARED_BATCH];
  uint64_t new_keys = settle_wholes(filter, wholes, count, was_new);
  if (mlbf_filter_cannot_tell(filter)) {
    say_unknown(count, verdicts);
    return 0;
  }
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){was_new[i] ? MLBF_NEW : MLBF_SEEN, 0};
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
  if (has_layers(filter)) {
    mlbf_layer_hashes flat;
    mlbf_flatten(filter, hashes, count, &flat);
    return insert_layers(filter, &flat, count, verdicts);
  }
  for (size_t i = 0; i < count; i++) {
    verdicts[i] = mlbf_filter_insert_one(filter, &hashes[i]);
    new_keys += mlbf_verdict_is_new(verdicts[i]);
  }
  return new_keys;
}

/* Kinds that can settle wholes, and have nothing else. */
static bool is_unlayered(const mlbf_filter *filter)
{
  return filter->operations->insert_wholes && !has_layers(filter);
}

mlbf_status mlbf_insert_many(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  mlbf_hash128 wholes[MLBF_SHARED_BATCH];
  size_t most = is_unlayered(filter) ? wholes_at_once(filter) : BATCH;
  for (size_t begin = 0; begin < count; begin += most) {
    size_t size = smaller(most, count - begin);
    if (is_unlayered(filter)) {
      take_wholes(filter, hashes + begin, size, wholes);
      new_keys += insert_wholes(filter, wholes, size, verdicts + begin);
    } else {
      new_keys += insert_hashes(filter, hashes + begin, size, verdicts + begin);
    }
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

/* Hashes of whole keys alone */

mlbf_status mlbf_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  if (!filter->operations->insert_wholes)
    return MLBF_BAD_ARGUMENT;
  uint64_t new_keys = 0;
  for (size_t begin = 0, most = wholes_at_once(filter); begin < count; begin += most) {
    size_t size = smaller(most, count - begin);
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

/* Without layers; as many batches are hashed as are settled at once. */
static uint64_t insert_unlayered(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  mlbf_hash128 wholes[MLBF_SHARED_BATCH];
  for (size_t begin = 0, most = wholes_at_once(filter); begin < count; begin += most) {
    size_t size = smaller(most, count - begin);
    for (size_t i = begin; i < begin + size; i += BATCH) {
      mlbf_batch batch = batch_from(keys, count, i);
      mlbf_batch_hash(filter, &batch, wholes + (i - begin));
    }
    new_keys += insert_wholes(filter, wholes, size, verdicts + begin);
  }
  return new_keys;
}

static uint64_t insert_batch(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  if (has_layers(filter)) {
    mlbf_layer_hashes hashes;
    mlbf_batch_hash_layers(filter, batch, &hashes);
    return insert_layers(filter, &hashes, batch->count, verdicts);
  }
  mlbf_hashes hashes[BATCH];
  for (size_t i = 0; i < batch->count; i++)
    filter->operations->hash(filter, batch->keys[i].segments, batch->keys[i].count, &hashes[i]);
  return insert_hashes(filter, hashes, batch->count, verdicts);
}

mlbf_status mlbf_insert_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  if (is_unlayered(filter))
    return mlbf_filter_count_keys(filter, insert_unlayered(filter, keys, count, verdicts));
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    new_keys += insert_batch(filter, &batch, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}
