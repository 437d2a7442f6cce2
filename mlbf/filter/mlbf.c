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
 * Called by filter.c and filter_batch.c through the two tables of operations below: with signals all layers, without
 * them only the hosts. In a shared filter (mlbf_share) a thread that inserts a key holds the key's stripe, and one that
 * tests holds nothing; insert_keys is not called then. All is in memory; mlbf/file/ has what is on disk.
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
  return layer == 1 ? mlbf_line_test(&filter->arrays[HOSTS], segment)
                    : mlbf_classic_test(&filter->arrays[DEEP], segment);
}

static bool set_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  if (layer == 1)
    return mlbf_line_insert(&filter->arrays[HOSTS], segment);
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

static mlbf_verdict layered_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_asked(filter, hashes);
  for (uint32_t layer = 1; layer <= layers; layer++)
    if (!layered_test_segment(filter, layer, hashes->layer[layer - 1]))
      return (mlbf_verdict){MLBF_NEW_SEGMENT, layer};
  bool is_known = mlbf_line_test(&filter->arrays[WHOLE], hashes->whole);
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

static void fetch_batch(const mlbf_filter *filter, const mlbf_batch *batch, const mlbf_layer_hashes *hashes)
{
  for (size_t i = 0; i < batch->count; i++)
    mlbf_line_prefetch(&filter->arrays[HOSTS], hashes->segments[hashes->begin[i]]);
  mlbf_line_prefetch_wholes(filter, hashes->wholes, batch->count);
}

/* The hosts' hashes, side by side. */
static void hosts_of(const mlbf_batch *batch, const mlbf_layer_hashes *hashes, mlbf_hash128 *hosts)
{
  for (size_t i = 0; i < batch->count; i++)
    hosts[i] = hashes->segments[hashes->begin[i]];
}

static mlbf_verdict verdict_of(uint32_t new_layer, bool whole_is_new)
{
  if (new_layer)
    return (mlbf_verdict){MLBF_NEW_SEGMENT, new_layer};
  return (mlbf_verdict){whole_is_new ? MLBF_NEW_COMBINATION : MLBF_SEEN, 0};
}

static void layered_test_keys(const mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_layer_hashes hashes;
  mlbf_hash128 hosts[MLBF_BATCH];
  bool host_known[MLBF_BATCH], whole_known[MLBF_BATCH];
  mlbf_batch_hash_layers(filter, batch, 1, &hashes);
  fetch_batch(filter, batch, &hashes);
  hosts_of(batch, &hashes, hosts);
  filter->arrays[HOSTS].path->test_many(&filter->arrays[HOSTS], hosts, batch->count, host_known);
  filter->arrays[WHOLE].path->test_many(&filter->arrays[WHOLE], hashes.wholes, batch->count, whole_known);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = verdict_of(!host_known[i], !whole_known[i]);
}

/* Array by array: each sees the batch in its order, so a key that comes twice is new once. */
static void layered_insert_keys(mlbf_filter *filter, const mlbf_batch *batch, mlbf_verdict *verdicts)
{
  mlbf_layer_hashes hashes;
  mlbf_hash128 hosts[MLBF_BATCH];
  bool host_new[MLBF_BATCH], whole_new[MLBF_BATCH];
  mlbf_batch_hash_layers(filter, batch, 1, &hashes);
  fetch_batch(filter, batch, &hashes);
  hosts_of(batch, &hashes, hosts);
  filter->arrays[HOSTS].path->insert_many(&filter->arrays[HOSTS], hosts, batch->count, host_new);
  filter->arrays[WHOLE].path->insert_many(&filter->arrays[WHOLE], hashes.wholes, batch->count, whole_new);
  for (size_t i = 0; i < batch->count; i++)
    verdicts[i] = verdict_of(host_new[i], whole_new[i]);
}

static mlbf_verdict layered_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  uint32_t layers = layers_asked(filter, hashes), unknown = 0;
  for (uint32_t layer = layers; layer >= 1; layer--) /* downwards: the last one found is the first unknown */
    if (set_segment(filter, layer, hashes->layer[layer - 1]))
      unknown = layer;
  bool was_new = mlbf_line_insert(&filter->arrays[WHOLE], hashes->whole);
  if (unknown)
    return (mlbf_verdict){MLBF_NEW_SEGMENT, unknown};
  return (mlbf_verdict){was_new ? MLBF_NEW_COMBINATION : MLBF_SEEN, 0};
}

static double layered_distinct(const mlbf_filter *filter, uint32_t layer)
{
  return layer == 1 ? mlbf_array_keys(&filter->arrays[HOSTS])
                    : (double)filter->layer_found[layer - 1] / MLBF_FOUND_UNIT;
}

#define LAYERED_OPERATIONS                                                                            \
  .hash = layered_hash, .test = layered_test, .insert = layered_insert, .prefetch = layered_prefetch, \
  .prefetch_wholes = mlbf_line_prefetch_wholes, .test_wholes = mlbf_line_test_wholes,                 \
  .insert_wholes = mlbf_line_insert_wholes, .test_segment = layered_test_segment,                     \
  .insert_segment = layered_insert_segment, .layer_distinct = layered_distinct

const mlbf_operations mlbf_layered_operations = {
  LAYERED_OPERATIONS,
  .test_keys = layered_test_keys,
  .insert_keys = layered_insert_keys,
};

const mlbf_operations mlbf_signals_operations = {
  LAYERED_OPERATIONS,
};
