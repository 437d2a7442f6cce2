/* See pair_heap.h. It grows by half and is made smaller when a quarter is used, so it takes 24 bytes for each pair
 * while it grows. */
#include "frontier/base/pair_heap.h"

#include <assert.h>
#include <stdlib.h>

enum { ROOM_MIN = 16 };

static bool is_less(pair a, pair b)
{
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

static bool resize(pair_heap *h, size_t room)
{
  pair *at = room < SIZE_MAX / sizeof *at ? realloc(h->at, room * sizeof *at) : NULL;
  if (!at)
    return false;
  h->at = at;
  h->room = room;
  return true;
}

bool pair_heap_make_room(pair_heap *h)
{
  return h->count < h->room || resize(h, h->room ? h->room + h->room / 2 : ROOM_MIN);
}

void pair_heap_push(pair_heap *h, pair item)
{
  assert(h->count < h->room);
  size_t at = h->count++;
  for (; at && is_less(item, h->at[(at - 1) / 2]); at = (at - 1) / 2)
    h->at[at] = h->at[(at - 1) / 2];
  h->at[at] = item;
}

pair pair_heap_pop(pair_heap *h)
{
  assert(h->count);
  if (h->room > ROOM_MIN && h->count < h->room / 4)
    resize(h, h->room / 2); /* without memory it stays as large */
  pair smallest = h->at[0], last = h->at[--h->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
    if (child + 1 < h->count && is_less(h->at[child + 1], h->at[child]))
      child++;
    if (!is_less(h->at[child], last))
      break;
    h->at[at] = h->at[child];
  }
  if (h->count)
    h->at[at] = last;
  return smallest;
}

void pair_heap_free(pair_heap *h)
{
  free(h->at);
  *h = (pair_heap){0};
}
