/* The multi-layer filter: an integrity layer that keeps the promise, and layers that say why a key is new.
 *
 *   http://h    /a      /b            one salted hash a segment (hash.h)
 *      |         |       |
 *   [hosts]  [ deep, all layers 2.. ]   known at its depth?     first "no": NEW_SEGMENT(depth), certain
 *      |         |       |
 *      +---XOR---+-------+--> whole
 *                               |
 *                     [ integrity layer ]   "no": NEW_COMBINATION, certain;  "yes": SEEN
 *
 * Always
 *   - The integrity layer alone is sized for the promised rate. Layers can only turn a wrong SEEN into a
 *     right NEW, so the promise holds on every kind of query.
 *   - A key's segments are set before or with its whole: an unknown segment means an unknown key. A rebuild from a
 *     log may set them in any order, since the filter is asked only when the rebuild is done.
 *   - Layers deeper than the first share one array. Segment hashes are salted by layer, so they do not
 *     mix, and a list whose leaves lie at depth 2 and one whose leaves lie at 6 are served alike.
 *
 * Called by filter.c and filter_batch.c through the table of operations below: with signals all layers, without them
 * only the hosts. All is in memory; mlbf/file/ has what is on disk.
 *
 * Deep segments have one bit each. Distinct segments of one layer cannot be read from the shared fill, so
 * each one found new is counted with the inverse of its chance to be found new (Horvitz and Thompson). */
#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

enum { WHOLE, HOSTS, DEEP };

static void layered_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  mlbf_hash_segments(&filter->keying.keys, segments, count, hashes);
}

static bool layered_test_segment(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  return layer == 1 ? mlbf_line_test(&filter->arrays[HOSTS], &segment)
                    : mlbf_classic_test(&filter->arrays[DEEP], segment);
}

static bool set_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  if (layer == 1)
    return mlbf_line_insert(&filter->arrays[HOSTS], &segment);
  if (!mlbf_classic_insert(&filter->arrays[DEEP], segment))
    return false;
  uint64_t bits = filter->arrays[DEEP].bits, clear = bits - mlbf_counter_add(filter, &filter->deep_set, 1);
  mlbf_counter_add(filter, &filter->layer_found[layer - 1], (uint64_t)((double)bits / (double)clear * MLBF_FOUND_UNIT));
  return true;
}

static void layered_insert_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  set_segment(filter, layer, segment);
}

static uint32_t layers_asked(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = mlbf_layer_count(filter);
  return hashes->depth < layers ? hashes->depth : layers;
}

static void layered_prefetch_segment(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  if (layer == 1)
    mlbf_line_prefetch(&filter->arrays[HOSTS], segment);
  else
    mlbf_classic_prefetch(&filter->arrays[DEEP], segment);
}

static mlbf_verdict layered_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_asked(filter, hashes);
  for (uint32_t layer = 1; layer <= layers; layer++)
    if (!layered_test_segment(filter, layer, hashes->layer[layer - 1]))
      return (mlbf_verdict){MLBF_NEW_SEGMENT, layer};
  bool is_known = mlbf_line_test(&filter->arrays[WHOLE], &hashes->whole);
  return (mlbf_verdict){is_known ? MLBF_SEEN : MLBF_NEW_COMBINATION, 0};
}

static void layered_prefetch(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_asked(filter, hashes);
  mlbf_line_prefetch(&filter->arrays[WHOLE], hashes->whole);
  mlbf_line_prefetch(&filter->arrays[HOSTS], hashes->layer[0]);
  for (uint32_t layer = 2; layer <= layers; layer++)
    mlbf_classic_prefetch(&filter->arrays[DEEP], hashes->layer[layer - 1]);
}

/* Where a deep segment's one bit is: what `classic` with k = 1 gives, without its loop and without a branch. */
static inline uint64_t deep_bit(const mlbf_array *deep, mlbf_hash128 segment)
{
  return mlbf_scale(segment.low, deep->bits);
}

/* Fetches what settling these keys will touch. */
static void fetch_places(const mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count)
{
  const mlbf_array host = filter->arrays[HOSTS], whole = filter->arrays[WHOLE], deep = filter->arrays[DEEP];
  for (size_t i = 0; i < count; i++) {
    mlbf_line_prefetch(&host, hashes->hosts[i]);
    mlbf_line_prefetch(&whole, hashes->wholes[i]);
  }
  for (size_t d = 0; d < hashes->begin[count]; d++)
    mlbf_fetch(&deep.words[deep_bit(&deep, hashes->deep[d]) / 64]);
}

