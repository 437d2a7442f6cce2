/* The union of two filters of equal geometry, secret and profile, bit by bit.
 *
 * Always: nothing is changed unless both fit and both bodies are as they were written. Counts after it are estimates
 * from fill, between the larger count of the two and their sum. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "mlbf/filter/inside.h"

static bool plans_equal(const mlbf_plan *a, const mlbf_plan *b)
{
  if (a->kind != b->kind || a->array_count != b->array_count || a->signals != b->signals)
    return false;
  for (uint32_t i = 0; i < a->array_count; i++)
    if (a->arrays[i].layout != b->arrays[i].layout || a->arrays[i].hashes != b->arrays[i].hashes ||
        a->arrays[i].bits != b->arrays[i].bits)
      return false;
  return true;
}

/* Deep segments are shared out among the layers as the two filters had them. */
static void recount_layers(mlbf_filter *into, const mlbf_filter *other)
{
  double sum = 0, all = mlbf_array_keys(&into->arrays[MLBF_DEEP]) * MLBF_FOUND_UNIT;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX; i++)
    sum += (double)into->layer_found[i] + (double)other->layer_found[i];
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX && sum > 0; i++)
    into->layer_found[i] = (uint64_t)(((double)into->layer_found[i] + (double)other->layer_found[i]) / sum * all);
  into->deep_set = mlbf_array_popcount(&into->arrays[MLBF_DEEP]);
}

static void recount(mlbf_filter *into, const mlbf_filter *other)
{
  uint64_t least = into->keys > other->keys ? into->keys : other->keys, most = into->keys + other->keys;
  double keys = round(mlbf_array_keys(&into->arrays[MLBF_INTEGRITY]));
  assert(least <= most);
  into->keys = (uint64_t)fmin(fmax(keys, (double)least), (double)most);
  if (into->plan.signals)
    recount_layers(into, other);
}

mlbf_status mlbf_union(mlbf_filter *into, const mlbf_filter *other)
{
  assert_filter(into);
  assert_filter(other);
  if (!plans_equal(&into->plan, &other->plan) || !mlbf_keying_equal(&into->file.keying, &other->file.keying) ||
      strcmp(into->file.profile, other->file.profile) != 0)
    return MLBF_MISMATCH;
  if (!mlbf_block_file_is_all_sound(&other->file) || mlbf_block_file_verify(&into->file) != MLBF_OK)
    return MLBF_DAMAGED;
  uint64_t *words = (uint64_t *)(void *)into->file.body, before = into->keys;
  const uint64_t *more = (const uint64_t *)(const void *)other->file.body;
  for (uint64_t i = 0; i < into->file.body_bytes / sizeof *words; i++)
    words[i] |= more[i];
  recount(into, other);
  return before <= into->plan.keys && into->keys > into->plan.keys ? MLBF_FULL : MLBF_OK;
}
