/* See hosts.h. The table is open addressing over 64-bit name hashes, the heap a plain binary one. */
#include "frontier/hosts.h"

#include "frontier/record.h"

#include <stdlib.h>

struct hosts {
  host **by_id;
  size_t count, by_id_room;
  uint32_t *table;   /* id + 1 by name hash, 0 = free; at most half full */
  size_t table_size; /* a power of two */
  host **heap;       /* 1-based */
  size_t heap_count;
  host **dirty;
  size_t dirty_count;
  size_t waiting;
  uint64_t turns;
  uint64_t delay_ms;
  uint32_t per_host;
};

/* Longer delays (a robots.txt may ask for anything) are this long: some 9,000 years, and no sum overflows. */
static const uint64_t delay_max_ms = (uint64_t)1 << 48;

static uint64_t at_most(uint64_t delay_ms, uint64_t max)
{
  return delay_ms < max ? delay_ms : max;
}

hosts *hosts_create(uint64_t delay_ms, uint32_t per_host)
{
  hosts *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  h->delay_ms = at_most(delay_ms, delay_max_ms);
  h->per_host = per_host;
  h->table_size = 64;
  h->table = calloc(h->table_size, sizeof *h->table);
  if (!h->table) {
    free(h);
    return NULL;
  }
  return h;
}

static void host_free(host *who)
{
  for (entry *e = who->first; e;) {
    entry *next = e->next;
    free(e);
    e = next;
  }
  free(who);
}

void hosts_free(hosts *h)
{
  if (!h)
    return;
  for (size_t i = 0; i < h->count; i++)
    host_free(h->by_id[i]);
  free(h->by_id);
  free(h->table);
  free(h->heap);
  free(h->dirty);
  free(h);
}

uint64_t hosts_count(const hosts *h)
{
  return h->count;
}

host *hosts_at(hosts *h, uint32_t id)
{
  return id < h->count ? h->by_id[id] : NULL;
}

size_t hosts_waiting(const hosts *h)
{
  return h->waiting;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* The slot that holds this name, or the free one where it belongs. */
static size_t slot_of(const hosts *h, const char *name, size_t size)
{
  size_t slot = XXH3_64bits(name, size) & (h->table_size - 1);
  while (h->table[slot]) {
    const host *who = h->by_id[h->table[slot] - 1];
    if (who->name_size == size && memcmp(who->name, name, size) == 0)
      break;
    slot = (slot + 1) & (h->table_size - 1);
  }
  return slot;
}

static bool grow_table(hosts *h)
{
  uint32_t *larger = calloc(2 * h->table_size, sizeof *larger);
  if (!larger)
    return false;
  free(h->table);
  h->table = larger;
  h->table_size *= 2;
  for (size_t i = 0; i < h->count; i++)
    h->table[slot_of(h, h->by_id[i]->name, h->by_id[i]->name_size)] = (uint32_t)i + 1;
  return true;
}

/* Room for one more host in every array, so that nothing can fail half-way. A host is in the heap and in the
 * dirty list at most once, so their room is the number of hosts. */
static bool make_room(hosts *h)
{
  if (2 * (h->count + 1) > h->table_size && !grow_table(h))
    return false;
  if (h->count + 1 < h->by_id_room)
    return true;
  size_t room = h->by_id_room ? 2 * h->by_id_room : 32;
  host ***arrays[] = {&h->by_id, &h->heap, &h->dirty};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    host **larger = realloc(*arrays[i], room * sizeof *larger);
    if (!larger)
      return false;
    *arrays[i] = larger;
  }
  h->by_id_room = room;
  return true;
}

/* A host of the next id, whose name is not in the table. */
static host *make_host(hosts *h, const char *name, size_t size)
{
  if (h->count >= UINT32_MAX - 1 || !make_room(h))
    return NULL;
  host *who = calloc(1, sizeof *who + size + 1);
  if (!who)
    return NULL;
  who->id = (uint32_t)h->count;
  who->delay_ms = h->delay_ms;
  who->name_size = (uint32_t)size;
  memcpy(who->name, name, size);
  h->by_id[h->count++] = who;
  h->table[slot_of(h, name, size)] = who->id + 1;
  return who;
}

/* A new host is remembered at once, whatever becomes of its URL: an id that is given must be on disk too. */
host *hosts_find(hosts *h, const char *name, size_t size)
{
  size_t slot = slot_of(h, name, size);
  if (h->table[slot])
    return h->by_id[h->table[slot] - 1];
  host *who = make_host(h, name, size);
  if (who)
    hosts_touch(h, who);
  return who;
}

/* ---- counts and their records ------------------------------------------------------------------------- */

void hosts_touch(hosts *h, host *who)
{
  if (!who->is_dirty) {
    who->is_dirty = true;
    h->dirty[h->dirty_count++] = who;
  }
}

host *hosts_dirty(hosts *h, size_t index)
{
  return index < h->dirty_count ? h->dirty[index] : NULL;
}

void hosts_clean(hosts *h)
{
  while (h->dirty_count)
    h->dirty[--h->dirty_count]->is_dirty = false;
}

