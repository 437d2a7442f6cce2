/* See ordering.h.
 *
 * Always: an ordered URL that waits, and was met, is in one heap. Its entry is kept until its row is on disk, and
 * longer as long as there is room; without a directory until it is leased.
 *
 * Called under the handle's mutex. After a crash: both heaps were in memory only. A new handle reads the whole queue
 * for ordered URLs before the first lease (queue.c), if the mark says that there may be some. */
#include "frontier/core/state.h"

#include <assert.h>

static bool fetch(void *context, host *who, frontier_class class, uint64_t sequence, entry **out);

static frontier_status read_mark(frontier *f, const uint8_t *body, size_t size)
{
  f->ordering.is_on_disk = f->ordering.is_marked = size == 1 && *body == 1;
  return f->ordering.is_marked
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_DAMAGED,
                           "%s: the record \"" ORDERED_MARK "\" makes no sense; strata repair makes it anew",
                           f->directory);
}

/* Older versions had the mark among the caller's settings. Whatever such a setting says, reading once too often is no
 * harm. */
static frontier_status read_old_mark(frontier *f, const uint8_t *body, size_t size)
{
  (void)body, (void)size;
  f->ordering.is_marked = true;
  return FRONTIER_OK;
}

frontier_status ordering_load(frontier *f)
{
  frontier_status status = meta_take(f, ORDERED_MARK_OLD, false, read_old_mark);
  return status == FRONTIER_OK ? meta_take(f, ORDERED_MARK, false, read_mark) : status;
}

void ordering_begin(frontier *f)
{
  f->hosts->fetch = fetch;
}

void ordering_mark(frontier *f)
{
  f->ordering.is_marked = true;
}

bool ordering_is_marked(const frontier *f)
{
  return f->ordering.is_marked;
}

/* ---- in --------------------------------------------------------------------------------------------------- */

frontier_status ordering_make_room(frontier *f, host *who, frontier_class class)
{
  ordering *o = &f->ordering;
  return host_reserve_ordered(who, class) && pair_heap_make_room(&o->timed) && leases_make_room(&o->kept)
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more URL with a priority");
}

/* A second one of this sequence comes from a damaged directory: the first is as good. */
static void keep(ordering *o, entry *e)
{
  if (leases_add(&o->kept, e, o->age) != FRONTIER_OK) {
    entry_free(e);
    return;
  }
  o->age++;
  o->weight += hosts_weight(e);
}

static void unkeep(ordering *o, const entry *e)
{
  leases_remove(&o->kept, e);
  o->weight -= hosts_weight(e);
}

static bool is_to_come(const frontier *f, uint64_t wall_ms)
{
  return wall_ms && (!clock_has_wall(f) || wall_ms > clock_wall_ms(f, clock_latest(f)));
}

void ordering_put(frontier *f, host *who, frontier_class class, uint64_t sequence, url_order order, entry *e)
{
  if (e)
    keep(&f->ordering, e);
  if (is_to_come(f, order.not_before_ms))
    pair_heap_push(&f->ordering.timed, (pair){order.not_before_ms, sequence});
  else
    hosts_push_ordered(f->hosts, who, class, order.priority, sequence);
}

bool ordering_takes(frontier *f, entry *e)
{
  url_order order = field_order(entry_fields(e));
  bool takes = is_ordered(order) && ordering_make_room(f, e->host, e->class) == FRONTIER_OK;
  if (takes)
    ordering_put(f, e->host, e->class, e->sequence, order, e);
  return takes;
}

/* ---- out -------------------------------------------------------------------------------------------------- */

typedef struct loading {
  frontier *f;
  entry *e;
  bool lacks_memory;
} loading;

static bool take_record(void *context, const url_record *record)
{
  loading *l = context;
  l->e = url_record_entry(record, &l->f->pool);
  l->lacks_memory = !l->e;
  return false;
}

