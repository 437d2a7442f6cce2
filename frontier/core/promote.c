/* See promote.h. What is moved, and to where:
 *
 *     entry of class NORMAL   --.    row in table `again`    .--> line of class HIGH: an entry, if there is room
 *                                >-- with the next commit --<
 *     text on disk alone      --'                            '--> or a ref
 *
 * Where the text was on disk, a ref of it may stay in the line of class NORMAL, or the reading of the queue may still
 * come by: neither takes a URL that was moved (queue_was_moved).
 *
 * Each URL is moved by itself, in memory and into the open batch; the commit follows. */
#include "frontier/promote.h"

#include "frontier/core/state.h"
#include "frontier/hosts/entry_list.h"

#include <assert.h>
#include <stdlib.h>

typedef struct promotion {
  frontier *f;
  frontier_wanted *wanted;
  void *context;
  entry_list from_lines; /* those of one host are adjacent */
  entry_list from_disk;  /* made for this */
  size_t left;           /* to look at on disk */
  uint64_t next;         /* where to go on there */
  bool has_memory;
} promotion;

/* ---- which ---------------------------------------------------------------------------------------------- */

static bool is_chosen(const promotion *p, const host *who, const char *fetch, size_t size)
{
  return !host_is_blocked(p->f->hosts, who, FRONTIER_HIGH) && p->wanted(p->context, fetch, size);
}

static bool choose(promotion *p, entry_list *list, entry *e)
{
  p->has_memory = host_reserve(e->host, FRONTIER_HIGH) && entry_list_add(list, e);
  return p->has_memory;
}

static void choose_from_lines(promotion *p)
{
  host *who;
  for (uint32_t id = 0; p->has_memory && (who = hosts_at(p->f->hosts, id)); id++) {
    entry *e = who->normal.last;
    for (uint32_t i = 0; p->has_memory && i < who->normal.count; i++) {
      e = e->next;
      if (is_chosen(p, who, e->url, e->url_size))
        choose(p, &p->from_lines, e);
    }
  }
}

/* Is it an entry, which was looked at in its line? */
static bool is_in_line(const host *who, uint64_t sequence)
{
  const entry *e = who->normal.last;
  for (uint32_t i = 0; i < who->normal.count; i++)
    if ((e = e->next)->sequence == sequence)
      return true;
  return false;
}

static bool look_at(void *context, const url_record *r)
{
  promotion *p = context;
  if (p->left == 0) {
    p->next = r->sequence;
    return false;
  }
  p->left--;
  if (r->class != FRONTIER_NORMAL || is_ordered(field_order(r->fields)) || r->origin.depth > p->f->options.depth_cap ||
      leases_find(&p->f->in_flight, r->sequence) || is_in_line(r->who, r->sequence) ||
      !is_chosen(p, r->who, r->url, r->url_size))
    return true;
  entry *e = url_record_entry(r, &p->f->pool);
  p->has_memory = e != NULL;
  if (e && !choose(p, &p->from_disk, e))
    entry_free(e);
  return p->has_memory;
}

/* ---- to class HIGH ---------------------------------------------------------------------------------------- */

static bool note_moved(frontier *f, const entry *e)
{
  url_row row = entry_row(e, FRONTIER_HIGH);
  return !f->store ||
         (queue_note_moved(&f->queues, e->sequence) && batch_add_again(&f->batch, &row, e->sequence, clock_latest(f)));
}

static void count(frontier *f, host *who)
{
  assert(host_line(who, FRONTIER_NORMAL)->queued && host_line(who, FRONTIER_HIGH));
  host_line(who, FRONTIER_NORMAL)->queued--;
  host_line(who, FRONTIER_HIGH)->queued++;
  hosts_touch(f->hosts, who);
  batch_touch(&f->batch);
}

/* Behind refs, or without room, its text is on disk once it is committed. */
static void join_line(frontier *f, entry *e)
{
  e->class = FRONTIER_HIGH;
  e->is_again = e->is_fresh = f->store != NULL;
  bool is_ref = f->store && (host_line(e->host, FRONTIER_HIGH)->refs || !queue_has_room(f, FRONTIER_HIGH));
  if (is_ref && hosts_push_ref(f->hosts, e->host, FRONTIER_HIGH, e->sequence))
    entry_free(e);
  else
    hosts_push(f->hosts, e);
}

/* The line of a host without those of the `count` that are moved, in their order. */
static void leave_line(frontier *f, entry *const *moved, size_t count)
{
  size_t next_moved = 0;
  entry *next, *e = hosts_cut(f->hosts, moved[0]->host, FRONTIER_NORMAL, 0);
  for (; e; e = next) {
    next = e->next;
    if (next_moved < count && moved[next_moved] == e)
      next_moved++;
    else
      hosts_push(f->hosts, e);
  }
  assert(next_moved == count);
}

/* As many as there is memory for. */
static size_t move_from_lines(promotion *p)
{
  entry *const *at = p->from_lines.at;
  size_t moved = 0, end = p->from_lines.count;
  while (moved < end && (p->has_memory = note_moved(p->f, at[moved])))
    moved++;
  for (size_t i = 0, n; i < moved; i += n) {
    for (n = 1; i + n < moved && at[i + n]->host == at[i]->host;)
      n++;
    leave_line(p->f, at + i, n);
  }
  for (size_t i = 0; i < moved; i++) {
    count(p->f, at[i]->host);
    join_line(p->f, at[i]);
  }
  return moved;
}

static size_t move_from_disk(promotion *p)
{
  size_t moved = 0;
  for (; p->has_memory && moved < p->from_disk.count; moved += p->has_memory) {
    entry *e = p->from_disk.at[moved];
    p->has_memory = note_moved(p->f, e);
    if (!p->has_memory)
      break;
    if (!queue_take_out(p->f, e)) {
      entry_free(e);
      continue;
    }
    count(p->f, e->host);
    join_line(p->f, e);
  }
  for (size_t i = moved; i < p->from_disk.count; i++)
    entry_free(p->from_disk.at[i]);
  return moved;
}

static frontier_status promote(promotion *p, uint64_t *from, size_t *promoted)
{
  frontier *f = p->f;
  choose_from_lines(p);
  frontier_status status = f->store && p->has_memory ? url_records_each(f, STORED_WAITING, *from, look_at, p)
                                                     : FRONTIER_OK;
  if (status != FRONTIER_OK) {
    move_from_disk(&(promotion){.f = f, .from_disk = p->from_disk});
    return status;
  }
  size_t moved = move_from_lines(p);
  moved += move_from_disk(p);
  status = f->store ? commit_batch(f) : FRONTIER_OK;
  if (!p->has_memory)
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to put URLs first");
  *promoted = moved;
  *from = p->next;
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
  promotion p = {.f = f, .wanted = wanted, .context = context, .left = most, .has_memory = true};
  status = promote(&p, from, promoted);
  free(p.from_lines.at);
  free(p.from_disk.at);
  if (status == FRONTIER_OK)
    wake_now(f);
  return status;
}
