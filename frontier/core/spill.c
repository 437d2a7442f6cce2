/* The overflow queue of crowded hosts: what BUbiNG calls the workbench virtualizer. spill.h draws it.
 *
 *     chunk       sequence (8), size (4), body of a queue record; the same again, up to SPILL_CHUNK URLs of one line
 *
 *                 in memory                    on disk, until the next commit    from then on
 *     leaving     in no line                   in the queue                      in a chunk, and the entry is freed
 *     returning   in line, in flight, ended    in a chunk                        in the queue, and the chunk is gone
 *
 * `leaving` has URLs on their way into chunks, `returning` those on their way back into the queue.
 *
 * Always: at every commit a URL that waits is in the queue or in one chunk. The chunks of a line are chunk_first ..
 * chunk_next - 1. They are read back in this order, and only after the queue was read past `ahead`, the last URL of the
 * chunks found at open. If a commit fails, both lists stay, and the next commit puts them again.
 *
 * Called under the handle's mutex: before URLs are leased, to read more of the queue and chunks back; whenever URLs of
 * a line are taken or may be taken again; and as a part of each commit (part.h).
 *
 * After a crash: each URL is where the last commit left it. Opening finds which lines have chunks. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

enum {
  /* URLs in a chunk, and in a line before the rest is spilled: 512 crowded hosts fill the window */
  SPILL_CHUNK = FRONTIER_LIMIT(128, 8),
  LINE_LOW = FRONTIER_LIMIT(16, 2),      /* a line this short gets its next chunk */
  SPILL_STEP = FRONTIER_LIMIT(4096, 16), /* URLs moved or read in one step: some 10 ms */
  CHUNK_HEAD = 12,
};

enum { CHUNK_NUMBER_BITS = 30, CHUNK_NUMBER_MASK = (1 << CHUNK_NUMBER_BITS) - 1 };

uint64_t spill_key(const host *who, frontier_class class, uint32_t number)
{
  assert((unsigned)class < FRONTIER_CLASSES && number <= CHUNK_NUMBER_MASK);
  return (uint64_t)who->id << 32 | (uint64_t) class << CHUNK_NUMBER_BITS | number;
}

frontier_class spill_class_of(uint64_t key)
{
  return (frontier_class)((uint32_t)key >> CHUNK_NUMBER_BITS);
}

bool spill_is_behind_chunks(const line *l)
{
  return l->chunk_first < l->chunk_next && l->count >= LINE_LOW;
}

bool spill_add(frontier *f, entry *e)
{
  assert(e->host && e->is_stored); /* nothing but its record is left of it after the commit */
  e->is_pinned = false;
  batch_touch(&f->batch);
  return entry_list_add(&f->spilling.leaving, e);
}

/* Nothing is read back into a blocked line: the call that unblocks it comes by here again. */
static void trap_detector_line(frontier *f, host *who, frontier_class class)
{
  spilling *s = &f->spilling;
  line *l = host_line(who, class);
  if (!l || l->is_low || l->count > LINE_LOW || l->chunk_first == l->chunk_next ||
      host_is_blocked(f->hosts, who, class))
    return;
  if (!HAS_ROOM(s->low, s->low_room, s->low_count + 1))
    return; /* the next URL taken from its line comes by here again */
  assert(s->low_count < s->low_room);
  l->is_low = true;
  s->low[s->low_count++] = (struct low_line){who, class};
}

void spill_watch(frontier *f, host *who)
{
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class)
    trap_detector_line(f, who, (frontier_class) class);
}

/* ---- out of the queue ----------------------------------------------------------------------------------- */

/* Long lines give what is past their share, and lines that are held all, up to SPILL_STEP URLs. Room for them is there
 * before a line is cut: what is in no line and in no list would not come back before the next open. */
static frontier_status cut_lines(frontier *f, frontier_class class)
{
  uint32_t left = SPILL_STEP;
  host *who;
  if (!entry_list_reserve(&f->spilling.leaving, left))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for %u queued URLs", (unsigned)left);
  for (uint32_t id = 0; left && (who = hosts_at(f->hosts, id)); id++) {
    const line *l = host_line(who, class);
    uint32_t keep = host_is_blocked(f->hosts, who, class) ? 0 : SPILL_CHUNK;
    if (!l || l->count <= keep)
      continue;
    uint32_t over = l->count - keep, taken = over < left ? over : left;
    entry *rest = hosts_cut(f->hosts, who, class, l->count - taken);
    left -= taken;
    for (entry *next; rest; rest = next) {
      next = rest->next;
      spill_add(f, rest);
    }
  }
  return FRONTIER_OK;
}

