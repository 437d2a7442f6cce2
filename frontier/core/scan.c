/* Every URL on disk: history and queues. */
#include "frontier/core/state.h"

#include "frontier/hosts/history.h"

#include <stdlib.h>

typedef struct walk {
  frontier_visitor *visit;
  void *context;
  bool is_over;
  frontier_status status;
} walk;

static bool hand_over(walk *w, const frontier_record *record)
{
  w->is_over = !w->visit(w->context, record);
  return !w->is_over;
}

static bool visit_ended(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  walk *w = context;
  ended_url ended;
  if (!history_read(body, size, &ended)) {
    w->status = FRONTIER_DAMAGED;
    return false;
  }
  frontier_record record = {
    .id = sequence,
    .state = ended.state,
    .code = ended.code,
    .origin = ended.origin,
    .url = (const char *)ended.url.bytes,
    .url_size = ended.url.size,
  };
  return hand_over(w, &record);
}

static bool visit_queued(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  walk *w = context;
  entry *e = NULL;
  w->status = entry_read(NULL, sequence, body, size, &e);
  if (w->status != FRONTIER_OK)
    return false;
  field payload = entry_field(e, FIELD_PAYLOAD);
  frontier_record record = {.id = sequence,
                            .is_queued = true,
                            .origin = e->origin,
                            .url = e->url,
                            .url_size = e->url_size,
                            .payload = payload.bytes,
                            .payload_size = payload.size};
  bool go_on = hand_over(w, &record);
  free(e);
  return go_on;
}

frontier_status frontier_each(frontier *f, frontier_visitor *visit, void *context)
{
  LOCKED(f);
  static const struct {
    store_table table;
    store_visitor *visit;
  } tables[] = {{STORE_HISTORY, visit_ended},
                {STORE_QUEUE, visit_queued},
                {STORE_QUEUE_HIGH, visit_queued},
                {STORE_QUEUE_LOW, visit_queued},
                {STORE_QUEUE_TRAP, visit_queued}};
  walk w = {.visit = visit, .context = context};
  for (size_t i = 0; f->store && i < sizeof tables / sizeof *tables && w.status == FRONTIER_OK && !w.is_over; i++) {
    frontier_status status = store_each(f->store, tables[i].table, 0, tables[i].visit, &w);
    if (status != FRONTIER_OK)
      return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  }
  if (w.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, w.status, "out of memory for one more URL");
  if (w.status != FRONTIER_OK)
    return frontier_fail(f, w.status, "%s: the record of a URL is damaged", f->directory);
  return FRONTIER_OK;
}
