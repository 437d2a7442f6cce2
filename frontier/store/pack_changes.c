#include "frontier/store/pack_changes.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void assert_changes(const pack_changes *c)
{
  assert(c->count <= c->room && c->size <= c->bytes_room);
  (void)c;
}

void pack_changes_free(pack_changes *c)
{
  free(c->all);
  free(c->bytes);
}

bool pack_changes_add(pack_changes *c, pack_row change)
{
  assert_changes(c);
  assert(change.write || change.at + change.size <= c->bytes_room);
  if (!HAS_ROOM(c->all, c->room, c->count + 1))
    return false;
  c->all[c->count++] = change;
  return true;
}

bool pack_changes_copy(pack_changes *c, pack_row change, const void *body)
{
  change.write = NULL;
  change.at = c->size;
  if (!HAS_ROOM(c->bytes, c->bytes_room, c->size + change.size + 1) || !pack_changes_add(c, change))
    return false;
  if (change.size)
    memcpy(c->bytes + c->size, body, change.size);
  c->size += change.size;
  assert_changes(c);
  return true;
}

void pack_changes_body(const pack_changes *c, const pack_row *change, uint8_t *body)
{
  assert(change->write || change->at + change->size <= c->size);
  if (change->write)
    change->write(change->source, body);
  else if (change->size)
    memcpy(body, c->bytes + change->at, change->size);
}

void pack_changes_fetch(const pack_changes *c, size_t i)
{
  enum { SOURCE_LINES = 3 };
  if (i < c->count && c->all[i].write)
    for (int line = 0; line < SOURCE_LINES; line++)
      __builtin_prefetch((const char *)c->all[i].source + 64 * line);
}

/* The size of the unsorted part at the front: the rest is in order, and belongs after it. New URLs are recorded after
 * ended ones, and have higher numbers. */
static size_t unsorted(const pack_changes *c)
{
  size_t end = c->count;
  uint64_t highest = 0;
  while (end > 1 && c->all[end - 2].sequence <= c->all[end - 1].sequence)
    end--;
  if (end <= 1)
    return 0;
  for (size_t i = 0; i < end - 1; i++)
    highest = c->all[i].sequence > highest ? c->all[i].sequence : highest;
  return highest <= c->all[end - 1].sequence ? end - 1 : c->count;
}

/* One pass for each byte in which they differ: some 8,192 changes within a few hundred thousand sequence numbers take
 * three, a third of qsort's time. */
bool pack_changes_sort(pack_changes *c)
{
  uint64_t differ = 0;
  size_t count = unsorted(c);
  for (size_t i = 1; i < count; i++)
    differ |= c->all[i].sequence ^ c->all[0].sequence;
  pack_row *spare = differ ? malloc(count * sizeof *spare) : NULL, *from = c->all, *to = spare;
  if (differ && !spare)
    return false;
  for (unsigned shift = 0; shift < 64 && differ >> shift; shift += 8) {
    size_t begin[257] = {0};
    for (size_t i = 0; i < count; i++)
      begin[(from[i].sequence >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
      begin[i] += begin[i - 1];
    assert(begin[255] <= count && begin[256] <= count);
    for (size_t i = 0; i < count; i++)
      to[begin[from[i].sequence >> shift & 255]++] = from[i];
    pack_row *swap = from;
    from = to;
    to = swap;
  }
  if (from != c->all)
    memcpy(c->all, from, count * sizeof *from);
  free(spare);
  return true;
}
