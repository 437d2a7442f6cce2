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

static const mlbf_line_path *path_for(const mlbf_filter *filter)
{
  if (filter->guard)
    return &mlbf_line_guarded;
  return filter->stripes ? &mlbf_line_shared : mlbf_line_path_best();
}

static void set_arrays(mlbf_filter *filter)
{
  const mlbf_line_path *path = path_for(filter);
  for (uint32_t i = 0; i < filter->plan.array_count; i++) {
    const mlbf_array_plan *array = &filter->plan.arrays[i];
    uint64_t *words = (uint64_t *)filter->body + mlbf_body_offset(&filter->plan, i) / sizeof(uint64_t);
    filter->arrays[i] = (mlbf_array){ words, array->bits, array->hashes, array->layout, path, filter->guard,
                                      filter->stripes != NULL };
  }
}

mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, uint64_t seed, const char *profile, mlbf_memory memory,
                                  void *body, mlbf_guard *guard, mlbf_filter **filter)
{
  mlbf_filter *made = calloc(1, sizeof *made);
  if (!made)
    return MLBF_NO_MEMORY;
  made->operations = operations_of(plan->kind);
  made->plan = *plan;
  made->seed = seed;
  mlbf_salts_make(seed, &made->salts);
  memcpy(made->profile, profile, strlen(profile) + 1);
  made->memory = memory;
  made->body = body;
  made->body_bytes = mlbf_body_bytes(plan);
  made->guard = guard;
  set_arrays(made);
  *filter = made;
  return MLBF_OK;
}

mlbf_status mlbf_filter_make(const mlbf_plan *plan, uint64_t seed, const char *profile, mlbf_filter **filter)
{
  mlbf_memory memory = { NULL, mlbf_body_bytes(plan) };
  memory.begin = mlbf_body_allocate(memory.bytes);
  if (!memory.begin)
    return MLBF_NO_MEMORY;
  mlbf_status status = mlbf_filter_make_over(plan, seed, profile, memory, memory.begin, NULL, filter);
  if (status != MLBF_OK)
    mlbf_body_free(memory.begin, memory.bytes);
  return status;
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

mlbf_status mlbf_share(mlbf_filter *filter)
{
  if (filter->plan.kind == MLBF_KIND_BLOOM_PAPER || filter->plan.kind == MLBF_KIND_MLBF_PAPER)
    return MLBF_BAD_ARGUMENT;
  mlbf_status status = mlbf_verify(filter); /* blocks cannot be checked while others write to them */
  if (status != MLBF_OK || filter->stripes)
    return status;
  filter->stripes = mlbf_stripes_create();
  if (!filter->stripes)
    return MLBF_NO_MEMORY;
  set_arrays(filter);
  return MLBF_OK;
}

mlbf_status mlbf_verify(mlbf_filter *filter)
{
  if (!filter->guard)
    return MLBF_OK;
  if (!mlbf_guard_check_all(filter->guard))
    return MLBF_DAMAGED;
  mlbf_guard_free(filter->guard);
  filter->guard = NULL;
  set_arrays(filter);
  return MLBF_OK;
}

void mlbf_free(mlbf_filter *filter)
{
  if (!filter)
    return;
  mlbf_guard_free(filter->guard);
  mlbf_stripes_free(filter->stripes);
  mlbf_body_free(filter->memory.begin, filter->memory.bytes);
  free(filter);
}

void mlbf_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  filter->operations->hash(filter, segments, count, hashes);
}

/* A patch holds part of its keys' bits, a damaged filter nobody knows which: neither can answer. */
static bool cannot_tell(const mlbf_filter *filter)
{
  return filter->is_patch || (filter->guard && mlbf_guard_is_damaged(filter->guard));
}

static const mlbf_verdict unknown = { MLBF_UNKNOWN, 0 };

mlbf_verdict mlbf_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  mlbf_verdict verdict = filter->operations->test(filter, hashes);
  return cannot_tell(filter) ? unknown : verdict;
}

/* Counts new keys. Exactly one caller's addition crosses the design load, whatever the number of threads. */
static mlbf_status count_keys(mlbf_filter *filter, uint64_t count)
{
  if (cannot_tell(filter))
    return filter->is_patch ? MLBF_BAD_ARGUMENT : MLBF_DAMAGED;
  if (count == 0)
    return MLBF_OK;
  uint64_t before = mlbf_counter_add(filter, &filter->keys, count);
  return before <= filter->plan.keys && before + count > filter->plan.keys ? MLBF_FULL : MLBF_OK;
}

static void count_answer(mlbf_filter *filter, mlbf_verdict verdict)
{
  mlbf_answers *answers = &filter->answers;
  if (verdict.outcome == MLBF_SEEN)
    mlbf_counter_add(filter, &answers->seen, 1);
  else if (verdict.outcome == MLBF_NEW_SEGMENT)
    mlbf_counter_add(filter, &answers->new_segment[verdict.layer - 1], 1);
  else
    mlbf_counter_add(filter, &answers->new_combination, 1);
}