void host_write(const host *who, uint8_t *body)
{
  put_le(body + 0, who->queued, 8);
  put_le(body + 8, who->done, 8);
  put_le(body + 16, who->failed, 8);
  put_le(body + 24, who->skipped, 8);
  memcpy(body + HOST_HEAD, who->name, who->name_size);
}

frontier_status hosts_read(hosts *h, uint64_t id, const uint8_t *body, size_t size)
{
  if (size < HOST_HEAD || size > HOST_HEAD + URL_LENGTH_MAX || id != h->count)
    return FRONTIER_DAMAGED;
  const char *name = (const char *)body + HOST_HEAD;
  if (h->table[slot_of(h, name, size - HOST_HEAD)])
    return FRONTIER_DAMAGED; /* two ids for one name */
  host *who = make_host(h, name, size - HOST_HEAD);
  if (!who)
    return FRONTIER_NO_MEMORY;
  who->queued = get_le(body + 0, 8);
  who->done = get_le(body + 8, 8);
  who->failed = get_le(body + 16, 8);
  who->skipped = get_le(body + 24, 8);
  return FRONTIER_OK;
}

/* ---- the heap ----------------------------------------------------------------------------------------- */

static bool is_before(const host *a, const host *b)
{
  return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->turn < b->turn;
}

static void heap_set(hosts *h, size_t at, host *who)
{
  h->heap[at] = who;
  who->heap_at = at;
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

static bool may_start(const hosts *h, const host *who)
{
  return who->first && who->in_flight < h->per_host;
}

/* Put a host into the heap if it may start a URL and is not there yet. */
static void heap_offer(hosts *h, host *who)
{
  if (who->heap_at || !may_start(h, who))
    return;
  who->turn = h->turns++;
  heap_rise(h, ++h->heap_count, who);
}

static void heap_remove_top(hosts *h)
{
  h->heap[1]->heap_at = 0;
  host *last = h->heap[h->heap_count--];
  if (h->heap_count)
    heap_sink(h, 1, last);
}

/* ---- lines -------------------------------------------------------------------------------------------- */

/* What a URL takes of the window: one, and one more for each 4 KiB it carries. */
static size_t weight_of(const entry *e)
{
  return 1 + e->fields_size / 4096;
}

void hosts_push(hosts *h, entry *e)
{
  host *who = e->host;
  e->next = NULL;
  e->is_held = true;
  if (who->last)
    who->last->next = e;
  else
    who->first = e;
  who->last = e;
  who->line_count++;
  h->waiting += weight_of(e);
  heap_offer(h, who);
}

void hosts_push_front(hosts *h, entry *e)
{
  host *who = e->host;
  e->next = who->first;
  e->is_held = true;
  who->first = e;
  if (!who->last)
    who->last = e;
  who->line_count++;
  h->waiting += weight_of(e);
  heap_offer(h, who);
}

static entry *take_first(hosts *h, host *who)
{
  entry *e = who->first;
  who->first = e->next;
  if (!who->first)
    who->last = NULL;
  who->line_count--;
  h->waiting -= weight_of(e);
  return e;
}

entry *hosts_cut(hosts *h, host *who, uint32_t keep)
{
  if (keep == 0 || who->line_count <= keep)
    return NULL;
  entry *last = who->first;
  for (uint32_t i = 1; i < keep; i++)
    last = last->next;
  entry *rest = last->next;
  last->next = NULL;
  who->last = last;
  for (const entry *e = rest; e; e = e->next)
    h->waiting -= weight_of(e);
  who->line_count = keep;
  return rest;
}

entry *hosts_pop_due(hosts *h, uint64_t now_ms, int64_t *wait_ms)
{
  if (!h->heap_count) {
    *wait_ms = FRONTIER_WAIT_FOREVER;
    return NULL;
  }
  host *who = h->heap[1];
  if (who->due_ms > now_ms) {
    *wait_ms = (int64_t)(who->due_ms - now_ms);
    return NULL;
  }
  heap_remove_top(h);
  entry *e = take_first(h, who);
  who->in_flight++;
  who->due_ms = now_ms + who->delay_ms;
  heap_offer(h, who);
  return e;
}

void hosts_landed(hosts *h, host *who)
{
  who->in_flight--;
  heap_offer(h, who);
}

void hosts_back_off(hosts *h, host *who, uint64_t until_ms)
{
  if (who->due_ms >= until_ms)
    return;
  who->due_ms = until_ms;
  if (who->heap_at)
    heap_sink(h, who->heap_at, who);
}

void hosts_set_delay(hosts *h, host *who, uint64_t delay_ms)
{
  if (delay_ms < h->delay_ms)
    delay_ms = h->delay_ms;
  delay_ms = at_most(delay_ms, delay_max_ms);
  who->due_ms = who->due_ms - who->delay_ms + delay_ms;
  who->delay_ms = delay_ms;
  if (who->heap_at) { /* may have to move either way */
    heap_sink(h, who->heap_at, who);
    heap_rise(h, who->heap_at, who);
  }
}
