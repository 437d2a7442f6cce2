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
 * Called under the handle's mutex: queue_choose and queue_put as a URL is accepted, queue_refill and queue_read before
 * URLs are leased. Reading changes nothing on disk: a URL is removed from its queue there when it ends, or moves to
 * another class (promote.c).
 *
 * Damage: the hosts say how many URLs wait, and the rows which. `unread` of a line is how many are still to be met. One
 * that is met when it is 0 had ended when it was counted, and what says so is lost: it is counted as waiting, and an
 * ending less. What is left of it when all is read waits nowhere, and is counted no more. So the counters are right
 * after the reading, whatever a directory said, and a crawl ends.
 *
 * After a crash: load_sequence was in memory only. A new handle reads each queue from its beginning, and finds there
 * what was in lines and in flight. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  REFILL_ROWS = FRONTIER_LIMIT(4096, 64), /* read by one call, at most: some 2 ms */
  SCAN_ROWS = 4 * REFILL_ROWS,            /* looked at by one call for ordered ones */
};

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
  bool has_urls = f->store && counts_next_sequence(&f->counts) > 1;
  for (int class = 0; class < FRONTIER_CLASSES; ++class) {
    f->queues.load_sequence[class] = 1;
    f->queues.is_unread[class] = has_urls;
  }
  f->queues.again_is_unread = has_urls;
  ordering_begin(f);
  f->queues.own_from = counts_next_sequence(&f->counts);
  f->queues.is_scanning = f->store && ordering_is_marked(f);
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

/* ---- counted and found ---------------------------------------------------------------------------------- */

static void left_unread(frontier *f, host *who, frontier_class class)
{
  host_line(who, class)->unread++;
  f->hosts->unread++;
}

static frontier_status count_again(frontier *f, host *who, frontier_class class)
{
  if (!counts_take_back_any(f, who, class))
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: more URLs wait than there are; strata repair counts them anew",
                         f->directory);
  if (!f->queues.has_told)
    frontier_log(f, "%s: it is lost how some URLs ended; they are fetched again", f->directory);
  f->queues.has_told = true;
  batch_touch(&f->batch);
  return FRONTIER_OK;
}

frontier_status queue_found(frontier *f, host *who, frontier_class class)
{
  line *l = host_line(who, class);
  assert(l); /* host_reserve made the line */
  if (!l->unread)
    return count_again(f, who, class);
  l->unread--;
  f->hosts->unread--;
  if (!l->unread) /* ordered ones behind the line may be taken */
    hosts_offer(f->hosts, who);
  return FRONTIER_OK;
}

static void uncount_unread(frontier *f, host *who)
{
  uint64_t gone = 0;
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    line *l = host_line(who, (frontier_class) class);
    if (!l)
      continue;
    gone += l->unread;
    l->queued -= l->unread;
    l->unread = 0;
  }
  if (!gone)
    return;
  f->hosts->unread -= gone;
  counts_gone(&f->counts, gone);
  hosts_touch(f->hosts, who);
  hosts_recount(f->hosts, who);
  hosts_offer(f->hosts, who);
}

/* Every row was read, so what was counted and not met waits nowhere. */
static void end_reading(frontier *f)
{
  store_forget_tail(f->store);
  if (!f->hosts->unread)
    return;
  frontier_log(f, "%s: %llu URLs are counted as waiting and are not there; strata check says more", f->directory,
               (unsigned long long)f->hosts->unread);
  host *who;
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++)
    uncount_unread(f, who);
  batch_touch(&f->batch);
}

bool queue_take_out(frontier *f, const entry *e)
{
  const queues *q = &f->queues;
  bool is_unread = e->is_again ? q->again_is_unread && e->sequence >= q->again_next
                               : queue_will_read(q, e->class, e->sequence);
  return !is_unread || queue_found(f, e->host, e->class) == FRONTIER_OK;
}

bool queue_may_have_more(const frontier *f)
{
  return counts_queued(&f->counts) == 0 && f->queues.is_begun && queue_is_unread(&f->queues);
}

/* ---- as they are accepted ------------------------------------------------------------------------------- */

