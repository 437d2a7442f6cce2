/* See frontier_polite.h. */
#include "bench/frontier_polite.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct vector {
  void **items;
  size_t count, room;
} vector;

struct polite {
  vector hosts;      /* by id */
  uint32_t *slots;   /* id + 1 by hash of the name, open addressing; 0 is free */
  size_t slot_count; /* a power of two, at least twice the hosts */
  polite_host *ready, **ready_end;
  vector heap; /* by wake_ms, the least first */
  vector changed;
  vector leases;        /* by id - 1 */
  polite_lease *unused; /* leases that ended, for the next ones */
};

static void *must(void *memory)
{
  if (!memory)
    contender_fail("hosts", "out of memory");
  return memory;
}

static void push(vector *v, void *item)
{
  if (v->count == v->room) {
    v->room = v->room ? 2 * v->room : 1024;
    v->items = must(realloc(v->items, v->room * sizeof *v->items));
  }
  v->items[v->count++] = item;
}

polite *polite_create(void)
{
  polite *p = must(calloc(1, sizeof *p));
  p->slot_count = 1024;
  p->slots = must(calloc(p->slot_count, sizeof *p->slots));
  p->ready_end = &p->ready;
  return p;
}

static void free_all(vector *v)
{
  for (size_t i = 0; i < v->count; i++)
    free(v->items[i]);
  free(v->items);
}

void polite_free(polite *p)
{
  for (size_t id = 0; id < p->hosts.count; id++)
    free(polite_host_at(p, id)->waiting);
  free_all(&p->hosts);
  free_all(&p->leases);
  free(p->heap.items);
  free(p->changed.items);
  free(p->slots);
  free(p);
}

/* ---- by name --------------------------------------------------------------------------------------------- */

polite_host *polite_host_at(polite *p, uint64_t id)
{
  return p->hosts.items[id];
}

/* Where the name is, or where it would be. */
static uint32_t *slot_of(polite *p, const char *name, size_t size)
{
  size_t at = XXH3_64bits(name, size) & (p->slot_count - 1);
  for (; p->slots[at]; at = (at + 1) & (p->slot_count - 1)) {
    const polite_host *host = polite_host_at(p, p->slots[at] - 1);
    if (host->name_size == size && memcmp(host->name, name, size) == 0)
      break;
  }
  return &p->slots[at];
}

static void grow_slots(polite *p)
{
  free(p->slots);
  p->slot_count *= 2;
  p->slots = must(calloc(p->slot_count, sizeof *p->slots));
  for (size_t id = 0; id < p->hosts.count; id++) {
    const polite_host *host = polite_host_at(p, id);
    *slot_of(p, host->name, host->name_size) = (uint32_t)id + 1;
  }
}

static void note_change(polite *p, polite_host *host)
{
  if (!host->is_changed)
    push(&p->changed, host);
  host->is_changed = true;
}

static polite_host *make_host(polite *p, uint32_t *slot, const char *name, size_t size)
{
  polite_host *host = must(calloc(1, sizeof *host + size));
  host->id = p->hosts.count;
  host->name_size = size;
  memcpy(host->name, name, size);
  push(&p->hosts, host);
  *slot = (uint32_t)p->hosts.count;
  if (2 * p->hosts.count > p->slot_count)
    grow_slots(p);
  return host;
}

polite_host *polite_host_restore(polite *p, const char *name, size_t size, uint64_t delay_ms)
{
  polite_host *host = make_host(p, slot_of(p, name, size), name, size);
  host->delay_ms = delay_ms;
  host->is_recorded = true;
  return host;
}

static polite_host *host_named(polite *p, const char *name, size_t size)
{
  uint32_t *slot = slot_of(p, name, size);
  if (*slot)
    return polite_host_at(p, *slot - 1);
  polite_host *host = make_host(p, slot, name, size);
  note_change(p, host);
  return host;
}

polite_host *polite_host_of(polite *p, const char *url, size_t size)
{
  const char *name = memchr(url, '/', size);
  if (!name || (size_t)(name - url) + 2 > size)
    contender_fail("no host in", url);
  name += 2;
  size_t left = size - (size_t)(name - url);
  const char *end = memchr(name, '/', left);
  return host_named(p, name, end ? (size_t)(end - name) : left);
}

void polite_each_host(const polite *p, contender_host_visitor *visit, void *context)
{
  for (size_t id = 0; id < p->hosts.count; id++) {
    const polite_host *host = p->hosts.items[id];
    visit(context, &(contender_host){host->name, host->name_size, host->delay_ms, host->done, host->failed});
  }
}

polite_host *polite_changed(polite *p)
{
  if (p->changed.count == 0)
    return NULL;
  polite_host *host = p->changed.items[--p->changed.count];
  host->is_changed = false;
  return host;
}

/* ---- whose turn it is ------------------------------------------------------------------------------------ */

static uint64_t wake_ms(const polite *p, size_t at)
{
  return ((const polite_host *)p->heap.items[at])->wake_ms;
}

