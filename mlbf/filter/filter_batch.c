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

/* Verdicts of keys: `set` where the bit is set. */
static void say(uint64_t bits, size_t count, mlbf_outcome set, mlbf_outcome clear, mlbf_verdict *verdicts)
{
  bool is_set[BATCH];
  assert(count <= BATCH);
  spread(bits, BATCH, is_set);
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){is_set[i] ? set : clear, 0};
}

static void test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t known = filter->operations->test_wholes(filter, wholes, count);
  say(known, count, MLBF_SEEN, MLBF_NEW, verdicts);
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
  if (has_layers(filter)) {
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
}

mlbf_status mlbf_test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *is_known)
{
  assert_filter(filter);
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    filter->operations->prefetch_wholes(filter, wholes + begin, size);
    spread(filter->operations->test_wholes(filter, wholes + begin, size), size, is_known + begin);
  }
  return MLBF_OK;
}

/* Whole keys to be inserted into a filter, with answers in verdicts or booleans. */
typedef struct inserting {
  mlbf_filter *filter;
  mlbf_verdict *verdicts;
  bool *was_new;
  uint64_t new_keys;
} inserting;

static void insert_begin(inserting *of, mlbf_filter *filter, mlbf_verdict *verdicts, bool *was_new)
{
  assert_filter(filter);
  of->filter = filter;
  of->verdicts = verdicts;
  of->was_new = was_new;
  of->new_keys = 0;
}

/* Wholes number `begin` on, at most BATCH, fetched. */
static void insert_wholes(inserting *of, const mlbf_hash128 *wholes, size_t count, size_t begin)
{
  assert(count && count <= BATCH);
  uint64_t were_new = of->filter->operations->insert_wholes(of->filter, wholes, count);
  of->new_keys += (uint64_t)__builtin_popcountll(were_new);
  if (of->was_new)
    spread(were_new, count, of->was_new + begin);
  else
    say(were_new, count, MLBF_NEW, MLBF_SEEN, of->verdicts + begin);
}

static mlbf_status insert_end(inserting *of)
{
  return mlbf_filter_count_keys(of->filter, of->new_keys);
}

/* With layers. Returns the number of new keys. */

static uint64_t insert_layers(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count,
                              mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  mlbf_tally tally = {.found_deep = 0};
  assert_filter(filter);
  filter->operations->insert_layers(filter, hashes, count, verdicts, &tally);
  for (size_t i = 0; i < count; i++)
    new_keys += mlbf_verdict_is_new(verdicts[i]);
  mlbf_count_found(filter, &tally);
  return new_keys;
}

static mlbf_status insert_many_layered(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count,
                                       mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  mlbf_layer_hashes flat;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    mlbf_flatten(filter, hashes + begin, size, &flat);
    new_keys += insert_layers(filter, &flat, size, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

mlbf_status mlbf_insert_many(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  if (mlbf_verify(filter) != MLBF_OK)
    return MLBF_DAMAGED;
  if (has_layers(filter))
    return insert_many_layered(filter, hashes, count, verdicts);
  inserting all;
  mlbf_hash128 wholes[BATCH];
  insert_begin(&all, filter, verdicts, NULL);
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    take_wholes(filter, hashes + begin, size, wholes);
    insert_wholes(&all, wholes, size, begin);
  }
  return insert_end(&all);
}

/* Hashes of whole keys alone */

mlbf_status mlbf_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  if (mlbf_verify(filter) != MLBF_OK)
    return MLBF_DAMAGED;
  inserting all;
  insert_begin(&all, filter, NULL, was_new);
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = smaller(BATCH, count - begin);
    filter->operations->prefetch_wholes(filter, wholes + begin, size);
    insert_wholes(&all, wholes + begin, size, begin);
  }
  return insert_end(&all);
}

mlbf_status mlbf_insert_whole(mlbf_filter *filter, mlbf_hash128 whole)
{
  if (mlbf_verify(filter) != MLBF_OK)
    return MLBF_DAMAGED;
  assert_filter(filter);
  return mlbf_filter_count_keys(filter, filter->operations->insert_wholes(filter, &whole, 1));
}

/* Keys */

static size_t test_batch(const mlbf_filter *filter, const mlbf_batch *batch, bool hosts_first, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[BATCH];
  (void)hosts_first;
  mlbf_batch_hash(filter, batch, wholes);
  test_wholes(filter, wholes, batch->count, verdicts);
  return 0;
}

void mlbf_test_keys(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  size_t (*test)(const mlbf_filter *, const mlbf_batch *, bool,
                 mlbf_verdict *) = filter->operations->test_keys ? filter->operations->test_keys : test_batch;
  size_t new_hosts = 0; /* in the batch before */
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    new_hosts = test(filter, &batch, new_hosts > BATCH / 2, verdicts + begin);
  }
}

static mlbf_status insert_keys_layered(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  mlbf_layer_hashes hashes;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    mlbf_batch_hash_layers(filter, &batch, &hashes);
    new_keys += insert_layers(filter, &hashes, batch.count, verdicts + begin);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

mlbf_status mlbf_insert_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  if (mlbf_verify(filter) != MLBF_OK)
    return MLBF_DAMAGED;
  if (has_layers(filter))
    return insert_keys_layered(filter, keys, count, verdicts);
  inserting all;
  mlbf_hash128 wholes[BATCH];
  insert_begin(&all, filter, verdicts, NULL);
  for (size_t begin = 0; begin < count; begin += BATCH) {
    mlbf_batch batch = batch_from(keys, count, begin);
    mlbf_batch_hash(filter, &batch, wholes);
    insert_wholes(&all, wholes, batch.count, begin);
  }
  return insert_end(&all);
}
