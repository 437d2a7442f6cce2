/* What was leased goes back: as it was, or changed.
 *
 *     release           entry in flight --------------------------------> head of its line, or among the ordered
 *     release_with      entry in flight --> another with new fields ----> the same
 *                                               '--> a row in table `again`, with the next commit
 *
 * After a crash before that commit the URL waits as it was. */
#include "frontier/core/state.h"

#include <stdlib.h>

void wait_first(frontier *f, entry *e)
{
  if (!ordering_takes(f, e))
    hosts_push_front(f->hosts, e);
}

void lease_put_back(frontier *f, entry *e)
{
  lease_land(f, e);
  free(e->note);
  e->note = NULL;
  wait_first(f, e);
  counts_waiting_again(&f->counts);
}

frontier_status frontier_release(frontier *f, uint64_t lease, uint64_t now_ms)
{
  LOCKED(f);
  static const frontier_return nothing;
  return frontier_release_with(f, lease, &nothing, now_ms);
}

/* ---- changed ---------------------------------------------------------------------------------------------- */

static url_order order_after(const entry *e, const frontier_return *with)
{
  url_order was = field_order(entry_fields(e));
  return (url_order){with->has_priority ? with->priority : was.priority, with->not_before_ms};
}

static bool is_changed(const entry *e, const frontier_return *with)
{
  url_order was = field_order(entry_fields(e)), will = order_after(e, with);
  return with->has_payload || will.priority != was.priority || will.not_before_ms;
}

/* NULL: no memory. */
static entry *changed(frontier *f, const entry *e, const frontier_return *with)
{
  url_order order = order_after(e, with);
  field own = entry_field(e, FIELD_KEY), payload = entry_field(e, FIELD_PAYLOAD);
  if (with->has_payload)
    payload = (field){with->payload_size ? with->payload : NULL, with->payload_size};
  size_t size = fields_size(own, payload, order);
  uint8_t *fields = batch_scratch(&f->batch, size);
  if (!fields)
    return NULL;
  fields_write(fields, own, payload, order);
  entry *next = entry_create(&f->pool, e->sequence, e->url, e->url_size, e->host_begin, e->host_end, e->origin,
                             (field){size ? fields : NULL, size});
  if (!next)
    return NULL;
  next->host = e->host;
  next->class = e->class;
  next->verdict = e->verdict;
  next->is_opaque = e->is_opaque;
  next->is_again = next->is_fresh = f->store != NULL;
  return next;
}

/* As it will be read again; the reading of table `again` may be still to come, and has to pass over it. */
static bool note_changed(frontier *f, const entry *e, uint64_t now_ms)
{
  url_row row = entry_row(e, e->class);
  return !f->store || (queue_note_changed(&f->queues, e->sequence) &&
                       batch_add_again(&f->batch, &row, e->sequence, clock_glance(f, now_ms)));
}

static frontier_status release_changed(frontier *f, entry *e, const frontier_return *with, uint64_t now_ms)
{
  entry *next = changed(f, e, with);
  frontier_status status = next ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  if (next && is_ordered(field_order(entry_fields(next))))
    status = ordering_make_room(f, e->host, e->class);
  if (status != FRONTIER_OK || !note_changed(f, next, now_ms)) {
    entry_free(next);
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to release a lease with changes");
  }
  if (is_ordered(field_order(entry_fields(next))))
    ordering_mark(f);
  lease_land(f, e);
  entry_free(e);
  wait_first(f, next);
  counts_waiting_again(&f->counts);
  batch_touch(&f->batch);
  return FRONTIER_OK;
}

frontier_status frontier_release_with_sized(frontier *f, uint64_t lease, const frontier_return *given,
                                            size_t given_size, uint64_t now_ms)
{
  LOCKED(f);
  frontier_return with;
  if (!sized_take(&with, sizeof with, given, given_size))
    return refuse_unknown_field(f);
  if (with.has_payload && with.payload_size > FRONTIER_PAYLOAD_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a payload of %zu bytes; %d is the most", with.payload_size,
                         FRONTIER_PAYLOAD_MAX);
  entry *e = lease_entry(f, lease);
  if (!e)
    return FRONTIER_NOT_FOUND;
  frontier_status status = FRONTIER_OK;
  if (is_changed(e, &with))
    status = release_changed(f, e, &with, now_ms);
  else
    lease_put_back(f, e);
  wake_look(f);
  return status;
}
