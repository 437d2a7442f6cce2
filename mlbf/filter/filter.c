/* Creating, using and freeing a filter: the common interface, which calls the functions of the filter's kind. */
#include "mlbf/filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"

static const mlbf_operations *operations_of(const mlbf_plan *plan)
{
  switch (plan->kind) {
  case MLBF_KIND_BLOOM: return &mlbf_bloom_operations;
  case MLBF_KIND_LINE: return &mlbf_line_operations;
  case MLBF_KIND_MLBF: return &mlbf_layered_operations;
  }
  return NULL; /* mlbf_plan_make lets no other value through */
}

static void set_arrays(mlbf_filter *filter)
{
  for (uint32_t i = 0; i < filter->plan.array_count; i++) {
    const mlbf_array_plan *array = &filter->plan.arrays[i];
    uint64_t *words = (uint64_t *)filter->body + mlbf_body_offset(&filter->plan, i) / sizeof(uint64_t);
    filter->arrays[i] = mlbf_array_over(array, words, mlbf_line_path_best());
    filter->arrays[i].is_mapped = filter->memory.begin != filter->body; /* behind the file's header */
  }
}

mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                                  mlbf_memory memory, void *body, mlbf_guard *unchecked, mlbf_filter **filter)
{
  mlbf_filter *made = calloc(1, sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  made->operations = operations_of(plan);
  made->plan = *plan;
  made->keying = *keying;
  memcpy(made->profile, profile, strlen(profile) + 1);
  made->memory = memory;
  made->body = body;
  made->body_bytes = mlbf_body_bytes(plan);
  made->unchecked = unchecked;
  set_arrays(made);
  assert_filter(made);
  *filter = made;
  return MLBF_OK;
}

mlbf_status mlbf_filter_make(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                             mlbf_filter **filter)
{
  mlbf_memory memory = {NULL, mlbf_body_bytes(plan)};
  memory.begin = mlbf_body_allocate(memory.bytes);
  if (!memory.begin)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_filter_make_over(plan, keying, profile, memory, memory.begin, NULL, filter);
  if (status != MLBF_OK)
    mlbf_body_free(memory.begin, memory.bytes);
  return status;
}

/* What the caller gives, as far as both of us know it. false: it sets more than that. */
bool mlbf_options_take(mlbf_options *options, const mlbf_options *given, size_t size)
{
  size_t common = size < sizeof *options ? size : sizeof *options;
  memset(options, 0, sizeof *options);
  memcpy(options, given, common);
  for (size_t i = common; i < size; i++)
    if (((const char *)given)[i])
      return false;
  return true;
}

mlbf_status mlbf_create_sized(const mlbf_options *given, size_t options_size, mlbf_filter **filter)
{
  mlbf_options known;
  const mlbf_options *options = &known;
  if (!mlbf_options_take(&known, given, options_size))
    return MLBF_BAD_ARGUMENT;
  mlbf_plan plan;
  const char *profile = options->profile ? options->profile : "";
  if (strlen(profile) >= MLBF_PROFILE_SIZE)
    return MLBF_BAD_ARGUMENT;
  mlbf_status status = mlbf_plan_make(options, &plan, NULL);
  if (status != MLBF_OK)
    return status;
  mlbf_keying keying = mlbf_keying_none;
  status = mlbf_keying_make(options->secret, options->seed, &keying);
  return status == MLBF_OK ? mlbf_filter_make(&plan, &keying, profile, filter) : status;
}

void mlbf_filter_read_ahead(const mlbf_filter *filter, uint64_t block)
{
  if (block >= mlbf_block_count(filter->body_bytes))
    return;
  uint8_t *body = filter->body, *begin = body + block * MLBF_BLOCK_BYTES;
  uint64_t left = filter->body_bytes - block * MLBF_BLOCK_BYTES;
  begin -= (uintptr_t)begin % 4096; /* behind a header of a page: it is one, on most machines */
  madvise(begin, left < MLBF_BLOCK_BYTES ? left : MLBF_BLOCK_BYTES, MADV_WILLNEED); /* a wish */
}

bool mlbf_filter_is_sound(const mlbf_filter *filter)
{
  uint64_t block = filter->unchecked ? filter->verified : 0, end = mlbf_block_count(filter->body_bytes);
  while (filter->unchecked && block < end && mlbf_guard_is_sound(filter->unchecked, block))
    block++;
  return !filter->unchecked || block == end;
}

mlbf_status mlbf_verify_some(mlbf_filter *filter, uint64_t bytes, bool *is_done)
{
  assert_filter(filter);
  uint64_t blocks = mlbf_block_count(filter->body_bytes), left = blocks - filter->verified;
  uint64_t end = bytes / MLBF_BLOCK_BYTES < left ? filter->verified + bytes / MLBF_BLOCK_BYTES + 1 : blocks;
  for (; filter->unchecked && filter->verified < blocks && filter->verified < end; filter->verified++) {
    mlbf_filter_read_ahead(filter, filter->verified + 1);
    if (!mlbf_guard_is_sound(filter->unchecked, filter->verified))
      return MLBF_DAMAGED;
  }
  *is_done = !filter->unchecked || filter->verified == blocks;
  if (*is_done) {
    mlbf_guard_free(filter->unchecked);
    filter->unchecked = NULL;
  }
  return MLBF_OK;
}

mlbf_status mlbf_verify(mlbf_filter *filter)
{
  bool is_done;
  return mlbf_verify_some(filter, UINT64_MAX, &is_done);
}

void mlbf_free(mlbf_filter *filter)
{
  if (!filter)
    return;
  mlbf_guard_free(filter->unchecked);
  mlbf_body_free(filter->memory.begin, filter->memory.bytes);
  free(filter);
}

void mlbf_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  filter->operations->hash(filter, segments, count, hashes);
}

