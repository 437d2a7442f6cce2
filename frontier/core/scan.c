/* Every URL on disk: those that ended, then those that wait. */
#include "frontier/core/scan.h"

#include "frontier/core/state.h"

typedef struct walk {
  frontier_visitor *visit;
  void *context;
  bool is_over;
} walk;

frontier_record scan_record(const url_record *r)
{
  bool is_ended = url_state_is_ended(r->state);
  field payload = {0};
  if (!is_ended)
    payload = field_find(r->fields.bytes, r->fields.size, FIELD_PAYLOAD);
  mlbf_span group = group_of(r->who);
  url_order order = field_order(r->fields);
  return (frontier_record){.id = r->sequence,
                           .is_queued = !is_ended,
                           .state = is_ended ? (frontier_state)r->state.what : 0,
                           .code = r->state.code,
                           .origin = r->origin,
                           .url = r->url,
                           .url_size = r->url_size,
                           .payload = payload.bytes,
                           .payload_size = payload.size,
                           .verdict = r->verdict,
                           .priority = r->class,
                           .group = group.bytes,
                           .group_size = group.size,
                           .rank = order.priority,
                           .not_before_ms = order.not_before_ms,
                           .is_opaque = r->is_opaque};
}

static bool hand_over(void *context, const url_record *r)
{
  walk *w = context;
  const frontier_record record = scan_record(r);
  w->is_over = !w->visit(w->context, &record);
  return !w->is_over;
}

frontier_status frontier_each(frontier *f, frontier_visitor *visit, void *context)
{
  LOCKED(f);
  walk w = {.visit = visit, .context = context};
  if (!f->store)
    return FRONTIER_OK;
  frontier_status status = url_records_each_in_steps(f, STORED_ENDED, hand_over, &w);
  if (status == FRONTIER_OK && !w.is_over)
    status = url_records_each_in_steps(f, STORED_WAITING, hand_over, &w);
  return status;
}
