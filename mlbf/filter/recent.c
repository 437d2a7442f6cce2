#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A table begins small and grows fourfold when it is half full: the first use of a page of memory costs more than all
 * that is then noted there, and most lists are short. */
enum { FIRST_SLOTS = 1024, GROWTH = 4 };

struct mlbf_recent {
  size_t mask, most, used;
  mlbf_hash128 *slots; /* direct-mapped; all zero is an empty slot, and the hash 0, 0 is never noted */
};

static bool is_empty(const mlbf_hash128 *slot)
{
  return !slot->low && !slot->high;
}

mlbf_recent *mlbf_recent_create(size_t slots)
{
  size_t size = 1;
  while (size < slots && size <= SIZE_MAX / 4 / sizeof(mlbf_hash128))
    size *= 2;
  mlbf_recent *recent = calloc(1, sizeof *recent);
  size_t first = size < FIRST_SLOTS ? size : FIRST_SLOTS;
  if (!recent || !(recent->slots = calloc(first, sizeof recent->slots[0]))) {
    free(recent);
    return NULL;
  }
  recent->mask = first - 1;
  recent->most = size;
  return recent;
}

void mlbf_recent_free(mlbf_recent *recent)
{
  if (recent)
    free(recent->slots);
  free(recent);
}

/* Without memory for more it stays as it is. */
static void grow(mlbf_recent *recent)
{
  size_t size = recent->mask + 1, larger = size > recent->most / GROWTH ? recent->most : size * GROWTH;
  mlbf_hash128 *slots = calloc(larger, sizeof *slots);
  recent->used = 0;
  if (!slots) {
    recent->most = size;
    return;
  }
  for (size_t i = 0; i < size; i++)
    if (!is_empty(&recent->slots[i])) { /* two places never become one */
      slots[recent->slots[i].high & (larger - 1)] = recent->slots[i];
      recent->used++;
    }
  free(recent->slots);
  recent->slots = slots;
  recent->mask = larger - 1;
}

bool mlbf_recent_note(mlbf_recent *recent, mlbf_hash128 segment)
{
  assert((recent->mask & (recent->mask + 1)) == 0);
  mlbf_hash128 *slot = &recent->slots[segment.high & recent->mask];
  if (slot->low == segment.low && slot->high == segment.high)
    return segment.low || segment.high;
  recent->used += is_empty(slot);
  *slot = segment;
  if (recent->used > recent->mask / 2 && recent->mask + 1 < recent->most)
    grow(recent);
  return false;
}

void mlbf_recent_fetch(const mlbf_recent *recent, mlbf_hash128 segment)
{
  __builtin_prefetch(&recent->slots[segment.high & recent->mask], 1);
}

void mlbf_recent_clear(mlbf_recent *recent)
{
  memset(recent->slots, 0, (recent->mask + 1) * sizeof recent->slots[0]);
  recent->used = 0;
}