static mlbf_verdict insert_one(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  if (filter->is_patch)
    return unknown;
  mlbf_stripe *stripe = filter->stripes ? mlbf_stripe_lock(filter->stripes, hashes->whole.low) : NULL;
  mlbf_verdict verdict = filter->operations->insert(filter, hashes);
  if (stripe)
    mlbf_stripe_unlock(stripe);
  if (cannot_tell(filter))
    return unknown;
  count_answer(filter, verdict);
  return verdict;
}

static bool is_new(mlbf_verdict verdict)
{
  return verdict.outcome != MLBF_SEEN && verdict.outcome != MLBF_UNKNOWN;
}

mlbf_status mlbf_insert(mlbf_filter *filter, const mlbf_hashes *hashes, mlbf_verdict *verdict)
{
  *verdict = insert_one(filter, hashes);
  return count_keys(filter, is_new(*verdict));
}

/* Many at once. A batch is what the memory system can fetch while the processor hashes. */
enum { BATCH = MLBF_BATCH, FETCH = 8 /* at once, between hashing: a core has 10 to 16 misses under way at most */ };

void mlbf_test_many(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t end = begin + BATCH < count ? begin + BATCH : count;
    for (size_t i = begin; i < end; i++)
      filter->operations->prefetch(filter, &hashes[i]);
    for (size_t i = begin; i < end; i++)
      verdicts[i] = mlbf_test(filter, &hashes[i]);
  }
}

static void test_key_batch(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  mlbf_hashes hashes[BATCH];
  for (size_t i = 0; i < count; i++) {
    filter->operations->hash(filter, keys[i].segments, keys[i].count, &hashes[i]);
    filter->operations->prefetch(filter, &hashes[i]);
  }
  for (size_t i = 0; i < count; i++)
    verdicts[i] = filter->operations->test(filter, &hashes[i]);
}

void mlbf_test_keys(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts)
{
  void (*test_keys)(const mlbf_filter *, const mlbf_key *, size_t, mlbf_verdict *) = filter->operations->test_keys;
  for (size_t begin = 0; begin < count; begin += BATCH) {
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    (test_keys ? test_keys : test_key_batch)(filter, keys + begin, size, verdicts + begin);
  }
  for (size_t i = 0; i < count && cannot_tell(filter); i++)
    verdicts[i] = unknown;
}

static uint64_t insert_batch(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts)
{
  uint64_t new_keys = 0;
  for (size_t i = 0; i < count; i++) {
    verdicts[i] = insert_one(filter, &hashes[i]);
    new_keys += is_new(verdicts[i]);
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

static void insert_wholes_shared(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  for (size_t i = 0; i < count; i++) {
    mlbf_stripe *stripe = mlbf_stripe_lock(filter->stripes, wholes[i].low);
    filter->operations->insert_wholes(filter, &wholes[i], 1, &was_new[i]);
    mlbf_stripe_unlock(stripe);
  }
}

static uint64_t insert_whole_batch(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new)
{
  uint64_t new_keys = 0;
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
    size_t size = count - begin < BATCH ? count - begin : BATCH;
    filter->operations->prefetch_wholes(filter, wholes + begin, size);
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
  for (size_t i = 0; i < count; i += FETCH) {
    size_t size = count - i < FETCH ? count - i : FETCH;
    mlbf_hash_keys(keys + i, size, filter->seed, wholes + i);
    filter->operations->prefetch_wholes(filter, wholes + i, size);
  }
  uint64_t new_keys = insert_whole_batch(filter, wholes, count, was_new);
  bool is_lost = cannot_tell(filter);
  for (size_t i = 0; i < count; i++)
    verdicts[i] = is_lost ? unknown : (mlbf_verdict){ was_new[i] ? MLBF_NEW : MLBF_SEEN, 0 };
  mlbf_counter_add(filter, &filter->answers.new_combination, new_keys);
  mlbf_counter_add(filter, &filter->answers.seen, count - new_keys);
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
  if (layer >= 1 && layer <= mlbf_layer_count(filter) && !filter->is_patch)
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
    .memory_bytes = filter->memory.bytes + sizeof *filter,
    .design_keys = filter->plan.keys,
    .keys = filter->keys,
    .promised_rate = filter->plan.rate,
    .fill = mlbf_array_fill(&filter->arrays[0]),
    .hashes = filter->arrays[0].hashes,
    .layers = mlbf_layer_count(filter),
    .answered_seen = filter->answers.seen,
    .answered_new_combination = filter->answers.new_combination,
  };
  memcpy(stats->answered_new_segment, filter->answers.new_segment, sizeof stats->answered_new_segment);
  stats->estimated_keys = mlbf_layout_keys(filter->arrays[0].layout, stats->hashes, (double)filter->arrays[0].bits,
                                           stats->fill);
  for (uint32_t layer = 1; layer <= stats->layers; layer++)
    stats->layer_distinct[layer - 1] = filter->operations->layer_distinct(filter, layer);
}

const char *mlbf_profile(const mlbf_filter *filter)
{
  return filter->profile;
}

double mlbf_rate(const mlbf_filter *filter)
{
  const mlbf_array *array = &filter->arrays[0];
  return mlbf_layout_rate(array->layout, array->hashes, (double)array->bits, mlbf_array_keys(array));
}