static frontier_status read_on(frontier *f, frontier_class class, bool *progressed)
{
  unsigned taken = 0;
  frontier_status status = FRONTIER_OK;
  if (!queue_has_room(f, class))
    status = cut_lines(f, class);
  if (status == FRONTIER_OK)
    status = queue_read(f, class, SPILL_CHUNK, SPILL_STEP, &taken);
  *progressed |= taken > 0;
  return status;
}

frontier_status spill_read_on(frontier *f, bool *progressed)
{
  *progressed = f->spilling.leaving.count > 0; /* committed, they can be read back */
  if (!f->store || !queue_is_unread(&f->queues))
    return *progressed ? commit_batch(f) : FRONTIER_OK;
  frontier_status status = commit_batch(f); /* what is cut must stand in the queue table */
  for (unsigned class = 0; class < FRONTIER_CLASSES && status == FRONTIER_OK; ++class)
    if (queue_class_is_unread(&f->queues, (frontier_class) class))
      status = read_on(f, (frontier_class) class, progressed);
  return status == FRONTIER_OK ? commit_batch(f) : status;
}

/* ---- and back ------------------------------------------------------------------------------------------- */

typedef struct chunk {
  uint64_t key;
  host *who;
  frontier_class class;
  entry_pool *pool;
  entry_list urls; /* all of it, or it stays where it is */
  frontier_status status;
} chunk;

static bool note_read(spilling *s, uint64_t key)
{
  if (!HAS_ROOM(s->read, s->read_room, s->read_count + 1))
    return false;
  s->read[s->read_count++] = key;
  return true;
}

bool spill_each(const uint8_t *body, size_t size, store_visitor *visit, void *context)
{
  for (const uint8_t *at = body, *end = body + size; at < end;) {
    size_t left = (size_t)(end - at), record = left >= CHUNK_HEAD ? (size_t)get_le(at + 8, 4) : 0;
    if (left < CHUNK_HEAD + record || !visit(context, get_le(at, 8), at + CHUNK_HEAD, record))
      return false;
    at += CHUNK_HEAD + record;
  }
  return true;
}

static bool take_record(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  chunk *c = context;
  entry *e = NULL;
  c->status = entry_read(c->pool, sequence, body, size, &e);
  if (c->status != FRONTIER_OK)
    return false;
  e->host = c->who;
  e->class = c->class;
  if (!entry_list_add(&c->urls, e)) {
    entry_free(e);
    c->status = FRONTIER_NO_MEMORY;
  }
  return c->status == FRONTIER_OK;
}

static bool read_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  chunk *c = context;
  c->status = key == c->key ? FRONTIER_OK : FRONTIER_DAMAGED;
  if (c->status == FRONTIER_OK && !spill_each(body, size, take_record, c) && c->status == FRONTIER_OK)
    c->status = FRONTIER_DAMAGED; /* no URL is at fault, so the chunk is */
  return false;                   /* this one only */
}

/* Into the line, or among the deferred; with the next commit they stand in the queue again and the chunk is gone. */
static bool take_back(frontier *f, const chunk *c)
{
  if (!entry_list_reserve(&f->spilling.returning, c->urls.count) || !note_read(&f->spilling, c->key))
    return false;
  for (size_t i = 0; i < c->urls.count; i++) {
    entry *e = c->urls.at[i];
    entry_list_add(&f->spilling.returning, e);
    if (e->origin.depth > f->options.depth_cap)
      queue_defer(f, c->who, c->class);
    else
      hosts_push(f->hosts, e);
  }
  line *l = host_line(c->who, c->class);
  assert(l->chunk_first < l->chunk_next);
  l->chunk_first++;
  batch_touch(&f->batch);
  return true;
}

