/* See open_batch.h. A URL's row is encoded as it is accepted, and its ending as it ends: a commit copies both in one
 * piece each.
 *
 * Always: room is made before anything changes, so adding cannot fail. After a commit that failed the rows stay, and
 * more may follow. */
#include "frontier/core/state.h"

#include "frontier/core/revisit_info.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/store/store_rows.h"

#include <assert.h>
#include <stdlib.h>

frontier_status batch_open(frontier *f)
{
  uint64_t first, next, id = store_id(f->store);
  frontier_status status = store_row_span(f->store, STORE_ENDED, ROWS_ENDED, &first, &next);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  f->batch.text = (rows_writer){.kind = ROWS_TEXT, .id = id, .first = counts_next_sequence(&f->counts)};
  f->batch.ended = (rows_writer){.kind = ROWS_ENDED, .id = id, .first = next};
  commit_open(f);
  folding_begin(&f->folding, first);
  return FRONTIER_OK;
}

/* ---- gathering ---------------------------------------------------------------------------------------- */

uint8_t *batch_scratch(open_batch *b, size_t size)
{
  return HAS_ROOM(b->scratch, b->scratch_room, size) ? b->scratch : NULL;
}

bool batch_make_room(open_batch *b, const url_row *row, uint64_t sequence)
{
  return rows_make_room(&b->text, url_row_size(row, sequence)) && batch_make_room_ended(b);
}

bool batch_make_room_ended(open_batch *b)
{
  return rows_make_room(&b->ended, ENDED_ROW) && HAS_ROOM(b->visits, b->visit_room, b->visit_count + 1) &&
         HAS_ROOM(b->again, b->again_room, b->again_count + 1);
}

static void begin(open_batch *b, uint64_t now_ms)
{
  if (!batch_is_wanted(b))
    b->first_ms = now_ms;
  b->is_dirty = true;
}

void batch_add_url(open_batch *b, const url_row *row, uint64_t sequence, uint64_t now_ms)
{
  begin(b, now_ms);
  assert(b->text.first + b->text.count == sequence);
  url_row_write(row, sequence, rows_add(&b->text, url_row_size(row, sequence), row->class));
  b->added++;
}

void batch_add_ended(open_batch *b, uint64_t sequence, url_state state, uint64_t now_ms)
{
  begin(b, now_ms);
  put_le(rows_add(&b->ended, ENDED_ROW, 0), url_ended_pack(sequence, state), ENDED_ROW);
}

void batch_add_done(open_batch *b, entry *e, frontier_state state, uint16_t code, uint64_t now_ms)
{
  url_state s = {.what = (uint8_t)state, .was_trap = e->class == FRONTIER_TRAP, .code = code};
  batch_add_ended(b, e->sequence, s, now_ms);
  if (e->note) {
    visits_note_ended(e->note, state);
    assert(b->visit_count < b->visit_room);
    b->visits[b->visit_count++] = e->note;
    e->note = NULL;
  }
  if (e->is_again) {
    assert(b->again_count < b->again_room);
    b->again[b->again_count++] = (struct again_change){.sequence = e->sequence};
  }
}

bool batch_add_again(open_batch *b, const url_row *row, uint64_t sequence, uint64_t now_ms)
{
  size_t size = url_row_size(row, sequence);
  uint8_t *copy = batch_make_room_ended(b) ? malloc(size) : NULL;
  if (!copy)
    return false;
  url_row_write(row, sequence, copy);
  batch_add_ended(b, sequence, (url_state){.what = URL_WAITS_AGAIN}, now_ms);
  b->again[b->again_count++] = (struct again_change){sequence, copy, size};
  return true;
}

/* The rule of group commit: large enough, or old enough; or it began at a time that is still to come. */
bool batch_is_due(const open_batch *b, uint64_t now_ms)
{
  return batch_is_wanted(b) &&
         (batch_urls(b) >= COMMIT_URLS || b->text.size >= COMMIT_BYTES || now_ms - b->first_ms >= b->after_ms);
}

/* Of two threads that add, the second may say an earlier time than the first: that makes nothing old. */
bool batch_is_old(const open_batch *b, uint64_t now_ms)
{
  return batch_is_wanted(b) && now_ms > b->first_ms && now_ms - b->first_ms >= b->after_ms;
}

bool batch_is_full(const open_batch *b)
{
  return batch_urls(b) >= BATCH_FULL || b->text.size >= BATCH_FULL_BYTES;
}

/* ---- the transaction ---------------------------------------------------------------------------------- */

static void put_rows(store *s, store_table table, rows_writer *rows)
{
  size_t size;
  if (!rows->count)
    return;
  uint8_t *value = rows_finish(rows, &size);
  store_append_raw(s, table, rows->first, value, size);
}

static void put(frontier *f)
{
  open_batch *b = &f->batch;
  put_rows(f->store, STORE_TEXT, &b->text);
  put_rows(f->store, STORE_ENDED, &b->ended);
  for (size_t i = 0; i < b->again_count; i++) {
    const struct again_change *c = &b->again[i];
    if (c->row)
      store_put(f->store, STORE_AGAIN, c->sequence, c->row, c->size);
    else
      store_delete(f->store, STORE_AGAIN, c->sequence);
  }
  for (size_t i = 0; i < b->visit_count; i++)
    visits_put(f, b->visits[i]);
}

static void clear_lists(open_batch *b)
{
  for (size_t i = 0; i < b->again_count; i++)
    free(b->again[i].row);
  for (size_t i = 0; i < b->visit_count; i++)
    free(b->visits[i]);
  b->again_count = b->visit_count = 0;
}

static void sealed(frontier *f)
{
  open_batch *b = &f->batch;
  if (b->text.count)
    rows_clear(&b->text);
  if (b->ended.count)
    rows_clear(&b->ended);
  clear_lists(b);
  b->added = b->untaken = 0;
  b->is_dirty = b->is_wanted = false;
}

static void close_it(frontier *f)
{
  open_batch *b = &f->batch;
  clear_lists(b);
  free(b->again);
  free(b->visits);
  free(b->scratch);
  rows_free(&b->text);
  rows_free(&b->ended);
}

static void check(const frontier *f)
{
  const open_batch *b = &f->batch;
  assert(b->untaken <= b->added && b->added <= b->text.count);
  assert(b->is_dirty || !batch_is_wanted(b));
  (void)b;
}

const part batch_part = {.check = check, .put = put, .sealed = sealed, .close = close_it};
