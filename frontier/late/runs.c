/* Which runs there are, and the newest keys in memory: runs.h.
 *
 * Always: runs are in the order of the log and do not overlap; behind them come the keys that are flushed, and behind
 * these the fresh set, which reaches to the end of the log. What lies between is a gap. No file of the list, and none
 * that a record on disk names, is unlinked. */
#include "frontier/late/runs_inside.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <stdio.h>

static void assert_runs(const runs *r)
{
  uint64_t at = 0;
  for (size_t i = 0; i < r->count; at = r->runs[i++].to)
    assert(at <= r->runs[i].from && r->runs[i].from < r->runs[i].to);
  if (r->flush.keys) {
    assert(at <= r->flush.from);
    at = flush_end(r);
  }
  assert(at <= r->fresh_from && r->fresh_from <= r->log_keys);
  (void)at;
}

frontier_status runs_no_memory(char message[FRONTIER_MESSAGE_SIZE])
{
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for runs of keys");
  return FRONTIER_NO_MEMORY;
}

runs *runs_create(const key_place *place)
{
  runs *r = calloc(1, sizeof *r);
  if (!r || !(r->directory = strdup(place->directory))) {
    free(r);
    return NULL;
  }
  r->place = *place;
  r->place.directory = r->directory;
  r->is_writer = true;
  r->next_number = 1;
  return r;
}

void runs_free(runs *r)
{
  if (!r)
    return;
  runs_abandon_merges(r, NULL);
  runs_abandon_flush(r);
  free(r->flush.keys);
  fresh_keys_free(&r->fresh);
  for (size_t i = 0; i < r->count; i++)
    key_file_close(r->runs[i].file);
  free(r->runs);
  free(r->by_size);
  free(r->retired);
  free(r->fill);
  free(r->marks);
  free(r->directory);
  free(r);
}

/* ---- the list ---------------------------------------------------------------------------------------------- */

bool runs_reserve(runs *r)
{
  return HAS_ROOM(r->runs, r->room, r->count + 1) && HAS_ROOM(r->by_size, r->by_size_room, r->count + 1) &&
         HAS_ROOM(r->retired, r->retired_room, r->retired_count + r->count + 1);
}

void runs_insert(runs *r, key_file *file, uint64_t from, uint64_t to)
{
  size_t at = r->count;
  size_t place = r->files;
  for (; at > 0 && r->runs[at - 1].from > from; at--)
    r->runs[at] = r->runs[at - 1];
  for (; file && place > 0 && key_file_count(r->by_size[place - 1]) < to - from; place--)
    r->by_size[place] = r->by_size[place - 1];
  r->runs[at] = (run){.file = file, .from = from, .to = to};
  if (file) {
    r->by_size[place] = file;
    r->files++;
    r->has_changed = true;
  }
  r->count++;
  assert_runs(r);
}

void runs_retire(runs *r, uint64_t number)
{
  assert(r->retired_count < r->retired_room);
  r->retired[r->retired_count++] = (retired){.number = number};
}

void runs_remove(runs *r, size_t at)
{
  key_file *file = r->runs[at].file;
  r->count--;
  memmove(r->runs + at, r->runs + at + 1, (r->count - at) * sizeof *r->runs);
  r->has_changed = true;
  if (!file)
    return;
  size_t place = 0;
  while (r->by_size[place] != file)
    place++;
  r->files--;
  memmove(r->by_size + place, r->by_size + place + 1, (r->files - place) * sizeof *r->by_size);
  runs_retire(r, key_file_number(file));
  key_file_close(file);
}

void runs_lose(runs *r, const key_file *file)
{
  runs_abandon_merges(r, file);
  for (size_t i = 0; i < r->count; i++)
    if (r->runs[i].file == file) {
      runs_remove(r, i);
      return;
    }
}

/* ---- new keys ---------------------------------------------------------------------------------------------- */

bool runs_make_room(runs *r, size_t keys)
{
  return fresh_keys_make_room(&r->fresh, keys);
}

void runs_add(runs *r, mlbf_hash128 key)
{
  fresh_keys_add(&r->fresh, key);
}

void runs_take_fresh(runs *r)
{
  if (r->flush.keys || r->fresh.count < RUN_KEYS || r->fresh_from + r->fresh.count != r->log_keys)
    return;
  r->flush = (flushing){.count = r->fresh.count, .from = r->fresh_from};
  r->flush.keys = fresh_keys_take(&r->fresh);
  r->fresh_from = r->log_keys;
}

/* Each key is written once as it is flushed, and once on each level that it reaches; half as much again, so that a
 * merge ends before the next four runs are there. */
