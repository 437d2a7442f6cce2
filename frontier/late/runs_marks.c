/* The record "run_marks": FORMAT.md. And what follows from it: which files are unlinked, and when.
 *
 * After a crash the record names files that are whole, as each was synced before it was named, and none was unlinked
 * before a record without it was on disk. All other files are swept at the next opening by a writer. */
#include "frontier/late/runs_inside.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { VERSION = 1, HEAD = 12, MARK = 24 };

const uint8_t *runs_write_marks(runs *r, size_t *size)
{
  *size = HEAD + r->count * MARK;
  if (!HAS_ROOM(r->marks, r->marks_room, *size))
    return NULL;
  put_le(r->marks, VERSION, 4);
  put_le(r->marks + 4, r->next_number, 8);
  for (size_t i = 0; i < r->count; i++) {
    uint8_t *mark = r->marks + HEAD + i * MARK;
    put_le(mark, key_file_number(r->runs[i].file), 8);
    put_le(mark + 8, r->runs[i].from, 8);
    put_le(mark + 16, r->runs[i].to, 8);
  }
  return r->marks;
}

bool runs_are_replaced(const runs *r)
{
  return r->has_changed && r->retired_count;
}

bool runs_have_changed(const runs *r)
{
  return r->has_changed;
}

void runs_sealed(runs *r)
{
  r->has_changed = false;
  for (size_t i = 0; i < r->retired_count; i++)
    r->retired[i].is_sealed = true;
}

void runs_landed(runs *r)
{
  size_t left = 0;
  for (size_t i = 0; i < r->retired_count; i++)
    if (r->retired[i].is_sealed)
      key_file_unlink(&r->place, KEY_FILE_RUN, r->retired[i].number);
    else
      r->retired[left++] = r->retired[i];
  r->retired_count = left;
}

/* ---- at open ----------------------------------------------------------------------------------------------- */

typedef struct mark {
  uint64_t number, from, to;
} mark;

static mark mark_at(const uint8_t *body, size_t i)
{
  const uint8_t *at = body + HEAD + i * MARK;
  return (mark){get_le(at, 8), get_le(at + 8, 8), get_le(at + 16, 8)};
}

static bool is_sound(const uint8_t *body, size_t size, uint64_t log_keys)
{
  if (size < HEAD || (size - HEAD) % MARK || get_le(body, 4) != VERSION)
    return false;
  uint64_t reached = 0, next_number = get_le(body + 4, 8);
  for (size_t i = 0; i < (size - HEAD) / MARK; i++) {
    mark m = mark_at(body, i);
    if (m.number >= next_number || m.from < reached || m.to <= m.from || m.to > log_keys)
      return false;
    for (size_t j = 0; j < i; j++)
      if (mark_at(body, j).number == m.number)
        return false;
    reached = m.to;
  }
  return true;
}

/* A file that is damaged or missing is one to be retired. */
static frontier_status open_run(runs *r, mark m, char message[FRONTIER_MESSAGE_SIZE])
{
  key_file *file = NULL;
  if (!runs_reserve(r))
    return runs_no_memory(message);
  frontier_status status = key_file_open(&r->place, KEY_FILE_RUN, m.number, &file, message);
  if (status == FRONTIER_OK && key_file_count(file) == m.to - m.from)
    runs_insert(r, file, m.from, m.to);
  else if (status == FRONTIER_OK || status == FRONTIER_NOT_FOUND || status == FRONTIER_DAMAGED) {
    key_file_close(file);
    runs_retire(r, m.number);
  } else
    return status;
  return FRONTIER_OK;
}

static void forget_all(runs *r)
{
  while (r->count)
    runs_remove(r, r->count - 1);
  r->retired_count = 0;
}

frontier_status runs_read_marks(runs *r, const uint8_t *body, size_t size, uint64_t log_keys, bool is_writer,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  assert(r->count == 0 && r->fresh.count == 0 && !r->flush.keys);
  size_t count = body && size >= HEAD ? (size - HEAD) / MARK : 0;
  frontier_status status = FRONTIER_OK;
  r->is_writer = is_writer;
  r->log_keys = r->fresh_from = log_keys;
  if (body && !is_sound(body, size, log_keys)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "the record \"run_marks\" is damaged");
    return FRONTIER_DAMAGED;
  }
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++)
    status = open_run(r, mark_at(body, i), message);
  uint64_t *named = status == FRONTIER_OK && is_writer ? malloc((count + 1) * sizeof *named) : NULL;
  if (status == FRONTIER_OK && is_writer && !named)
    status = runs_no_memory(message);
  if (status != FRONTIER_OK) {
    forget_all(r);
    return status;
  }
  r->next_number = body ? get_le(body + 4, 8) : 1;
  r->has_changed = is_writer && r->retired_count > 0;
  for (size_t i = 0; i < count && named; i++)
    named[i] = mark_at(body, i).number;
  if (is_writer)
    key_files_sweep(&r->place, KEY_FILE_RUN, named, count);
  free(named);
  return FRONTIER_OK;
}
