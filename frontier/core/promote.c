/* See promote.h. What is moved, and to where:
 *
 *     entry of class NORMAL   --.                   .--> line of class HIGH     if the reading of HIGH is past it
 *                                >-- transaction --<
 *     ref, or unread on disk  --'                   '--> queue on disk, unread  if HIGH will still come by there
 *
 * load_sequence and is_unread of HIGH decide which of the two (queue.c): if HIGH has unread URLs, a URL before
 * load_sequence must be in memory, and a later one must not be; if it has none, every URL must be in memory.
 *
 * Its ref stays in the line of class NORMAL; the look-up will not find it (workbench.c).
 *
 * Nothing in memory is changed before the transaction is on disk, except the hosts' counts, which the transaction has;
 * if it fails, they are restored. */
#include "frontier/promote.h"

#include "frontier/core/state.h"

#include <assert.h>
#include <stdlib.h>

typedef struct promotion {
  frontier *f;
  frontier_wanted *wanted;
  void *context;
  entry_list from_lines; /* those of one host are adjacent */
  entry_list from_disk;  /* made for this */
  size_t room;           /* in the window of HIGH */
  size_t left;           /* to look at on disk */
  uint64_t next;         /* where to go on there */
  frontier_status status;
} promotion;

/* ---- which ---------------------------------------------------------------------------------------------- */

static bool is_read_later(const frontier *f, const entry *e)
{
  return queue_will_read(&f->queues, FRONTIER_HIGH, e->sequence);
}

/* Is it wanted, and is there a place for it? */
static bool is_chosen(const promotion *p, const entry *e)
{
  size_t weight = hosts_weight(e);
  if (host_is_blocked(p->f->hosts, e->host, FRONTIER_HIGH) || (!is_read_later(p->f, e) && p->room < weight))
    return false;
  return p->wanted(p->context, e->url, e->url_size);
}

static bool choose(promotion *p, entry_list *list, entry *e)
{
  if (!host_reserve(e->host, FRONTIER_HIGH) || !entry_list_add(list, e)) {
    p->status = FRONTIER_NO_MEMORY;
    return false;
  }
  assert(e->class == FRONTIER_NORMAL && (is_read_later(p->f, e) || p->room >= hosts_weight(e)));
  if (!is_read_later(p->f, e))
    p->room -= hosts_weight(e);
  return true;
}

static void choose_from_lines(promotion *p)
{
  host *who;
  for (uint32_t id = 0; p->status == FRONTIER_OK && (who = hosts_at(p->f->hosts, id)); id++) {
    entry *e = who->normal.last;
    for (uint32_t i = 0; p->status == FRONTIER_OK && i < who->normal.count; i++) {
      e = e->next;
      if (is_chosen(p, e))
        choose(p, &p->from_lines, e);
    }
  }
}

/* Is it an entry, which was looked at in its line? */
static bool is_in_line(const entry *of)
{
  const entry *e = of->host->normal.last;
  for (uint32_t i = 0; i < of->host->normal.count; i++)
    if ((e = e->next)->sequence == of->sequence)
      return true;
  return false;
}

/* A URL that waits on disk. `*out` is NULL if it stays there. */
static frontier_status read_waiting(promotion *p, uint64_t sequence, const uint8_t *body, size_t size, entry **out)
{
  entry *e;
  *out = NULL;
  frontier_status status = entry_read(&p->f->pool, sequence, body, size, &e);
  if (status != FRONTIER_OK)
    return status;
  e->host = hosts_look(p->f->hosts, e->url + e->host_begin, e->host_end - e->host_begin);
  e->is_stored = true;
  if (!e->host) { /* it would have been made with the URL */
    entry_free(e);
    return FRONTIER_DAMAGED;
  }
  bool may_be_entry = queue_is_past(&p->f->queues, FRONTIER_NORMAL, sequence);
  if (e->origin.depth <= p->f->options.depth_cap && is_chosen(p, e) && !(may_be_entry && is_in_line(e)))
    *out = e;
  else
    entry_free(e);
  return FRONTIER_OK;
}

static bool look_at(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  promotion *p = context;
  entry *e;
  if (p->left == 0) {
    p->next = sequence;
    return false;
  }
  p->left--;
  if (leases_find(&p->f->in_flight, sequence))
    return true;
  p->status = read_waiting(p, sequence, body, size, &e);
  if (e && !choose(p, &p->from_disk, e))
    entry_free(e);
  return p->status == FRONTIER_OK;
}

static frontier_status choose_from_disk(promotion *p, uint64_t from)
{
  p->next = 0;
  return p->f->store ? store_each(p->f->store, STORE_QUEUE, from, look_at, p) : FRONTIER_OK;
}

/* ---- on disk -------------------------------------------------------------------------------------------- */

static void count_all(const promotion *p, const entry_list *list, frontier_class from, frontier_class to)
{
  for (size_t i = 0; i < list->count; i++) {
    host *who = list->at[i]->host;
    assert(host_line(who, from)->queued && host_line(who, to));
    host_line(who, from)->queued--;
    host_line(who, to)->queued++;
    hosts_touch(p->f->hosts, who);
  }
}

