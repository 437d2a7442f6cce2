/* Upkeep of the runs, in steps: fresh keys become a file, and four files of a level become one of the next.
 *
 *     level 0: 65,536 keys and more;   1: 262,144;   2: 1,048,576 ...       by the number of keys
 *
 * Merged are runs of adjacent parts of the log, since the record names parts. In the order of the log levels fall: each
 * run is older, and so larger, than the next. Where it is not so, as a gap was filled, the run counts as one of the
 * highest level behind it: so it goes with these, and at most three runs count as of one level when nothing is left to
 * be done.
 *
 * On each level one merge may be under way; the lowest goes first, so that few runs gather there.
 *
 * A failure ends what failed: the keys are flushed, or the files merged, from the beginning by a later step. After a
 * crash: files that no record names. */
#include "frontier/late/key_page.h"
#include "frontier/late/runs_inside.h"

#include <stdlib.h>

enum { LOT = FRONTIER_LIMIT(1024, 10), WRITER_BYTES = KEY_WRITER_PAGES * KEY_PAGE };

/* ---- which runs -------------------------------------------------------------------------------------------- */

static unsigned level_of(uint64_t keys)
{
  unsigned level = 0;
  for (; keys >= (uint64_t)RUN_KEYS * MERGED; keys /= MERGED)
    level++;
  return level;
}

size_t runs_levels(const runs *r)
{
  return r->files ? level_of(key_file_count(r->by_size[0])) + 1 : 0;
}

typedef struct choice {
  size_t first; /* of four runs */
  unsigned level;
  uint64_t keys;
} choice;

/* The smallest four adjacent runs of the lowest level where there are four, and none are being merged. */
static bool choose(const runs *r, choice *best)
{
  unsigned level = 0; /* that the run counts as */
  size_t in_row = 0;  /* runs from it on that may be merged with it */
  bool is_found = false;
  for (size_t i = r->count; i-- > 0;) {
    const run *x = r->runs + i;
    unsigned own = level_of(run_keys(x)), last = level;
    bool is_adjacent = i + 1 < r->count && x->to == x[1].from;
    level = is_adjacent && last > own ? last : own;
    in_row = x->is_merged || r->merging[level] ? 0 : is_adjacent && level == last ? in_row + 1 : 1;
    if (in_row < MERGED)
      continue;
    uint64_t keys = x[MERGED - 1].to - x->from;
    if (is_found && (level > best->level || keys >= best->keys))
      continue;
    *best = (choice){.first = i, .level = level, .keys = keys};
    is_found = true;
  }
  return is_found;
}

static unsigned lowest_merge(const runs *r)
{
  unsigned level = 0;
  while (level < LEVELS && !r->merging[level])
    level++;
  return level;
}

bool runs_can_step(const runs *r)
{
  choice c;
  return r->is_writer && (r->flush.keys || lowest_merge(r) < LEVELS || choose(r, &c));
}

bool runs_is_due(const runs *r)
{
  return r->owed > 0 && runs_can_step(r);
}

static void pay(runs *r, uint64_t moves)
{
  r->owed -= moves < r->owed ? moves : r->owed;
}

/* ---- files ------------------------------------------------------------------------------------------------- */

/* Finishes a file and opens it. On failure there is none; the writer is gone if `*writer` is NULL. */
static frontier_status finish(runs *r, key_writer **writer, uint64_t number, key_file **out,
                              char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = key_writer_finish(*writer, message);
  if (status != FRONTIER_OK)
    return status;
  *writer = NULL;
  status = key_file_open(&r->place, KEY_FILE_RUN, number, out, message);
  if (status == FRONTIER_OK)
    r->written += key_file_bytes(*out);
  else
    key_file_unlink(&r->place, KEY_FILE_RUN, number);
  return status;
}

frontier_status runs_write(runs *r, const mlbf_hash128 *keys, size_t count, key_file **out,
                           char message[FRONTIER_MESSAGE_SIZE])
{
  key_writer *writer = NULL;
  uint64_t number = r->next_number++;
  frontier_status status = key_writer_begin(&r->place, KEY_FILE_RUN, number, count, &writer, message);
  if (status == FRONTIER_OK)
    status = key_writer_add(writer, keys, NULL, count, message);
  if (status == FRONTIER_OK)
    status = finish(r, &writer, number, out, message);
  if (status != FRONTIER_OK)
    key_writer_end(writer);
  return status;
}

