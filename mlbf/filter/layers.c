/* How keys go into a filter, and what it says of them: one core for every kind. The multi-layer filter has all of it:
 *
 *   http://h    /a      /b            one salted hash a segment (keyed_hash.h)
 *      |         |       |
 *   [hosts]  [ deep, all layers 2.. ]   known at its depth?     first "no": NEW_SEGMENT(depth), certain
 *      |         |       |
 *      +---XOR---+-------+--> key hash
 *                               |
 *                     [ integrity layer ]   "no": NEW_COMBINATION, certain;  "yes": SEEN
 *
 * `line` and `bloom` are the integrity layer alone, `mlbf` without signals has no deep layers.
 *
 * Always
 *   - The integrity layer, array 0, is sized for the promised rate by itself. Layers can only turn a wrong SEEN into a
 *     right NEW, so the promise holds on every kind of query.
 *   - A key's segments are set with its hash: an unknown segment means an unknown key. A rebuild from a log may set
 *     them in any order, since the filter is asked only when the rebuild is done.
 *   - Layers deeper than the first share one array. Segment hashes are salted by layer, so they do not mix, and a list
 *     whose leaves lie at depth 2 and one whose leaves lie at 6 are served alike.
 *
 * Keys go through in batches, each array after the other, so that each array sees the keys in their order: a key that
 * comes twice is new once. A batch's places are all fetched before the first is read.
 *
 * Deep segments have one bit each. Distinct segments of one layer cannot be read from the shared fill, so each one
 * found new is counted with the inverse of its chance to be found new (Horvitz and Thompson).
 *
 * Called by filter.h's functions, chain.c and file/remake.c. All is in memory; mlbf/file/ has what is on disk. */
#include <assert.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

/* Room for the segments of a log's last key, whatever their layers. */
enum { HOSTS = MLBF_BATCH + MLBF_LAYERS_MAX };

/* The hashes of a batch, sorted by the array that they belong to. */
typedef struct batch {
  const mlbf_hash128 *keys;
  size_t count, host_count, deep_count;
  mlbf_hash128 hosts[HOSTS];
  uint64_t deep_bits[MLBF_BATCH_SEGMENTS];
  uint8_t host_keys[HOSTS], deep_keys[MLBF_BATCH_SEGMENTS]; /* whose they are */
  uint8_t deep_layers[MLBF_BATCH_SEGMENTS];                 /* from 0, so never 0 */
  uint16_t unknown[MLBF_BATCH];                             /* of each key, as in its verdict */
} batch;

static inline void prefetch_key(const mlbf_array *array, mlbf_hash128 key)
{
  if (array->layout == MLBF_LAYOUT_CLASSIC)
    mlbf_classic_prefetch(array, key);
  else
    mlbf_line_prefetch(array, key);
}

static inline void gather_host(const mlbf_filter *filter, mlbf_hash128 segment, batch *b)
{
  mlbf_line_prefetch(&filter->arrays[MLBF_HOSTS], segment);
  b->hosts[b->host_count] = segment;
  b->host_keys[b->host_count++] = (uint8_t)b->count;
}

static inline void gather_deep(const mlbf_array *deep, uint32_t layer, mlbf_hash128 segment, batch *b)
{
  uint64_t bit = mlbf_deep_bit(deep, segment);
  mlbf_fetch(&deep->words[bit / 64]);
  b->deep_bits[b->deep_count] = bit;
  b->deep_layers[b->deep_count] = (uint8_t)(layer - 1);
  b->deep_keys[b->deep_count++] = (uint8_t)b->count;
}

