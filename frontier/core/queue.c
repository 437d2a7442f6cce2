/* The queues on disk, one for each priority class, and the windows of their heads in memory, which feed the workbench.
 *
 *     accept --- its class has no unread URL on disk, and room in memory? ------> line of its host
 *         \                                                                         ^
 *          `---> queue on disk, by sequence ------------ queue_read ----------------'
 *                                                             |
 *                                                             '-- its host rests, or has refs --> ref (workbench.c)
 *
 * Always: a URL of a class with sequence < load_sequence of that class is in a line, as an entry or as a ref, in
 * flight or ended; all others wait on disk (or, not committed yet, in the batch, for the disk).
 *
 * Called under the handle's mutex: queue_take_or_leave as a URL is accepted, queue_refill and queue_read before URLs
 * are leased. Reading changes nothing on disk: a URL is removed from its queue there when it ends, or moves to another
 * class (promote.c).
 *
 * After a crash: load_sequence was in memory only. A new handle reads each queue from its beginning, and finds there
 * what was in lines and in flight. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { REFILL_ROWS = FRONTIER_LIMIT(4096, 64) }; /* read by one call, at most: some 2 ms */

store_table queue_table(frontier_class class)
{
  assert((unsigned)class < FRONTIER_CLASSES);
  static const store_table tables[FRONTIER_CLASSES] = {STORE_QUEUE, STORE_QUEUE_HIGH, STORE_QUEUE_LOW,
                                                       STORE_QUEUE_TRAP};
  return tables[class];
}

size_t queue_window(frontier_class class)
{
  return class == FRONTIER_NORMAL ? WINDOW_MAX : WINDOW_OTHER;
}

bool queue_is_unread(const queues *q)
{
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    if (q->is_unread[class])
      return true;
  return false;
}

void queue_begin(frontier *f)
{
  bench_begin(f);
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    f->queues.load_sequence[class] = 1;
    f->queues.is_unread[class] = f->store != NULL;
  }
}

bool queue_has_room(const frontier *f, frontier_class class)
{
  return f->hosts->waiting[class] < queue_window(class);
}

void queue_defer(frontier *f, host *who, frontier_class class)
{
  assert(host_line(who, class));
  counts_deferred_one(&f->counts);
  host_line(who, class)->deferred++;
  hosts_recount(f->hosts, who);
}

/* ---- as they are accepted ------------------------------------------------------------------------------- */

/* A frontier that keeps nothing has no disk to leave it on. */
static bool take(frontier *f, entry *e)
{
  if (f->queues.is_unread[e->class])
    return false;
  if (e->origin.depth > f->options.depth_cap) {
    queue_defer(f, e->host, e->class);
    return true;
  }
  if (f->store && (host_line(e->host, e->class)->refs || bench_rests(f, e->host, e->class)))
    return hosts_push_ref(f->hosts, e->host, e->class, e->sequence);
  if (f->store && !queue_has_room(f, e->class))
    return false;
  hosts_push(f->hosts, e);
  return true;
}

void queue_take_or_leave(frontier *f, entry *e)
{
  assert(e->sequence < counts_next_sequence(&f->counts)); /* the newest of its class: */
  assert(!queue_is_past(&f->queues, e->class, e->sequence));
  if (take(f, e)) {
    f->queues.load_sequence[e->class] = e->sequence + 1;
  } else {
    batch_leave(&f->batch);
    f->queues.is_unread[e->class] = true;
  }
}

/* ---- from disk to memory -------------------------------------------------------------------------------- */

typedef struct reading {
  frontier *frontier;
  frontier_class class;
  queue_step *step;
  size_t found;    /* of those that are wanted */
  bool is_stopped; /* there is more */
  frontier_status status;
} reading;

/* The one its record names, if that has the URL's name: found without a search. */
static host *host_of(frontier *f, const entry *e, uint32_t id)
{
  host *who = hosts_at(f->hosts, id);
  uint32_t size = e->host_end - e->host_begin;
  bool is_it = who && who->name_size == size && memcmp(who->name, e->url + e->host_begin, size) == 0;
  return is_it ? who : hosts_find(f->hosts, e->url + e->host_begin, size);
}

static bool becomes_entry(reading *r, const host *who)
{
  const frontier *f = r->frontier;
  const line *l = host_line(who, r->class);
  if (l->refs)
    return false;
  if (!r->step->wanted)
    return !bench_rests(f, who, r->class);
  bool is_due = !l->count && host_may_start(f->hosts, who, r->class, clock_latest(f));
  r->found += is_due;
  return is_due;
}

/* Into the line of its host, or among the deferred. */
static frontier_status place(reading *r, entry *e, uint32_t id)
{
  frontier *f = r->frontier;
  host *who = host_of(f, e, id);
  if (!who || !host_reserve(who, e->class)) {
    entry_free(e);
    return FRONTIER_NO_MEMORY;
  }
  e->host = who;
  e->is_stored = true;
  if (e->origin.depth > f->options.depth_cap) {
    queue_defer(f, who, e->class);
  } else if (becomes_entry(r, who)) {
    hosts_push(f->hosts, e);
    return FRONTIER_OK;
  } else if (!hosts_push_ref(f->hosts, who, e->class, e->sequence)) {
    entry_free(e);
    return FRONTIER_NO_MEMORY;
  }
  entry_free(e);
  return FRONTIER_OK;
}

static bool read_record(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  reading *r = context;
  frontier *f = r->frontier;
  entry *e;
  const queue_step *step = r->step;
  r->is_stopped = step->read == step->rows || (step->wanted ? r->found == step->wanted : !queue_has_room(f, r->class));
  if (r->is_stopped)
    return false;
  r->status = entry_read(&f->pool, sequence, body, size, &e);
  if (r->status != FRONTIER_OK)
    return false;
  e->class = r->class;
  r->status = place(r, e, entry_host_id(body));
  if (r->status != FRONTIER_OK)
    return false;
  r->step->read++;
  f->queues.load_sequence[r->class] = sequence + 1;
  return true;
}

/* URLs of the batch that are left to the disk come after all that is there; but what is fetched again may come before
 * some. */
frontier_status queue_read(frontier *f, frontier_class class, queue_step *step)
{
  reading r = {.frontier = f, .class = class, .step = step};
  assert(f->store && f->queues.is_unread[class]);
  step->read = 0;
  frontier_status status = batch_has_old(&f->batch) ? commit_batch(f) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = store_each(f->store, queue_table(class), f->queues.load_sequence[class], read_record, &r);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  assert(step->read <= step->rows);
  if (r.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, r.status, "out of memory for one more URL of the queue");
  if (r.status != FRONTIER_OK)
    return frontier_fail(f, r.status, "%s: queue record %llu, or one behind it, is damaged", f->directory,
                         (unsigned long long)f->queues.load_sequence[class]);
  if (!r.is_stopped && !batch_has_untaken(&f->batch)) { /* that was all */
    f->queues.load_sequence[class] = counts_next_sequence(&f->counts);
    f->queues.is_unread[class] = false;
  }
  return FRONTIER_OK;
}

frontier_status queue_refill(frontier *f)
{
  frontier_status status = FRONTIER_OK;
  for (unsigned class = 0; f->store && class < FRONTIER_CLASSES && status == FRONTIER_OK; ++class) {
    queue_step step = {.rows = REFILL_ROWS};
    if (f->queues.is_unread[class] && f->hosts->waiting[class] < queue_window((frontier_class) class) / 2)
      status = queue_read(f, (frontier_class) class, &step);
  }
  return status;
}
