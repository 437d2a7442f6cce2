/* Leases: the URLs in flight, in a list to walk, a table to find each by its id, whatever their number, and in the
 * order in which they were taken. */
#ifndef STRATA_FRONTIER_LEASES_H
#define STRATA_FRONTIER_LEASES_H

#include "frontier/hosts/entry.h"

#include <assert.h>

typedef struct flight {
  entry *entry;
  uint64_t taken_ms;     /* own time */
  uint32_t older, newer; /* place of the one taken before it, after it, + 1; 0: none */
} flight;

typedef struct lease_table {
  flight *at; /* in no order */
  size_t count, room;
  uint32_t oldest, newest; /* place + 1; 0: none is in flight */
  uint32_t *table;         /* place in `at` + 1, by id; 0 = free; at most half full */
  size_t table_size;       /* a power of two; 0 before the first lease */
} lease_table;             /* all zeros is an empty one */

/* Of every size: what a search in the table and a walk over the list rely on. */
static inline void assert_leases(const lease_table *l)
{
  assert(l->count <= l->room && l->room <= UINT32_MAX);
  assert(l->oldest <= l->count && l->newest <= l->count && !l->oldest == !l->count && !l->newest == !l->count);
  assert(l->table_size == 2 * l->room && (l->table_size & (l->table_size - 1)) == 0);
  (void)l;
}

static inline size_t leases_count(const lease_table *l)
{
  return l->count;
}

static inline entry *leases_at(const lease_table *l, size_t index) /* below leases_count */
{
  return l->at[index].entry;
}

/* NULL: none is in flight */
static inline const flight *leases_oldest(const lease_table *l)
{
  return l->oldest ? &l->at[l->oldest - 1] : NULL;
}

static inline const flight *leases_newer(const lease_table *l, const flight *than) /* NULL: it is the newest */
{
  return than->newer ? &l->at[than->newer - 1] : NULL;
}

void leases_free(lease_table *l); /* and the entries */

/* For one more, which then is not refused for NO_MEMORY. */
bool leases_make_room(lease_table *l);
/* NO_MEMORY; DAMAGED: its id is in flight, so the URL waited twice, which no sound directory says. */
frontier_status leases_add(lease_table *l, entry *e, uint64_t taken_ms); /* no earlier than the one before */
entry *leases_find(const lease_table *l, uint64_t id);                   /* NULL: not in flight */
void leases_remove(lease_table *l, const entry *e);                      /* which is in flight */

#endif
