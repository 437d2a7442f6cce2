/* See recrawl.h. What is due waits again (again.c). */
#include "frontier/recrawl.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/core/revisit_info.h"
#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>

enum {
  TAKE_AT_ONCE = FRONTIER_LIMIT(1024, 8),
  NOTES_AT_ONCE = FRONTIER_LIMIT(4096, 8), /* visits rewritten in one transaction */
};

/* ---- again ------------------------------------------------------------------------------------------------ */

typedef struct due_list {
  uint64_t last; /* the last key that is due */
  struct {
    uint64_t key, sequence;
  } at[TAKE_AT_ONCE];
  unsigned count;
} due_list;

static bool note_due(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  due_list *d = context;
  if (key > d->last || d->count == TAKE_AT_ONCE || size != 8)
    return false;
  d->at[d->count].key = key;
  d->at[d->count++].sequence = get_le(body, 8);
  return true;
}

/* So that no other bounds make it due while it waits. */
static visit_note *note_queued(const seen_visit *v)
{
  seen_visit queued = *v;
  queued.is_queued = true;
  queued.due_s = 0;
  visit_note *note = visits_note_create(&queued);
  if (note)
    note->old_due_s = v->due_s;
  return note;
}

frontier_status recrawl_put(frontier *f, const url_record *record, const seen_visit *v)
{
  recrawling *r = &f->recrawl;
  visit_note *note = note_queued(v);
  frontier_status status = FRONTIER_NO_MEMORY;
  if (note && HAS_ROOM(r->taken, r->taken_room, r->taken_count + 1))
    status = again_put(f, record, v->class, v->state);
  if (status == FRONTIER_OK)
    r->taken[r->taken_count++] = note;
  else
    free(note);
  return status;
}

typedef struct due_url {
  frontier *f;
  const seen_visit *visit;
  frontier_status status;
} due_url;

/* What is deeper than the cap rests on. */
static bool take_record(void *context, const url_record *record)
{
  due_url *d = context;
  d->status = record->origin.depth > d->f->options.depth_cap ? FRONTIER_OK : recrawl_put(d->f, record, d->visit);
  return false;
}

static frontier_status take_one(frontier *f, uint64_t key, uint64_t sequence)
{
  seen_visit v;
  uint8_t *body;
  due_url d = {.f = f, .visit = &v, .status = FRONTIER_DAMAGED};
  frontier_status status = visits_find(f, sequence, &body, &v);
  v.due_s = (uint32_t)(key >> 32); /* the place in `due` that is given up */
  if (status == FRONTIER_OK && commit_has_landed(f, sequence))
    status = url_records_find(f, &sequence, 1, take_record, &d);
  else if (status == FRONTIER_NOT_FOUND)
    status = FRONTIER_DAMAGED;
  free(body);
  status = status == FRONTIER_OK ? d.status : status;
  if (status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, status, "out of memory for one more URL to fetch again");
  if (status == FRONTIER_DAMAGED)
    return frontier_fail(f, status, "%s: visit %llu is damaged or missing", f->directory, (unsigned long long)sequence);
  return status;
}

frontier_status recrawl_take(frontier *f)
{
  recrawling *r = &f->recrawl;
  if (recrawl_is_over(f))
    return FRONTIER_OK;
  if (f->hosts->waiting[FRONTIER_NORMAL] >= WINDOW_MAX / 2) {
    bench_make_room(f, FRONTIER_NORMAL, false);
    return FRONTIER_OK;
  }
  due_list d = {.last = visits_due_key(r->until_s, UINT32_MAX)};
  frontier_status status = store_each(f->store, STORE_DUE, r->from, note_due, &d);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  for (unsigned i = 0; i < d.count && status == FRONTIER_OK; i++) {
    status = take_one(f, d.at[i].key, d.at[i].sequence);
    if (status == FRONTIER_OK)
      r->from = d.at[i].key + 1;
  }
  r->is_over = status == FRONTIER_OK && d.count < TAKE_AT_ONCE;
  return status;
}

bool recrawl_is_over(const frontier *f)
{
  return !f->recrawl.is_on || f->recrawl.is_over;
}

/* ---- with the transaction ---------------------------------------------------------------------------------- */

