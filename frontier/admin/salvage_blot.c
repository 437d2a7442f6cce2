/* A URL that is gone must be new when it is found again, so its key leaves the log: see repair.h.
 *
 *     key s - 1 of the log belongs to URL s      is there such a URL, or was there never one (`absent`)? -> it stays
 *                                                else -> a key that no URL has, with the same segments
 *
 * Not the complement, as erasing puts it there (erase.h): where the key was erased already, that would be the key
 * again. A URL that was queued twice has its key at both numbers, and is seen as long as one of them is left. Filters
 * and runs are made from the log afterwards.
 *
 * Always: pieces keep their size. After a crash: salvage.c. */
#include "frontier/admin/repair.h"

#include "frontier/base/record.h"

#include <stdlib.h>

enum { KEY_HEAD = 17, SEGMENT = 17 }; /* FORMAT.md, "hashes" */

bool salvage_was_absent(const salvage *s, size_t *cursor, uint64_t sequence)
{
  enum { RANGE = 16 };
  for (; *cursor + RANGE <= s->absent_size; *cursor += RANGE) {
    uint64_t first = get_le(s->absent + *cursor, 8), count = get_le(s->absent + *cursor + 8, 8);
    if (sequence < first || sequence - first < count)
      return sequence >= first;
  }
  return false;
}

static bool is_gone(salvage *s, uint64_t sequence)
{
  bool is_here = sequence < s->places.count && s->places.at[sequence];
  return !is_here && !salvage_was_absent(s, &s->blot_cursor, sequence);
}

static bool blot_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  uint64_t before = s->blotted, first = key;
  uint8_t *copy = malloc(size + 1);
  if (!copy)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for a piece of the hash log");
  memcpy(copy, body, size);
  for (size_t at = 0; at + KEY_HEAD <= size; at += KEY_HEAD + SEGMENT * (size_t)body[at + 16], ++key)
    if (is_gone(s, key + 1)) {
      put_le(copy + at, key, 8);
      put_le(copy + at + 8, UINT64_MAX - 1, 8); /* fill_gaps has the other row of such keys */
      ++s->blotted;
    }
  if (s->blotted > before && salvage_begin_record(s))
    store_put(s->to, STORE_HASHES, first, copy, size);
  free(copy);
  return s->status == FRONTIER_OK;
}

bool salvage_blot(salvage *s)
{
  frontier_status status = store_each(s->to, STORE_HASHES, 0, blot_piece, s);
  if (status != FRONTIER_OK)
    return salvage_fail(s, status, store_message(s->to));
  return s->status == FRONTIER_OK && salvage_commit(s);
}
