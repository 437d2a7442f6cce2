/* The life of a filter, and the way from the common interface to its kind. */
#include "mlbf/filter.h"

#include <stdlib.h>
#include <string.h>

#include "mlbf/inside.h"
#include "mlbf/line.h"

static const mlbf_operations *operations_of(mlbf_kind kind)
{
  switch (kind) {
  case MLBF_KIND_BLOOM:
    return &mlbf_bloom_operations;
  case MLBF_KIND_LINE:
    return &mlbf_line_operations;
  case MLBF_KIND_MLBF:
    return &mlbf_layered_operations;
  case MLBF_KIND_BLOOM_PAPER:
    return &mlbf_bloom_paper_operations;
  case MLBF_KIND_MLBF_PAPER:
    return &mlbf_paper_operations;
  }
  return NULL; /* mlbf_plan_make lets no other value through */
}

mlbf_status mlbf_filter_make(const mlbf_plan *plan, uint64_t seed, const char *profile, mlbf_filter **filter)
{
  mlbf_filter *made = calloc(1, sizeof *made);
  uint64_t bytes = mlbf_body_bytes(plan);
  void *body = made ? mlbf_body_allocate(bytes) : NULL;
  if (!body) {
    free(made);
    return MLBF_NO_MEMORY;
  }
  made->operations = operations_of(plan->kind);
  made->plan = *plan;
  made->seed = seed;
  mlbf_salts_make(seed, &made->salts);
  memcpy(made->profile, profile, strlen(profile) + 1);
  made->body = body;
  made->body_bytes = bytes;
  const mlbf_line_path *path = mlbf_line_path_best();
  for (uint32_t i = 0; i < plan->array_count; i++) {
    const mlbf_array_plan *array = &plan->arrays[i];
    uint64_t *words = (uint64_t *)body + mlbf_body_offset(plan, i) / sizeof(uint64_t);
    made->arrays[i] = (mlbf_array){ words, array->bits, array->hashes, array->layout, path };
  }
  *filter = made;
  return MLBF_OK;
}

mlbf_status mlbf_create(const mlbf_options *options, mlbf_filter **filter)
{
  mlbf_plan plan;
  const char *profile = options->profile ? options->profile : "";
  if (strlen(profile) >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  mlbf_status status = mlbf_plan_make(options, &plan, NULL);
  if (status != MLBF_OK)
    return status;
  return mlbf_filter_make(&plan, options->seed, profile, filter);
}

void mlbf_free(mlbf_filter *filter)
{
  if (!filter)
    return;
  mlbf_body_free(filter->body, filter->body_bytes);
  free(filter);
}

void mlbf_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  filter->operations->hash(filter, segments, count, hashes);
}

mlbf_verdict mlbf_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  return filter->operations->test(filter, hashes);
}

/* Counts new keys; MLBF_FULL when the design load is passed with them. */
static mlbf_status count_keys(mlbf_filter *filter, uint64_t count)
{
  filter->keys += count;
  if (filter->keys <= filter->plan.keys || filter->full_said)
    return MLBF_OK;
  filter->full_said = true;
  return MLBF_FULL;
}

mlbf_status mlbf_insert(mlbf_filter *filter, const mlbf_hashes *hashes, mlbf_verdict *verdict)
{
  *verdict = filter->operations->insert(filter, hashes);
  return count_keys(filter, verdict->outcome != MLBF_SEEN);
}

/* Many at once. A batch is what the memory system can fetch while the processor hashes: 16 is too few to
 * hide a miss behind, beyond 32 nothing is gained (bench_filters). */
enum { BATCH = 32 };

void mlbf_test_many(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t end = begin + BATCH < count ? begin + BATCH : count;
    for (size_t i = begin; i < end; i++)
      filter->operations->prefetch(filter, &hashes[i]);
    for (size_t i = begin; i < end; i++)
      verdicts[i] = filter->operations->test(filter, &hashes[i]);
  }
}

void mlbf_test_keys(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hashes hashes[BATCH];
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    for (size_t i = 0; i < size; i++) {
      filter->operations->hash(filter, keys[begin + i].segments, keys[begin + i].count, &hashes[i]);
      filter->operations->prefetch(filter, &hashes[i]);
    }
    for (size_t i = 0; i < size; i++)
      verdicts[begin + i] = filter->operations->test(filter, &hashes[i]);
  }
}

