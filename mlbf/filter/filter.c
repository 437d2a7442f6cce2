/* Filters made, freed and counted. What goes into them is layers.c, what is on disk mlbf/file/.
 *
 * Always (assert_filter): a filter's arrays are those of its plan, end to end in one body, and each has the path that
 * was the fastest when the filter was made. A plan never changes. */
#include "mlbf/filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"
#include "mlbf/filter/options_size.h"

static void set_arrays(mlbf_filter *filter)
{
  for (uint32_t i = 0; i < filter->plan.array_count; i++) {
    const mlbf_array_plan *array = &filter->plan.arrays[i];
    uint64_t *words = (uint64_t *)(void *)(filter->file.body + mlbf_body_offset(&filter->plan, i));
    filter->arrays[i] = mlbf_array_over(array, words, mlbf_array_path(array->layout));
    filter->arrays[i].is_mapped = filter->file.memory.begin != filter->file.body; /* behind the file's header */
  }
}

mlbf_status mlbf_filter_make_over(const mlbf_plan *plan, const mlbf_block_file *file, mlbf_filter **filter)
{
  mlbf_filter *made = calloc(1, sizeof *made);
  if (!made) {
    mlbf_block_file dropped = *file;
    mlbf_block_file_drop(&dropped);
    return MLBF_NO_MEMORY;
  }
  made->plan = *plan;
  made->file = *file;
  set_arrays(made);
  assert_filter(made);
  *filter = made;
  return MLBF_OK;
}

mlbf_status mlbf_filter_make(const mlbf_plan *plan, const mlbf_keying *keying, const char *profile,
                             mlbf_filter **filter)
{
  mlbf_block_file file;
  mlbf_status status = mlbf_block_file_make(MLBF_FILE_FILTER, keying, profile, mlbf_body_bytes(plan), &file);
  return status == MLBF_OK ? mlbf_filter_make_over(plan, &file, filter) : status;
}

mlbf_options mlbf_options_default(void)
{
  return (mlbf_options)MLBF_OPTIONS_DEFAULT;
}

mlbf_status mlbf_create(const mlbf_options *given, mlbf_filter **filter)
{
  mlbf_options options;
  mlbf_plan plan;
  mlbf_keying keying;
  mlbf_status status = mlbf_plan_make(given, &plan, NULL);
  if (status == MLBF_OK && !mlbf_sized_read(&options, sizeof options, given))
    status = MLBF_BAD_ARGUMENT;
  if (status == MLBF_OK)
    status = mlbf_keying_make(options.secret, options.seed, &keying);
  return status == MLBF_OK ? mlbf_filter_make(&plan, &keying, options.profile, filter) : status;
}

void mlbf_free(mlbf_filter *filter)
{
  if (!filter)
    return;
  mlbf_block_file_drop(&filter->file);
  free(filter);
}

mlbf_status mlbf_verify(mlbf_filter *filter, uint64_t bytes, bool *is_done)
{
  bool are_all;
  assert_filter(filter);
  return mlbf_block_file_verify_some(&filter->file, bytes, is_done ? is_done : &are_all);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

mlbf_promise mlbf_promise_of(const mlbf_filter *filter)
{
  const mlbf_plan *plan = &filter->plan;
  return (mlbf_promise){
    .kind = plan->kind, .keys = plan->keys, .rate = plan->rate, .bits = plan->bits, .profile = filter->file.profile};
}

static mlbf_stats counted(const mlbf_filter *filter)
{
  assert_filter(filter);
  mlbf_stats stats = {
    .kind = filter->plan.kind,
    .bits = filter->plan.bits,
    .memory_bytes = filter->file.memory.bytes + sizeof *filter,
    .design_keys = filter->plan.keys,
    .keys = filter->keys,
    .promised_rate = filter->plan.rate,
    .hashes = filter->arrays[MLBF_INTEGRITY].hashes,
    .layers = mlbf_layer_count(filter),
  };
  for (uint32_t i = 1; i < stats.layers; i++)
    stats.layer_distinct[i] = (double)filter->layer_found[i] / MLBF_FOUND_UNIT;
  return stats;
}

void mlbf_stats_read(const mlbf_filter *filter, mlbf_stats *stats)
{
  const mlbf_array *array = &filter->arrays[MLBF_INTEGRITY];
  *stats = counted(filter);
  stats->fill = mlbf_array_fill(array);
  stats->estimated_keys = mlbf_layout_keys(array->layout, stats->hashes, (double)array->bits, stats->fill);
  if (stats->layers > 0)
    stats->layer_distinct[0] = mlbf_array_keys(&filter->arrays[MLBF_HOSTS]);
}

void mlbf_stats_follow(const mlbf_filter *filter, mlbf_stats *stats)
{
  const mlbf_array *array = &filter->arrays[MLBF_INTEGRITY];
  mlbf_stats before = *stats;
  *stats = counted(filter);
  stats->estimated_keys = before.estimated_keys;
  stats->fill = before.fill;
  stats->layer_distinct[0] = before.layer_distinct[0];
  if (stats->keys > before.keys) {
    stats->estimated_keys += (double)(stats->keys - before.keys);
    stats->fill = mlbf_layout_fill(array->layout, stats->hashes, (double)array->bits, stats->estimated_keys);
  }
}

double mlbf_rate_at(const mlbf_filter *filter, double keys)
{
  const mlbf_array *array = &filter->arrays[MLBF_INTEGRITY];
  return mlbf_layout_rate(array->layout, array->hashes, (double)array->bits, keys);
}

double mlbf_rate(const mlbf_filter *filter)
{
  return mlbf_rate_at(filter, mlbf_array_keys(&filter->arrays[MLBF_INTEGRITY]));
}
