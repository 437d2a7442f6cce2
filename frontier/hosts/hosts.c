/* See hosts.h. The table is open addressing over 64-bit name hashes, keyed. */
#include "frontier/hosts/hosts.h"

#include "frontier/hosts/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void hosts_set_defaults(hosts *h, uint64_t delay_ms, uint32_t per_host)
{
  assert(per_host);
  h->delay_ms = delay_ms < HOST_DELAY_MAX_MS ? delay_ms : HOST_DELAY_MAX_MS;
  h->per_host = per_host;
}

hosts *hosts_create(uint64_t delay_ms, uint32_t per_host, const mlbf_hasher *hasher)
{
  hosts *h = calloc(1, sizeof *h);
  if (!h)
    return NULL;
  hosts_set_defaults(h, delay_ms, per_host);
  h->hasher = hasher;
  h->trap_budget = UINT64_MAX;
  h->table_size = 64;
  h->table = calloc(h->table_size, sizeof *h->table);
  if (!h->table) {
    free(h);
    return NULL;
  }
  return h;
}

static void line_free(line *l)
{
  if (!l->last)
    return;
  entry *e = l->last->next;
  l->last->next = NULL;
  for (entry *next; e; e = next) {
    next = e->next;
    entry_free(e);
  }
}

static void empty_host(host *who)
{
  for (unsigned class = 0; class < FRONTIER_CLASSES; ++class) {
    line *l = host_line(who, (frontier_class) class);
    if (l)
      line_free(l);
  }
  for (unsigned class = 0; who->ordered && class < FRONTIER_CLASSES; ++class)
    pair_heap_free(&who->ordered[class]);
  free(who->ordered);
  free(who->others);
  free(who->control);
}

void hosts_free(hosts *h)
{
  if (!h)
    return;
  for (size_t i = 0; i < h->count; i++)
    empty_host(h->by_id[i]);
  refs_free(&h->refs);
  arena_free(&h->memory);
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

host *hosts_at(const hosts *h, uint32_t id)
{
  return id < h->count ? h->by_id[id] : NULL;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* Where the search for a name begins. */
static size_t home_of(const hosts *h, const char *name, size_t size)
{
  return mlbf_hasher_hash(h->hasher, 0, (mlbf_span){name, size}).low & (h->table_size - 1);
}

/* The slot that holds this name, or the free one where it belongs. */
static size_t slot_of(const hosts *h, const char *name, size_t size)
{
  size_t slot = home_of(h, name, size);
  while (h->table[slot]) {
    const host *who = h->by_id[h->table[slot] - 1];
    if (who->name_size == size && memcmp(who->name, name, size) == 0)
      break;
    slot = (slot + 1) & (h->table_size - 1);
  }
  return slot;
}

static bool resize_table(hosts *h)
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
  if (2 * (h->count + 1) > h->table_size && !resize_table(h))
    return false;
  if (h->count + 1 < h->room)
    return true;
  size_t room = h->room ? 2 * h->room : 32;
  host ***arrays[] = {&h->by_id, &h->heap, &h->dirty};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    host **larger = realloc(*arrays[i], room * sizeof *larger);
    if (!larger)
      return false;
    *arrays[i] = larger;
  }
  h->room = room;
  return true;
}

/* A host of the next id, whose name is not in the table. */
static host *make_host(hosts *h, const char *name, size_t size)
{
  if (h->count >= UINT32_MAX - 1 || !make_room(h))
    return NULL;
  host *who = arena_take(&h->memory, sizeof *who + size + 1);
  if (!who)
    return NULL;
  *who = (host){.id = (uint32_t)h->count, .name_size = (uint32_t)size};
  memcpy(who->name, name, size);
  who->name[size] = '\0';
  h->by_id[h->count++] = who;
  h->table[slot_of(h, name, size)] = who->id + 1;
  assert_hosts(h);
  assert_host(h, who);
  return who;
}

