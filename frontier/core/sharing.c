/* See sharing.h.
 *
 * Always: what others are told is on disk. What is dropped, they have.
 *
 * After a crash: a parcel that was committed with its pages is there, closed; numbers that came before their turn are
 * forgotten, and come again. */
#include "frontier/core/state.h"

#include "frontier/base/machine.h"
#include "frontier/base/record.h"
#include "frontier/exchange/wire.h"
#include "frontier/exchange/wave.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- open ------------------------------------------------------------------------------------------------ */

static frontier_status read_incarnation(frontier *f, const uint8_t *body, size_t size)
{
  if (size != 8 || get_le(body, 8) == 0)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the record of its incarnation is damaged", f->directory);
  f->sharing.incarnation = get_le(body, 8);
  return FRONTIER_OK;
}

typedef struct row_reading {
  sharing *x;
  bool is_damaged;
} row_reading;

static bool read_row(void *context, uint64_t partition, const uint8_t *body, size_t size)
{
  row_reading *r = context;
  sharing *x = r->x;
  r->is_damaged = partition >= x->route.partitions || partition == x->own ||
                  !lane_read(&x->lanes[partition], x->incarnation, body, size);
  return !r->is_damaged;
}

typedef struct first_key {
  uint64_t key;
} first_key;

static bool note_key(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  first_key *first = context;
  (void)body, (void)size;
  first->key = key;
  return false;
}

static frontier_status find_base(frontier *f, uint32_t to)
{
  lane *l = &f->sharing.lanes[to];
  first_key first = {UINT64_MAX};
  frontier_status status = store_each(f->store, STORE_OUTBOX, outbox_key(to, 0), note_key, &first);
  if (status == FRONTIER_OK && first.key >> 48 == to)
    l->base = first.key & PARCEL_NUMBER_MAX;
  if (l->base > l->next || !l->base || (first.key >> 48 == to && l->base == l->next))
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: a parcel for partition %" PRIu32 " is not in table marks",
                         f->directory, to);
  if (l->have < l->base - 1)
    l->have = l->base - 1;
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
}

static frontier_status read_lanes(frontier *f)
{
  sharing *x = &f->sharing;
  row_reading r = {.x = x};
  frontier_status status = store_each(f->store, STORE_MARKS, 0, read_row, &r);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  if (r.is_damaged)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: a row of table marks is damaged", f->directory);
  for (uint32_t to = 0; to < x->route.partitions && status == FRONTIER_OK; to++)
    status = find_base(f, to);
  return status;
}

/* A reader of a directory that never had them has none. */
static frontier_status find_tables(frontier *f)
{
  static const store_table tables[] = {STORE_OUTBOX, STORE_MARKS};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    frontier_status status = store_find_table(f->store, tables[i], !f->options.read_only);
    if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
      return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  }
  return FRONTIER_OK;
}

frontier_status sharing_open(frontier *f)
{
  sharing *x = &f->sharing;
  uint32_t partitions = f->identity.partitions;
  if (!partitions)
    return FRONTIER_OK;
  router_begin(&x->route, f->identity.route_key, partitions);
  x->own = f->identity.partition;
  x->incarnation = f->identity.incarnation;
  x->lanes = calloc(partitions, sizeof *x->lanes);
  x->open = calloc(partitions, sizeof *x->open);
  x->message = malloc(FRONTIER_PARCEL_MAX);
  x->parsed = malloc(sizeof *x->parsed);
  if (!x->lanes || !x->open || !x->message || !x->parsed || !machine_random(&x->boot, sizeof x->boot))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for %" PRIu32 " partitions", partitions);
  for (uint32_t i = 0; i < partitions; i++)
    lane_begin(&x->lanes[i]);
  frontier_status status = meta_take(f, "incarnation", false, read_incarnation);
  if (status == FRONTIER_OK)
    status = find_tables(f);
  if (status == FRONTIER_OK)
    status = read_lanes(f);
  x->is_on = status == FRONTIER_OK;
  return status;
}

/* ---- for others ------------------------------------------------------------------------------------------ */

/* What has neither a group nor a URL is refused elsewhere. */
bool sharing_is_elsewhere(const frontier *f, const frontier_link *link)
{
  const sharing *x = &f->sharing;
  if (!x->is_on || (!link->target && !link->group_size) || link->group_size > FRONTIER_GROUP_MAX)
    return false;
  return router_find_link(&x->route, link) != x->own;
}

void sharing_bound_wait(const frontier *f, int64_t *wait_ms)
{
  int64_t most = batch_wait_ms(&f->batch);
  if (f->sharing.is_on && batch_is_wanted(&f->batch) && (*wait_ms < 0 || *wait_ms > most))
    *wait_ms = most;
}

lane *sharing_lane(frontier *f, uint32_t other)
{
  sharing *x = &f->sharing;
  if (x->is_on && other < x->route.partitions && other != x->own)
    return &x->lanes[other];
  frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s has no other partition %" PRIu32, f->directory ? f->directory : "it",
                other);
  return NULL;
}

frontier_status sharing_refuse(frontier *f)
{
  if (!f->sharing.is_on)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s is no partition of a crawl", f->directory ? f->directory : "it");
  return f->options.read_only ? refuse_reader(f) : FRONTIER_OK;
}

