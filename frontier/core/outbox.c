/* Links of other partitions, on their way: see sharing.h.
 *
 * Always: a URL is in a parcel that is committed with or before the page that gave it; so is one that was put into a
 * parcel lately. What is handed out is on disk, complete, and never changes again. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/exchange/wire.h"
#include "frontier/exchange/parcel_row.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  LINGER_MS = 1000,
  BODY_MAX = FRONTIER_PARCEL_MAX / 2 - PARCEL_HEAD, /* of two URLs or more */
  URLS_MAX = FRONTIER_LIMIT(FRONTIER_PARCEL_URLS, 3),
  UNWRITTEN_MAX = FRONTIER_LIMIT(16 << 20, 1 << 12), /* bytes */
  DROP_MAX = FRONTIER_LIMIT(4096, 3),                /* parcels dropped by a transaction */
};
_Static_assert(PARCEL_HEAD + PARCEL_ROW_MAX <= FRONTIER_PARCEL_MAX, "a URL fits, whatever goes with it");

/* ---- gathering ------------------------------------------------------------------------------------------- */

static bool has_lingered(const frontier *f, const open_parcel *p, uint64_t now_ms)
{
  uint64_t linger_ms = f->options.linger_ms ? f->options.linger_ms : LINGER_MS;
  return p->size && now_ms - p->since_ms >= linger_ms && now_ms >= p->since_ms;
}

static void forget_open(open_parcel *p)
{
  free(p->body);
  *p = (open_parcel){0};
}

/* No more is added to it. If it has changed since a transaction was gathered, the next one writes it. false: no memory,
 * and it stays open. */
static bool close_parcel(frontier *f, uint32_t to)
{
  sharing *x = &f->sharing;
  lane *l = &x->lanes[to];
  open_parcel *p = &x->open[to];
  uint64_t number = l->next - 1;
  if (p->is_changed) {
    if (!HAS_ROOM(x->closed, x->closed_room, x->closed_count + 1))
      return false;
    x->closed[x->closed_count++] = (closed_parcel){outbox_key(to, number), p->body, p->size};
    p->body = NULL;
  } else {
    l->closed_sealed = number;
    if (commit_is_landed(f))
      l->closed_landed = number;
  }
  l->closed = number;
  forget_open(p);
  return true;
}

/* Where it goes after being sent: what the receiver would refuse must not be sent. */
static frontier_status check_link(frontier *f, const frontier_link *link, uint32_t *to, size_t *size)
{
  sharing *x = &f->sharing;
  frontier_link sent = *link;
  *to = router_find_link(&x->route, link);
  *size = parcel_row_size(link);
  if (!*size)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a key for another partition has up to %d bytes in %d segments",
                         PARCEL_KEY_MAX, PARCEL_KEY_PARTS);
  if (!link->target)
    return FRONTIER_OK;
  sent.target = x->parsed;
  bool is_read = url_parse(link->target->fetch, link->target->fetch_size, f->options.profile, x->parsed) == URL_OK;
  return is_read && router_find_link(&x->route, &sent) == *to
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a URL whose text does not lead to partition %" PRIu32, *to);
}

static frontier_status no_memory(frontier *f)
{
  return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a URL of another partition");
}

static void begin_parcel(frontier *f, uint32_t to, uint64_t now_ms)
{
  open_parcel *p = &f->sharing.open[to];
  p->size = PARCEL_COUNT;
  p->urls = 0;
  p->since_ms = now_ms;
  f->sharing.lanes[to].next++;
}

frontier_status outbox_put(frontier *f, const frontier_link *link, uint64_t hash, uint64_t now_ms)
{
  sharing *x = &f->sharing;
  uint32_t to;
  size_t size;
  if (sent_lately_has(&x->lately, hash)) {
    x->stats.lately++;
    return FRONTIER_OK;
  }
  frontier_status status = check_link(f, link, &to, &size);
  if (status != FRONTIER_OK)
    return status;
  open_parcel *p = &x->open[to];
  bool is_full = p->size && (p->urls == URLS_MAX || p->size + size > BODY_MAX || has_lingered(f, p, now_ms));
  if (is_full && !close_parcel(f, to))
    return no_memory(f);
  if (!HAS_ROOM(p->body, p->room, (p->size ? p->size : PARCEL_COUNT) + size))
    return no_memory(f);
  if (!p->size)
    begin_parcel(f, to, now_ms);
  parcel_row_write(link, p->body + p->size);
  p->size += size;
  put_le(p->body, ++p->urls, PARCEL_COUNT);
  p->is_changed = x->lanes[to].is_dirty = true;
  x->unwritten += size;
  x->stats.sent_urls++;
  sent_lately_put(&x->lately, hash);
  batch_want(&f->batch, now_ms);
  return FRONTIER_OK;
}

bool outbox_is_full(const frontier *f)
{
  return f->sharing.unwritten >= UNWRITTEN_MAX;
}

/* ---- transactions ---------------------------------------------------------------------------------------- */

static void drop(frontier *f, uint32_t to, uint64_t *left)
{
  lane *l = &f->sharing.lanes[to];
  uint64_t end = lane_droppable(l) + 1;
  if (end > l->base + *left)
    end = l->base + *left;
  for (uint64_t number = l->base; number < end; number++)
    store_delete(f->store, STORE_OUTBOX, outbox_key(to, number));
  l->dropping = end > l->base ? end - 1 : 0;
  *left -= end > l->base ? end - l->base : 0;
}

