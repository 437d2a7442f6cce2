/* Who is next, and when: the workbench, as BUbiNG calls it. A binary heap of hosts by due time, and a line of ready
 * hosts for each class; schedule.h draws both and has the rule of turns.
 *
 *                     due by now: wake              its turn: hosts_pop_due
 *     heap[1..count] ------------------> ready line ------------------------> in neither; the caller has its URL
 *       ^                                                                       |
 *       '--------------------------------- hosts_offer -------------------------'
 *
 * Always: a host is in the heap, or in one ready line, or in neither (assert_host). In the heap or in a line, it has a
 * URL that may be taken and may have one more in flight; hosts_recount takes it out when either ends. Its line is of
 * the class that was first when it came; `take` asks again. The heap has room for every host there is, so nothing here
 * fails for want of memory. waiting[class] is the sum of hosts_weight over URLs in lines of that class, h->blocked the
 * sum of `blocked` over hosts.
 *
 * A line without entries may have refs: they are loaded when its host and class have their turn (take).
 *
 * Called by core/ under the handle's mutex. After a crash: nothing of it is on disk. In a new handle every host is due,
 * except those that must not be asked before a time (not_before_s), and core/ fills the lines from the queues. */
#include "frontier/hosts/schedule.h"

#include <assert.h>

frontier_class schedule_class(uint64_t turn, unsigned has)
{
  static const frontier_class best_first[FRONTIER_CLASSES] = {FRONTIER_HIGH, FRONTIER_NORMAL, FRONTIER_LOW,
                                                              FRONTIER_TRAP};
  assert(has && !(has >> FRONTIER_CLASSES));
  frontier_class first = turn % 64 == 63   ? FRONTIER_TRAP
                         : turn % 16 == 15 ? FRONTIER_LOW
                         : turn % 4 == 3   ? FRONTIER_NORMAL
                                           : FRONTIER_HIGH;
  for (unsigned i = 0; !(has & 1u << first) && i < FRONTIER_CLASSES; i++)
    first = best_first[i];
  return first;
}

/* ---- what may be taken --------------------------------------------------------------------------------- */

static uint64_t taken_of(const host *who)
{
  return who->done + who->failed + who->skipped + who->in_flight;
}

static bool is_over_budget(const host *who)
{
  return who->control && who->control->budget && taken_of(who) >= who->control->budget;
}

static bool is_over_trap_budget(const hosts *h, const host *who)
{
  uint64_t budget = who->control && who->control->trap_budget ? who->control->trap_budget : h->trap_budget;
  return who->trap_ended + who->trap_in_flight >= budget;
}

bool host_is_blocked(const hosts *h, const host *who, frontier_class class)
{
  if ((who->control && who->control->is_blocked) || is_over_budget(who))
    return true;
  return class == FRONTIER_TRAP && is_over_trap_budget(h, who);
}

static uint64_t blocked_of(const hosts *h, const host *who)
{
  uint64_t held = 0;
  if (!host_is_blocked(h, who, FRONTIER_TRAP))
    return 0;
  bool all = host_is_blocked(h, who, FRONTIER_NORMAL);
  for (unsigned class = all ? 0 : FRONTIER_TRAP; class < FRONTIER_CLASSES; ++class) {
    const line *l = host_line(who, (frontier_class) class);
    held += l ? l->queued - l->deferred : 0;
  }
  uint64_t flying = all ? who->in_flight : who->trap_in_flight;
  return held > flying ? held - flying : 0;
}

static bool has_plain(const line *l)
{
  return l->last || l->refs;
}

/* Larger priorities are smaller ranks. */
static uint64_t rank_of(int32_t priority)
{
  return (uint64_t)((int64_t)INT32_MAX - priority);
}

static const uint64_t PLAIN_RANK = INT32_MAX; /* of priority 0 */

/* Is there an ordered URL that is before the line, or has none there before it? */
static bool is_ordered_first(const host *who, frontier_class class, const line *l)
{
  const pair_heap *ordered = who->ordered ? &who->ordered[class] : NULL;
  if (!ordered || !ordered->count)
    return false;
  return ordered->at[0].first <= PLAIN_RANK || (!has_plain(l) && !l->unread);
}

static bool has_any(const host *who, frontier_class class)
{
  const line *l = host_line(who, class);
  return has_plain(l) || is_ordered_first(who, class, l);
}

