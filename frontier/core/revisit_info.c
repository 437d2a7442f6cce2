/* See revisit_info.h; recrawl.h explains the use. */
#include "frontier/core/revisit_info.h"

#include "frontier/core/state.h"
#include "frontier/base/record.h"

#include <assert.h>
#include <stdlib.h>

enum { VISIT_HEAD = 39, HAS_CONTENT = 1, IS_QUEUED = 2 };

bool visits_read(uint64_t sequence, const uint8_t *body, size_t size, seen_visit *out)
{
  if (size < VISIT_HEAD)
    return false;
  size_t etag = get_le(body + 33, 2), modified = get_le(body + 35, 2);
  if (size != VISIT_HEAD + etag + modified || body[37] >= FRONTIER_CLASSES)
    return false;
  const char *text = (const char *)body + VISIT_HEAD;
  *out = (seen_visit){.sequence = sequence,
                      .interval_s = (uint32_t)get_le(body + 8, 4),
                      .due_s = (uint32_t)get_le(body + 12, 4),
                      .visit = {.at_s = get_le(body, 8),
                                .interval_s = get_le(body + 8, 4),
                                .has_content = body[16] & HAS_CONTENT,
                                .etag = text,
                                .etag_size = etag,
                                .last_modified = text + etag,
                                .last_modified_size = modified},
                      .class = (frontier_class)body[37],
                      .state = (frontier_state)body[38],
                      .is_queued = body[16] & IS_QUEUED};
  memcpy(out->visit.content, body + 17, sizeof out->visit.content);
  return out->state >= FRONTIER_DONE && out->state <= FRONTIER_SKIPPED;
}

/* ---- the last visit -------------------------------------------------------------------------------------- */

typedef struct search {
  uint64_t key;
  uint8_t *body; /* a copy */
  size_t size;
  bool is_there, has_memory;
} search;

static bool take_copy(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  search *s = context;
  s->is_there = key == s->key;
  if (s->is_there && (s->body = malloc(size + 1))) {
    memcpy(s->body, body, size);
    s->size = size;
  }
  return false;
}

frontier_status visits_find(frontier *f, uint64_t sequence, uint8_t **body, seen_visit *out)
{
  search s = {.key = sequence};
  frontier_status status = f->store ? store_each(f->store, STORE_VISITS, sequence, take_copy, &s) : FRONTIER_OK;
  *body = s.body;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (!s.is_there)
    return FRONTIER_NOT_FOUND;
  if (!s.body)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a visit");
  if (visits_read(sequence, s.body, s.size, out))
    return FRONTIER_OK;
  free(s.body);
  *body = NULL;
  return frontier_fail(f, FRONTIER_DAMAGED, "%s: visit %llu is damaged", f->directory, (unsigned long long)sequence);
}

frontier_status frontier_visit_get_sized(frontier *f, uint64_t lease, frontier_visit *visit, size_t size)
{
  LOCKED(f);
  seen_visit last;
  uint8_t *body;
  if (!lease_entry(f, lease))
    return FRONTIER_NOT_FOUND;
  frontier_status status = visits_find(f, lease, &body, &last);
  if (status == FRONTIER_NOT_FOUND)
    return frontier_fail(f, status, "URL %llu was never visited", (unsigned long long)lease);
  if (status != FRONTIER_OK)
    return status;
  free(f->recrawl.last_visit);
  f->recrawl.last_visit = body;
  sized_give(visit, size, &last.visit, sizeof last.visit);
  return FRONTIER_OK;
}

/* Those of the last run that had any; 0, as long as there was none: then all is due, and frontier_recrawl will tell. */
static void find_bounds(frontier *f)
{
  uint8_t *body;
  size_t size;
  if (f->recrawl.has_bounds || !f->store)
    return;
  f->recrawl.has_bounds = true;
  if (store_get_meta(f->store, "recrawl", &body, &size) != FRONTIER_OK)
    return;
  if (size == BOUNDS_SIZE) {
    f->recrawl.least_s = get_le(body, 8);
    f->recrawl.most_s = get_le(body + 8, 8);
  }
  free(body);
}

/* ---- a new one -------------------------------------------------------------------------------------------- */

uint64_t visits_within(uint64_t value, uint64_t least, uint64_t most)
{
  assert(least <= most);
  return value < least ? least : value > most ? most : value;
}

/* Half as long if it changed, twice as long if not; what was never seen before rests the least. */
static uint32_t next_interval(const frontier *f, const seen_visit *last, bool is_unchanged)
{
  const recrawling *r = &f->recrawl;
  uint64_t interval = last ? visits_within(last->interval_s, r->least_s, r->most_s) : r->least_s;
  if (last && last->visit.at_s)
    interval = is_unchanged ? interval * 2 : interval / 2;
  return (uint32_t)visits_within(interval, r->least_s, r->most_s);
}

uint32_t visits_due(uint64_t at_s, uint32_t interval_s)
{
  return (uint32_t)visits_within(at_s + interval_s, 1, UINT32_MAX);
}

static bool is_same(const frontier_visit *visit, const seen_visit *last)
{
  return visit->is_unchanged || (last && visit->has_content && last->visit.has_content &&
                                 memcmp(visit->content, last->visit.content, sizeof visit->content) == 0);
}