static void put_all(const promotion *p, const entry_list *list)
{
  uint8_t body[ENTRY_SIZE_MAX];
  for (size_t i = 0; i < list->count; i++) {
    const entry *e = list->at[i];
    entry_write(e, body);
    store_put(p->f->store, STORE_QUEUE_HIGH, e->sequence, body, entry_size(e)); /* and so no longer in the other */
  }
}

static frontier_status move_on_disk(const promotion *p)
{
  frontier *f = p->f;
  frontier_status status = store_begin(f->store);
  if (status == FRONTIER_OK) {
    put_all(p, &p->from_lines);
    put_all(p, &p->from_disk);
    host_table_put(f);
    status = store_commit(f->store);
  }
  if (status == FRONTIER_OK)
    host_table_settle(f);
  return status;
}

/* ---- in memory ------------------------------------------------------------------------------------------ */

/* The line of a host without those of the `count` that are chosen, in their order. */
static void leave_line(frontier *f, entry *const *chosen, size_t count)
{
  host *who = chosen[0]->host;
  for (size_t i = 0; i < count; i++)
    chosen[i]->class = FRONTIER_HIGH;
  entry *next, *e = hosts_cut(f->hosts, who, FRONTIER_NORMAL, 0);
  for (; e; e = next) {
    next = e->next;
    if (e->class == FRONTIER_NORMAL)
      hosts_push(f->hosts, e);
  }
}

static void leave_lines(const promotion *p)
{
  entry *const *at = p->from_lines.at;
  for (size_t i = 0, n; i < p->from_lines.count; i += n) {
    for (n = 1; i + n < p->from_lines.count && at[i + n]->host == at[i]->host;)
      n++;
    leave_line(p->f, at + i, n);
  }
}

static void join_line(frontier *f, entry *e, bool is_read_later)
{
  if (is_read_later) {
    entry_free(e);
    return;
  }
  queue_pass(&f->queues, FRONTIER_HIGH, e->sequence);
  e->class = FRONTIER_HIGH;
  line *l = host_line(e->host, FRONTIER_HIGH);
  if (l->refs && hosts_push_ref(f->hosts, e->host, FRONTIER_HIGH, e->sequence))
    entry_free(e);
  else
    hosts_push(f->hosts, e);
}

static void join_lines(const promotion *p, const entry_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    join_line(p->f, list->at[i], is_read_later(p->f, list->at[i]));
}

/* ---- the call ------------------------------------------------------------------------------------------- */

static frontier_status move(promotion *p)
{
  frontier *f = p->f;
  count_all(p, &p->from_lines, FRONTIER_NORMAL, FRONTIER_HIGH);
  count_all(p, &p->from_disk, FRONTIER_NORMAL, FRONTIER_HIGH);
  frontier_status status = f->store ? move_on_disk(p) : FRONTIER_OK;
  if (status != FRONTIER_OK) {
    count_all(p, &p->from_lines, FRONTIER_HIGH, FRONTIER_NORMAL);
    count_all(p, &p->from_disk, FRONTIER_HIGH, FRONTIER_NORMAL);
    return status;
  }
  leave_lines(p);
  join_lines(p, &p->from_lines);
  join_lines(p, &p->from_disk);
  return FRONTIER_OK;
}

static frontier_status promote(promotion *p, uint64_t *from, size_t *promoted)
{
  const frontier *f = p->f;
  size_t waiting = f->hosts->waiting[FRONTIER_HIGH], window = queue_window(FRONTIER_HIGH);
  p->room = !f->store ? SIZE_MAX : waiting < window ? window - waiting : 0;
  choose_from_lines(p);
  frontier_status status = p->status == FRONTIER_OK ? choose_from_disk(p, *from) : p->status;
  status = status == FRONTIER_OK ? p->status : status;
  size_t count = p->from_lines.count + p->from_disk.count;
  if (status == FRONTIER_OK && count)
    status = move(p);
  if (status == FRONTIER_OK) {
    *promoted = count;
    *from = p->next;
    return status;
  }
  for (size_t i = 0; i < p->from_disk.count; i++)
    entry_free(p->from_disk.at[i]);
  return status;
}

frontier_status frontier_promote(frontier *f, frontier_wanted *wanted, void *context, size_t most, uint64_t *from,
                                 size_t *promoted)
{
  LOCKED(f);
  if (f->options.read_only)
    return refuse_reader(f);
  frontier_status status = f->store ? commit_batch(f) : FRONTIER_OK; /* what is in lines is then on disk */
  if (status != FRONTIER_OK)
    return status;
  promotion p = {.f = f, .wanted = wanted, .context = context, .left = most};
  status = promote(&p, from, promoted);
  free(p.from_lines.at);
  free(p.from_disk.at);
  if (status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, status, "out of memory to put URLs first");
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory,
                         *store_message(f->store) ? store_message(f->store) : "a record of the queue is damaged");
  return FRONTIER_OK;
}
