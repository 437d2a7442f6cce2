/* See late.h. Doubts, runs and the cache are in late/; here is what a link asks of them, and how they are opened and
 * committed. late_pass.c settles doubts, late_upkeep.c says when.
 *
 * Called under the handle's mutex.
 *
 * After a crash: doubts that were committed are there again, all of them if a pass was under way. A URL accepted late
 * whose commit is on disk is known to the next pass; one whose commit is not is late once more. */
#include "frontier/core/late.h"

#include "frontier/core/late_inside.h"

#include <stdlib.h>

enum {
  CACHE_SLOTS = FRONTIER_LIMIT(3 << 18, 64),
  DOUBT_BYTES = 1 << 20,   /* of rows that wait for a commit; they are in memory three times while it is written */
  READ_BY_READER = 1 << 24 /* keys that are in no run: more than these a reader does not read, 16 bytes each */
};

bool late_is_on(const frontier *f)
{
  return f->options.exact && f->late.runs;
}

frontier_status late_failed(frontier *f, frontier_status status, const char *message)
{
  return frontier_fail(f, status, "%s: %s", f->directory, message);
}

/* ---- open ---------------------------------------------------------------------------------------------------- */

static frontier_status take_runs(frontier *f, const uint8_t *body, size_t size)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_status status = runs_read_marks(f->late.runs, body, size, hash_log_keys(&f->log), !f->options.read_only,
                                           message);
  return status == FRONTIER_OK ? status : late_failed(f, status, message);
}

static frontier_status take_doubts(frontier *f, const uint8_t *body, size_t size)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_status status = doubts_open(f->late.doubts, f->store, body, size, !f->options.read_only, message);
  return status == FRONTIER_OK ? status : late_failed(f, status, message);
}

/* Absent: as an empty one. */
static frontier_status take_record(frontier *f, const char *name,
                                   frontier_status (*take)(frontier *, const uint8_t *, size_t))
{
  uint8_t *body = NULL;
  size_t size = 0;
  frontier_status status = store_get_meta(f->store, name, &body, &size);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return late_failed(f, status, store_message(f->store));
  status = take(f, body, size);
  free(body);
  return status;
}

static frontier_status create(frontier *f)
{
  late_links *l = &f->late;
  const key_place place = {
    .directory = f->directory, .id = store_id(f->store), .mode = f->options.group_readable ? 0640 : 0600};
  l->runs = runs_create(&place);
  l->doubts = doubts_create(&place);
  l->cache = f->options.read_only ? NULL : known_cache_create(CACHE_SLOTS);
  l->lot = f->options.read_only ? NULL : late_lot_create();
  return l->runs && l->doubts && ((l->cache && l->lot) || f->options.read_only)
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to confirm keys");
}

static frontier_status open_it(frontier *f)
{
  frontier_status status = store_find_table(f->store, STORE_UNCONFIRMED, !f->options.read_only);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return late_failed(f, status, store_message(f->store));
  status = create(f);
  if (status == FRONTIER_OK)
    status = take_record(f, "run_marks", take_runs);
  return status == FRONTIER_OK ? take_record(f, "late", take_doubts) : status;
}

/* A few keys are read at once, as after each crash; else they are when there is time. */
frontier_status late_open(frontier *f)
{
  uint64_t from, to;
  if (!f->options.exact)
    return FRONTIER_OK;
  frontier_status status = open_it(f);
  if (status == FRONTIER_OK && runs_gap(f->late.runs, &from, &to) && to - from <= 2 * RUNS_GAP_KEYS)
    status = late_fill_part(f, from, to);
  return status;
}

frontier_status late_load(frontier *f)
{
  uint64_t from, to, left = READ_BY_READER;
  if (!f->options.exact || f->late.runs)
    return FRONTIER_OK;
  frontier_status status = open_it(f);
  while (status == FRONTIER_OK && runs_gap(f->late.runs, &from, &to) && to - from <= left &&
         to == hash_log_keys(&f->log)) { /* in the middle only a writer makes a run */
    left -= to - from;
    status = late_fill_part(f, from, to);
  }
  return status;
}

/* ---- of one key ------------------------------------------------------------------------------------------------ */

void late_fetch(const frontier *f, mlbf_hash128 key)
{
  if (f->late.cache)
    known_cache_fetch(f->late.cache, key);
}

bool late_knows(const frontier *f, mlbf_hash128 key)
{
  return known_cache_has(f->late.cache, key);
}

/* Layers are left as they are, unless they are the caller's own: there are many, and a text gives them again. */
static void fill_row(const frontier *f, const newcomer *n, doubt_row *row)
{
  const frontier_link *link = n->link;
  row->hashes.whole = n->hashes->whole;
  if (n->has_own_key)
    row->hashes = *n->hashes;
  row->has_own_key = n->has_own_key;
  row->was_known_before = f->previous && previous_knows(f->previous, link);
  row->purpose = n->purpose == TO_NOTE ? DOUBT_TO_NOTE : DOUBT_TO_QUEUE;
  row->origin = link->origin;
  mlbf_span text = link_text(link);
  row->url = text.bytes;
  row->url_size = text.size;
  row->is_opaque = !link->target;
  row->group = link->group;
  row->group_size = link->group_size;
  row->priority = link->priority;
  row->not_before_ms = link->not_before_ms;
  row->payload = link->payload;
  row->payload_size = link->payload_size;
}