static frontier_status read_back(frontier *f, host *who, frontier_class class)
{
  uint64_t key = spill_key(who, class, host_line(who, class)->chunk_first);
  chunk c = {.key = key, .who = who, .class = class, .pool = &f->pool, .status = FRONTIER_DAMAGED};
  frontier_status status = store_each(f->store, STORE_CHUNKS, c.key, read_chunk, &c);
  if (status == FRONTIER_OK && c.status == FRONTIER_OK && !take_back(f, &c))
    c.status = FRONTIER_NO_MEMORY;
  if (status != FRONTIER_OK || c.status != FRONTIER_OK)
    for (size_t i = 0; i < c.urls.count; i++)
      entry_free(c.urls.at[i]);
  free(c.urls.at);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (c.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, c.status, "out of memory for one more chunk of the queue");
  if (c.status != FRONTIER_OK)
    return frontier_fail(f, c.status, "%s: the chunks of host %s are damaged", f->directory, who->name);
  return FRONTIER_OK;
}

/* Is there room for this class, and may its chunks be read yet? */
static bool may_read_back(const frontier *f, frontier_class class)
{
  return queue_is_past(&f->queues, class, f->spilling.ahead[class]) && queue_has_room(f, class);
}

static frontier_status read_back_line(frontier *f, struct low_line low)
{
  frontier_status status = FRONTIER_OK;
  line *l = host_line(low.who, low.class);
  assert(l->is_low);
  l->is_low = false;
  while (status == FRONTIER_OK && l->count <= LINE_LOW && l->chunk_first < l->chunk_next &&
         !host_is_blocked(f->hosts, low.who, low.class))
    status = read_back(f, low.who, low.class);
  return status;
}

/* Lines of a class without room stay in the list, in their order. */
frontier_status spill_read_back(frontier *f)
{
  spilling *s = &f->spilling;
  frontier_status status = FRONTIER_OK;
  size_t kept = 0;
  for (size_t i = 0; i < s->low_count; i++)
    if (status != FRONTIER_OK || !may_read_back(f, s->low[i].class))
      s->low[kept++] = s->low[i];
    else
      status = read_back_line(f, s->low[i]);
  assert(kept <= s->low_count);
  s->low_count = kept;
  return status;
}

/* After a reopening chunks may wait behind a queue that is empty: it had to be read first. */
bool spill_waits_in_chunks(const frontier *f)
{
  size_t waiting = 0;
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    waiting += f->hosts->waiting[class];
  return waiting == 0 && f->spilling.low_count > 0;
}

/* ---- with the transaction ------------------------------------------------------------------------------- */