/* A bit for each class that has a URL to take. */
static unsigned classes_of(const hosts *h, const host *who)
{
  unsigned has = has_any(who, FRONTIER_NORMAL) && !host_is_blocked(h, who, FRONTIER_NORMAL) ? 1u << FRONTIER_NORMAL : 0;
  for (unsigned class = 1; who->others && class < FRONTIER_CLASSES; ++class)
    if (has_any(who, (frontier_class) class) && !host_is_blocked(h, who, (frontier_class) class))
      has |= 1u << class;
  return has;
}

static bool has_connection(const hosts *h, const host *who)
{
  return who->in_flight < (who->control && who->control->per_host ? who->control->per_host : h->per_host);
}

bool host_may_start(const hosts *h, const host *who, frontier_class class, uint64_t now_ms)
{
  return who->due_ms <= now_ms && has_connection(h, who) && !host_is_blocked(h, who, class);
}

/* ---- the heap ----------------------------------------------------------------------------------------- */

static bool is_before(const host *a, const host *b)
{
  return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->turn < b->turn;
}

static void heap_set(hosts *h, size_t at, host *who)
{
  h->heap[at] = who;
  who->heap_at = (uint32_t)at;
}

static void heap_rise(hosts *h, size_t at, host *who)
{
  for (; at > 1 && is_before(who, h->heap[at / 2]); at /= 2)
    heap_set(h, at, h->heap[at / 2]);
  heap_set(h, at, who);
}

static void heap_sink(hosts *h, size_t at, host *who)
{
  for (size_t child; (child = 2 * at) <= h->heap_count; at = child) {
    if (child < h->heap_count && is_before(h->heap[child + 1], h->heap[child]))
      child++;
    if (!is_before(h->heap[child], who))
      break;
    heap_set(h, at, h->heap[child]);
  }
  heap_set(h, at, who);
}

static void heap_move(hosts *h, host *who)
{
  heap_sink(h, who->heap_at, who); /* may have to move either way */
  heap_rise(h, who->heap_at, who);
}

/* At the top, where every host comes by before it is taken. */
static void assert_heap(const hosts *h)
{
  assert(h->heap_count < 1 || h->heap[1]->heap_at == 1);
  assert(h->heap_count < 2 || !is_before(h->heap[2], h->heap[1]));
  assert(h->heap_count < 3 || !is_before(h->heap[3], h->heap[1]));
  (void)h;
}

static void heap_remove(hosts *h, host *who)
{
  assert(who->heap_at && who->heap_at <= h->heap_count && h->heap[who->heap_at] == who);
  size_t at = who->heap_at;
  host *last = h->heap[h->heap_count--];
  who->heap_at = 0;
  if (last == who)
    return;
  heap_set(h, at, last);
  heap_move(h, last);
}

/* ---- ready lines --------------------------------------------------------------------------------------- */

static void ready_add(hosts *h, host *who, frontier_class class)
{
  assert(!who->ready && !who->heap_at);
  who->ready = (uint8_t)(class + 1);
  who->ready_next = NULL;
  who->ready_before = h->ready_last[class];
  if (who->ready_before)
    who->ready_before->ready_next = who;
  else
    h->ready_first[class] = who;
  h->ready_last[class] = who;
}

static void ready_remove(hosts *h, host *who)
{
  assert(who->ready && who->ready <= FRONTIER_CLASSES);
  unsigned class = who->ready - 1u;
  if (who->ready_before)
    who->ready_before->ready_next = who->ready_next;
  else
    h->ready_first[class] = who->ready_next;
  if (who->ready_next)
    who->ready_next->ready_before = who->ready_before;
  else
    h->ready_last[class] = who->ready_before;
  who->ready = 0;
}

/* All that are due by now leave the heap. */
static void wake(hosts *h, uint64_t now_ms)
{
  while (h->heap_count && h->heap[1]->due_ms <= now_ms) {
    host *who = h->heap[1];
    heap_remove(h, who);
    ready_add(h, who, schedule_class(who->turns, classes_of(h, who)));
  }
}

static void stand_down(hosts *h, host *who)
{
  if (who->heap_at)
    heap_remove(h, who);
  if (who->ready)
    ready_remove(h, who);
}

void hosts_offer(hosts *h, host *who)
{
  assert_host(h, who);
  if (who->heap_at || who->ready || !has_connection(h, who) || !classes_of(h, who))
    return;
  assert(h->heap_count < h->count);
  who->turn = h->turns++;
  heap_rise(h, ++h->heap_count, who);
}

/* ---- lines of URLs -------------------------------------------------------------------------------------- */

size_t hosts_weight(const entry *e)
{
  return 1 + e->fields_size / 4096;
}

static void count_entry(hosts *h, entry *e)
{
  host_line(e->host, e->class)->count++;
  h->waiting[e->class] += hosts_weight(e);
}

