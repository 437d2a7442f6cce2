/* The queues on disk, one for each priority class, and the windows of their heads in memory, which feed the workbench.
 *
 *     accept --- its class has no unread URL on disk, and room in memory? ------> line of its host
 *         \                                                                         ^
 *          `---> queue on disk, by sequence ------------ queue_read ----------------'
 *                                                             |
 *                                                             '-- past its host's share, or blocked --> chunk (spill.c)
 *
 * Always: a URL of a class with sequence < load_sequence of that class is in memory, in a chunk, in flight or ended;
 * all others wait on disk (or, not committed yet, in the batch, for the disk).
 *
 * Called under the handle's mutex: queue_take_or_leave as a URL is accepted, queue_refill and queue_read before URLs
 * are leased. Reading changes nothing on disk: a URL is removed from its queue there when it ends, or moves to a chunk
 * or to another class (promote.c).
 *
 * After a crash: load_sequence was in memory only. A new handle reads each queue from its beginning, and finds there
 * what was in lines and in flight. */
#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* Not if a URL of its host and class waits in chunks, or if it may not be taken anyway. A frontier that keeps nothing
 * has no disk to leave it on. */
static bool may_take(const frontier *f, const entry *e)
{
  return !f->queues.is_unread[e->class] && queue_has_room(f, e->class) &&
         !spill_is_behind_chunks(host_line(e->host, e->class)) && !host_is_blocked(f->hosts, e->host, e->class);
}

void queue_take_or_leave(frontier *f, entry *e)
{
  assert(e->sequence < counts_next_sequence(&f->counts)); /* the newest of its class: */
  assert(!queue_is_past(&f->queues, e->class, e->sequence));
  if (f->store && !may_take(f, e)) {
    batch_leave(&f->batch);
    f->queues.is_unread[e->class] = true;
    return;
  }
  f->queues.load_sequence[e->class] = e->sequence + 1;
  if (e->origin.depth > f->options.depth_cap)
    queue_defer(f, e->host, e->class);
  else
    hosts_push(f->hosts, e);
}

/* ---- from disk to memory -------------------------------------------------------------------------------- */

typedef struct reading {
  frontier *frontier;
  frontier_class class;
  uint32_t share;
  unsigned limit, taken;
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

/* Into the line of its host, among the deferred, or on its way to a chunk. */
static frontier_status place(frontier *f, entry *e, uint32_t id, uint32_t share)
{
  host *who = host_of(f, e, id);
  if (!who || !host_reserve(who, e->class)) {
    entry_free(e);
    return FRONTIER_NO_MEMORY;
  }
  const line *l = host_line(who, e->class);
  e->host = who;
  e->is_stored = true;
  if (e->origin.depth > f->options.depth_cap) {
    queue_defer(f, who, e->class);
    entry_free(e);
  } else if (l->count < share && !spill_is_behind_chunks(l) && !host_is_blocked(f->hosts, who, e->class)) {
    hosts_push(f->hosts, e);
  } else if (!spill_add(f, e)) {
    entry_free(e);
    return FRONTIER_NO_MEMORY;
  }
  return FRONTIER_OK;
}

static bool read_record(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  reading *r = context;
  frontier *f = r->frontier;
  entry *e;
  if (r->taken == r->limit || !queue_has_room(f, r->class))
    return false;
  r->status = entry_read(&f->pool, sequence, body, size, &e);
  if (r->status != FRONTIER_OK)
    return false;
  e->class = r->class;
  r->status = place(f, e, entry_host_id(body), r->share);
  if (r->status != FRONTIER_OK)
    return false;
  r->taken++;
  f->queues.load_sequence[r->class] = sequence + 1;
  return true;
}

frontier_status queue_read(frontier *f, frontier_class class, uint32_t share, unsigned limit, unsigned *taken)
{
  reading r = {.frontier = f, .class = class, .share = share, .limit = limit};
  assert(f->store && f->queues.is_unread[class]);
  *taken = 0;
  if (batch_has_untaken(&f->batch)) { /* they are next after what is on disk: make it one line */
    frontier_status status = commit_batch(f);
    if (status != FRONTIER_OK)
      return status;
  }
  frontier_status status = store_each(f->store, queue_table(class), f->queues.load_sequence[class], read_record, &r);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  assert(r.taken <= limit);
  *taken = r.taken;
  if (r.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, r.status, "out of memory for one more URL of the queue");
  if (r.status != FRONTIER_OK)
    return frontier_fail(f, r.status, "%s: queue record %llu, or one behind it, is damaged", f->directory,
                         (unsigned long long)f->queues.load_sequence[class]);
  if (r.taken < limit && queue_has_room(f, class)) { /* that was all */
    f->queues.load_sequence[class] = counts_next_sequence(&f->counts);
    f->queues.is_unread[class] = false;
  }
  return FRONTIER_OK;
}

frontier_status queue_refill(frontier *f)
{
  unsigned taken;
  frontier_status status = FRONTIER_OK;
  for (unsigned class = 0; f->store && class < FRONTIER_CLASSES && status == FRONTIER_OK; ++class) {
    size_t window = queue_window((frontier_class) class);
    if (f->queues.is_unread[class] && f->hosts->waiting[class] < window / 2)
      status = queue_read(f, (frontier_class) class, (uint32_t)window, (unsigned)window, &taken);
  }
  return status;
}
