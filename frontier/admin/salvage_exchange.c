/* Parcels and marks out of a damaged data.mdb: see repair.h.
 *
 * What was acknowledged, or heard, may be lost with a row. So the partition begins a new life, in which all parcels
 * that are left are sent again, with numbers that follow each other, and others say anew what they have. */
#include "frontier/admin/repair.h"

#include "frontier/base/machine.h"
#include "frontier/base/record.h"
#include "frontier/exchange/wire.h"
#include "frontier/exchange/parcel_row.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct exchange_salvage {
  salvage *s;
  lane *lanes;
  uint64_t *wanted; /* by partition: the number that should come next in the damaged file; 0: none was found yet */
  uint32_t partitions;
  uint64_t kept, lost;
} exchange_salvage;

static bool keep_row(void *context, uint64_t partition, const uint8_t *body, size_t size)
{
  exchange_salvage *e = context;
  lane l = {0};
  if (partition < e->partitions && lane_read(&l, 0, body, size))
    e->lanes[partition] = l;
  return true;
}

static bool keep_parcel(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  exchange_salvage *e = context;
  uint64_t to = key >> 48, number = key & PARCEL_NUMBER_MAX;
  if (to >= e->partitions || number == 0 || !parcel_is_sound(body, size))
    return true;
  lane *l = &e->lanes[to];
  if (!salvage_begin_record(e->s))
    return false;
  e->lost += e->wanted[to] ? number - e->wanted[to] : 0;
  l->base = e->wanted[to] ? l->base + 1 : number;
  e->wanted[to] = number + 1;
  store_put(e->s->to, STORE_OUTBOX, outbox_key((uint32_t)to, l->base), body, size);
  e->kept++;
  return true;
}

/* From here on l->base is the number of the last parcel that was kept. */
static void write_rows(exchange_salvage *e, uint64_t incarnation)
{
  uint8_t row[LANE_ROW];
  for (uint32_t to = 0; to < e->partitions; to++) {
    lane *l = &e->lanes[to];
    bool has_parcels = e->wanted[to];
    if (has_parcels && l->next > e->wanted[to])
      e->lost += l->next - e->wanted[to];
    if (!has_parcels && !l->next)
      continue;
    l->next = has_parcels ? l->base + 1 : l->next;
    l->have = l->kept = 0;
    lane_write(l, incarnation, row);
    store_put(e->s->to, STORE_MARKS, to, row, sizeof row);
  }
}

static bool keep_all(exchange_salvage *e)
{
  salvage *s = e->s;
  uint8_t body[8];
  uint64_t incarnation = s->incarnation > s->f->identity.incarnation ? s->incarnation : s->f->identity.incarnation;
  uint64_t now_ms = machine_wall_ms();
  incarnation = now_ms > incarnation ? now_ms : incarnation + 1;
  mdb_records_each(s->p, "marks", keep_row, e);
  mdb_records_each(s->p, "outbox", keep_parcel, e);
  if (s->status != FRONTIER_OK)
    return false;
  write_rows(e, incarnation);
  put_le(body, incarnation, 8);
  store_put_meta(s->to, "incarnation", body, sizeof body);
  salvage_say(s,
              "outbox: %" PRIu64 " parcels for other partitions kept, at least %" PRIu64 " lost; this partition begins"
              " a new life",
              e->kept, e->lost);
  return true;
}

bool salvage_exchange(salvage *s)
{
  exchange_salvage e = {.s = s, .partitions = s->f->identity.partitions};
  if (!e.partitions)
    return true;
  e.lanes = calloc(e.partitions, sizeof *e.lanes);
  e.wanted = calloc(e.partitions, sizeof *e.wanted);
  bool is_done = e.lanes && e.wanted ? keep_all(&e) : salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
  free(e.lanes);
  free(e.wanted);
  return is_done;
}