void runs_owe(runs *r, uint64_t keys)
{
  r->owed = runs_can_step(r) ? r->owed + keys * (runs_levels(r) + 1) * 3 / 2 : 0;
}

void runs_end_commit(runs *r, uint64_t log_keys)
{
  assert(log_keys >= r->log_keys);
  uint64_t keys = log_keys - r->log_keys;
  r->log_keys = log_keys;
  if (r->fresh_from + r->fresh.count != log_keys) {
    fresh_keys_clear(&r->fresh);
    r->fresh_from = log_keys;
  }
  runs_take_fresh(r);
  runs_owe(r, keys);
  assert_runs(r);
}

/* ---- gaps -------------------------------------------------------------------------------------------------- */

static bool is_gap(uint64_t at, uint64_t next, uint64_t *from, uint64_t *to)
{
  *from = at;
  *to = next;
  return at < next;
}

bool runs_gap(const runs *r, uint64_t *from, uint64_t *to)
{
  uint64_t at = 0;
  for (size_t i = 0; i < r->count; at = r->runs[i++].to)
    if (is_gap(at, r->runs[i].from, from, to))
      return true;
  if (r->flush.keys) {
    if (is_gap(at, r->flush.from, from, to))
      return true;
    at = flush_end(r);
  }
  return is_gap(at, r->fresh_from, from, to);
}

bool runs_fill_begin(runs *r, size_t keys)
{
  r->filled = 0;
  return HAS_ROOM(r->fill, r->fill_room, keys);
}

bool runs_fill_add(runs *r, mlbf_hash128 key)
{
  if (!HAS_ROOM(r->fill, r->fill_room, r->filled + 1))
    return false;
  r->fill[r->filled++] = key;
  return true;
}

static frontier_status fill_fresh(runs *r, uint64_t from, uint64_t to, char message[FRONTIER_MESSAGE_SIZE])
{
  if (!runs_reserve(r) || !fresh_keys_make_room(&r->fresh, r->filled))
    return runs_no_memory(message);
  for (size_t i = 0; i < r->filled; i++)
    fresh_keys_add(&r->fresh, r->fill[i]);
  if (to == r->fresh_from)
    r->fresh_from = from;
  else
    runs_insert(r, NULL, from, to);
  return FRONTIER_OK;
}

static frontier_status fill_file(runs *r, uint64_t from, uint64_t to, char message[FRONTIER_MESSAGE_SIZE])
{
  key_file *file;
  if (!runs_reserve(r))
    return runs_no_memory(message);
  keys_sort(r->fill, r->filled);
  frontier_status status = runs_write(r, r->fill, r->filled, &file, message);
  if (status != FRONTIER_OK)
    return status;
  runs_insert(r, file, from, to);
  runs_owe(r, r->filled);
  return FRONTIER_OK;
}

frontier_status runs_fill_end(runs *r, uint64_t from, uint64_t to, char message[FRONTIER_MESSAGE_SIZE])
{
  uint64_t gap_from, gap_to;
  frontier_status status = FRONTIER_BAD_ARGUMENT;
  bool is_last = to == r->fresh_from, is_small = r->filled + r->fresh.count < RUN_KEYS;
  if (r->filled == 0 || to - from != r->filled || !runs_gap(r, &gap_from, &gap_to) || from < gap_from || to > gap_to)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "these keys are not those of a gap in the runs");
  else if (!r->is_writer || (is_last && is_small))
    status = fill_fresh(r, from, to, message);
  else
    status = fill_file(r, from, to, message);
  free(r->fill);
  r->fill = NULL;
  r->fill_room = r->filled = 0;
  return status;
}

void runs_drop(runs *r)
{
  runs_abandon_merges(r, NULL);
  runs_abandon_flush(r);
  free(r->flush.keys);
  r->flush.keys = NULL;
  fresh_keys_clear(&r->fresh);
  r->fresh_from = r->log_keys;
  while (r->count)
    runs_remove(r, r->count - 1);
  r->owed = 0;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

runs_numbers runs_count(const runs *r)
{
  runs_numbers n = {.files = r->files, .written = r->written, .memory = fresh_keys_memory(&r->fresh)};
  for (size_t i = 0; i < r->files; i++) {
    n.keys += key_file_count(r->by_size[i]);
    n.bytes += key_file_bytes(r->by_size[i]);
  }
  if (r->flush.keys)
    n.memory += r->flush.count * sizeof *r->flush.keys;
  n.memory += r->fill_room * sizeof *r->fill;
  n.memory += runs_merges_memory(r);
  return n;
}
