/* See traps.h; who is suspect, trap_detector.c knows. */
#include "frontier/traps.h"

#include "frontier/core/state.h"

#include <stdlib.h>

enum { REMEMBERED_MAX = 16384 }; /* URLs read again when the watch begins: some 20 ms */

/* ---- watching -------------------------------------------------------------------------------------------- */

typedef struct remembering {
  frontier *f;
  url *u;
  unsigned left;
} remembering;

static bool remember(void *context, const url_record *record)
{
  remembering *r = context;
  if (url_parse(record->url, record->url_size, r->f->options.profile, r->u) == URL_OK)
    trap_detector_remember(r->f->chooser.watch, record->who, r->u);
  return --r->left > 0;
}

/* What waits in class TRAP says which directories are traps. */
static frontier_status remember_all(remembering *r)
{
  uint64_t next;
  bool is_over;
  return url_records_waiting(r->f, FRONTIER_TRAP, 1, SIZE_MAX, remember, r, &next, &is_over);
}

static frontier_status begin_watching(frontier *f)
{
  remembering r = {.f = f, .left = REMEMBERED_MAX, .u = malloc(sizeof *r.u)};
  f->chooser.watch = r.u ? trap_detector_create(secret_hasher(f)) : NULL;
  frontier_status status = f->chooser.watch ? FRONTIER_OK : FRONTIER_NO_MEMORY;
  if (status != FRONTIER_OK)
    frontier_fail(f, status, "out of memory to watch for traps");
  else if (f->store)
    status = remember_all(&r);
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

static bool visit_record(void *context, const url_record *r)
{
  listing *l = context;
  bool is_ended = url_state_is_ended(r->state);
  if (is_ended ? !r->state.was_trap : r->class != FRONTIER_TRAP)
    return true;
  tell(l, &(frontier_trapped){.host = r->url + r->host_begin,
                              .host_size = r->host_end - r->host_begin,
                              .url = r->url,
                              .url_size = r->url_size,
                              .is_queued = !is_ended});
  return !l->is_over;
}

frontier_status frontier_each_trapped(frontier *f, frontier_trapped_visitor *visit, void *context)
{
  LOCKED(f);
  listing l = {.f = f, .visit = visit, .context = context};
  frontier_status status = f->store ? url_records_each(f, STORED_WAITING, 0, visit_record, &l) : FRONTIER_OK;
  if (f->store && status == FRONTIER_OK && !l.is_over)
    status = url_records_each(f, STORED_ENDED, 0, visit_record, &l);
  return status;
}
