#include "frontier/shelf_changes.h"

#include <stdlib.h>
#include <string.h>

void shelf_changes_free(shelf_changes *c)
{
  free(c->all);
  free(c->bytes);
}

static bool make_room(shelf_changes *c, size_t size)
{
  if (c->count == c->room) {
    size_t room = c->room ? 2 * c->room : 1024;
    shelf_row *larger = realloc(c->all, room * sizeof *larger);
    if (!larger)
      return false;
    c->all = larger;
    c->room = room;
  }
  if (!c->bytes || c->bytes_room - c->size < size) {
    size_t room = 2 * (c->size + size) + 1;
    uint8_t *larger = realloc(c->bytes, room);
    if (!larger)
      return false;
    c->bytes = larger;
    c->bytes_room = room;
  }
  return true;
}

bool shelf_changes_add(shelf_changes *c, shelf_row change, const void *body)
{
  if (!make_room(c, change.size))
    return false;
  change.at = c->size;
  c->all[c->count++] = change;
  if (change.size)
    memcpy(c->bytes + c->size, body, change.size);
  c->size += change.size;
  return true;
}

/* One pass for each byte in which they differ: some 32,768
 * changes within a few hundred thousand sequence numbers take three, a third of qsort's time. */
bool shelf_changes_sort(shelf_changes *c)
{
  uint64_t differ = 0;
  bool is_sorted = true;
  for (size_t i = 1; i < c->count; i++) {
    differ |= c->all[i].sequence ^ c->all[0].sequence;
    is_sorted &= c->all[i - 1].sequence <= c->all[i].sequence;
  }
  if (is_sorted) /* URLs that only come are */
    return true;
  shelf_row *from = c->all, *to = malloc(c->room * sizeof *to);
  if (!to)
    return false;
  for (unsigned shift = 0; shift < 64 && differ >> shift; shift += 8) {
    size_t begin[257] = {0};
    for (size_t i = 0; i < c->count; i++)
      begin[(from[i].sequence >> shift & 255) + 1]++;
    for (size_t i = 1; i < 256; i++)
      begin[i] += begin[i - 1];
    for (size_t i = 0; i < c->count; i++)
      to[begin[from[i].sequence >> shift & 255]++] = from[i];
    shelf_row *swap = from;
    from = to;
    to = swap;
  }
  free(to);
  c->all = from;
  return true;
}