mlbf_verdict mlbf_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  assert_filter(filter);
  assert(hashes->depth <= MLBF_LAYERS_MAX);
  return filter->operations->test(filter, hashes);
}

mlbf_status mlbf_filter_count_keys(mlbf_filter *filter, uint64_t count)
{
  uint64_t before = mlbf_counter_add(filter, &filter->keys, count);
  return before <= filter->plan.keys && before + count > filter->plan.keys ? MLBF_FULL : MLBF_OK;
}

mlbf_status mlbf_insert(mlbf_filter *filter, const mlbf_hashes *hashes, mlbf_verdict *verdict)
{
  mlbf_status status = mlbf_verify(filter); /* what is written to can no longer be compared with its checksums */
  if (status != MLBF_OK)
    return status;
  assert_filter(filter);
  assert(hashes->depth <= MLBF_LAYERS_MAX);
  *verdict = filter->operations->insert(filter, hashes);
  return mlbf_filter_count_keys(filter, mlbf_verdict_is_new(*verdict));
}

uint32_t mlbf_layer_count(const mlbf_filter *filter)
{
  assert_filter(filter);
  uint32_t layer_arrays = filter->plan.array_count - 1;
  return layer_arrays > 1 ? MLBF_LAYERS_MAX : layer_arrays;
}

void mlbf_insert_segment(mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  if (layer >= 1 && layer <= mlbf_layer_count(filter) && mlbf_verify(filter) == MLBF_OK)
    filter->operations->insert_segment(filter, layer, segment);
}

void mlbf_insert_segments(mlbf_filter *filter, const mlbf_segment *segments, size_t count)
{
  uint32_t layers = mlbf_verify(filter) == MLBF_OK ? mlbf_layer_count(filter) : 0;
  bool can_fetch = filter->operations->prefetch_segment;
  for (size_t begin = 0, end; begin < count && layers; begin = end) {
    end = count - begin < MLBF_BATCH ? count : begin + MLBF_BATCH;
    for (size_t i = begin; i < end && can_fetch; i++)
      if (segments[i].layer >= 1 && segments[i].layer <= layers)
        filter->operations->prefetch_segment(filter, segments[i].layer, segments[i].hash);
    for (size_t i = begin; i < end; i++)
      mlbf_insert_segment(filter, segments[i].layer, segments[i].hash);
  }
}

bool mlbf_test_segment(const mlbf_filter *filter, uint32_t layer, mlbf_hash128 segment)
{
  bool is_asked = layer >= 1 && layer <= mlbf_layer_count(filter);
  return !is_asked || filter->operations->test_segment(filter, layer, segment);
}

mlbf_promise mlbf_promise_of(const mlbf_filter *filter)
{
  const mlbf_plan *plan = &filter->plan;
  return (mlbf_promise){.kind = plan->kind, .keys = plan->keys, .rate = plan->rate, .bits = plan->bits};
}

static mlbf_stats counted(const mlbf_filter *filter)
{
  assert_filter(filter);
  mlbf_stats stats = {
    .kind = filter->plan.kind,
    .bits = filter->plan.bits,
    .memory_bytes = filter->memory.bytes + sizeof *filter,
    .design_keys = filter->plan.keys,
    .keys = filter->keys,
    .promised_rate = filter->plan.rate,
    .hashes = filter->arrays[0].hashes,
    .layers = mlbf_layer_count(filter),
  };
  return stats;
}

void mlbf_stats_read(const mlbf_filter *filter, mlbf_stats *stats)
{
  const mlbf_array *array = &filter->arrays[0];
  *stats = counted(filter);
  stats->fill = mlbf_array_fill(array);
  stats->estimated_keys = mlbf_layout_keys(array->layout, stats->hashes, (double)array->bits, stats->fill);
  for (uint32_t layer = 1; layer <= stats->layers; layer++)
    stats->layer_distinct[layer - 1] = filter->operations->layer_distinct(filter, layer);
}

void mlbf_stats_follow(const mlbf_filter *filter, mlbf_stats *stats)
{
  const mlbf_array *array = &filter->arrays[0];
  mlbf_stats before = *stats;
  *stats = counted(filter);
  stats->estimated_keys = before.estimated_keys;
  stats->fill = before.fill;
  if (stats->keys > before.keys) {
    stats->estimated_keys += (double)(stats->keys - before.keys);
    stats->fill = mlbf_layout_fill(array->layout, stats->hashes, (double)array->bits, stats->estimated_keys);
  }
  for (uint32_t layer = 1; layer <= stats->layers; layer++)
    stats->layer_distinct[layer - 1] = layer == 1 ? before.layer_distinct[0]
                                                  : filter->operations->layer_distinct(filter, layer);
}

const char *mlbf_profile(const mlbf_filter *filter)
{
  return filter->profile;
}

double mlbf_rate_at(const mlbf_filter *filter, double keys)
{
  const mlbf_array *array = &filter->arrays[0];
  return mlbf_layout_rate(array->layout, array->hashes, (double)array->bits, keys);
}

double mlbf_rate(const mlbf_filter *filter)
{
  return mlbf_rate_at(filter, mlbf_array_keys(&filter->arrays[0]));
}
