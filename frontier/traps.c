/* See traps.h; who is suspect, watch.c knows. */
#include "frontier/traps.h"

#include "frontier/history.h"
#include "frontier/spill.h"

#include <stdlib.h>

frontier_status frontier_watch_traps(frontier *f, uint64_t budget)
{
  HOLD(f);
  if (!f->watch && !(f->watch = watch_create()))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to watch for traps");
  f->hosts->trap_budget = budget ? budget : UINT64_MAX;
  host *who;
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++) {
    hosts_recount(f->hosts, who);
    hosts_offer(f->hosts, who);
    spill_watch(f, who);
  }
  return FRONTIER_OK;
}

/* ---- listing -------------------------------------------------------------------------------------------- */

typedef struct listing {
  frontier_trapped_visitor *visit;
  void *context;
  bool is_over;
  frontier_status status;
} listing;

static bool visit_queued(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  listing *l = context;
  entry *e = NULL;
  l->status = entry_read(NULL, sequence, body, size, &e);
  if (l->status != FRONTIER_OK)
    return false;
  frontier_trapped trapped = {.host = e->url + e->host_begin, .host_size = e->host_end - e->host_begin, .url = e->url,
                              .url_size = e->url_size, .is_queued = true};
  l->is_over = !l->visit(l->context, &trapped);
  free(e);
  return !l->is_over;
}

static bool visit_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  listing *l = context;
  if (spill_class_of(key) != FRONTIER_TRAP)
    return true;
  bool whole = spill_each(body, size, visit_queued, l);
  if (!whole && !l->is_over && l->status == FRONTIER_OK)
    l->status = FRONTIER_DAMAGED;
  return whole;
}

static void find_host(frontier_trapped *t)
{
  uint32_t begin, end;
  history_host(t->url, t->url_size, &begin, &end);
  t->host = t->url + begin;
  t->host_size = end - begin;
}

static bool visit_ended(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  listing *l = context;
  ended_url ended;
  (void)sequence;
  if (!history_read(body, size, &ended)) {
    l->status = FRONTIER_DAMAGED;
    return false;
  }
  if (ended.class != FRONTIER_TRAP)
    return true;
  frontier_trapped trapped = {.url = (const char *)ended.url.bytes, .url_size = ended.url.size};
  find_host(&trapped);
  l->is_over = !l->visit(l->context, &trapped);
  return !l->is_over;
}

frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context)
{
  HOLD(f);
  static const struct { store_table table; store_visitor *visit; } steps[] = {
    {STORE_QUEUE_TRAP, visit_queued}, {STORE_CHUNKS, visit_chunk}, {STORE_HISTORY, visit_ended}};
  listing l = {.visit = visit, .context = context};
  for (size_t i = 0; f->store && i < sizeof steps / sizeof *steps && l.status == FRONTIER_OK && !l.is_over; i++) {
    frontier_status status = store_each(f->store, steps[i].table, 0, steps[i].visit, &l);
    if (status != FRONTIER_OK)
      return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  }
  if (l.status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, l.status, "out of memory for one more URL");
  if (l.status != FRONTIER_OK)
    return frontier_fail(f, l.status, "%s: the record of a URL is damaged", f->directory);
  return FRONTIER_OK;
}