/* A frontier that keeps nothing has no disk to leave it on. */
queue_place queue_choose(const frontier *f, const host *who, frontier_class class, uint16_t depth, bool is_ordered)
{
  if (f->queues.is_unread[class] && !is_ordered)
    return QUEUE_DISK;
  if (depth > f->options.depth_cap)
    return QUEUE_DEFERRED;
  if (is_ordered)
    return QUEUE_ORDERED;
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
    left_unread(f, who, class);
    return;
  }
  if (!f->queues.is_unread[class])
    f->queues.load_sequence[class] = sequence + 1;
  if (place == QUEUE_ORDERED)
    ordering_put(f, who, class, sequence, field_order(entry_fields(e)), e);
  else if (place == QUEUE_ENTRY)
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
static frontier_status put_in_line(reading *r, const url_record *record)
{
  frontier *f = r->frontier;
  host *who = record->who;
  if (record->origin.depth > f->options.depth_cap) {
    queue_defer(f, who, record->class);
    return FRONTIER_OK;
  }
  url_order order = field_order(record->fields);
  if (is_ordered(order)) {
    frontier_status status = ordering_make_room(f, who, record->class);
    if (status == FRONTIER_OK)
      ordering_put(f, who, record->class, record->sequence, order, NULL);
    return status;
  }
  if (!becomes_entry(r, who))
    return hosts_push_ref(f->hosts, who, record->class, record->sequence) ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  entry *e = url_record_entry(record, &f->pool);
  if (!e)
    return FRONTIER_NO_MEMORY;
  hosts_push(f->hosts, e);
  return FRONTIER_OK;
}

static frontier_status place(reading *r, const url_record *record)
{
  frontier *f = r->frontier;
  if (!host_reserve(record->who, record->class))
    return FRONTIER_NO_MEMORY;
  frontier_status status = queue_found(f, record->who, record->class);
  if (status != FRONTIER_OK)
    return status;
  status = put_in_line(r, record);
  if (status != FRONTIER_OK)
    left_unread(f, record->who, record->class); /* it will be met again */
  return status;
}

static bool may_read(reading *r)
{
  const queue_step *step = r->step;
  r->is_stopped = step->read == step->rows ||
                  (step->wanted ? r->found == step->wanted : !queue_has_room(r->frontier, r->class));
  return !r->is_stopped;
}

/* An ordered URL of this run, or met already, is where it belongs. */
static bool is_met(const frontier *f, const url_record *record)
{
  const queues *q = &f->queues;
  return queue_was_moved(q, record->sequence) ||
         (is_ordered(field_order(record->fields)) &&
          (record->sequence >= q->own_from || record->sequence < q->ordered_from[record->class]));
}

static bool read_record(void *context, const url_record *record)
{
  reading *r = context;
  frontier *f = r->frontier;
  if (!may_read(r))
    return false;
  if (!is_met(f, record))
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
  return status == FRONTIER_OK ? r->status : status;
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
      end_reading(f);
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
  if (!queue_is_unread(&f->queues))
    end_reading(f);
  return status;
}

/* ---- ordered ones of earlier runs -------------------------------------------------------------------------- */

static bool scan_record(void *context, const url_record *record)
{
  reading *r = context;
  frontier *f = r->frontier;
  if (is_ordered(field_order(record->fields)) && !is_met(f, record))
    r->status = place(r, record);
  if (r->status == FRONTIER_OK)
    f->queues.ordered_from[r->class] = record->sequence + 1;
  return r->status == FRONTIER_OK;
}

static frontier_status scan_class(frontier *f, frontier_class class)
{
  queue_step step = {.rows = SCAN_ROWS};
  reading r = {.frontier = f, .class = class, .step = &step};
  uint64_t *from = &f->queues.ordered_from[class], next;
  bool is_over;
  frontier_status status = url_records_waiting(f, class, *from, SCAN_ROWS, scan_record, &r, &next, &is_over);
  status = tell(f, &r, status);
  if (status == FRONTIER_OK)
    *from = is_over || next >= f->queues.own_from ? UINT64_MAX : next > *from ? next : *from;
  return status;
}

/* A piece of all that is there; in each class what is behind `ordered_from` was not looked at. */
static frontier_status scan(frontier *f)
{
  frontier_status status = FRONTIER_OK;
  bool is_over = !f->queues.again_is_unread;
  for (unsigned class = 0; class < FRONTIER_CLASSES && status == FRONTIER_OK && is_over; ++class) {
    if (f->queues.ordered_from[class] != UINT64_MAX)
      status = scan_class(f, (frontier_class) class);
    is_over = f->queues.ordered_from[class] == UINT64_MAX;
  }
  f->queues.is_scanning = status != FRONTIER_OK || !is_over;
  return status;
}

frontier_status queue_refill(frontier *f)
{
  f->queues.is_begun = true;
  frontier_status status = f->queues.again_is_unread ? read_all_again(f) : FRONTIER_OK;
  if (status == FRONTIER_OK && f->queues.is_scanning)
    status = scan(f);
  if (f->queues.is_scanning)
    return status;
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
