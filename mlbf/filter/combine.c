/* The union of two filters of equal geometry, secret and profile, bit by bit. */
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

static mlbf_status check_pair(const mlbf_filter *a, const mlbf_filter *b)
{
  if (!plans_equal(&a->plan, &b->plan) || !mlbf_keying_equal(&a->keying, &b->keying) ||
      strcmp(a->profile, b->profile) != 0)
    return MLBF_MISMATCH;
  return mlbf_filter_is_sound(a) && mlbf_filter_is_sound(b) ? MLBF_OK : MLBF_DAMAGED;
}

static uint64_t words_of(const mlbf_filter *filter)
{
  assert_filter(filter);
  return filter->body_bytes / sizeof(uint64_t);
}

/* What the counters must be after bits came from elsewhere: keys from fill; deep segments too, shared out among
 * the layers as the two filters had them. */
static void recount(mlbf_filter *into, const mlbf_filter *from)
{
  uint64_t least = into->keys > from->keys ? into->keys : from->keys, most = into->keys + from->keys;
  double keys = round(mlbf_array_keys(&into->arrays[0]));
  assert(least <= most);
  into->keys = (uint64_t)fmin(fmax(keys, (double)least), (double)most);
  if (!into->plan.signals)
    return;
  double sum = 0;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX; i++)
    sum += (double)into->layer_found[i] + (double)from->layer_found[i];
  double all = mlbf_array_keys(&into->arrays[2]) * MLBF_FOUND_UNIT;
  for (uint32_t i = 0; i < MLBF_LAYERS_MAX && sum > 0; i++)
    into->layer_found[i] = (uint64_t)(((double)into->layer_found[i] + (double)from->layer_found[i]) / sum * all);
  into->deep_set = mlbf_array_popcount(&into->arrays[2]);
}

mlbf_status mlbf_union(mlbf_filter *into, const mlbf_filter *from)
{
  mlbf_status status = check_pair(into, from);
  if (status == MLBF_OK)
    status = mlbf_verify(into);
  if (status != MLBF_OK)
    return status;
  uint64_t *to = into->body, before = into->keys;
  const uint64_t *bits = from->body;
  for (uint64_t i = 0; i < words_of(into); i++)
    to[i] |= bits[i];
  recount(into, from);
  return before <= into->plan.keys && into->keys > into->plan.keys ? MLBF_FULL : MLBF_OK;
}