/* The segments of key `key` as those of the batch's next one, their places fetched. false: they do not fit. */
static inline bool gather_segments(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t key, batch *b)
{
  const mlbf_array deep = filter->arrays[MLBF_DEEP]; /* a copy: nothing in the loop could change it */
  const uint32_t layers = mlbf_layer_count(filter);
  const size_t begin = key ? hashes->ends[key - 1] : 0, end = hashes->ends[key];
  assert(end - begin <= MLBF_LAYERS_MAX);
  if (b->host_count + (end - begin) > HOSTS || b->deep_count + (end - begin) > MLBF_BATCH_SEGMENTS)
    return false;
  for (size_t s = begin; s < end; s++) {
    uint32_t layer = hashes->layers[s];
    if (layer == 1)
      gather_host(filter, hashes->segments[s], b);
    else if (layer - 2 < layers - 1) /* not 0, and not beyond the last */
      gather_deep(&deep, layer, hashes->segments[s], b);
  }
  return true;
}

/* Keys from `begin` on, as many as fit; at least one. */
static void gather(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t begin, size_t count, batch *b)
{
  const bool has_segments = hashes->ends && mlbf_layer_count(filter) > 0;
  const size_t most = count - begin < MLBF_BATCH ? count - begin : MLBF_BATCH;
  b->keys = hashes->keys ? hashes->keys + begin : NULL;
  b->count = b->host_count = b->deep_count = 0;
  for (; b->count < most; b->count++) {
    if (has_segments && !gather_segments(filter, hashes, begin + b->count, b))
      break;
    if (b->keys)
      prefetch_key(&filter->arrays[MLBF_INTEGRITY], b->keys[b->count]);
    b->unknown[b->count] = 0;
  }
  assert(b->count > 0);
}

static inline void mark_hosts(uint64_t unknown, batch *b)
{
  for (size_t h = 0; h < b->host_count; h++)
    b->unknown[b->host_keys[h]] |= (uint16_t)(unknown >> h & 1);
}

static void write_verdicts(const mlbf_filter *filter, const batch *b, uint64_t new_keys, mlbf_verdict *verdicts)
{
  const mlbf_outcome is_new = mlbf_layer_count(filter) ? MLBF_NEW_COMBINATION : MLBF_NEW;
  for (size_t i = 0; i < b->count; i++) {
    uint16_t unknown = b->unknown[i];
    mlbf_outcome outcome = new_keys >> i & 1 ? is_new : MLBF_SEEN;
    verdicts[i] = (mlbf_verdict){unknown ? MLBF_NEW_SEGMENT : outcome, (uint16_t)__builtin_ffs(unknown), unknown};
  }
}

static void test_batch(const mlbf_filter *filter, batch *b, mlbf_verdict *verdicts)
{
  const mlbf_array *keys = &filter->arrays[MLBF_INTEGRITY], *hosts = &filter->arrays[MLBF_HOSTS];
  const mlbf_array deep = filter->arrays[MLBF_DEEP]; /* a copy: nothing in the loop could change it */
  if (b->host_count)
    mark_hosts(~hosts->path->test(hosts, b->hosts, b->host_count), b);
  for (size_t d = 0; d < b->deep_count; d++)
    b->unknown[b->deep_keys[d]] |= (uint16_t)(!mlbf_bit_test(&deep, b->deep_bits[d]) << b->deep_layers[d]);
  write_verdicts(filter, b, ~keys->path->test(keys, b->keys, b->count), verdicts);
}

void mlbf_test_hashes(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  batch b;
  assert_filter(filter);
  for (size_t begin = 0; begin < count; begin += b.count) {
    gather(filter, hashes, begin, count, &b);
    test_batch(filter, &b, verdicts + begin);
  }
}

/* ---- insertion -------------------------------------------------------------------------------------------------- */

/* With the chance half way through the batch. */
static void count_found(mlbf_filter *filter, const uint32_t found[MLBF_LAYERS_MAX])
{
  uint64_t all = 0;
  for (uint32_t i = 1; i < MLBF_LAYERS_MAX; i++)
    all += found[i];
  if (all == 0)
    return;
  double bits = (double)filter->arrays[MLBF_DEEP].bits;
  double clear = bits - (double)filter->deep_set - ((double)all - 1) / 2;
  for (uint32_t i = 1; i < MLBF_LAYERS_MAX; i++)
    filter->layer_found[i] += (uint64_t)(found[i] * (bits / clear) * MLBF_FOUND_UNIT);
  filter->deep_set += all;
}