/* Of an unchanged page, what this visit did not say is as before. */
static frontier_visit complete(const frontier_visit *visit, const seen_visit *last, bool is_unchanged)
{
  frontier_visit whole = *visit;
  if (last && is_unchanged && !whole.etag_size && !whole.last_modified_size) {
    whole.etag = last->visit.etag;
    whole.etag_size = last->visit.etag_size;
    whole.last_modified = last->visit.last_modified;
    whole.last_modified_size = last->visit.last_modified_size;
  }
  if (last && is_unchanged && !whole.has_content) {
    whole.has_content = last->visit.has_content;
    memcpy(whole.content, last->visit.content, sizeof whole.content);
  }
  whole.etag_size = whole.etag_size <= FRONTIER_VALIDATOR_MAX ? whole.etag_size : 0;
  whole.last_modified_size = whole.last_modified_size <= FRONTIER_VALIDATOR_MAX ? whole.last_modified_size : 0;
  return whole;
}

/* The record's head and validators. */
static void visits_write(const seen_visit *v, uint8_t *body)
{
  const frontier_visit *said = &v->visit;
  put_le(body, said->at_s, 8);
  put_le(body + 8, v->interval_s, 4);
  put_le(body + 12, v->due_s, 4);
  body[16] = (uint8_t)((said->has_content ? HAS_CONTENT : 0) | (v->is_queued ? IS_QUEUED : 0));
  memcpy(body + 17, said->content, sizeof said->content);
  put_le(body + 33, said->etag_size, 2);
  put_le(body + 35, said->last_modified_size, 2);
  body[37] = (uint8_t)v->class;
  body[38] = (uint8_t)v->state;
  if (said->etag_size)
    memcpy(body + VISIT_HEAD, said->etag, said->etag_size);
  if (said->last_modified_size)
    memcpy(body + VISIT_HEAD + said->etag_size, said->last_modified, said->last_modified_size);
}

visit_note *visits_note_create(const seen_visit *v)
{
  size_t size = VISIT_HEAD + v->visit.etag_size + v->visit.last_modified_size;
  visit_note *note = malloc(sizeof *note + size);
  if (!note)
    return NULL;
  assert(v->visit.etag_size <= FRONTIER_VALIDATOR_MAX && v->visit.last_modified_size <= FRONTIER_VALIDATOR_MAX);
  *note = (visit_note){.sequence = v->sequence, .size = size, .due_s = v->due_s};
  visits_write(v, note->body);
  return note;
}

frontier_status frontier_visit_note_sized(frontier *f, uint64_t lease, const frontier_visit *given, size_t size)
{
  LOCKED(f);
  frontier_visit visit;
  seen_visit last = {0};
  uint8_t *body = NULL;
  entry *e = lease_entry(f, lease);
  if (!e)
    return FRONTIER_NOT_FOUND;
  if (!sized_take(&visit, sizeof visit, given, size))
    return refuse_unknown_field(f);
  frontier_status status = visits_find(f, lease, &body, &last);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return status;
  const seen_visit *before = status == FRONTIER_OK ? &last : NULL;
  find_bounds(f);
  bool is_unchanged = is_same(&visit, before);
  seen_visit v = {.sequence = lease,
                  .visit = complete(&visit, before, is_unchanged),
                  .interval_s = next_interval(f, before, is_unchanged),
                  .class = e->class};
  v.due_s = visits_due(visit.at_s, v.interval_s);
  visit_note *note = visits_note_create(&v);
  if (note) {
    note->old_due_s = before ? last.due_s : 0;
    free(e->note);
    e->note = note;
  }
  free(body);
  return note ? FRONTIER_OK : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a visit");
}

/* ---- with the transaction ---------------------------------------------------------------------------------- */

typedef struct due_place {
  uint64_t key, sequence;
  bool is_anothers;
} due_place;

static bool read_place(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  due_place *p = context;
  p->is_anothers = key == p->key && size == 8 && get_le(body, 8) != p->sequence;
  return false;
}

/* On disk. What cannot be read is written anew. */
static bool is_anothers(frontier *f, uint64_t key, uint64_t sequence)
{
  due_place p = {.key = key, .sequence = sequence};
  return store_each(f->store, STORE_DUE, key, read_place, &p) == FRONTIER_OK && p.is_anothers;
}

/* ... or in this transaction. */
static bool is_taken(frontier *f, uint64_t key, uint64_t sequence)
{
  uint64_t other;
  size_t count = hash_set_highs(&f->recrawl.placed, key, &other, 1);
  return (count && other != sequence) || is_anothers(f, key, sequence);
}

/* There are no more than 2^12 ids with one low half. */
static void find_place(frontier *f, visit_note *note)
{
  while (is_taken(f, visits_due_key(note->due_s, note->sequence), note->sequence))
    note->due_s = note->due_s < UINT32_MAX ? note->due_s + 1 : 1;
  put_le(note->body + 12, note->due_s, 4);
  mlbf_hash128 place = {.low = visits_due_key(note->due_s, note->sequence), .high = note->sequence};
  if (!hash_set_put(&f->recrawl.placed, place))
    store_fail(f->store);
}

void visits_put(frontier *f, visit_note *note)
{
  uint8_t id[8];
  store *s = f->store;
  bool is_wide = counts_next_sequence(&f->counts) > UINT32_MAX;
  assert(note->sequence && note->size >= VISIT_HEAD);
  put_le(id, note->sequence, 8);
  uint64_t old_key = visits_due_key(note->old_due_s, note->sequence);
  if (note->old_due_s && !(is_wide && is_anothers(f, old_key, note->sequence)))
    store_delete(s, STORE_DUE, old_key);
  if (note->due_s && is_wide)
    find_place(f, note);
  store_put(s, STORE_VISITS, note->sequence, note->body, note->size);
  if (note->due_s)
    store_put(s, STORE_DUE, visits_due_key(note->due_s, note->sequence), id, sizeof id);
}

void visits_note_ended(visit_note *note, frontier_state state)
{
  note->body[38] = (uint8_t)state;
}
