/* See hash_set.h. */
#include "frontier/base/hash_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MIN = 64 };

/* There is always a free slot, or a search would never end. */
static void assert_set(const hash_set *s)
{
  assert((s->size & (s->size - 1)) == 0 && 2 * s->used <= s->size);
  assert((s->slots == NULL) == (s->size == 0));
  (void)s;
}

void hash_set_free(hash_set *s)
{
  free(s->slots);
  *s = (hash_set){0};
}

static bool is_free(mlbf_hash128 slot)
{
  return (slot.low | slot.high) == 0;
}

/* A hash of all zeros (1 in 2^128) takes the place of its neighbour 1. */
static mlbf_hash128 usable(mlbf_hash128 hash)
{
  return is_free(hash) ? (mlbf_hash128){1, 0} : hash;
}

/* The slot of this hash, or the free one where it belongs. */
static size_t slot_of(const hash_set *s, mlbf_hash128 hash)
{
  size_t slot = hash.low & (s->size - 1);
  while (!is_free(s->slots[slot]) && (s->slots[slot].low != hash.low || s->slots[slot].high != hash.high))
    slot = (slot + 1) & (s->size - 1);
  return slot;
}

static bool make_room(hash_set *s)
{
  if (2 * (s->used + 1) <= s->size)
    return true;
  hash_set larger = {.size = s->size ? 2 * s->size : SIZE_MIN, .used = s->used};
  larger.slots = calloc(larger.size, sizeof *larger.slots);
  if (!larger.slots)
    return false;
  for (size_t i = 0; i < s->size; i++)
    if (!is_free(s->slots[i]))
      larger.slots[slot_of(&larger, s->slots[i])] = s->slots[i];
  free(s->slots);
  *s = larger;
  return true;
}

bool hash_set_has(const hash_set *s, mlbf_hash128 hash)
{
  assert_set(s);
  return s->used && !is_free(s->slots[slot_of(s, usable(hash))]);
}

bool hash_set_put(hash_set *s, mlbf_hash128 hash)
{
  hash = usable(hash);
  assert_set(s);
  if (!make_room(s))
    return false;
  size_t slot = slot_of(s, hash);
  s->used += is_free(s->slots[slot]);
  s->slots[slot] = hash;
  assert_set(s);
  return true;
}

/* Who was pushed past the freed slot moves back, so that no search ends too early (Knuth, volume 3, algorithm 6.4
 * R). */
void hash_set_remove(hash_set *s, mlbf_hash128 hash)
{
  if (!hash_set_has(s, hash))
    return;
  assert(s->used);
  size_t mask = s->size - 1, hole = slot_of(s, usable(hash));
  for (size_t at = (hole + 1) & mask; !is_free(s->slots[at]); at = (at + 1) & mask) {
    size_t home = s->slots[at].low & mask;
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      s->slots[hole] = s->slots[at];
      hole = at;
    }
  }
  s->slots[hole] = (mlbf_hash128){0};
  s->used--;
}

bool hash_set_at(const hash_set *s, size_t at, mlbf_hash128 *hash)
{
  assert(at < s->size);
  *hash = s->slots[at];
  return !is_free(*hash);
}

size_t hash_set_highs(const hash_set *s, uint64_t low, uint64_t *highs, size_t max)
{
  size_t count = 0;
  assert_set(s);
  if (s->used)
    for (size_t slot = low & (s->size - 1); !is_free(s->slots[slot]); slot = (slot + 1) & (s->size - 1))
      if (s->slots[slot].low == low && count++ < max)
        highs[count - 1] = s->slots[slot].high;
  return count;
}