void mlbf_flatten(const mlbf_filter *filter, const mlbf_hashes *from, size_t count, mlbf_layer_hashes *to)
{
  size_t end = to->begin[0] = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t layers = layers_asked(filter, &from[i]);
    to->hosts[i] = from[i].layer[0];
    to->wholes[i] = from[i].whole;
    for (uint32_t layer = 1; layer < layers; layer++) {
      to->layer[end] = (uint8_t)layer;
      to->deep[end++] = from[i].layer[layer];
    }
    to->begin[i + 1] = (uint16_t)end;
  }
  fetch_places(filter, to, count);
}

void mlbf_batch_hash_layers(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_layer_hashes *hashes)
{
  const mlbf_hash_keys *keys = &filter->keying.keys;
  keys->path->layers(keys, batch->keys, batch->count, batch->following, filter->plan.signals, hashes);
  fetch_places(filter, hashes, batch->count);
}

/* The verdict from what was unknown: bit 0 the host, bit l - 1 the segment of layer l; and whether the whole was. */
static mlbf_verdict verdict_of(uint64_t unknown, bool is_new)
{
  mlbf_verdict whole = {is_new ? MLBF_NEW_COMBINATION : MLBF_SEEN, 0};
  return unknown ? (mlbf_verdict){MLBF_NEW_SEGMENT, (uint32_t)__builtin_ctzll(unknown) + 1} : whole;
}

/* A bit for each deep segment of a batch, and how to take a key's out. */
typedef struct deep_bits {
  uint64_t words[MLBF_BATCH * MLBF_LAYERS_MAX / 64 + 2];
} deep_bits;

/* Bit l of the result: the segment of layer l + 1, as far as the key has it. Bit 0, the host, is 0. */
static inline uint32_t key_bits(const deep_bits *bits, const mlbf_layer_hashes *hashes, size_t i)
{
  size_t begin = hashes->begin[i], shift = begin % 64;
  const uint64_t *word = &bits->words[begin / 64];
  uint64_t from_begin = word[0] >> shift | word[1] << 1 << (63 - shift);
  return ((uint32_t)from_begin & ((1u << (hashes->begin[i + 1] - begin)) - 1)) << 1;
}

/* All of a batch at once. Returns how many hosts were new. */
static size_t test_all(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_layer_hashes hashes;
  deep_bits unknown;
  const mlbf_array *host = &filter->arrays[HOSTS], *whole = &filter->arrays[WHOLE];
  const mlbf_array deep = filter->arrays[DEEP]; /* a copy: nothing in the loop could change it */
  mlbf_batch_hash_layers(filter, batch, &hashes);
  uint64_t hosts_known = host->path->test(host, hashes.hosts, batch->count);
  size_t d = 0, end = hashes.begin[batch->count];
  for (size_t w = 0; w <= end / 64 + 1; w++) {
    uint64_t word = 0;
    for (; d < end && d < 64 * (w + 1); d++)
      word |= (uint64_t)!mlbf_bit_test(&deep, deep_bit(&deep, hashes.deep[d])) << (d % 64);
    unknown.words[w] = word;
  }
  uint64_t known = whole->path->test(whole, hashes.wholes, batch->count);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = verdict_of((~hosts_known >> i & 1) | key_bits(&unknown, &hashes, i), !(known >> i & 1));
  return batch->count - (size_t)__builtin_popcountll(hosts_known);
}

/* The first segment shows a key of a new host, and the rest of the key is not read; the other keys are tested as a
 * batch of their own. */
static size_t test_hosts_first(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  const mlbf_hash_keys *by = &filter->keying.keys;
  const mlbf_array *array = &filter->arrays[HOSTS];
  mlbf_layer_hashes hashes;
  mlbf_key keys[MLBF_BATCH];
  mlbf_verdict found[MLBF_BATCH];
  uint8_t left[MLBF_BATCH] = {0};
  size_t count = 0;
  for (size_t i = 0; i < batch->count; i++)
    keys[i] = (mlbf_key){batch->keys[i].segments, 1};
  by->path->layers(by, keys, batch->count, 0, false, &hashes);
  for (size_t i = 0; i < batch->count; i++)
    mlbf_line_prefetch(array, hashes.hosts[i]);
  uint64_t known = array->path->test(array, hashes.hosts, batch->count);
  for (size_t i = 0; i < batch->count; i++) {
    left[count] = (uint8_t)i;
    keys[count] = batch->keys[i];
    count += known >> i & 1;
    verdicts[i] = (mlbf_verdict){MLBF_NEW_SEGMENT, 1};
  }
  if (count)
    test_all(filter, &(mlbf_batch){keys, count, 0}, found);
  for (size_t i = 0; i < count; i++)
    verdicts[left[i]] = found[i];
  return batch->count - count;
}

