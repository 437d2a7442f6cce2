/* See open_batch.h. */
#include "frontier/core/state.h"
#include "frontier/core/revisit_info.h"

#include "frontier/hosts/history.h"

#include <assert.h>
#include <stdlib.h>

/* ---- gathering ---------------------------------------------------------------------------------------- */

static void begin(open_batch *b, uint64_t now_ms)
{
  if (!batch_has_urls(b))
    b->first_ms = now_ms;
  b->is_dirty = true;
}

bool batch_add_entry(open_batch *b, entry *e, uint64_t now_ms)
{
  begin(b, now_ms);
  if (!entry_list_add(&b->added, e))
    return false;
  b->payload_size += e->fields_size;
  return true;
}

bool batch_add_ended(open_batch *b, entry *e, frontier_state state, uint16_t code, uint64_t now_ms)
{
  assert(!e->is_ended && (unsigned)state <= UINT8_MAX);
  begin(b, now_ms);
  if (!entry_list_add(&b->ended, e))
    return false;
  e->state = (uint8_t)state;
  e->code = code;
  e->is_ended = true;
  return true;
}

void batch_drop_entry(open_batch *b)
{
  assert(b->added.count);
  b->payload_size -= b->added.at[--b->added.count]->fields_size;
}

void batch_drop_ended(open_batch *b)
{
  assert(b->ended.count);
  b->ended.at[--b->ended.count]->is_ended = false;
}

/* The rule of group commit: large enough, or old enough. At a million URLs a second 16,384 take 20 ms to write; a
 * thousand would write pages that hold hosts and places ten times as often (bench_frontier). */
bool batch_is_due(const open_batch *b, uint64_t now_ms)
{
  return batch_has_urls(b) && (b->added.count + b->ended.count >= COMMIT_URLS || b->payload_size >= BATCH_FULL_BYTES ||
                               now_ms - b->first_ms >= COMMIT_AFTER_MS);
}

bool batch_is_full(const open_batch *b)
{
  return b->added.count + b->ended.count >= BATCH_FULL || b->payload_size >= BATCH_FULL_BYTES;
}

/* ---- the transaction ---------------------------------------------------------------------------------- */

/* Entries, and their hosts, were touched long ago: they are fetched while those before them are written. */
enum { HOST_AHEAD = 4, ENTRY_AHEAD = 8, ENTRY_LINES = 192 / 64 };

static void fetch_entry(const entry *e)
{
  for (int i = 0; i < ENTRY_LINES; i++)
    __builtin_prefetch((const char *)e + 64 * i);
}

static void write_entry(const void *source, uint8_t *body)
{
  entry_write(source, body);
}

static void write_ended(const void *source, uint8_t *body)
{
  history_write(source, body);
}

/* The entries stay as they are until the transaction is done. */
static void put_added(const open_batch *b, store *to)
{
  size_t count = b->added.count;
  for (size_t i = 0; i < count; i++) {
    const entry *e = b->added.at[i];
    if (i + ENTRY_AHEAD < count)
      fetch_entry(b->added.at[i + ENTRY_AHEAD]);
    if (i + HOST_AHEAD < count)
      __builtin_prefetch(&b->added.at[i + HOST_AHEAD]->host->id);
    if (e->is_ended)
      continue; /* accepted, fetched and done within one batch: it never waits on disk */
    store_append_from(to, queue_table(e->class), e->sequence, entry_size(e), write_entry, e);
  }
}

static void put_ended(const open_batch *b, store *to)
{
  for (size_t i = 0; i < b->ended.count; i++) {
    const entry *e = b->ended.at[i];
    if (i + ENTRY_AHEAD < b->ended.count)
      fetch_entry(b->ended.at[i + ENTRY_AHEAD]);
    store_end_from(to, queue_table(e->class), e->sequence, history_size(e), write_ended, e);
    visits_put_ended(to, e->note, (frontier_state)e->state);
  }
}

static void put(frontier *f)
{
  put_ended(&f->batch, f->store);
  put_added(&f->batch, f->store);
}

/* Frees the entries that are not held any more; those of `added` that ended are in `ended` too. */
static void clear(open_batch *b)
{
  for (size_t i = 0; i < b->added.count; i++) {
    entry *e = b->added.at[i];
    if (i + ENTRY_AHEAD < b->added.count)
      __builtin_prefetch(&b->added.at[i + ENTRY_AHEAD]->is_stored, 1);
    e->is_stored = true;
    if (!e->is_pinned && !e->is_ended)
      entry_free(e);
  }
  for (size_t i = 0; i < b->ended.count; i++) {
    assert(b->ended.at[i]->is_ended);
    if (i + ENTRY_AHEAD < b->ended.count)
      fetch_entry(b->ended.at[i + ENTRY_AHEAD]);
    entry_free(b->ended.at[i]);
  }
  b->added.count = b->ended.count = b->untaken = b->payload_size = 0;
  b->is_dirty = b->has_old = false;
}

static frontier_status settle(frontier *f)
{
  clear(&f->batch);
  return FRONTIER_OK;
}

static void close_it(frontier *f)
{
  clear(&f->batch);
  free(f->batch.added.at);
  free(f->batch.ended.at);
}

static void check(const frontier *f)
{
  const open_batch *b = &f->batch;
  assert_entry_list(&b->added);
  assert_entry_list(&b->ended);
  assert(b->untaken <= b->added.count);
  assert(b->is_dirty || !batch_has_urls(b));
  assert(b->added.count || !b->payload_size);
  (void)b;
}

const part batch_part = {.check = check, .put = put, .settle = settle, .close = close_it};