/* ---- flushing ---------------------------------------------------------------------------------------------- */

void runs_abandon_flush(runs *r)
{
  key_writer_end(r->flush.writer);
  r->flush.writer = NULL;
  r->flush.written = 0;
}

static frontier_status end_flush(runs *r, char message[FRONTIER_MESSAGE_SIZE])
{
  flushing *f = &r->flush;
  key_file *file;
  if (!runs_reserve(r))
    return runs_no_memory(message);
  frontier_status status = finish(r, &f->writer, f->number, &file, message);
  if (status != FRONTIER_OK)
    return status;
  uint64_t from = f->from, to = flush_end(r);
  free(f->keys);
  *f = (flushing){0};
  runs_insert(r, file, from, to);
  runs_take_fresh(r);
  return FRONTIER_OK;
}

static frontier_status flush_some(runs *r, char message[FRONTIER_MESSAGE_SIZE])
{
  flushing *f = &r->flush;
  size_t some = f->count - f->written < STEP_KEYS ? f->count - f->written : STEP_KEYS;
  frontier_status status = FRONTIER_OK;
  if (!f->is_sorted) {
    keys_sort(f->keys, f->count);
    f->is_sorted = true;
    return FRONTIER_OK;
  }
  if (!f->writer) {
    f->number = r->next_number++;
    status = key_writer_begin(&r->place, KEY_FILE_RUN, f->number, f->count, &f->writer, message);
  }
  if (status == FRONTIER_OK && some == 0)
    status = end_flush(r, message);
  else if (status == FRONTIER_OK) {
    status = key_writer_add(f->writer, f->keys + f->written, NULL, some, message);
    f->written += some;
    pay(r, some);
  }
  if (status != FRONTIER_OK)
    runs_abandon_flush(r);
  return status;
}

/* ---- merging ----------------------------------------------------------------------------------------------- */

static void end_merging(runs *r, unsigned level)
{
  merging *m = r->merging[level];
  key_writer_end(m->writer);
  for (size_t i = 0; i < MERGED; i++)
    key_cursor_close(m->sources[i].cursor);
  for (size_t i = 0; i < r->count; i++)
    if (r->runs[i].from >= m->from && r->runs[i].to <= m->to)
      r->runs[i].is_merged = false;
  free(m);
  r->merging[level] = NULL;
}

void runs_abandon_merges(runs *r, const key_file *file)
{
  for (unsigned level = 0; level < LEVELS; level++)
    for (size_t i = 0; i < MERGED && r->merging[level]; i++)
      if (!file || r->merging[level]->sources[i].file == file)
        end_merging(r, level);
}

uint64_t runs_merges_memory(const runs *r)
{
  uint64_t bytes = r->flush.writer ? WRITER_BYTES : 0;
  for (unsigned level = 0; level < LEVELS; level++)
    if (r->merging[level])
      bytes += sizeof(merging) + WRITER_BYTES + MERGED * CURSOR_PAGES * KEY_PAGE;
  return bytes;
}

/* The next keys of a source that has none in memory; if there are none, it goes behind those that have. */
static frontier_status refill(merging *m, source *x, char message[FRONTIER_MESSAGE_SIZE])
{
  size_t count;
  frontier_status status = key_cursor_some(x->cursor, &x->at, &count, message);
  if (status != FRONTIER_OK) {
    m->bad = x->file;
    return status;
  }
  x->end = x->at + count;
  if (count == 0) {
    source ended = *x;
    *x = m->sources[--m->left];
    m->sources[m->left] = ended;
  }
  return FRONTIER_OK;
}