/* A host that is due gives way to a better class's URL at once: it must not wait in a worse line. */
static void pushed(hosts *h, host *who, frontier_class class)
{
  assert(h->heap_count <= h->count && h->by_id[who->id] == who);
  if (who->ready && !host_is_blocked(h, who, class)) {
    class = schedule_class(who->turns, classes_of(h, who));
    if (class + 1 != who->ready) {
      ready_remove(h, who);
      ready_add(h, who, class);
    }
  } else {
    hosts_offer(h, who);
  }
}

void hosts_push_front(hosts *h, entry *e)
{
  line *l = host_line(e->host, e->class);
  assert(l); /* host_reserve made the line */
  if (!l->last)
    l->last = e;
  else
    e->next = l->last->next;
  l->last->next = e;
  count_entry(h, e);
  pushed(h, e->host, e->class);
}

static void link_last(entry *e)
{
  line *l = host_line(e->host, e->class);
  assert(l); /* host_reserve made the line */
  if (l->last) {
    e->next = l->last->next;
    l->last->next = e;
  } else {
    e->next = e;
  }
  l->last = e;
}

void hosts_push(hosts *h, entry *e)
{
  link_last(e);
  count_entry(h, e);
  pushed(h, e->host, e->class);
}

bool hosts_push_ref(hosts *h, host *who, frontier_class class, uint64_t sequence)
{
  if (!refs_append(&h->refs, &host_line(who, class)->refs, sequence))
    return false;
  pushed(h, who, class);
  return true;
}

void hosts_push_ordered(hosts *h, host *who, frontier_class class, int32_t priority, uint64_t sequence)
{
  pair_heap_push(&who->ordered[class], (pair){rank_of(priority), sequence});
  pushed(h, who, class);
}

void hosts_fill(hosts *h, entry *e)
{
  assert(!e->host->heap_at && !e->host->ready);
  link_last(e);
  count_entry(h, e);
}

static entry *take_first(hosts *h, host *who, frontier_class class)
{
  line *l = host_line(who, class);
  assert(l->count && h->waiting[class] >= hosts_weight(l->last->next));
  entry *e = l->last->next;
  l->last->next = e->next;
  if (e == l->last)
    l->last = NULL;
  l->count--;
  h->waiting[class] -= hosts_weight(e);
  e->next = NULL;
  assert_line(l);
  return e;
}

entry *hosts_cut(hosts *h, host *who, frontier_class class, uint32_t keep)
{
  assert_host(h, who);
  line *l = host_line(who, class);
  if (!l || l->count <= keep)
    return NULL;
  entry *last = l->last, *rest = last->next;
  for (uint32_t i = 0; i < keep; i++) {
    last = rest;
    rest = rest->next;
  }
  entry *first = l->last->next;
  l->last->next = NULL;
  l->last = keep ? last : NULL;
  if (keep)
    last->next = first;
  for (const entry *e = rest; e; e = e->next) {
    assert(h->waiting[class] >= hosts_weight(e));
    h->waiting[class] -= hosts_weight(e);
  }
  l->count = keep;
  assert_line(l);
  hosts_recount(h, who);
  return rest;
}

/* ---- taking --------------------------------------------------------------------------------------------- */

/* Of the ordered URLs the first. false: it could not be fetched, and is in its place. */
static bool take_ordered(hosts *h, host *who, frontier_class class, entry **e)
{
  pair first = pair_heap_pop(&who->ordered[class]);
  bool is_fetched = h->fetch(h->load_context, who, class, first.second, e);
  if (!is_fetched)
    pair_heap_push(&who->ordered[class], first);
  return is_fetched;
}

/* The first URL of the class whose turn it is; NULL: nothing is left after all, or loading failed. */
static entry *take_next(hosts *h, host *who, frontier_class *class)
{
  bool goes_on = true;
  entry *e = NULL;
  for (unsigned has; !e && goes_on && (has = classes_of(h, who));) {
    *class = schedule_class(who->turns, has);
    const line *l = host_line(who, *class);
    if (is_ordered_first(who, *class, l))
      goes_on = take_ordered(h, who, *class, &e);
    else if (l->last)
      e = take_first(h, who, *class);
    else
      goes_on = h->load(h->load_context, who, *class);
  }
  return e;
}