static void put(frontier *f)
{
  const recrawling *r = &f->recrawl;
  for (size_t i = 0; i < r->taken_count; i++)
    visits_put(f, r->taken[i]);
  for (size_t i = 0; i < r->note_count; i++)
    visits_put(f, r->notes[i]);
}

static void sealed(frontier *f)
{
  recrawling *r = &f->recrawl;
  for (size_t i = 0; i < r->taken_count; i++)
    free(r->taken[i]);
  for (size_t i = 0; i < r->note_count; i++)
    free(r->notes[i]);
  r->taken_count = r->note_count = 0;
  hash_set_free(&r->placed);
}

static void close_it(frontier *f)
{
  sealed(f);
  free(f->recrawl.taken);
  free(f->recrawl.notes);
  free(f->recrawl.last_visit);
}

static void check(const frontier *f)
{
  const recrawling *r = &f->recrawl;
  assert(r->taken_count <= r->taken_room);
  assert(r->notes || !r->note_count);
  assert(!r->is_on || (r->has_bounds && r->least_s && r->least_s <= r->most_s));
  (void)r;
}

const part recrawl_part = {.check = check, .put = put, .sealed = sealed, .close = close_it};

/* ---- bounds, and pages without a visit ----------------------------------------------------------------------- */

typedef struct rewriting {
  frontier *f;
  frontier_status status;
  uint64_t now_s; /* the wall clock's */
} rewriting;

/* For the next commit, which comes by itself now and then: reading goes on in its own snapshot. */
static bool add_note(rewriting *w, visit_note *note)
{
  recrawling *r = &w->f->recrawl;
  if (!r->notes)
    r->notes = malloc(NOTES_AT_ONCE * sizeof *r->notes);
  if (!note || !r->notes) {
    free(note);
    w->status = frontier_fail(w->f, FRONTIER_NO_MEMORY, "out of memory for a visit");
    return false;
  }
  assert(r->note_count < NOTES_AT_ONCE);
  r->notes[r->note_count++] = note;
  batch_touch(&w->f->batch);
  if (r->note_count == NOTES_AT_ONCE)
    w->status = commit_batch(w->f);
  return w->status == FRONTIER_OK;
}

/* A visit under new bounds. */
static bool reschedule(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  rewriting *w = context;
  const recrawling *r = &w->f->recrawl;
  seen_visit v;
  if (!visits_read(sequence, body, size, &v)) {
    w->status = frontier_fail(w->f, FRONTIER_DAMAGED, "%s: visit %llu is damaged", w->f->directory,
                              (unsigned long long)sequence);
    return false;
  }
  if (v.is_queued)
    return true;
  uint32_t was_due_s = v.due_s;
  v.interval_s = (uint32_t)visits_within(v.interval_s, r->least_s, r->most_s);
  v.due_s = visits_due(v.visit.at_s, v.interval_s);
  if (v.due_s == was_due_s)
    return true;
  visit_note *note = visits_note_create(&v);
  if (note)
    note->old_due_s = was_due_s;
  return add_note(w, note);
}

/* Due later than any page may rest from now on: it was visited by a clock that was set back since, and has rested from
 * a time that is still to come. It rests from now on. */
static bool bring_back(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  rewriting *w = context;
  seen_visit v;
  uint8_t *copy = NULL;
  w->status = size == 8 ? visits_find(w->f, get_le(body, 8), &copy, &v) : FRONTIER_DAMAGED;
  bool good = w->status == FRONTIER_OK;
  if (good && !v.is_queued) {
    v.visit.at_s = w->now_s;
    v.due_s = visits_due(v.visit.at_s, v.interval_s);
    visit_note *note = visits_note_create(&v);
    if (note)
      note->old_due_s = (uint32_t)(key >> 32);
    good = add_note(w, note);
  }
  free(copy);
  return good;
}