void outbox_write(frontier *f)
{
  const sharing *x = &f->sharing;
  uint64_t left = DROP_MAX;
  for (size_t i = 0; i < x->closed_count; i++)
    store_put(f->store, STORE_OUTBOX, x->closed[i].key, x->closed[i].body, x->closed[i].size);
  for (uint32_t to = 0; to < x->route.partitions; to++) {
    const open_parcel *p = &x->open[to];
    if (p->is_changed)
      store_put(f->store, STORE_OUTBOX, outbox_key(to, x->lanes[to].next - 1), p->body, p->size);
    drop(f, to, &left);
  }
}

void outbox_sealed(frontier *f)
{
  sharing *x = &f->sharing;
  for (size_t i = 0; i < x->closed_count; i++)
    free(x->closed[i].body);
  x->closed_count = 0;
  x->unwritten = 0;
  for (uint32_t to = 0; to < x->route.partitions; to++)
    x->open[to].is_changed = false;
}

void outbox_free(sharing *x)
{
  for (size_t i = 0; i < x->closed_count; i++)
    free(x->closed[i].body);
  free(x->closed);
  for (uint32_t to = 0; to < x->route.partitions && x->open; to++)
    free(x->open[to].body);
  free(x->open);
}

/* ---- handing out ----------------------------------------------------------------------------------------- */

typedef struct parcel_reading {
  uint64_t key;
  frontier_parcel *parcel;
  uint8_t *message;
  bool is_there;
} parcel_reading;

static bool read_parcel(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  parcel_reading *r = context;
  frontier_parcel *p = r->parcel;
  if (key != r->key || size <= PARCEL_COUNT || size - PARCEL_COUNT > FRONTIER_PARCEL_MAX - PARCEL_HEAD)
    return false;
  p->urls = (uint32_t)get_le(body, PARCEL_COUNT);
  p->size = PARCEL_HEAD + size - PARCEL_COUNT;
  p->bytes = r->message;
  memcpy(r->message + PARCEL_HEAD, body + PARCEL_COUNT, size - PARCEL_COUNT);
  parcel_head_write(p, r->message, size - PARCEL_COUNT);
  r->is_there = true;
  return false;
}

static frontier_status hand_out(frontier *f, uint32_t to, uint64_t number, frontier_parcel *parcel)
{
  const sharing *x = &f->sharing;
  *parcel = (frontier_parcel){.crawl = x->route.crawl,
                              .from = x->own,
                              .to = to,
                              .incarnation = x->incarnation,
                              .base = x->lanes[to].base,
                              .number = number};
  parcel_reading r = {.key = outbox_key(to, number), .parcel = parcel, .message = x->message};
  frontier_status status = store_each(f->store, STORE_OUTBOX, r.key, read_parcel, &r);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  return r.is_there
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_DAMAGED, "%s: parcel %" PRIu64 " for partition %" PRIu32 " is not there",
                           f->directory, number, to);
}

static int64_t linger_left(const frontier *f, const open_parcel *p, uint64_t now_ms)
{
  uint64_t linger_ms = f->options.linger_ms ? f->options.linger_ms : LINGER_MS;
  uint64_t waited_ms = now_ms > p->since_ms ? now_ms - p->since_ms : 0;
  return waited_ms < linger_ms && linger_ms - waited_ms < INT64_MAX ? (int64_t)(linger_ms - waited_ms) : 0;
}

frontier_status frontier_outbox_next(frontier *f, uint32_t to, uint64_t after, uint64_t now_ms, frontier_parcel *parcel,
                                     int64_t *wait_ms)
{
  LOCKED(f);
  sharing *x = &f->sharing;
  frontier_status status = sharing_refuse(f);
  const lane *l = status == FRONTIER_OK ? sharing_lane(f, to) : NULL;
  if (!l)
    return FRONTIER_BAD_ARGUMENT;
  commit_poll(f);
  now_ms = clock_glance(f, now_ms);
  if (has_lingered(f, &x->open[to], now_ms))
    (void)close_parcel(f, to); /* without memory later */
  if (wait_ms)
    *wait_ms = x->open[to].size ? linger_left(f, &x->open[to], now_ms) : FRONTIER_WAIT_FOREVER;
  uint64_t last = after > l->have ? after : l->have;
  if (last >= l->closed_landed)
    return FRONTIER_NOT_FOUND;
  return hand_out(f, to, last + 1, parcel);
}

frontier_status frontier_outbox_heard(frontier *f, const frontier_ack *ack)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  frontier_status status = sharing_refuse(f);
  if (status != FRONTIER_OK)
    return status;
  lane *l = ack->to == x->own && ack->crawl == x->route.crawl && ack->incarnation ? sharing_lane(f, ack->from) : NULL;
  if (!l) {
    f->sharing.stats.refused++;
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "an acknowledgment that is not for partition %" PRIu32, x->own);
  }
  status = lane_heard(l, ack, x->incarnation);
  if (status == FRONTIER_MISMATCH)
    return frontier_fail(f, status,
                         "%s: partition %" PRIu32 " speaks of a later life of it, or of parcels that it has not made:"
                         " another copy of this directory is, or was, in use",
                         f->directory, ack->from);
  if (l->is_dirty)
    batch_want(&f->batch, clock_latest(f));
  return status;
}
