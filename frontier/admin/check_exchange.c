/* Parcels for other partitions, and what this one knows of them: see check.h. */
#include "frontier/admin/check.h"

#include "frontier/base/record.h"
#include "frontier/exchange/wire.h"
#include "frontier/exchange/parcel_row.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct checking {
  check *c;
  uint64_t *next; /* by partition: number of the next parcel to it; 0: it has no row */
  uint64_t last;  /* key of the last parcel read */
  uint32_t partitions, own;
} checking;

static bool check_row(void *context, uint64_t partition, const uint8_t *body, size_t size)
{
  checking *e = context;
  lane l = {0};
  if (partition < e->partitions && partition != e->own && lane_read(&l, 0, body, size))
    e->next[partition] = l.next;
  else
    check_say(e->c, IN_DATA, "data.mdb: record %" PRIu64 " of table marks makes no sense", partition);
  return true;
}

static bool check_parcel(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  checking *e = context;
  uint64_t to = key >> 48, number = key & PARCEL_NUMBER_MAX;
  if (to >= e->partitions || number == 0 || number >= e->next[to] || !parcel_is_sound(body, size))
    check_say(e->c, IN_DATA, "data.mdb: parcel %" PRIu64 " for partition %" PRIu64 " makes no sense", number, to);
  else if (e->last >> 48 == to && e->last && key != e->last + 1)
    check_say(e->c, IN_DATA, "data.mdb: parcels before %" PRIu64 " for partition %" PRIu64 " are missing", number, to);
  e->last = key;
  return true;
}

void check_exchange(check *c)
{
  checking e = {.c = c, .partitions = c->f->identity.partitions, .own = c->f->identity.partition};
  if (!e.partitions)
    return;
  e.next = calloc(e.partitions, sizeof *e.next);
  if (!e.next) {
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory");
    return;
  }
  mdb_records_each(c->p, "marks", check_row, &e);
  mdb_records_each(c->p, "outbox", check_parcel, &e);
  free(e.next);
}
