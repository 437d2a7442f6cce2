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

size_t queue_window(frontier_class class)
{
  return class == FRONTIER_NORMAL ? WINDOW_MAX : WINDOW_OTHER;
}

bool queue_is_unread(const queues *q)
{
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    if (q->is_unread[class])
      return true;
  return q->again_is_unread;
}

void queue_begin(frontier *f)
{
  bench_begin(f);
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    f->queues.load_sequence[class] = 1;
    f->queues.is_unread[class] = f->store != NULL;
  }
  f->queues.again_is_unread = f->store != NULL;
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
queue_place queue_choose(const frontier *f, const host *who, frontier_class class, uint16_t depth)
{
  if (f->queues.is_unread[class])
    return QUEUE_DISK;
  if (depth > f->options.depth_cap)
    return QUEUE_DEFERRED;
  if (f->store && (host_line(who, class)->refs || bench_rests(f, who, class)))
    return QUEUE_REF;
  return f->store && !queue_has_room(f, class) ? QUEUE_DISK : QUEUE_ENTRY;
}

void queue_put(frontier *f, queue_place place, host *who, frontier_class class, uint64_t sequence, entry *e)
{
  assert(!queue_is_past(&f->queues, class, sequence)); /* it is the newest of its class */
  if (place == QUEUE_REF && !hosts_push_ref(f->hosts, who, class, sequence))
    place = QUEUE_DISK;
  if (place == QUEUE_DISK) {
    batch_leave(&f->batch);
    f->queues.is_unread[class] = true;
    return;
  }
  f->queues.load_sequence[class] = sequence + 1;
  if (place == QUEUE_ENTRY)
    hosts_push(f->hosts, e);
  else if (place == QUEUE_DEFERRED)
    queue_defer(f, who, class);
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
static frontier_status place(reading *r, const url_record *record)
{
  frontier *f = r->frontier;
  host *who = record->who;
  if (!host_reserve(who, record->class))
    return FRONTIER_NO_MEMORY;
  if (record->origin.depth > f->options.depth_cap) {
    queue_defer(f, who, record->class);
    return FRONTIER_OK;
  }
  if (!becomes_entry(r, who))
    return hosts_push_ref(f->hosts, who, record->class, record->sequence) ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  entry *e = url_record_entry(record, &f->pool);
  if (!e)
    return FRONTIER_NO_MEMORY;
  hosts_push(f->hosts, e);
  return FRONTIER_OK;
}

static bool may_read(reading *r)
{
  const queue_step *step = r->step;
  r->is_stopped = step->read == step->rows ||
                  (step->wanted ? r->found == step->wanted : !queue_has_room(r->frontier, r->class));
  return !r->is_stopped;
}

static bool read_record(void *context, const url_record *record)
{
  reading *r = context;
  frontier *f = r->frontier;
  if (!may_read(r))
    return false;
  if (!queue_was_moved(&f->queues, record->sequence))
    r->status = place(r, record);
  if (r->status != FRONTIER_OK)
    return false;
  r->step->read++;
  f->queues.load_sequence[r->class] = record->sequence + 1;
  return true;
}

static frontier_status tell(frontier *f, const reading *r, frontier_status status)
{
  if (status == FRONTIER_OK && r->status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, r->status, "out of memory for one more URL of the queue");
  return status;
}

/* URLs of the batch that are left to the disk come after all that is there. */
frontier_status queue_read(frontier *f, frontier_class class, queue_step *step)
{
  reading r = {.frontier = f, .class = class, .step = step};
  uint64_t next;
  bool is_over;
  assert(f->store && f->queues.is_unread[class]);
  step->read = 0;
  frontier_status status = url_records_waiting(f, class, f->queues.load_sequence[class], step->rows, read_record, &r,
                                               &next, &is_over);
  status = tell(f, &r, status);
  if (status != FRONTIER_OK)
    return status;
  assert(step->read <= step->rows);
  if (!r.is_stopped && next > f->queues.load_sequence[class]) {
    f->queues.load_sequence[class] = next;
    step->read += step->read == 0; /* it went on, over URLs that wait no more */
  }
  if (is_over && !r.is_stopped && !batch_has_untaken(&f->batch) && commit_is_landed(f)) { /* that was all */
    f->queues.load_sequence[class] = counts_next_sequence(&f->counts);
    f->queues.is_unread[class] = false;
    if (!queue_is_unread(&f->queues))
      store_forget_tail(f->store);
  }
  return FRONTIER_OK;
}

/* Those put into another class, or due again, before this handle was opened. */
static bool read_again(void *context, const url_record *record)
{
  reading *r = context;
  frontier *f = r->frontier;
  r->class = record->class;
  if (record->sequence < f->queues.again_next)
    return true;
  r->is_stopped = r->step->read == r->step->rows;
  if (r->is_stopped)
    return false;
  if (!queue_was_moved(&f->queues, record->sequence))
    r->status = place(r, record);
  if (r->status != FRONTIER_OK)
    return false;
  r->step->read++;
  f->queues.again_next = record->sequence + 1;
  return true;
}

static frontier_status read_all_again(frontier *f)
{
  queue_step step = {.rows = REFILL_ROWS};
  reading r = {.frontier = f, .step = &step};
  frontier_status status = tell(f, &r, url_records_again(f, f->queues.again_next, read_again, &r));
  f->queues.again_is_unread = status != FRONTIER_OK || r.is_stopped;
  return status;
}

frontier_status queue_refill(frontier *f)
{
  frontier_status status = f->queues.again_is_unread ? read_all_again(f) : FRONTIER_OK;
  for (unsigned class = 0; f->store && class < FRONTIER_CLASSES && status == FRONTIER_OK; ++class) {
    queue_step step = {.rows = REFILL_ROWS};
    if (f->queues.is_unread[class] && f->hosts->waiting[class] < queue_window((frontier_class) class) / 2)
      status = queue_read(f, (frontier_class) class, &step);
  }
  return status;
}

/* ---- as a part ------------------------------------------------------------------------------------------- */

static void close_it(frontier *f)
{
  hash_set_free(&f->queues.moved);
}

const part queue_part = {.close = close_it};