static frontier_status begin_merging(runs *r, const choice *c, char message[FRONTIER_MESSAGE_SIZE])
{
  merging *m = calloc(1, sizeof *m);
  if (!m)
    return runs_no_memory(message);
  frontier_status status = FRONTIER_OK;
  r->merging[c->level] = m;
  m->from = r->runs[c->first].from;
  m->to = r->runs[c->first + MERGED - 1].to;
  m->number = r->next_number++;
  for (size_t i = 0; i < MERGED; i++) {
    run *x = r->runs + c->first + i;
    x->is_merged = true;
    m->sources[i] = (source){.file = x->file, .cursor = key_cursor_open(x->file, CURSOR_PAGES)};
    if (!m->sources[i].cursor)
      status = runs_no_memory(message);
  }
  m->left = MERGED;
  if (status == FRONTIER_OK)
    status = key_writer_begin(&r->place, KEY_FILE_RUN, m->number, m->to - m->from, &m->writer, message);
  for (size_t i = MERGED; i-- > 0 && status == FRONTIER_OK;)
    status = refill(m, m->sources + i, message);
  return status;
}

/* Without a branch, as it cannot be foreseen. */
static inline bool is_less(const mlbf_hash128 *a, const mlbf_hash128 *b)
{
  return (a->high < b->high) | ((a->high == b->high) & (a->low < b->low));
}

/* Up to LOT keys in order: how many. */
static frontier_status take_lot(merging *m, mlbf_hash128 *keys, size_t *count, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = FRONTIER_OK;
  size_t taken = 0;
  while (taken < LOT && m->left && status == FRONTIER_OK) {
    source *least = m->sources;
    for (size_t i = 1; i < m->left; i++)
      least = is_less(m->sources[i].at, least->at) ? m->sources + i : least;
    keys[taken++] = *least->at++;
    if (least->at == least->end) {
      key_cursor_skip(least->cursor);
      status = refill(m, least, message);
    }
  }
  *count = taken;
  return status;
}

static frontier_status merge_some(runs *r, merging *m, char message[FRONTIER_MESSAGE_SIZE])
{
  mlbf_hash128 keys[LOT];
  frontier_status status = FRONTIER_OK;
  for (size_t moved = 0, count; moved < STEP_KEYS && m->left && status == FRONTIER_OK; moved += count) {
    status = take_lot(m, keys, &count, message);
    if (status == FRONTIER_OK)
      status = key_writer_add(m->writer, keys, NULL, count, message);
    pay(r, count);
  }
  return status;
}

/* The four runs are one. */
static frontier_status end_merge(runs *r, unsigned level, char message[FRONTIER_MESSAGE_SIZE])
{
  merging *m = r->merging[level];
  key_file *file;
  uint64_t from = m->from, to = m->to;
  if (!runs_reserve(r))
    return runs_no_memory(message);
  frontier_status status = finish(r, &m->writer, m->number, &file, message);
  if (status != FRONTIER_OK)
    return status;
  end_merging(r, level);
  for (size_t i = r->count; i-- > 0;)
    if (r->runs[i].from >= from && r->runs[i].to <= to)
      runs_remove(r, i);
  runs_insert(r, file, from, to);
  return FRONTIER_OK;
}

/* On failure there is no such merge. */
static frontier_status merge_step(runs *r, unsigned level, const choice *c, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = r->merging[level] ? FRONTIER_OK : begin_merging(r, c, message);
  if (status == FRONTIER_OK)
    status = r->merging[level]->left ? merge_some(r, r->merging[level], message) : end_merge(r, level, message);
  if (status == FRONTIER_OK)
    return FRONTIER_OK;
  const key_file *bad = r->merging[level] ? r->merging[level]->bad : NULL;
  if (r->merging[level])
    end_merging(r, level);
  if (status == FRONTIER_DAMAGED && bad)
    runs_lose(r, bad);
  return status;
}

frontier_status runs_step(runs *r, char message[FRONTIER_MESSAGE_SIZE])
{
  choice c = {.level = LEVELS};
  unsigned level = lowest_merge(r);
  frontier_status status = FRONTIER_OK;
  if (choose(r, &c) && c.level < level)
    level = c.level;
  if (r->flush.keys)
    status = flush_some(r, message);
  else if (level < LEVELS)
    status = merge_step(r, level, &c, message);
  if (!runs_can_step(r))
    r->owed = 0;
  return status;
}
