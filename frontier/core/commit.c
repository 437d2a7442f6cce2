/* The open batch becomes one transaction; only then are filter bits set.
 *
 *     0. the caller's own files                                              (frontier_before_commit)
 *     1. journal lines written after the last commit reach the disk          (journal_settle)
 *     2. one transaction: queue + history + hosts + hash log + owed lines
 *        + counters + progress                                               (store_commit)
 *     3. the bits of the new keys; a filter that fills up grows              (seen_settle)
 *     4. the owed lines into the journal                                     (journal_write)
 *
 * A failure in 0, 1 or 2 leaves the batch as it was: the caller may try again when the cause is gone. */
#include "frontier/core/recrawl_inside.h"
#include "frontier/core/spill.h"
#include "frontier/core/revisit_info.h"

#include "frontier/hosts/history.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- gathering ---------------------------------------------------------------------------------------- */

static bool batch_is_empty(const batch *b)
{
  return b->added.count == 0 && b->ended.count == 0;
}

static void batch_begin(batch *b, uint64_t now_ms)
{
  if (batch_is_empty(b))
    b->first_ms = now_ms;
  b->is_dirty = true;
}

bool entry_list_reserve(entry_list *list, size_t more)
{
  return HAS_ROOM(list->at, list->room, list->count + more);
}

bool entry_list_add(entry_list *list, entry *e)
{
  if (!entry_list_reserve(list, 1))
    return false;
  assert_entry_list(list);
  list->at[list->count++] = e;
  return true;
}

bool batch_add_entry(frontier *f, entry *e, uint64_t now_ms)
{
  batch_begin(&f->batch, now_ms);
  return entry_list_add(&f->batch.added, e);
}

bool batch_add_ended(frontier *f, entry *e, frontier_state state, uint16_t code, uint64_t now_ms)
{
  assert(!e->is_ended && (unsigned)state <= UINT8_MAX);
  batch_begin(&f->batch, now_ms);
  if (!entry_list_add(&f->batch.ended, e))
    return false;
  e->state = (uint8_t)state;
  e->code = code;
  e->is_ended = true;
  return true;
}

/* Entries, and their hosts, were touched long ago: they are fetched while those before them are written. */
enum { HOST_AHEAD = 4, ENTRY_AHEAD = 8, ENTRY_LINES = 192 / 64 };

static void fetch_entry(const entry *e)
{
  for (int i = 0; i < ENTRY_LINES; i++)
    __builtin_prefetch((const char *)e + 64 * i);
}

/* Entries nobody holds any more go; those of `added` that ended are in `ended` too. */
static void batch_clear(batch *b)
{
  for (size_t i = 0; i < b->added.count; i++) {
    entry *e = b->added.at[i];
    if (i + ENTRY_AHEAD < b->added.count)
      __builtin_prefetch(&b->added.at[i + ENTRY_AHEAD]->is_stored, 1);
    e->is_stored = true;
    if (!e->is_held && !e->is_ended)
      entry_free(e);
  }
  for (size_t i = 0; i < b->ended.count; i++) {
    assert(b->ended.at[i]->is_ended);
    if (i + ENTRY_AHEAD < b->ended.count)
      fetch_entry(b->ended.at[i + ENTRY_AHEAD]);
    entry_free(b->ended.at[i]);
  }
  b->added.count = b->ended.count = b->untaken = b->payload_size = 0;
  b->is_dirty = false;
}

void batch_free(frontier *f)
{
  batch_clear(&f->batch);
  free(f->batch.added.at);
  free(f->batch.ended.at);
}

/* ---- the transaction ---------------------------------------------------------------------------------- */

static void write_entry(const void *source, uint8_t *body)
{
  entry_write(source, body);
}

static void write_ended(const void *source, uint8_t *body)
{
  history_write(source, body);
}

/* The entries stay as they are until the transaction is done. */
static void put_added(frontier *f)
{
  size_t count = f->batch.added.count;
  for (size_t i = 0; i < count; i++) {
    const entry *e = f->batch.added.at[i];
    if (i + ENTRY_AHEAD < count)
      fetch_entry(f->batch.added.at[i + ENTRY_AHEAD]);
    if (i + HOST_AHEAD < count)
      __builtin_prefetch(&f->batch.added.at[i + HOST_AHEAD]->host->id);
    if (e->is_ended)
      continue; /* accepted, fetched and done within one batch: it never waits on disk */
    store_append_from(f->store, queue_table(e->class), e->sequence, entry_size(e), write_entry, e);
  }
}

static void put_ended(frontier *f)
{
  for (size_t i = 0; i < f->batch.ended.count; i++) {
    const entry *e = f->batch.ended.at[i];
    if (i + ENTRY_AHEAD < f->batch.ended.count)
      fetch_entry(f->batch.ended.at[i + ENTRY_AHEAD]);
    store_end_from(f->store, queue_table(e->class), e->sequence, history_size(e), write_ended, e);
    visits_put_ended(f->store, e->note, (frontier_state)e->state);
  }
}

static void put_hashes(frontier *f)
{
  size_t size;
  const uint8_t *log = seen_batch_log(f->seen, &size);
  if (size)
    store_append(f->store, STORE_HASHES, f->log_keys, log, size);
}

static void put_settings(frontier *f)
{
  char name[SETTING_NAME_MAX + sizeof SETTING_PREFIX];
  for (setting *s = f->settings; s; s = s->next)
    if (s->is_dirty) {
      snprintf(name, sizeof name, SETTING_PREFIX "%s", s->name);
      store_put_meta(f->store, name, s->value, s->size);
    }
}

static void put_counters(frontier *f)
{
  char text[COUNTERS_TEXT_MAX];
  store_put_meta(f->store, "counters", text, counters_write(&f->counters, text));
}