host *hosts_make(hosts *h, const char *name, size_t size, bool *was_there)
{
  *was_there = h->table[slot_of(h, name, size)] != 0;
  return *was_there ? NULL : make_host(h, name, size);
}

host *hosts_look(const hosts *h, const char *name, size_t size)
{
  size_t slot = slot_of(h, name, size);
  return h->table[slot] ? h->by_id[h->table[slot] - 1] : NULL;
}

void hosts_fetch(const hosts *h, const host_name *names, size_t count)
{
  const uint32_t *slots[HOSTS_FETCH];
  assert(count <= HOSTS_FETCH);
  for (size_t i = 0; i < count; i++) {
    slots[i] = &h->table[home_of(h, names[i].at, names[i].size)];
    __builtin_prefetch(slots[i]);
  }
  for (size_t i = 0; i < count; i++)
    if (*slots[i])
      __builtin_prefetch(&h->by_id[*slots[i] - 1]);
  for (size_t i = 0; i < count; i++)
    if (*slots[i])
      for (size_t at = 0; at < sizeof(host) + names[i].size; at += 64)
        __builtin_prefetch((const char *)h->by_id[*slots[i] - 1] + at, 1);
}

/* A new host is remembered at once, whatever becomes of its URL: an id that is given must be on disk too. */
host *hosts_find(hosts *h, const char *name, size_t size)
{
  host *who = hosts_look(h, name, size);
  if (who)
    return who;
  who = make_host(h, name, size);
  if (who)
    hosts_touch(h, who);
  return who;
}

/* ---- lines and controls --------------------------------------------------------------------------------- */

line *host_line(const host *who, frontier_class class)
{
  union {
    const line *in;
    line *out;
  } own = {.in = &who->normal}; /* as much the caller's to change as `who` is */
  if (class == FRONTIER_NORMAL)
    return own.out;
  assert((unsigned)class < FRONTIER_CLASSES);
  return who->others ? &who->others[class - 1] : NULL;
}

bool host_reserve_ordered(host *who, frontier_class class)
{
  if (!who->ordered)
    who->ordered = calloc(FRONTIER_CLASSES, sizeof *who->ordered);
  return who->ordered && host_reserve(who, class) && pair_heap_make_room(&who->ordered[class]);
}

bool host_reserve(host *who, frontier_class class)
{
  if (class != FRONTIER_NORMAL && !who->others)
    who->others = calloc(FRONTIER_CLASSES - 1, sizeof *who->others);
  return class == FRONTIER_NORMAL || who->others;
}

uint64_t host_queued(const host *who)
{
  uint64_t queued = who->normal.queued;
  for (int i = 0; who->others && i < FRONTIER_CLASSES - 1; i++)
    queued += who->others[i].queued;
  return queued;
}

frontier_host_control *host_control_of(host *who)
{
  if (!who->control)
    who->control = calloc(1, sizeof *who->control);
  return who->control;
}

uint64_t host_delay(const hosts *h, const host *who)
{
  uint64_t delay_ms = who->control && who->control->delay_ms ? who->control->delay_ms : h->delay_ms;
  if (delay_ms < who->asked_ms)
    delay_ms = who->asked_ms;
  return delay_ms < HOST_DELAY_MAX_MS ? delay_ms : HOST_DELAY_MAX_MS;
}

/* ---- what changed ------------------------------------------------------------------------- */

void hosts_touch(hosts *h, host *who)
{
  assert_host(h, who);
  if (!who->is_dirty) {
    assert(h->dirty_count < h->count);
    who->is_dirty = true;
    h->dirty[h->dirty_count++] = who;
  }
}

host *hosts_dirty(const hosts *h, size_t index)
{
  return index < h->dirty_count ? h->dirty[index] : NULL;
}

void hosts_clean(hosts *h)
{
  while (h->dirty_count)
    h->dirty[--h->dirty_count]->is_dirty = false;
}
