/* See leases.h. Ids are given in order, so a multiplication spreads them well enough. */
#include "frontier/hosts/leases.h"

#include <assert.h>
#include <stdlib.h>

enum { ROOM_MIN = 64 };

void leases_free(lease_table *l)
{
  for (size_t i = 0; i < l->count; i++)
    entry_free(l->at[i].entry);
  free(l->at);
  free(l->table);
  *l = (lease_table){0};
}

static size_t home_of(const lease_table *l, uint64_t id)
{
  return (size_t)((id * 0x9e3779b97f4a7c15) >> 32) & (l->table_size - 1);
}

/* The slot of this id, or the free one where it belongs. */
static size_t slot_of(const lease_table *l, uint64_t id)
{
  size_t slot = home_of(l, id);
  while (l->table[slot] && l->at[l->table[slot] - 1].entry->sequence != id)
    slot = (slot + 1) & (l->table_size - 1);
  return slot;
}

bool leases_make_room(lease_table *l)
{
  if (l->count < l->room)
    return true;
  if (l->count == UINT32_MAX)
    return false;
  size_t room = l->room ? 2 * l->room : ROOM_MIN;
  flight *larger = realloc(l->at, room * sizeof *larger);
  if (!larger)
    return false;
  l->at = larger;
  uint32_t *table = calloc(2 * room, sizeof *table);
  if (!table)
    return false;
  free(l->table);
  l->table = table;
  l->table_size = 2 * room;
  l->room = room;
  for (size_t i = 0; i < l->count; i++)
    l->table[slot_of(l, l->at[i].entry->sequence)] = (uint32_t)i + 1;
  return true;
}

/* In the order of taking, what is next to `one`, or the end of the list, points to these places + 1: its own, or, when
 * it goes, those on its other side. */
static void link_neighbours(lease_table *l, const flight *one, uint32_t to_older, uint32_t to_newer)
{
  *(one->older ? &l->at[one->older - 1].newer : &l->oldest) = to_newer;
  *(one->newer ? &l->at[one->newer - 1].older : &l->newest) = to_older;
}

frontier_status leases_add(lease_table *l, entry *e, uint64_t taken_ms)
{
  assert_leases(l);
  if (!leases_make_room(l))
    return FRONTIER_NO_MEMORY;
  size_t slot = slot_of(l, e->sequence);
  if (l->table[slot])
    return FRONTIER_DAMAGED;
  l->at[l->count++] = (flight){.entry = e, .taken_ms = taken_ms, .older = l->newest};
  l->table[slot] = (uint32_t)l->count;
  link_neighbours(l, &l->at[l->count - 1], (uint32_t)l->count, (uint32_t)l->count);
  assert_leases(l);
  return FRONTIER_OK;
}

entry *leases_find(const lease_table *l, uint64_t id)
{
  assert_leases(l);
  size_t slot = l->count ? slot_of(l, id) : 0;
  return l->count && l->table[slot] ? l->at[l->table[slot] - 1].entry : NULL;
}

/* Who was pushed past the freed slot moves back, as in hash_set.c. */
static void free_slot(lease_table *l, size_t hole)
{
  size_t mask = l->table_size - 1;
  for (size_t slot = (hole + 1) & mask; l->table[slot]; slot = (slot + 1) & mask) {
    size_t home = home_of(l, l->at[l->table[slot] - 1].entry->sequence);
    if (((slot - home) & mask) >= ((slot - hole) & mask)) {
      l->table[hole] = l->table[slot];
      hole = slot;
    }
  }
  l->table[hole] = 0;
}

void leases_remove(lease_table *l, const entry *e)
{
  assert_leases(l);
  assert(l->count);
  size_t slot = slot_of(l, e->sequence), at = l->table[slot] - 1;
  assert(at < l->count && l->at[at].entry == e);
  free_slot(l, slot);
  link_neighbours(l, &l->at[at], l->at[at].older, l->at[at].newer);
  const flight *last = &l->at[--l->count];
  if (last->entry == e)
    return;
  l->table[slot_of(l, last->entry->sequence)] = (uint32_t)at + 1;
  l->at[at] = *last;
  link_neighbours(l, last, (uint32_t)at + 1, (uint32_t)at + 1);
}
