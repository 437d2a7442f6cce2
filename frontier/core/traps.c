/* See traps.h; who is suspect, trap_detector.c knows. */
#include "frontier/traps.h"

#include "frontier/hosts/history.h"
#include "frontier/core/state.h"

#include <stdlib.h>

enum { REMEMBERED_MAX = 16384 }; /* URLs read again when the watch begins: some 20 ms */

/* ---- watching -------------------------------------------------------------------------------------------- */

typedef struct remembering {
  frontier *f;
  url *u;
  unsigned left;
} remembering;

static bool remember(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  remembering *r = context;
  entry *e = NULL;
  if (r->left == 0 || entry_read(NULL, sequence, body, size, &e) != FRONTIER_OK)
    return false; /* if it is damaged, queue_read reports it */
  host *who = hosts_look(r->f->hosts, e->url + e->host_begin, e->host_end - e->host_begin);
  if (who && url_parse(e->url, e->url_size, r->f->options.profile, r->u) == URL_OK)
    trap_detector_remember(r->f->chooser.watch, who, r->u);
  entry_free(e);
  r->left--;
  return true;
}

/* What waits in class TRAP says which directories are traps. */
static frontier_status begin_watching(frontier *f)
{
  remembering r = {.f = f, .left = REMEMBERED_MAX, .u = malloc(sizeof *r.u)};
  f->chooser.watch = r.u ? trap_detector_create(secret_hasher(f)) : NULL;
  frontier_status status = f->chooser.watch ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  if (status != FRONTIER_OK)
    frontier_fail(f, status, "out of memory to watch for traps");
  else if (f->store && (status = store_each(f->store, STORE_QUEUE_TRAP, 0, remember, &r)) != FRONTIER_OK)
    frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  free(r.u);
  return status;
}

frontier_status frontier_watch_traps(frontier *f, uint64_t budget)
{
  LOCKED(f);
  frontier_status status = f->chooser.watch ? FRONTIER_OK : begin_watching(f);
  if (status != FRONTIER_OK)
    return status;
  f->hosts->trap_budget = budget ? budget : UINT64_MAX;
  host *who;
  for (uint32_t id = 0; (who = hosts_at(f->hosts, id)); id++) {
    hosts_recount(f->hosts, who);
    hosts_offer(f->hosts, who);
    bench_give_back(f, who);
  }
  return FRONTIER_OK;
}

/* ---- listing -------------------------------------------------------------------------------------------- */

typedef struct listing {
  const frontier *f;
  frontier_trapped_visitor *visit;
  void *context;
  bool is_over;
  frontier_status status;
} listing;

/* With its directory, of the host that the URL begins with. */
static void tell(listing *l, frontier_trapped *t)
{
  const host *who = hosts_look(l->f->hosts, t->host, t->host_size);
  size_t path_begin = (size_t)(t->host - t->url) + t->host_size;
  if (who)
    t->directory = trap_detector_directory(secret_hasher(l->f), who, t->url, t->url_size, path_begin,
                                           &t->directory_end);
  l->is_over = !l->visit(l->context, t);
}

static bool visit_queued(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  listing *l = context;
  entry *e = NULL;
  l->status = entry_read(NULL, sequence, body, size, &e);
  if (l->status != FRONTIER_OK)
    return false;
  frontier_trapped trapped = {.host = e->url + e->host_begin,
                              .host_size = e->host_end - e->host_begin,
                              .url = e->url,
                              .url_size = e->url_size,
                              .is_queued = true};
  tell(l, &trapped);
  entry_free(e);
  return !l->is_over;
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
  tell(l, &trapped);
  return !l->is_over;
}

frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context)
{
  LOCKED(f);
  static const struct {
    store_table table;
    store_visitor *visit;
  } steps[] = {{STORE_QUEUE_TRAP, visit_queued}, {STORE_HISTORY, visit_ended}};
  listing l = {.f = f, .visit = visit, .context = context};
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