void sharing_raise(frontier *f, uint64_t least)
{
  sharing *x = &f->sharing;
  x->incarnation = least > x->incarnation ? least : x->incarnation + 1;
  x->is_new_life = true;
  for (uint32_t i = 0; i < x->route.partitions; i++)
    lane_reborn(&x->lanes[i]);
  batch_want(&f->batch, clock_latest(f));
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

uint32_t frontier_partition_of(const frontier *f, const url *u)
{
  LOCKED(f);
  const frontier_link link = {.target = u};
  return f->sharing.is_on ? router_find_link(&f->sharing.route, &link) : 0;
}

void frontier_life_read_sized(const frontier *f, frontier_life *life, size_t size)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  frontier_life ours = {.boot = x->boot, .incarnation = x->incarnation, .crawl = x->route.crawl};
  ours.partitions = x->route.partitions;
  ours.partition = x->own;
  memcpy(ours.route_key, f->identity.route_key, sizeof ours.route_key);
  sized_give(life, size, &ours, sizeof ours);
}

frontier_status frontier_lane_read_sized(frontier *f, uint32_t other, frontier_lane *to, size_t size)
{
  LOCKED(f);
  const lane *l = sharing_lane(f, other);
  if (!l)
    return FRONTIER_BAD_ARGUMENT;
  bool is_kept = l->taken_kept.incarnation == l->landed.incarnation;
  frontier_lane ours = {.incarnation = l->incarnation,
                        .base = l->base,
                        .next = l->next,
                        .have = l->have,
                        .kept = l->kept,
                        .taken_incarnation = l->landed.incarnation,
                        .taken = l->landed.number,
                        .taken_kept = is_kept ? l->taken_kept.number : 0};
  sized_give(to, size, &ours, sizeof ours);
  return FRONTIER_OK;
}

frontier_status frontier_exchange_stats_read_sized(frontier *f, frontier_exchange_stats *stats, size_t size)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  frontier_exchange_stats ours = x->stats;
  for (uint32_t i = 0; i < x->route.partitions && x->is_on; i++) {
    ours.held += x->lanes[i].next - x->lanes[i].base;
    ours.waiting += x->lanes[i].next - 1 - x->lanes[i].have;
  }
  sized_give(stats, size, &ours, sizeof ours);
  return x->is_on ? FRONTIER_OK
                  : frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s is no partition of a crawl",
                                  f->directory ? f->directory : "it");
}

/* ---- is the crawl over? ---------------------------------------------------------------------------------- */

/* An acknowledgment counts only from the life of the receiver that was heard of last (lane.c). */
bool frontier_idle(frontier *f, uint64_t *version)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  if (version)
    *version = counts_events(&f->counts) + x->stats.sent_urls + x->stats.taken;
  bool is_idle = frontier_is_finished(f) && !batch_is_wanted(&f->batch) && commit_is_landed(f);
  for (uint32_t i = 0; i < x->route.partitions && x->is_on && is_idle; i++)
    is_idle = i == x->own || x->lanes[i].have == x->lanes[i].next - 1;
  return is_idle;
}

uint64_t frontier_beliefs(const frontier *f)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  uint64_t beliefs = 0;
  for (uint32_t i = 0; i < x->route.partitions && x->is_on; i++)
    beliefs = beliefs_add(beliefs, i == x->own ? x->incarnation : x->lanes[i].incarnation);
  return beliefs;
}

frontier_status frontier_wave_reply(frontier *f, const frontier_wave *wave, frontier_reply *reply)
{
  LOCKED(f);
  const sharing *x = &f->sharing;
  frontier_status status = sharing_refuse(f);
  if (status != FRONTIER_OK)
    return status;
  *reply = (frontier_reply){.wave = wave->number,
                            .partition = x->own,
                            .incarnation = x->incarnation,
                            .boot = x->boot,
                            .beliefs = frontier_beliefs(f)};
  reply->is_idle = frontier_idle(f, &reply->version);
  return FRONTIER_OK;
}

/* ---- as a part ------------------------------------------------------------------------------------------- */

static void put(frontier *f)
{
  sharing *x = &f->sharing;
  if (!x->is_on)
    return;
  uint8_t row[LANE_ROW];
  outbox_write(f);
  for (uint32_t i = 0; i < x->route.partitions; i++)
    if (x->lanes[i].is_dirty) {
      lane_write(&x->lanes[i], x->incarnation, row);
      store_put(f->store, STORE_MARKS, i, row, sizeof row);
    }
  put_le(row, x->incarnation, 8);
  if (x->is_new_life)
    store_put_meta(f->store, "incarnation", row, 8);
}

static void sealed(frontier *f)
{
  sharing *x = &f->sharing;
  if (!x->is_on)
    return;
  outbox_sealed(f);
  for (uint32_t i = 0; i < x->route.partitions; i++)
    lane_sealed(&x->lanes[i]);
  x->is_new_life = false;
}

static frontier_status landed(frontier *f)
{
  const sharing *x = &f->sharing;
  for (uint32_t i = 0; i < x->route.partitions && x->is_on; i++)
    lane_landed(&x->lanes[i]);
  return FRONTIER_OK;
}

static void close_it(frontier *f)
{
  sharing *x = &f->sharing;
  outbox_free(x);
  for (uint32_t i = 0; i < x->route.partitions && x->lanes; i++)
    lane_free(&x->lanes[i]);
  free(x->lanes);
  free(x->message);
  free(x->parsed);
  sent_lately_free(&x->lately);
}

static void check(const frontier *f)
{
  const sharing *x = &f->sharing;
  for (uint32_t i = 0; i < x->route.partitions && x->is_on; i++) {
    const lane *l = &x->lanes[i];
    assert(l->base - 1 <= l->have && l->have <= l->closed_landed && l->closed_landed <= l->closed_sealed);
    assert(l->closed_sealed <= l->closed && l->closed < l->next);
    (void)l;
  }
}

const part sharing_part = {.check = check, .put = put, .sealed = sealed, .landed = landed, .close = close_it};
