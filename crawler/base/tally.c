/* See tally.h. */
#include "crawler/base/tally.h"

#include "frontier/base/machine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void tally_free(tally *t)
{
  for (size_t i = 0; i < t->count; i++)
    free(t->rows[i].name);
  free(t->rows);
  free(t->slots);
  mlbf_hasher_free(t->hasher);
  *t = (tally){0};
}

static uint32_t *slot_of(const tally *t, const char *name, size_t size)
{
  size_t at = mlbf_hasher_hash(t->hasher, 0, (mlbf_span){name, size}).low & (t->slot_count - 1);
  for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
    const char *there = t->rows[t->slots[at] - 1].name;
    if (strlen(there) == size && memcmp(there, name, size) == 0)
      break;
  }
  return &t->slots[at];
}

static bool draw_secret(tally *t)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  if (!t->hasher && machine_random(secret, sizeof secret))
    t->hasher = mlbf_hasher_create(secret);
  return t->hasher != NULL;
}

static bool make_room(tally *t)
{
  if (t->count < t->room)
    return true;
  if (!draw_secret(t))
    return false;
  size_t room = t->room ? 2 * t->room : 64, slot_count = 2 * room;
  uint32_t *slots = calloc(slot_count, sizeof *slots);
  tally_row *rows = slots ? realloc(t->rows, room * sizeof *rows) : NULL;
  if (!rows) {
    free(slots);
    return false;
  }
  free(t->slots);
  t->rows = rows;
  t->room = room;
  t->slots = slots;
  t->slot_count = slot_count;
  for (size_t i = 0; i < t->count; i++)
    *slot_of(t, rows[i].name, strlen(rows[i].name)) = (uint32_t)i + 1;
  return true;
}

static void assert_tally(const tally *t)
{
  assert(t->count <= t->room && t->count <= TALLY_MAX);
  assert(2 * t->count <= t->slot_count);
  (void)t;
}

tally_row *tally_at(tally *t, const char *name, size_t size)
{
  assert_tally(t); /* and it is not sorted yet */
  uint32_t *slot = t->slot_count ? slot_of(t, name, size) : NULL;
  if (slot && *slot)
    return &t->rows[*slot - 1];
  if (t->count == TALLY_MAX)
    return &t->others;
  char *copy = make_room(t) ? strndup(name, size) : NULL;
  if (!copy)
    return NULL;
  t->rows[t->count] = (tally_row){.name = copy};
  *slot_of(t, copy, strlen(copy)) = (uint32_t)++t->count;
  return &t->rows[t->count - 1];
}

static int compare_rows(const void *a, const void *b)
{
  const tally_row *x = a, *y = b;
  return x->count == y->count ? strcmp(x->name, y->name) : x->count < y->count ? 1 : -1;
}

void tally_sort(tally *t)
{
  if (t->count)
    qsort(t->rows, t->count, sizeof *t->rows, compare_rows);
  free(t->slots);
  t->slots = NULL;
  t->slot_count = 0;
}
