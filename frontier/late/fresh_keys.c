/* See fresh_keys.h: open addressing by the low half of a key. */
#include "frontier/late/fresh_keys.h"

#include "frontier/base/vector.h"

#include <assert.h>

enum { SIZE_MIN = 1024 };

static void assert_set(const fresh_keys *s)
{
  assert(s->count <= s->room && (s->size & (s->size - 1)) == 0 && 2 * s->count <= s->size);
  (void)s;
}

void fresh_keys_free(fresh_keys *s)
{
  free(s->keys);
  free(s->slots);
  *s = (fresh_keys){0};
}

/* The slot of this key, or the free one where it belongs. */
static size_t slot_of(const fresh_keys *s, mlbf_hash128 key)
{
  size_t slot = key.low & (s->size - 1);
  for (; s->slots[slot]; slot = (slot + 1) & (s->size - 1)) {
    mlbf_hash128 other = s->keys[s->slots[slot] - 1];
    if (other.low == key.low && other.high == key.high)
      break;
  }
  return slot;
}

/* Of equal keys the last one. */
static void enter(fresh_keys *s, size_t place)
{
  s->slots[slot_of(s, s->keys[place])] = (uint32_t)place + 1;
}

bool fresh_keys_make_room(fresh_keys *s, size_t keys)
{
  size_t size = s->size ? s->size : SIZE_MIN;
  if (keys > UINT32_MAX / 4 - s->count || !HAS_ROOM(s->keys, s->room, s->count + keys))
    return false;
  while (size < 2 * (s->count + keys))
    size *= 2;
  if (size == s->size)
    return true;
  uint32_t *slots = calloc(size, sizeof *slots);
  if (!slots)
    return false;
  free(s->slots);
  s->slots = slots;
  s->size = size;
  for (size_t i = 0; i < s->count; i++)
    enter(s, i);
  assert_set(s);
  return true;
}

void fresh_keys_add(fresh_keys *s, mlbf_hash128 key)
{
  assert(s->count < s->room && 2 * s->count < s->size);
  s->keys[s->count] = key;
  enter(s, s->count++);
}

bool fresh_keys_has(const fresh_keys *s, mlbf_hash128 key)
{
  return s->count && s->slots[slot_of(s, key)];
}

void fresh_keys_clear(fresh_keys *s)
{
  if (s->count)
    memset(s->slots, 0, s->size * sizeof *s->slots);
  s->count = 0;
}

mlbf_hash128 *fresh_keys_take(fresh_keys *s)
{
  mlbf_hash128 *keys = s->keys;
  fresh_keys_clear(s);
  s->keys = NULL;
  s->room = 0;
  return keys;
}

uint64_t fresh_keys_memory(const fresh_keys *s)
{
  return s->room * sizeof *s->keys + s->size * sizeof *s->slots;
}