frontier_status late_put(frontier *f, const newcomer *n, uint64_t now_ms)
{
  late_links *l = &f->late;
  doubt_row row;
  fill_row(f, n, &row);
  if (!doubts_add(l->doubts, &row))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more link");
  known_cache_put_doubt(l->cache, n->hashes->whole);
  if (!l->has_oldest) {
    l->has_oldest = true;
    l->oldest_ms = now_ms;
  }
  return FRONTIER_OK;
}

frontier_status late_ask_runs(frontier *f, mlbf_hash128 key, bool *is_known)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_status status = runs_have(f->late.runs, &key, 1, is_known, message);
  return status == FRONTIER_OK ? status : late_failed(f, status, message);
}

/* A damaged run is a gap from now on: then nothing is certain yet. */
frontier_status late_ask(frontier *f, mlbf_hash128 key, late_answer *answer)
{
  char message[FRONTIER_MESSAGE_SIZE];
  bool is_known = seen_has_in_batch(f->seen, key), waits = false;
  frontier_status status = is_known ? FRONTIER_OK : late_ask_runs(f, key, &is_known);
  if (status == FRONTIER_DAMAGED)
    status = FRONTIER_OK;
  if (status == FRONTIER_OK && !is_known) {
    status = doubts_has(f->late.doubts, key, &waits, message);
    if (status != FRONTIER_OK)
      late_failed(f, status, message);
  }
  *answer = is_known ? LATE_KNOWN : waits || late_has_gap(f) ? LATE_WAITS : LATE_UNKNOWN;
  return status;
}

bool late_has_doubt(frontier *f, mlbf_hash128 key)
{
  char message[FRONTIER_MESSAGE_SIZE];
  bool waits;
  return doubts_has(f->late.doubts, key, &waits, message) != FRONTIER_OK || waits;
}

void late_accepted(frontier *f, mlbf_hash128 key)
{
  if (f->late.cache)
    known_cache_put(f->late.cache, key);
}

void late_forget(const frontier *f, mlbf_hash128 key)
{
  if (f->late.cache)
    known_cache_remove(f->late.cache, key);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

bool late_is_full(const frontier *f)
{
  return late_is_on(f) && doubts_batch_bytes(f->late.doubts) >= DOUBT_BYTES;
}

uint64_t late_waiting(const frontier *f)
{
  return late_is_on(f) ? doubts_waiting(f->late.doubts) : 0;
}

uint64_t late_ever(const frontier *f)
{
  return late_is_on(f) ? doubts_late(f->late.doubts) : 0;
}

static bool take_key(void *context, mlbf_hash128 whole)
{
  runs_add(context, whole);
  return true;
}

void late_take_keys(frontier *f, uint64_t log_keys)
{
  size_t size;
  if (!late_is_on(f))
    return;
  const uint8_t *chunk = seen_landing_log(f->seen, &size);
  if (runs_make_room(f->late.runs, seen_landing_keys(f->seen))) /* else they are read from the log later: a gap */
    seen_each_key(chunk, size, take_key, f->late.runs);
  runs_end_commit(f->late.runs, log_keys);
}

frontier_status late_each_doubt(frontier *f, doubts_visitor *visit, void *context)
{
  frontier_status status = late_load(f);
  if (status != FRONTIER_OK || !late_is_on(f))
    return status;
  status = doubts_each(f->late.doubts, f->store, visit, context);
  return status == FRONTIER_OK ? status : late_failed(f, status, store_message(f->store));
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void put(frontier *f)
{
  size_t size;
  if (!late_is_on(f))
    return;
  doubts_put(f->late.doubts, f->store);
  if (!runs_have_changed(f->late.runs))
    return;
  const uint8_t *marks = runs_write_marks(f->late.runs, &size);
  if (marks)
    store_put_meta(f->store, "run_marks", marks, size);
  else
    store_fail(f->store);
}

static void sealed(frontier *f)
{
  if (!late_is_on(f))
    return;
  doubts_sealed(f->late.doubts);
  runs_sealed(f->late.runs);
}

static frontier_status landed(frontier *f)
{
  if (late_is_on(f)) {
    doubts_landed(f->late.doubts);
    runs_landed(f->late.runs);
    if (doubts_is_dirty(f->late.doubts)) /* old rows are left */
      batch_touch(&f->batch);
  }
  return FRONTIER_OK;
}

static void close_it(frontier *f)
{
  known_cache_free(f->late.cache);
  doubts_free(f->late.doubts);
  runs_free(f->late.runs);
  free(f->late.lot);
}

const part late_part = {.check = late_pass_check, .put = put, .sealed = sealed, .landed = landed, .close = close_it};
