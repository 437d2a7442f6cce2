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

/* Of a key there is one, but a rebuild has segments without their keys. */
enum { HOSTS = MLBF_BATCH + MLBF_LAYERS_MAX };

/* Keys whose places are fetched together, and the hosts among their segments. */
typedef struct batch {
  const mlbf_hash128 *keys; /* NULL: there are only segments */
  size_t count, first, end; /* keys; their segments in the caller's arrays */
  size_t host_count;
  mlbf_hash128 hosts[HOSTS];
  uint8_t host_keys[HOSTS], owners[MLBF_BATCH_SEGMENTS]; /* whose a host or a segment is */
  uint16_t unknown[MLBF_BATCH];                          /* of each key, as in its verdict */
} batch;

static inline void prefetch_key(const mlbf_array *array, mlbf_hash128 key)
{
  if (array->layout == MLBF_LAYOUT_CLASSIC)
    mlbf_classic_prefetch(array, key);
  else
    mlbf_line_prefetch(array, key);
}

/* A deep segment has one bit: what CLASSIC with k = 1 gives. Other segments get bit 0, whose word is near. */
static inline uint64_t deep_bit(const mlbf_array *deep, mlbf_hash128 segment, bool is_deep)
{
  return mlbf_scale(is_deep ? segment.low : 0, deep->bits);
}

static inline bool is_deep(uint32_t layer, uint32_t layers)
{
  return layer - 2 < layers - 1; /* neither 0 or 1, nor beyond the last */
}

/* Keys from `begin` on, as many as fit, and at least one; their places are fetched. Nothing in the loop could change
 * what is copied before it. */
static void gather(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t begin, size_t count, batch *b)
{
  const mlbf_array keys = filter->arrays[MLBF_INTEGRITY], hosts = filter->arrays[MLBF_HOSTS];
  const mlbf_array deep = filter->arrays[MLBF_DEEP];
  const uint32_t *ends = hashes->ends + begin, layers = mlbf_layer_count(filter);
  const size_t first = begin ? ends[-1] : 0, most = count - begin < MLBF_BATCH ? count - begin : MLBF_BATCH;
  const mlbf_hash128 *segments = hashes->segments + first, *own = hashes->keys ? hashes->keys + begin : NULL;
  const uint8_t *layer = hashes->layers + first;
  size_t i = 0, s = 0, host_count = 0;
  for (; i < most; i++) {
    const size_t end = ends[i] - first;
    assert(end >= s && end - s <= MLBF_LAYERS_MAX);
    if (end > MLBF_BATCH_SEGMENTS || host_count + (end - s) > HOSTS)
      break;
    if (own)
      prefetch_key(&keys, own[i]);
    for (; s < end; s++) {
      b->owners[s] = (uint8_t)i;
      if (layer[s] == 1) {
        mlbf_line_prefetch(&hosts, segments[s]);
        b->hosts[host_count] = segments[s];
        b->host_keys[host_count++] = (uint8_t)i;
      } else {
        mlbf_fetch(&deep.words[deep_bit(&deep, segments[s], is_deep(layer[s], layers)) / 64]);
      }
    }
    b->unknown[i] = 0;
  }
  assert(i > 0);
  b->keys = own;
  b->count = i;
  b->first = first;
  b->end = first + s;
  b->host_count = host_count;
}

static inline void mark_hosts(uint64_t unknown, batch *b)
{
  for (size_t h = 0; h < b->host_count; h++)
    b->unknown[b->host_keys[h]] |= (uint16_t)(unknown >> h & 1);
}

static void write_verdicts(const batch *b, uint64_t new_keys, mlbf_verdict *verdicts)
{
  for (size_t i = 0; i < b->count; i++) {
    uint16_t unknown = b->unknown[i];
    mlbf_outcome outcome = new_keys >> i & 1 ? MLBF_NEW_COMBINATION : MLBF_SEEN;
    verdicts[i] = (mlbf_verdict){unknown ? MLBF_NEW_SEGMENT : outcome, (uint16_t)__builtin_ffs(unknown), unknown};
  }
}

static void test_batch(const mlbf_filter *filter, const mlbf_hashes *hashes, batch *b, mlbf_verdict *verdicts)
{
  const mlbf_array *keys = &filter->arrays[MLBF_INTEGRITY], *hosts = &filter->arrays[MLBF_HOSTS];
  const mlbf_array deep = filter->arrays[MLBF_DEEP]; /* a copy: nothing in the loop could change it */
  const uint32_t layers = mlbf_layer_count(filter);
  const mlbf_hash128 *segments = hashes->segments + b->first;
  const uint8_t *layer = hashes->layers + b->first;
  mark_hosts(~hosts->path->test(hosts, b->hosts, b->host_count), b);
  for (size_t s = 0, count = layers > 1 ? b->end - b->first : 0; s < count; s++) {
    bool is = is_deep(layer[s], layers), is_known = mlbf_bit_test(&deep, deep_bit(&deep, segments[s], is));
    b->unknown[b->owners[s]] |= (uint16_t)((is & !is_known) << ((layer[s] - 1) & 15));
  }
  write_verdicts(b, ~keys->path->test(keys, b->keys, b->count), verdicts);
}