static void heap_push(polite *p, polite_host *host)
{
  host->wake_ms = host->due_ms;
  push(&p->heap, host);
  size_t at = p->heap.count - 1;
  for (; at > 0 && wake_ms(p, (at - 1) / 2) > host->wake_ms; at = (at - 1) / 2)
    p->heap.items[at] = p->heap.items[(at - 1) / 2];
  p->heap.items[at] = host;
}

static polite_host *heap_pop(polite *p)
{
  polite_host *first = p->heap.items[0], *last = p->heap.items[--p->heap.count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < p->heap.count; at = child) {
    if (child + 1 < p->heap.count && wake_ms(p, child + 1) < wake_ms(p, child))
      child++;
    if (wake_ms(p, child) >= last->wake_ms)
      break;
    p->heap.items[at] = p->heap.items[child];
  }
  p->heap.items[at] = last;
  return first;
}

static void ready_push(polite *p, polite_host *host)
{
  host->ready_next = NULL;
  *p->ready_end = host;
  p->ready_end = &host->ready_next;
}

static polite_host *ready_pop(polite *p)
{
  polite_host *host = p->ready;
  if (host && !(p->ready = host->ready_next))
    p->ready_end = &p->ready;
  return host;
}

void polite_offer(polite *p, polite_host *host)
{
  if (host->is_offered || host->waiting_count == 0 || host->in_flight >= CONTENDER_PER_HOST)
    return;
  host->is_offered = true;
  if (host->delay_ms)
    heap_push(p, host);
  else
    ready_push(p, host);
}

static void grow_waiting(polite_host *host)
{
  size_t room = host->waiting_room ? 2 * host->waiting_room : CONTENDER_PER_HOST;
  uint64_t *ring = must(malloc(room * sizeof *ring));
  for (size_t i = 0; i < host->waiting_count; i++)
    ring[i] = host->waiting[(host->waiting_first + i) & (host->waiting_room - 1)];
  free(host->waiting);
  host->waiting = ring;
  host->waiting_first = 0;
  host->waiting_room = room;
}

void polite_queued(polite *p, polite_host *host, uint64_t number)
{
  if (host->waiting_count == host->waiting_room)
    grow_waiting(host);
  host->waiting[(host->waiting_first + host->waiting_count++) & (host->waiting_room - 1)] = number;
  polite_offer(p, host);
}

uint64_t polite_take(polite_host *host)
{
  uint64_t number = host->waiting[host->waiting_first];
  host->waiting_first = (host->waiting_first + 1) & (host->waiting_room - 1);
  host->waiting_count--;
  return number;
}

/* A host whose delay was raised while it stood in line goes back to the heap. */
polite_host *polite_turn(polite *p, size_t *may)
{
  uint64_t now_ms = contender_now_ms();
  while (p->heap.count && wake_ms(p, 0) <= now_ms)
    ready_push(p, heap_pop(p));
  polite_host *host = ready_pop(p);
  for (; host && host->due_ms > now_ms; host = ready_pop(p))
    heap_push(p, host);
  if (!host)
    return NULL;
  host->is_offered = false;
  host->started_ms = now_ms;
  host->due_ms = now_ms + host->delay_ms;
  size_t room = CONTENDER_PER_HOST - host->in_flight;
  *may = host->delay_ms ? 1 : host->waiting_count < room ? host->waiting_count : room;
  return host;
}

void polite_delay(polite *p, polite_host *host, uint64_t delay_ms)
{
  host->delay_ms = delay_ms;
  host->due_ms = host->started_ms + delay_ms;
  host->is_recorded = false;
  note_change(p, host);
}

/* ---- in flight ------------------------------------------------------------------------------------------- */

static polite_lease *unused_lease(polite *p)
{
  polite_lease *lease = p->unused;
  if (lease) {
    p->unused = lease->next_unused;
    return lease;
  }
  lease = must(calloc(1, sizeof *lease));
  push(&p->leases, lease);
  lease->id = p->leases.count;
  return lease;
}

void polite_start(polite *p, polite_host *host, uint64_t number, const char *url, size_t size, contender_lease *lease)
{
  polite_lease *started = unused_lease(p);
  if (size >= sizeof started->url.text)
    contender_fail("too long", url);
  started->host = host;
  started->number = number;
  memcpy(started->url.text, url, size);
  started->url.size = size;
  host->in_flight++;
  *lease = (contender_lease){started->id, started->url};
}

polite_lease *polite_lease_of(polite *p, uint64_t id)
{
  polite_lease *lease = id - 1 < p->leases.count ? p->leases.items[id - 1] : NULL;
  if (!lease || !lease->host)
    contender_fail("hosts", "nothing is in flight under this id");
  return lease;
}

void polite_end(polite *p, polite_lease *lease, contender_state state)
{
  polite_host *host = lease->host;
  *(state == CONTENDER_DONE ? &host->done : &host->failed) += 1;
  note_change(p, host);
  host->in_flight--;
  polite_offer(p, host);
  lease->host = NULL;
  lease->next_unused = p->unused;
  p->unused = lease;
}