static uint64_t insert_batch(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t i = 0; i < count; i++) {
    verdicts[i] = filter->operations->insert(filter, &hashes[i]);
    new_keys += verdicts[i].outcome != MLBF_SEEN;
  }
  return new_keys;
}

mlbf_status mlbf_insert_many(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    for (size_t i = 0; i < size; i++)
      filter->operations->prefetch(filter, &hashes[begin + i]);
    new_keys += insert_batch(filter, hashes + begin, size, verdicts + begin);
  }
  return count_keys(filter, new_keys);
}

static uint64_t insert_whole_batch(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  uint64_t new_keys = 0;
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
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    new_keys += insert_whole_batch(filter, wholes + begin, size, was_new + begin);
  }
  return count_keys(filter, new_keys);
}

mlbf_status mlbf_insert_whole(mlbf_filter *filter, mlbf_hash128 whole)
{
  bool was_new;
  return mlbf_insert_wholes(filter, &whole, 1, &was_new);
}

/* Keys of kinds without layers need 16 bytes each between hashing and settling, not a whole mlbf_hashes. */
static uint64_t insert_unlayered_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hash128 wholes[BATCH];
  bool was_new[BATCH];
  for (size_t i = 0; i < count; i++)
    wholes[i] = mlbf_hash_bytes(keys[i].segments, keys[i].count, filter->seed);
  uint64_t new_keys = insert_whole_batch(filter, wholes, count, was_new);
  for (size_t i = 0; i < count; i++)
    verdicts[i] = (mlbf_verdict){ was_new[i] ? MLBF_NEW : MLBF_SEEN, 0 };
  return new_keys;
}

static uint64_t insert_layered_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hashes hashes[BATCH];
  for (size_t i = 0; i < count; i++) {
    filter->operations->hash(filter, keys[i].segments, keys[i].count, &hashes[i]);
    filter->operations->prefetch(filter, &hashes[i]);
  }
  return insert_batch(filter, hashes, count, verdicts);
}

mlbf_status mlbf_insert_keys(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    new_keys += filter->operations->test_segment
                  ? insert_layered_keys(filter, keys + begin, size, verdicts + begin)
                  : insert_unlayered_keys(filter, keys + begin, size, verdicts + begin);
  }
  return count_keys(filter, new_keys);
}

uint32_t mlbf_layer_count(const mlbf_filter *filter)
{
  uint32_t layer_arrays = filter->plan.array_count - 1;
  return filter->plan.kind == MLBF_KIND_MLBF && layer_arrays > 1 ? MLBF_LAYERS_MAX : layer_arrays;
}

void mlbf_insert_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  if (layer >= 1 && layer <= mlbf_layer_count(filter))
    filter->operations->insert_segment(filter, layer, segment);
}

bool mlbf_test_segment(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  bool is_asked = layer >= 1 && layer <= mlbf_layer_count(filter);
  return !is_asked || filter->operations->test_segment(filter, layer, segment);
}

void mlbf_stats_read(const mlbf_filter *filter, mlbf_stats *stats)
{
  *stats = (mlbf_stats){
    .kind = filter->plan.kind,
    .bits = filter->plan.bits,
    .memory_bytes = filter->body_bytes + sizeof *filter,
    .design_keys = filter->plan.keys,
    .keys = filter->keys,
    .promised_rate = filter->plan.rate,
    .fill = mlbf_array_fill(&filter->arrays[0]),
    .hashes = filter->arrays[0].hashes,
    .layers = mlbf_layer_count(filter),
  };
  stats->estimated_keys = mlbf_layout_keys(filter->arrays[0].layout, stats->hashes, (double)filter->arrays[0].bits,
                                           stats->fill);
  for (uint32_t layer = 1; layer <= stats->layers; layer++)
    stats->layer_distinct[layer - 1] = filter->operations->layer_distinct(filter, layer);
}

double mlbf_rate(const mlbf_filter *filter)
{
  const mlbf_array *array = &filter->arrays[0];
  return mlbf_layout_rate(array->layout, array->hashes, (double)array->bits, mlbf_array_keys(array));
}