static entry *take(hosts *h, host *who, uint64_t now_ms)
{
  frontier_class class = FRONTIER_NORMAL;
  assert(who->due_ms <= now_ms && has_connection(h, who)); /* not too early, and not one too many */
  entry *e = take_next(h, who, &class);
  if (!e)
    return NULL;
  who->turns++;
  who->in_flight++;
  who->trap_in_flight += class == FRONTIER_TRAP;
  who->due_ms = now_ms + host_delay(h, who);
  hosts_recount(h, who);
  assert_host(h, who);
  return e;
}

/* Of those behind this one: the second's first URL, the fourth's last one, which leads there, the sixth itself. */
static void fetch_ready(const host *who)
{
  enum { FIRST = 2, LAST = 4, WHOLE = 6 };
  __asm__ volatile(""); /* gcc drops calls of a function that does nothing but fetch */
  for (int i = 1; (who = who->ready_next); i++) {
    if (i == FIRST && who->normal.last)
      __builtin_prefetch(who->normal.last->next, 1);
    if (i == LAST)
      __builtin_prefetch(who->normal.last, 1);
    if (i < WHOLE)
      continue;
    for (size_t at = 0; at < sizeof(host); at += 64)
      __builtin_prefetch((const char *)who + at, 1);
    return;
  }
}

/* A bit for each class with a ready line. */
static unsigned ready_classes(const hosts *h)
{
  unsigned has = 0;
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class)
    has |= h->ready_first[class] ? 1u << class : 0;
  return has;
}

uint64_t hosts_first_due(const hosts *h)
{
  return ready_classes(h) ? 0 : h->heap_count ? h->heap[1]->due_ms : UINT64_MAX;
}

entry *hosts_pop_due(hosts *h, uint64_t now_ms, int64_t *wait_ms)
{
  assert_hosts(h);
  assert_heap(h);
  wake(h, now_ms);
  assert(!h->heap_count || h->heap[1]->due_ms > now_ms);
  for (unsigned has; (has = ready_classes(h));) {
    host *who = h->ready_first[schedule_class(h->picks++, has)];
    assert_host(h, who);
    fetch_ready(who);
    ready_remove(h, who);
    entry *e = take(h, who, now_ms);
    if (e)
      return e;
    hosts_offer(h, who);
    if (who->heap_at) { /* it has URLs, and they could not be loaded */
      *wait_ms = 0;
      return NULL;
    }
  }
  *wait_ms = h->heap_count ? (int64_t)(h->heap[1]->due_ms - now_ms) : FRONTIER_WAIT_FOREVER;
  return NULL;
}

entry *hosts_pop_more(hosts *h, host *who, uint64_t now_ms)
{
  assert_host(h, who);
  if (who->due_ms > now_ms || !has_connection(h, who) || !classes_of(h, who))
    return NULL;
  stand_down(h, who);
  return take(h, who, now_ms);
}

void hosts_landed(hosts *h, host *who, frontier_class class)
{
  assert_host(h, who);
  assert(who->in_flight && (class != FRONTIER_TRAP || who->trap_in_flight));
  who->in_flight--;
  who->trap_in_flight -= class == FRONTIER_TRAP;
  hosts_recount(h, who);
  hosts_offer(h, who);
}

/* ---- when ----------------------------------------------------------------------------------------------- */

static void due_changed(hosts *h, host *who)
{
  if (who->heap_at) {
    heap_move(h, who);
  } else if (who->ready) {
    ready_remove(h, who);
    hosts_offer(h, who);
  }
}

void hosts_shift(hosts *h, host *who, uint64_t delay_before_ms, uint64_t until_ms)
{
  uint64_t due_ms = who->due_ms;
  assert_host(h, who);
  if (due_ms >= delay_before_ms) /* else there was no start to count from */
    who->due_ms += host_delay(h, who) - delay_before_ms;
  if (who->due_ms < until_ms)
    who->due_ms = due_ms < until_ms ? due_ms : until_ms;
  due_changed(h, who);
}

void hosts_set_not_before(hosts *h, host *who, uint64_t due_ms)
{
  assert_host(h, who);
  if (due_ms <= who->due_ms)
    return;
  who->due_ms = due_ms;
  due_changed(h, who);
}

void hosts_hurry(hosts *h, host *who, uint64_t due_ms)
{
  assert_host(h, who);
  if (due_ms >= who->due_ms)
    return;
  who->due_ms = due_ms;
  due_changed(h, who);
}

void hosts_recount(hosts *h, host *who)
{
  uint64_t held = blocked_of(h, who);
  assert_host(h, who);
  h->blocked = h->blocked - who->blocked + held;
  who->blocked = held;
  if ((who->heap_at || who->ready) && (!has_connection(h, who) || !classes_of(h, who)))
    stand_down(h, who);
}