static size_t layered_test_keys(const mlbf_filter *filter, const mlbf_batch *batch, bool hosts_first,
                                mlbf_verdict *verdicts)
{
  return (hosts_first ? test_hosts_first : test_all)(filter, batch, verdicts);
}

/* As mlbf_bit_set, without a branch that depends on the bit. */
static inline bool set_bit(mlbf_array *array, uint64_t bit)
{
  uint64_t *word = &array->words[bit / 64], old = *word;
  *word = old | UINT64_C(1) << (bit % 64);
  return !(old >> (bit % 64) & 1);
}

/* With the chance half way through the call's keys. */
void mlbf_count_found(mlbf_filter *filter, const mlbf_tally *tally)
{
  if (!tally->found_deep)
    return;
  double set = (double)mlbf_counter_add(filter, &filter->deep_set, tally->found_deep);
  double bits = (double)filter->arrays[DEEP].bits, clear = bits - set - (tally->found_deep - 1) / 2.0;
  for (uint32_t i = 1; i < MLBF_LAYERS_MAX; i++)
    if (tally->found[i])
      mlbf_counter_add(filter, &filter->layer_found[i], (uint64_t)(tally->found[i] * (bits / clear) * MLBF_FOUND_UNIT));
}

/* Sets deep segments begin..end-1, and a bit for each that was new. */
static void set_deep(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t begin, size_t end, deep_bits *are_new,
                     mlbf_tally *tally)
{
  mlbf_array deep = filter->arrays[DEEP]; /* a copy: nothing in the loop could change it */
  size_t d = begin;
  for (size_t w = begin / 64; w <= end / 64 + 1; w++) {
    uint64_t word = 0;
    for (; d < end && d < 64 * (w + 1); d++) {
      uint64_t is_new = set_bit(&deep, deep_bit(&deep, hashes->deep[d]));
      word |= is_new << (d % 64);
      tally->found[hashes->layer[d]] += (uint32_t)is_new;
    }
    tally->found_deep += (uint32_t)__builtin_popcountll(word);
    are_new->words[w] = word;
  }
}

/* Array by array: each sees the keys in their order, so a key that comes twice is new once. */
static void settle(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t begin, size_t end,
                   mlbf_verdict *verdicts, mlbf_tally *tally)
{
  deep_bits are_new;
  mlbf_array *host = &filter->arrays[HOSTS], *whole = &filter->arrays[WHOLE];
  uint64_t hosts_new = host->path->insert(host, hashes->hosts + begin, end - begin);
  set_deep(filter, hashes, hashes->begin[begin], hashes->begin[end], &are_new, tally);
  uint64_t wholes_new = whole->path->insert(whole, hashes->wholes + begin, end - begin);
  for (size_t i = begin; i < end; i++)
    verdicts[i] = verdict_of((hosts_new >> (i - begin) & 1) | key_bits(&are_new, hashes, i),
                             wholes_new >> (i - begin) & 1);
}

static void layered_insert_layers(mlbf_filter *filter, const mlbf_layer_hashes *hashes, size_t count,
                                  mlbf_verdict *verdicts, mlbf_tally *tally)
{
  settle(filter, hashes, 0, count, verdicts, tally);
}

static mlbf_verdict layered_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_asked(filter, hashes), unknown = 0;
  for (uint32_t layer = layers; layer >= 1; layer--)
    unknown |= (uint32_t)set_segment(filter, layer, hashes->layer[layer - 1]) << (layer - 1);
  return verdict_of(unknown, mlbf_line_insert(&filter->arrays[WHOLE], &hashes->whole));
}

static double layered_distinct(const mlbf_filter *filter, uint32_t layer)
{
  return layer == 1 ? mlbf_array_keys(&filter->arrays[HOSTS])
                    : (double)filter->layer_found[layer - 1] / MLBF_FOUND_UNIT;
}

const mlbf_operations mlbf_layered_operations = {
  .hash = layered_hash,
  .test = layered_test,
  .insert = layered_insert,
  .test_keys = layered_test_keys,
  .insert_layers = layered_insert_layers,
  .prefetch = layered_prefetch,
  .prefetch_wholes = mlbf_line_prefetch_wholes,
  .test_wholes = mlbf_line_test_wholes,
  .insert_wholes = mlbf_line_insert_wholes,
  .test_segment = layered_test_segment,
  .insert_segment = layered_insert_segment,
  .prefetch_segment = layered_prefetch_segment,
  .layer_distinct = layered_distinct,
};