/* ---- keys without segments -------------------------------------------------------------------------------------- */

/* Has the filter no layers, or have the keys no segments? */
static inline bool is_plain(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  return !hashes->ends || filter->plan.array_count == 1;
}

static inline size_t fetch_plain(const mlbf_array *array, const mlbf_hash128 *keys, size_t count)
{
  size_t size = count < MLBF_BATCH ? count : MLBF_BATCH;
  for (size_t i = 0; i < size; i++)
    prefetch_key(array, keys[i]);
  return size;
}

static inline void write_plain(const mlbf_filter *filter, uint64_t new_keys, size_t count, mlbf_verdict *verdicts)
{
  const mlbf_verdict is_new = {filter->plan.array_count == 1 ? MLBF_NEW : MLBF_NEW_COMBINATION, 0, 0};
  const mlbf_verdict is_seen = {MLBF_SEEN, 0, 0};
  for (size_t i = 0; i < count; i++)
    verdicts[i] = new_keys >> i & 1 ? is_new : is_seen;
}

static void test_plain(const mlbf_filter *filter, const mlbf_hash128 *keys, size_t count, mlbf_verdict *verdicts)
{
  const mlbf_array *array = &filter->arrays[MLBF_INTEGRITY];
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = fetch_plain(array, keys + begin, count - begin);
    write_plain(filter, ~array->path->test(array, keys + begin, size), size, verdicts + begin);
  }
}

static uint64_t insert_plain(mlbf_filter *filter, const mlbf_hash128 *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_array *array = &filter->arrays[MLBF_INTEGRITY];
  uint64_t all_new = 0;
  for (size_t begin = 0, size; begin < count; begin += size) {
    size = fetch_plain(array, keys + begin, count - begin);
    uint64_t new_keys = array->path->insert(array, keys + begin, size);
    all_new += (uint64_t)__builtin_popcountll(new_keys);
    if (verdicts)
      write_plain(filter, new_keys, size, verdicts + begin);
  }
  return all_new;
}

void mlbf_test_hashes(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  batch b;
  assert_filter(filter);
  if (is_plain(filter, hashes)) {
    test_plain(filter, hashes->keys, count, verdicts);
    return;
  }
  for (size_t begin = 0; begin < count; begin += b.count) {
    gather(filter, hashes, begin, count, &b);
    test_batch(filter, hashes, &b, verdicts + begin);
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
  clear = clear < 1 ? 1 : clear; /* a file may tell more bits than are set */
  for (uint32_t i = 1; i < MLBF_LAYERS_MAX; i++)
    filter->layer_found[i] += (uint64_t)(found[i] * (bits / clear) * MLBF_FOUND_UNIT);
  filter->deep_set += all;
  if (filter->deep_set > filter->arrays[MLBF_DEEP].bits)
    filter->deep_set = filter->arrays[MLBF_DEEP].bits;
}

static void insert_deep(mlbf_filter *filter, const mlbf_hashes *hashes, batch *b)
{
  const mlbf_array deep = filter->arrays[MLBF_DEEP]; /* a copy: nothing in the loop could change it */
  const mlbf_hash128 *segments = hashes->segments + b->first;
  const uint8_t *layer = hashes->layers + b->first;
  const uint32_t layers = mlbf_layer_count(filter);
  uint32_t found[MLBF_LAYERS_MAX] = {0};
  if (layers == 1)
    return;
  for (size_t s = 0, count = b->end - b->first; s < count; s++) {
    uint64_t is = is_deep(layer[s], layers), bit = deep_bit(&deep, segments[s], is);
    uint64_t *word = &deep.words[bit / 64], old = *word;
    uint32_t is_new = (uint32_t)(is & ~(old >> (bit % 64))), at = (layer[s] - 1) & 15;
    *word = old | is << (bit % 64);
    b->unknown[b->owners[s]] |= (uint16_t)(is_new << at);
    found[at] += is_new;
  }
  count_found(filter, found);
}

/* Returns how many were new, by their verdicts. */
static uint64_t insert_batch(mlbf_filter *filter, const mlbf_hashes *hashes, batch *b, mlbf_verdict *verdicts)
{
  mlbf_array *keys = &filter->arrays[MLBF_INTEGRITY], *hosts = &filter->arrays[MLBF_HOSTS];
  mark_hosts(hosts->path->insert(hosts, b->hosts, b->host_count), b);
  insert_deep(filter, hashes, b);
  if (!b->keys)
    return 0;
  uint64_t new_keys = keys->path->insert(keys, b->keys, b->count);
  if (verdicts)
    write_verdicts(b, new_keys, verdicts);
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
  if (filter->file.checksums &&
      mlbf_block_file_verify(&filter->file) != MLBF_OK) /* what is written to can no longer be compared */
    return MLBF_DAMAGED;
  if (is_plain(filter, hashes))
    new_keys = hashes->keys ? insert_plain(filter, hashes->keys, count, verdicts) : 0;
  for (size_t begin = 0; begin < count && !is_plain(filter, hashes); begin += b.count) {
    gather(filter, hashes, begin, count, &b);
    new_keys += insert_batch(filter, hashes, &b, verdicts ? verdicts + begin : NULL);
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
