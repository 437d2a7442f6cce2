/* See url_states.h. */
#include "frontier/store/url_states.h"

#include "frontier/base/radix.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>

bool tail_add(ended_tail *t, uint64_t row)
{
  if (!HAS_ROOM(t->rows, t->room, t->count + 1))
    return false;
  t->rows[t->count++] = row;
  return true;
}

bool tail_sort(ended_tail *t)
{
  size_t kept = 0;
  if (!radix_sort(t->rows, t->count, 64 - URL_SEQUENCE_BITS))
    return false;
  for (size_t i = 0; i < t->count; i++)
    if (i + 1 == t->count || url_ended_sequence(t->rows[i]) != url_ended_sequence(t->rows[i + 1]))
      t->rows[kept++] = t->rows[i];
  t->count = kept;
  t->is_loaded = true;
  return true;
}

void tail_free(ended_tail *t)
{
  free(t->rows);
  *t = (ended_tail){0};
}

size_t tail_find(const ended_tail *t, uint64_t sequence)
{
  size_t low = 0, high = t->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (url_ended_sequence(t->rows[middle]) < sequence)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t block_sum(const uint8_t *block, uint64_t id, uint64_t group, unsigned i)
{
  return (uint32_t)XXH3_64bits_withSeed(block + 4, STATES_BLOCK_SIZE - 4, id ^ (group * STATES_BLOCKS + i));
}

bool states_block_is_whole(const uint8_t value[STATES_SIZE], uint64_t id, uint64_t group, unsigned i)
{
  const uint8_t *block = value + (size_t)i * STATES_BLOCK_SIZE;
  return get_le(block, 4) == block_sum(block, id, group, i);
}

void states_block_seal(uint8_t value[STATES_SIZE], uint64_t id, uint64_t group, unsigned i)
{
  uint8_t *block = value + (size_t)i * STATES_BLOCK_SIZE;
  put_le(block, block_sum(block, id, group, i), 4);
}

void states_init(uint8_t value[STATES_SIZE], uint64_t id, uint64_t group)
{
  memset(value, 0, STATES_SIZE);
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    states_block_seal(value, id, group, i);
}

static size_t offset_of(unsigned place)
{
  assert(place < STATES_GROUP);
  return (size_t)(place / STATES_BLOCK) * STATES_BLOCK_SIZE + 4 + (size_t)(place % STATES_BLOCK) * STATE_ROW;
}

url_state states_get(const uint8_t value[STATES_SIZE], unsigned place)
{
  return url_state_unpack((uint32_t)get_le(value + offset_of(place), STATE_ROW));
}

void states_set(uint8_t value[STATES_SIZE], unsigned place, url_state state)
{
  put_le(value + offset_of(place), url_state_pack(state), STATE_ROW);
}
