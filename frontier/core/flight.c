/* Leases by time: they are listed, and end by themselves where options.lease_ms says so.
 *
 * Own time never goes back, so the order in which leases were taken is that in which they end: each call of
 * frontier_next looks at the oldest alone. After a crash nothing is in flight. */
#include "frontier/core/state.h"

/* Own time; UINT64_MAX: never. */
static uint64_t end_of(const frontier *f, const flight *one)
{
  return f->options.lease_ms ? one->taken_ms + f->options.lease_ms : UINT64_MAX;
}

void flight_end_late(frontier *f, uint64_t now_ms)
{
  const flight *oldest;
  while ((oldest = leases_oldest(&f->in_flight)) && end_of(f, oldest) <= now_ms)
    lease_put_back(f, oldest->entry);
}

void flight_bound_wait(const frontier *f, uint64_t now_ms, int64_t *wait_ms)
{
  const flight *oldest = leases_oldest(&f->in_flight);
  uint64_t end_ms = oldest ? end_of(f, oldest) : UINT64_MAX;
  if (end_ms != UINT64_MAX && (*wait_ms < 0 || (uint64_t)*wait_ms > end_ms - now_ms))
    *wait_ms = (int64_t)(end_ms - now_ms);
}

frontier_status frontier_leases(frontier *f, frontier_in_flight_visitor *visit, void *context)
{
  LOCKED(f);
  bool go_on = true;
  for (const flight *one = leases_oldest(&f->in_flight); one && go_on; one = leases_newer(&f->in_flight, one)) {
    const entry *e = one->entry;
    uint64_t end_ms = end_of(f, one);
    frontier_in_flight lease = {.id = e->sequence,
                                .url = e->url,
                                .url_size = e->url_size,
                                .host = e->host->name,
                                .taken_ms = clock_said(f, one->taken_ms),
                                .deadline_ms = end_ms == UINT64_MAX ? end_ms : clock_said(f, end_ms)};
    go_on = visit(context, &lease);
  }
  return FRONTIER_OK;
}
