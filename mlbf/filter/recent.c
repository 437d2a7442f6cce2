#include "mlbf/recent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct mlbf_recent {
  size_t mask;
  mlbf_hash128 slots[]; /* direct-mapped; all zero is an empty slot, and the hash 0, 0 is never noted */
};

mlbf_recent *mlbf_recent_create(size_t slots)
{
  size_t size = 1;
  while (size < slots && size <= SIZE_MAX / 4 / sizeof(mlbf_hash128))
    size *= 2;
  mlbf_recent *recent = calloc(1, sizeof *recent + size * sizeof recent->slots[0]);
  if (recent)
    recent->mask = size - 1;
  return recent;
}

void mlbf_recent_free(mlbf_recent *recent)
{
  free(recent);
}

bool mlbf_recent_note(mlbf_recent *recent, mlbf_hash128 segment)
{
  assert((recent->mask & (recent->mask + 1)) == 0);
  mlbf_hash128 *slot = &recent->slots[segment.high & recent->mask];
  if (slot->low == segment.low && slot->high == segment.high)
    return segment.low || segment.high;
  *slot = segment;
  return false;
}

void mlbf_recent_fetch(const mlbf_recent *recent, mlbf_hash128 segment)
{
  __builtin_prefetch(&recent->slots[segment.high & recent->mask], 1);
}

void mlbf_recent_clear(mlbf_recent *recent)
{
  memset(recent->slots, 0, (recent->mask + 1) * sizeof recent->slots[0]);
}
