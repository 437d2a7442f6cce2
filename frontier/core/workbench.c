/* Which of the URLs that wait have their text in memory. workbench.h draws it.
 *
 *                  the host rests or has refs; the window is full           its turn, and no entry (load)
 *     entry or row -------------------------------------------------> ref ------------------------------> entry
 *
 * A row that is read from a queue becomes an entry while the window has room and its host may be asked soon. When too
 * little is due, reading goes on beyond a full window: then only a row of a host that may start one now and has no
 * other becomes an entry, which the same call hands out. So whatever fills the window holds up nobody.
 *
 * Always: the refs of a line are behind its entries, in their order. A ref is of a URL that is in its queue on disk, or
 * will be with the next commit (commit_has_landed); or frontier_promote has put it into another queue since: then the
 * look-up passes over it. How many are looked up at once depends on the delay of the host, so that they are not given
 * back at once.
 *
 * Called under the handle's mutex: while URLs are leased, and when a host is blocked. After a crash: refs were in
 * memory only; a new handle reads the queues from their beginning. */
#include "frontier/core/state.h"

#include <assert.h>

enum {
  /* At some thousand pages a second, what is due within 10 s fills the window. */
  HORIZON_MS = 10000,
  LOAD_MAX = FRONTIER_LIMIT(16, 3),       /* refs looked up at once */
  SHARE = LOAD_MAX,                       /* entries that a line keeps when the window is full */
  ROWS_AT_ONCE = FRONTIER_LIMIT(512, 8),  /* read in one step, beside those that are asked for: some 0.2 ms */
  HOSTS_AT_ONCE = FRONTIER_LIMIT(256, 4), /* looked at in one step, to make room */
};

bool bench_rests(const frontier *f, const host *who, frontier_class class)
{
  return who->due_ms > clock_latest(f) + HORIZON_MS || host_is_blocked(f->hosts, who, class);
}

/* ---- entries to refs ------------------------------------------------------------------------------------ */

/* Is its row on disk, or will it be with the next commit? Which one has a newer row, no ref says. */
static bool may_be_ref(const entry *e)
{
  return !e->is_fresh;
}

static entry *reversed(entry *list)
{
  entry *before = NULL;
  for (entry *next; list; list = next) {
    next = list->next;
    list->next = before;
    before = list;
  }
  return before;
}

/* The entries behind the first `keep`, and behind the last that may not be a ref. Without memory for refs the others
 * stay as they are. */
static void give_back(frontier *f, host *who, frontier_class class, uint32_t keep)
{
  line *l = host_line(who, class);
  if (!f->store || !l || l->count <= keep)
    return;
  const entry *e = l->last;
  for (uint32_t i = 1; i <= l->count; i++)
    if (!may_be_ref(e = e->next) && i > keep)
      keep = i;
  entry *rest = reversed(hosts_cut(f->hosts, who, class, keep));
  while (rest && refs_prepend(&f->hosts->refs, &l->refs, rest->sequence)) {
    entry *next = rest->next;
    entry_free(rest);
    rest = next;
  }
  for (entry *next, *left = reversed(rest); left; left = next) {
    next = left->next;
    hosts_push(f->hosts, left);
  }
  hosts_offer(f->hosts, who);
}

void bench_give_back(frontier *f, host *who)
{
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class)
    if (host_is_blocked(f->hosts, who, (frontier_class) class))
      give_back(f, who, (frontier_class) class, 0);
}

/* All that have an entry and may be asked at some time are in the heap, in a ready line, or have all in flight that
 * they may; those of the heap are looked at in turns. */
void bench_make_room(frontier *f, frontier_class class, bool is_full)
{
  hosts *h = f->hosts;
  size_t *at = &f->bench.heap_at;
  size_t left = h->heap_count < HOSTS_AT_ONCE ? h->heap_count : HOSTS_AT_ONCE;
  for (; left && h->heap_count; left--) {
    *at = *at < h->heap_count ? *at + 1 : 1;
    host *who = h->heap[*at];
    if (bench_rests(f, who, class))
      give_back(f, who, class, 0);
    else if (is_full)
      give_back(f, who, class, SHARE);
  }
}

/* ---- refs to entries ------------------------------------------------------------------------------------ */

typedef struct loading {
  frontier *f;
  host *who;
  frontier_class class;
  entry *at[LOAD_MAX];
  size_t count;
  frontier_status status;
} loading;