static void insert_deep(mlbf_filter *filter, batch *b)
{
  mlbf_array deep = filter->arrays[MLBF_DEEP]; /* a copy: nothing in the loop could change it */
  uint32_t found[MLBF_LAYERS_MAX] = {0};
  for (size_t d = 0; d < b->deep_count; d++) {
    uint64_t *word = &deep.words[b->deep_bits[d] / 64], old = *word, mask = UINT64_C(1) << (b->deep_bits[d] % 64);
    uint32_t is_new = !(old & mask);
    *word = old | mask;
    b->unknown[b->deep_keys[d]] |= (uint16_t)(is_new << b->deep_layers[d]);
    found[b->deep_layers[d]] += is_new;
  }
  if (b->deep_count)
    count_found(filter, found);
}

/* Returns how many were new, by their verdicts. */
static uint64_t insert_batch(mlbf_filter *filter, batch *b, mlbf_verdict *verdicts)
{
  mlbf_array *keys = &filter->arrays[MLBF_INTEGRITY], *hosts = &filter->arrays[MLBF_HOSTS];
  if (b->host_count)
    mark_hosts(hosts->path->insert(hosts, b->hosts, b->host_count), b);
  insert_deep(filter, b);
  if (!b->keys)
    return 0;
  uint64_t new_keys = keys->path->insert(keys, b->keys, b->count);
  if (verdicts)
    write_verdicts(filter, b, new_keys, verdicts);
  for (size_t i = 0; i < b->count; i++)
    new_keys |= (uint64_t)(b->unknown[i] != 0) << i;
  return (uint64_t)__builtin_popcountll(new_keys);
}

mlbf_status mlbf_filter_count_keys(mlbf_filter *filter, uint64_t count)
{
  uint64_t before = filter->keys;
  filter->keys += count;
  return before <= filter->plan.keys && filter->keys > filter->plan.keys ? MLBF_FULL : MLBF_OK;
}

mlbf_status mlbf_insert_hashes(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  batch b;
  uint64_t new_keys = 0;
  assert_filter(filter);
  mlbf_status status = mlbf_verify(filter); /* what is written to can no longer be compared with its checksums */
  if (status != MLBF_OK)
    return status;
  for (size_t begin = 0; begin < count; begin += b.count) {
    gather(filter, hashes, begin, count, &b);
    new_keys += insert_batch(filter, &b, verdicts ? verdicts + begin : NULL);
  }
  return mlbf_filter_count_keys(filter, new_keys);
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

void mlbf_hash(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_hashes *hashes)
{
  const mlbf_hash_keys *secret = &filter->file.keying.keys;
  size_t done = secret->path->hash(secret, keys, count, 0, mlbf_layer_count(filter), SIZE_MAX, hashes);
  assert(done == count);
  (void)done;
}

size_t mlbf_hash_some(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_some_hashes *some)
{
  const mlbf_hash_keys *secret = &filter->file.keying.keys;
  size_t most = count < MLBF_BATCH ? count : MLBF_BATCH;
  some->hashes = (mlbf_hashes){some->keys, some->ends, some->segments, some->layers};
  return secret->path->hash(secret, keys, most, count - most, mlbf_layer_count(filter), MLBF_BATCH_SEGMENTS,
                            &some->hashes);
}

void mlbf_test(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_some_hashes some;
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = mlbf_hash_some(filter, keys + begin, count - begin, &some);
    mlbf_test_hashes(filter, &some.hashes, size, verdicts + begin);
  }
}

mlbf_status mlbf_insert(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_some_hashes some;
  mlbf_status status = MLBF_OK;
  for (size_t begin = 0, size; begin < count && status != MLBF_DAMAGED; begin += size) {
    size = mlbf_hash_some(filter, keys + begin, count - begin, &some);
    mlbf_status now = mlbf_insert_hashes(filter, &some.hashes, size, verdicts ? verdicts + begin : NULL);
    status = now == MLBF_OK ? status : now;
  }
  return status;
}