/* From disk; `*e` NULL: it is not there. */
static frontier_status load(frontier *f, uint64_t sequence, entry **e)
{
  loading l = {.f = f};
  if (!f->store) {
    *e = NULL;
    return FRONTIER_OK;
  }
  frontier_status status = commit_has_landed(f, sequence) ? FRONTIER_OK : commit_batch(f);
  if (status == FRONTIER_OK)
    status = url_records_find(f, &sequence, 1, take_record, &l);
  if (status == FRONTIER_OK && l.lacks_memory)
    status = frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more URL of the queue");
  *e = l.e;
  return status;
}

/* One whose row says another host or class is of a damaged directory, and was counted elsewhere. */
static bool fetch(void *context, host *who, frontier_class class, uint64_t sequence, entry **out)
{
  frontier *f = context;
  entry *e = leases_find(&f->ordering.kept, sequence);
  frontier_status status = FRONTIER_OK;
  if (e)
    unkeep(&f->ordering, e);
  else
    status = load(f, sequence, &e);
  if (e && (e->host != who || e->class != class)) {
    entry_free(e);
    e = NULL;
  }
  *out = e;
  if (status != FRONTIER_OK)
    bench_fail(f, status);
  return status == FRONTIER_OK;
}

static frontier_status wake_one(frontier *f, uint64_t sequence)
{
  entry *kept = leases_find(&f->ordering.kept, sequence), *e = kept;
  frontier_status status = kept ? FRONTIER_OK : load(f, sequence, &e);
  if (status != FRONTIER_OK || !e)
    return status;
  if (host_reserve_ordered(e->host, e->class))
    hosts_push_ordered(f->hosts, e->host, e->class, field_order(entry_fields(e)).priority, sequence);
  else
    status = frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a URL whose time has come");
  if (!kept)
    entry_free(e);
  return status;
}

frontier_status ordering_wake(frontier *f, uint64_t now_ms)
{
  pair_heap *timed = &f->ordering.timed;
  frontier_status status = FRONTIER_OK;
  while (status == FRONTIER_OK && timed->count && timed->at[0].first <= clock_wall_ms(f, now_ms)) {
    pair first = pair_heap_pop(timed);
    status = wake_one(f, first.second);
    if (status != FRONTIER_OK)
      pair_heap_push(timed, first);
  }
  return status;
}

uint64_t ordering_first_due(const frontier *f)
{
  const pair_heap *timed = &f->ordering.timed;
  return timed->count && clock_has_wall(f) ? clock_own_of_ms(f, timed->at[0].first) : UINT64_MAX;
}

const lease_table *ordering_kept(const frontier *f)
{
  return &f->ordering.kept;
}

/* ---- as a part -------------------------------------------------------------------------------------------- */

/* With the first rows that need it, or before. */
static void put(frontier *f)
{
  static const uint8_t yes = 1;
  if (f->ordering.is_marked && !f->ordering.is_on_disk)
    store_put_meta(f->store, ORDERED_MARK, &yes, 1);
}

static void sealed(frontier *f)
{
  f->ordering.is_on_disk = f->ordering.is_marked;
  f->ordering.sealed = f->ordering.age;
}

static frontier_status landed(frontier *f)
{
  ordering *o = &f->ordering;
  const flight *oldest;
  o->landed = o->sealed;
  while (f->store && o->weight > KEPT_MAX && (oldest = leases_oldest(&o->kept)) && oldest->taken_ms < o->landed) {
    entry *e = oldest->entry;
    unkeep(o, e);
    entry_free(e);
  }
  return FRONTIER_OK;
}

static void check(const frontier *f)
{
  const ordering *o = &f->ordering;
  assert_leases(&o->kept);
  assert(o->landed <= o->sealed && o->sealed <= o->age && o->weight >= leases_count(&o->kept));
  (void)o;
}

static void close_it(frontier *f)
{
  leases_free(&f->ordering.kept);
  pair_heap_free(&f->ordering.timed);
}

const part ordering_part = {.check = check, .put = put, .sealed = sealed, .landed = landed, .close = close_it};