static int by_host_and_sequence(const void *left, const void *right)
{
  const entry *a = *(entry *const *)left, *b = *(entry *const *)right;
  if (a->host != b->host)
    return a->host->id < b->host->id ? -1 : 1;
  if (a->class != b->class)
    return a->class < b->class ? -1 : 1;
  return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static bool are_of_one_line(const entry *a, const entry *b)
{
  return a->host == b->host && a->class == b->class;
}

/* How many of these URLs, from the first on, make the next chunk: of one line, at most SPILL_CHUNK. */
static size_t chunk_count(entry *const *from, size_t count)
{
  size_t n = 1;
  assert(count);
  while (n < count && n < SPILL_CHUNK && are_of_one_line(from[n], from[0]))
    n++;
  return n;
}

static void put_chunk(frontier *f, entry *const *from, size_t count, uint32_t number)
{
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += CHUNK_HEAD + entry_size(from[i]);
  uint8_t *body = malloc(size), *at = body;
  if (!body) {
    store_fail(f->store);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    put_le(at, from[i]->sequence, 8);
    put_le(at + 8, entry_size(from[i]), 4);
    entry_write(from[i], at + CHUNK_HEAD);
    at += CHUNK_HEAD + entry_size(from[i]);
    store_delete(f->store, queue_table(from[i]->class), from[i]->sequence);
  }
  assert(at == body + size);
  store_put(f->store, STORE_CHUNKS, spill_key(from[0]->host, from[0]->class, number), body, size);
  free(body);
}

static void put(frontier *f)
{
  spilling *s = &f->spilling;
  if (s->leaving.count)
    qsort(s->leaving.at, s->leaving.count, sizeof *s->leaving.at, by_host_and_sequence);
  uint32_t number = 0;
  for (size_t i = 0, n; i < s->leaving.count; i += n) {
    const entry *first = s->leaving.at[i];
    bool goes_on = i && are_of_one_line(s->leaving.at[i - 1], first);
    number = goes_on ? number + 1 : host_line(first->host, first->class)->chunk_next;
    n = chunk_count(s->leaving.at + i, s->leaving.count - i);
    put_chunk(f, s->leaving.at + i, n, number);
  }
  uint8_t body[ENTRY_SIZE_MAX];
  for (size_t i = 0; i < s->returning.count; i++) {
    const entry *e = s->returning.at[i];
    if (e->is_ended)
      continue;
    entry_write(e, body);
    store_put(f->store, queue_table(e->class), e->sequence, body, entry_size(e));
  }
  for (size_t i = 0; i < s->read_count; i++)
    store_delete(f->store, STORE_CHUNKS, s->read[i]);
}

static frontier_status settle(frontier *f)
{
  spilling *s = &f->spilling;
  for (size_t i = 0, n; i < s->leaving.count; i += n) {
    const entry *first = s->leaving.at[i];
    n = chunk_count(s->leaving.at + i, s->leaving.count - i);
    host_line(first->host, first->class)->chunk_next++;
    trap_detector_line(f, first->host, first->class);
  }
  for (size_t i = 0; i < s->leaving.count; i++)
    entry_free(s->leaving.at[i]);
  for (size_t i = 0; i < s->returning.count; i++) {
    entry *e = s->returning.at[i];
    e->is_stored = true;
    if (!e->is_pinned && !e->is_ended) /* deferred: it stays on disk */
      entry_free(e);
  }
  s->leaving.count = s->returning.count = s->read_count = 0;
  return FRONTIER_OK;
}

static void close_it(frontier *f)
{
  spilling *s = &f->spilling;
  for (size_t i = 0; i < s->leaving.count; i++)
    entry_free(s->leaving.at[i]);
  for (size_t i = 0; i < s->returning.count; i++)
    if (!s->returning.at[i]->is_pinned && !s->returning.at[i]->is_ended)
      entry_free(s->returning.at[i]);
  free(s->leaving.at);
  free(s->returning.at);
  free(s->read);
  free(s->low);
}

static void check(const frontier *f)
{
  const spilling *s = &f->spilling;
  assert_entry_list(&s->leaving);
  assert_entry_list(&s->returning);
  assert(s->read_count <= s->read_room && s->low_count <= s->low_room);
  (void)s;
}

const part spill_part = {.check = check, .put = put, .settle = settle, .close = close_it};

/* ---- at open -------------------------------------------------------------------------------------------- */

typedef struct survey {
  frontier *frontier;
  uint64_t strange; /* chunks of no host we know, or of URLs that were never accepted */
} survey;

static uint64_t last_sequence(const uint8_t *body, size_t size)
{
  uint64_t sequence = 0;
  for (size_t at = 0; size - at >= CHUNK_HEAD;) {
    uint64_t record = get_le(body + at + 8, 4);
    sequence = get_le(body + at, 8);
    if (record > size - at - CHUNK_HEAD)
      break; /* the call that reads it will say so */
    at += CHUNK_HEAD + record;
  }
  return sequence;
}

static bool note_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  survey *s = context;
  const host *who = hosts_at(s->frontier->hosts, (uint32_t)(key >> 32));
  uint32_t number = (uint32_t)key & CHUNK_NUMBER_MASK;
  frontier_class class = spill_class_of(key);
  uint64_t last = last_sequence(body, size);
  line *l = who ? host_line(who, class) : NULL;
  if (!l || last >= counts_next_sequence(&s->frontier->counts)) {
    s->strange++;
    return true;
  }
  if (last > s->frontier->spilling.ahead[class])
    s->frontier->spilling.ahead[class] = last;
  if (l->chunk_first == l->chunk_next)
    l->chunk_first = number;
  l->chunk_next = number + 1;
  return true;
}

frontier_status spill_find_chunks(frontier *f)
{
  survey s = {.frontier = f};
  host *who;
  frontier_status status = store_each(f->store, STORE_CHUNKS, 0, note_chunk, &s);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (s.strange)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: chunks of unknown hosts or URLs", f->directory);
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++)
    spill_watch(f, who);
  return FRONTIER_OK;
}