static void put_progress(frontier *f, uint64_t log_keys)
{
  uint8_t body[PROGRESS_SIZE], more[ACCEPTANCE_SIZE];
  progress p = progress_of(f, log_keys);
  progress_write(&p, body);
  store_put_meta(f->store, "progress", body, sizeof body);
  acceptance_write(&p, more);
  if (progress_has_acceptance(&p))
    store_put_meta(f->store, "acceptance", more, sizeof more);
}

static void put_journal(frontier *f)
{
  size_t size;
  uint64_t offset;
  const uint8_t *lines = journal_owed(f->journal, &size, &offset);
  uint8_t *body = malloc(JOURNAL_HEAD + size);
  if (!body) {
    store_fail(f->store);
    return;
  }
  put_le(body, offset, JOURNAL_HEAD);
  if (size)
    memcpy(body + JOURNAL_HEAD, lines, size);
  store_put_meta(f->store, "journal", body, JOURNAL_HEAD + size);
  free(body);
  journal_sum total;
  uint8_t sum[JOURNAL_SUM_SIZE];
  if (!journal_total(f->journal, &total))
    return;
  put_le(sum, total.lines, 8);
  put_le(sum + 8, total.sum, 8);
  store_put_meta(f->store, "journal-sum", sum, sizeof sum);
}

static frontier_status call_hook(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_status status = f->hook ? f->hook(f->hook_context, message) : FRONTIER_OK;
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", message);
}

static frontier_status write_transaction(frontier *f)
{
  frontier_status status = call_hook(f);
  if (status != FRONTIER_OK)
    return status;
  status = f->journal ? journal_settle(f->journal) : FRONTIER_OK;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", journal_message(f->journal));
  status = store_begin(f->store);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  recrawl_put(f);
  put_ended(f);
  put_added(f);
  spill_put(f);
  host_changes_put(&f->host_changes, f->hosts, f->store);
  put_hashes(f);
  exact_write(&f->exact, f->store);
  revoked_write(&f->revoked, f->store);
  put_settings(f);
  put_counters(f);
  put_progress(f, f->log_keys + seen_batch_keys(f->seen));
  if (f->journal)
    put_journal(f);
  status = store_commit(f->store);
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

/* ---- after it ----------------------------------------------------------------------------------------- */

/* A frontier that keeps nothing still needs its hash log, to grow the filter from. */
static frontier_status keep_log_in_memory(frontier *f)
{
  size_t size;
  const uint8_t *log = seen_batch_log(f->seen, &size);
  if (f->memory_log_size + size > f->memory_log_room) {
    size_t room = 2 * (f->memory_log_size + size);
    uint8_t *larger = realloc(f->memory_log, room);
    if (!larger)
      return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for %zu bytes of hash log", room);
    f->memory_log = larger;
    f->memory_log_room = room;
  }
  if (size)
    memcpy(f->memory_log + f->memory_log_size, log, size);
  f->memory_log_size += size;
  assert(f->memory_log_size <= f->memory_log_room);
  return FRONTIER_OK;
}

static frontier_status settle_seen(frontier *f)
{
  size_t keys = seen_batch_keys(f->seen);
  assert(f->log_keys + keys + 1 == f->next_sequence);
  frontier_status status = maintain_pay_all(f); /* whatever becomes of it, the keys are committed */
  f->has_failed_upkeep = false;
  if (keys == 0)
    return status;
  if (!f->options.exact)
    f->expected_lost += mlbf_rate_at(seen_filter(f->seen), (double)f->log_keys) * (double)keys;
  f->log_keys += keys;
  seen_settle(f->seen);
  f->owed_keys += keys;
  bool is_overfull = f->log_keys > f->full_at; /* then its successor cannot wait */
  return status == FRONTIER_OK && is_overfull ? maintain_pay_all(f) : status;
}

frontier_status commit_batch(frontier *f)
{
  if (!f->batch.is_dirty)
    return FRONTIER_OK;
  assert(!f->options.read_only);
  assert_batch(&f->batch);
  frontier_status status = f->store ? write_transaction(f) : keep_log_in_memory(f);
  if (status != FRONTIER_OK)
    return status;
  spill_settle(f);
  recrawl_settle(f);
  batch_clear(&f->batch);
  host_changes_settle(&f->host_changes, f->hosts);
  exact_settle(&f->exact);
  revoked_settle(&f->revoked);
  for (setting *s = f->settings; s; s = s->next)
    s->is_dirty = false;
  status = settle_seen(f);
  f->batch.is_dirty |= status != FRONTIER_OK; /* to grow at the next try */
  frontier_status written = f->journal ? journal_write(f->journal) : FRONTIER_OK;
  if (written != FRONTIER_OK) {
    f->batch.is_dirty = true; /* the lines are safe inside LMDB, and go out with the next commit */
    return frontier_fail(f, written, "%s", journal_message(f->journal));
  }
  return status;
}

/* The rule of group commit: large enough, or old enough. At a million URLs a second 16,384 take 20 ms to write; a
 * thousand would write pages that hold hosts and places ten times as often (bench_frontier). */
bool commit_is_due(const frontier *f, uint64_t now_ms)
{
  const batch *b = &f->batch;
  return !batch_is_empty(b) &&
         (b->added.count + b->ended.count >= COMMIT_URLS || b->payload_size >= BATCH_FULL_BYTES ||
          now_ms - b->first_ms >= COMMIT_AFTER_MS);
}

bool batch_is_full(const frontier *f)
{
  const batch *b = &f->batch;
  return b->added.count + b->ended.count >= BATCH_FULL || b->payload_size >= BATCH_FULL_BYTES;
}