/* One that was put into another class since is not wanted here. Any other is counted here, whatever class a damaged
 * directory has for it by now. */
static bool take_record(void *context, const url_record *record)
{
  loading *l = context;
  if (queue_was_moved(&l->f->queues, record->sequence) &&
      (record->class != l->class || record->state.what != URL_WAITS_AGAIN))
    return true;
  entry *e = url_record_entry(record, &l->f->pool);
  if (!e)
    l->status = FRONTIER_NO_MEMORY;
  else
    (l->at[l->count++] = e)->class = l->class;
  return e != NULL;
}

/* As many as it is asked for within the horizon; one if memory has no room: that one is taken at once. */
static size_t how_many(const frontier *f, const host *who, frontier_class class)
{
  uint64_t delay_ms = host_delay(f->hosts, who), soon = delay_ms ? 1 + HORIZON_MS / delay_ms : LOAD_MAX;
  if (!queue_has_room(f, class))
    return 1;
  return soon < LOAD_MAX ? (size_t)soon : LOAD_MAX;
}

static frontier_status look_up(loading *l, const uint64_t *sequences, size_t count)
{
  frontier *f = l->f;
  frontier_status status = url_records_find(f, sequences, count, take_record, l);
  if (status == FRONTIER_OK && l->status == FRONTIER_OK)
    return FRONTIER_OK;
  while (l->count)
    entry_free(l->at[--l->count]);
  return status == FRONTIER_OK ? frontier_fail(f, l->status, "out of memory for one more URL of the queue") : status;
}

static bool load(void *context, host *who, frontier_class class)
{
  loading l = {.f = context, .who = who, .class = class};
  frontier *f = l.f;
  uint64_t sequences[LOAD_MAX];
  line *of = host_line(who, class);
  size_t count = refs_first(&f->hosts->refs, of->refs, sequences, how_many(f, who, class));
  frontier_status status = commit_has_landed(f, sequences[0]) ? FRONTIER_OK : commit_batch(f);
  while (count > 1 && !commit_has_landed(f, sequences[count - 1]))
    count--;
  if (status == FRONTIER_OK)
    status = look_up(&l, sequences, count);
  if (status != FRONTIER_OK) {
    f->bench.status = status;
    return false;
  }
  refs_drop(&f->hosts->refs, &of->refs, count);
  for (size_t i = 0; i < l.count; i++)
    hosts_fill(f->hosts, l.at[i]);
  return true;
}

frontier_status bench_take_status(frontier *f)
{
  frontier_status status = f->bench.status;
  f->bench.status = FRONTIER_OK;
  return status;
}

void bench_fail(frontier *f, frontier_status status)
{
  f->bench.status = status;
}

void bench_begin(frontier *f)
{
  f->hosts->load = load;
  f->hosts->load_context = f;
}

/* ---- further back in the queue -------------------------------------------------------------------------- */

static frontier_status read_all(frontier *f, size_t wanted, bool *progressed)
{
  frontier_status status = FRONTIER_OK;
  for (unsigned i = 0; i < FRONTIER_CLASSES && status == FRONTIER_OK; i++) {
    frontier_class class = (frontier_class)i;
    unsigned rows = ROWS_AT_ONCE + (unsigned)(wanted < WINDOW_MAX ? wanted : WINDOW_MAX);
    queue_step step = {.rows = rows, .wanted = wanted};
    if (!queue_class_is_unread(&f->queues, class))
      continue;
    if (f->hosts->waiting[class] >= queue_window(class) / 2)
      bench_make_room(f, class, true);
    status = queue_read(f, class, &step);
    *progressed |= step.read > 0;
  }
  return status;
}

frontier_status bench_read_on(frontier *f, size_t wanted, bool may_commit, bool *progressed)
{
  *progressed = false;
  if (!f->store || !queue_is_unread(&f->queues))
    return FRONTIER_OK;
  frontier_status status = read_all(f, wanted, progressed);
  if (status != FRONTIER_OK || *progressed || !batch_has_untaken(&f->batch) || !may_commit)
    return status;
  status = commit_batch(f);
  *progressed = status == FRONTIER_OK; /* from now on it can be read */
  return status == FRONTIER_OK ? queue_refill(f) : status;
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void check(const frontier *f)
{
  assert(f->hosts->load == load || !f->hosts->load);
  (void)f;
}

const part bench_part = {.check = check};