/* A page that is done and of which no visit was noted, as if it had been visited long ago. */
static bool adopt(void *context, const url_record *record)
{
  rewriting *w = context;
  seen_visit v;
  uint8_t *copy;
  if (record->state.what != FRONTIER_DONE)
    return true;
  w->status = visits_find(w->f, record->sequence, &copy, &v);
  free(copy);
  if (w->status != FRONTIER_NOT_FOUND)
    return w->status == FRONTIER_OK;
  w->status = FRONTIER_OK;
  v = (seen_visit){.sequence = record->sequence,
                   .interval_s = (uint32_t)w->f->recrawl.least_s,
                   .class = record->state.was_trap ? FRONTIER_TRAP : FRONTIER_NORMAL,
                   .state = (frontier_state)record->state.what};
  v.due_s = visits_due(0, v.interval_s);
  return add_note(w, visits_note_create(&v));
}

/* No later than `until_s`, up to which pages are due. */
static uint64_t wall_now_s(const frontier *f)
{
  uint64_t now_s = clock_told_s(f);
  return now_s < f->recrawl.until_s ? now_s : f->recrawl.until_s;
}

static frontier_status rewrite(frontier *f, store_table table, uint64_t from, store_visitor *visit)
{
  rewriting w = {.f = f, .now_s = wall_now_s(f)};
  frontier_status status = commit_batch(f); /* so that what ended is on disk */
  if (status == FRONTIER_OK && store_each(f->store, table, from, visit, &w) != FRONTIER_OK)
    status = frontier_fail(f, FRONTIER_DAMAGED, "%s: %s", f->directory, store_message(f->store));
  if (status == FRONTIER_OK)
    status = w.status;
  return status == FRONTIER_OK ? commit_batch(f) : status;
}

static frontier_status adopt_all(frontier *f)
{
  rewriting w = {.f = f};
  frontier_status status = commit_batch(f); /* so that what ended is on disk */
  if (status == FRONTIER_OK)
    status = url_records_each(f, STORED_ENDED, 0, adopt, &w);
  if (status == FRONTIER_OK)
    status = w.status;
  return status == FRONTIER_OK ? commit_batch(f) : status;
}

/* Is the table `due` made with these bounds? */
static bool has_bounds(frontier *f, const uint8_t bounds[BOUNDS_SIZE])
{
  uint8_t *body = NULL;
  size_t size;
  bool is_same_as_before = store_get_meta(f->store, "recrawl", &body, &size) == FRONTIER_OK && size == BOUNDS_SIZE &&
                           memcmp(body, bounds, BOUNDS_SIZE) == 0;
  free(body);
  return is_same_as_before;
}

static frontier_status put_bounds(frontier *f, const uint8_t bounds[BOUNDS_SIZE])
{
  frontier_status status = commit_batch(f); /* so that nothing is under way */
  if (status == FRONTIER_OK && (status = store_begin(f->store)) == FRONTIER_OK) {
    store_put_meta(f->store, "recrawl", bounds, BOUNDS_SIZE);
    status = store_commit(f->store);
  }
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

frontier_status frontier_recrawl(frontier *f, uint64_t least_s, uint64_t most_s, uint64_t until_s)
{
  LOCKED(f);
  if (f->options.read_only)
    return refuse_reader(f);
  if (!f->store || least_s == 0 || least_s > most_s)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT,
                         f->store ? "pages rest one second at least, and no longer than at most"
                                  : "a frontier that keeps nothing fetches nothing again");
  recrawling *r = &f->recrawl;
  uint8_t bounds[BOUNDS_SIZE];
  r->has_bounds = true;
  r->until_s = (uint32_t)visits_within(until_s, 0, UINT32_MAX);
  r->least_s = visits_within(least_s, 1, UINT32_MAX);
  r->most_s = visits_within(most_s, 1, UINT32_MAX);
  put_le(bounds, r->least_s, 8);
  put_le(bounds + 8, r->most_s, 8);
  frontier_status status = FRONTIER_OK;
  if (!has_bounds(f, bounds)) {
    status = rewrite(f, STORE_VISITS, 0, reschedule);
    if (status == FRONTIER_OK)
      status = put_bounds(f, bounds);
  }
  uint64_t latest = visits_due_key(visits_due(wall_now_s(f), (uint32_t)r->most_s), UINT32_MAX);
  if (status == FRONTIER_OK)
    status = rewrite(f, STORE_DUE, latest, bring_back);
  if (status == FRONTIER_OK)
    status = adopt_all(f);
  r->is_on = status == FRONTIER_OK;
  r->is_over = false;
  r->from = 0;
  wake_now(f);
  return status;
}
