/* See traps.h; who is suspect, trap_detector.c knows. */
#include "frontier/traps.h"

#include "frontier/core/state.h"

#include <stdio.h>
#include <stdlib.h>

enum { REMEMBERED_MAX = 16384 }; /* URLs read again when the watch begins: some 20 ms */

/* ---- marks ---------------------------------------------------------------------------------------------- */

enum { MARKS_NAME = 32 };

static void name_marks(size_t index, char name[MARKS_NAME])
{
  snprintf(name, MARKS_NAME, "trap-marks-%zu", index / TRAP_MARKS_PACKED);
}

static frontier_status read_marks(frontier *f, trap_marks *m)
{
  char name[MARKS_NAME];
  const void *bytes;
  size_t size;
  frontier_status status = FRONTIER_OK;
  while (status == FRONTIER_OK && trap_marks_count(m) % TRAP_MARKS_PACKED == 0) {
    name_marks(trap_marks_count(m), name);
    status = frontier_setting_get(f, name, &bytes, &size);
    if (status == FRONTIER_NOT_FOUND)
      return FRONTIER_OK;
    if (status == FRONTIER_OK && (!size || (status = trap_marks_unpack(m, bytes, size)) == FRONTIER_DAMAGED))
      return frontier_fail(f, FRONTIER_DAMAGED, "the setting \"%s\" is damaged", name);
  }
  return status;
}

static frontier_status need_marks(frontier *f)
{
  if (f->chooser.marks)
    return FRONTIER_OK;
  trap_marks *m = trap_marks_create(secret_hasher(f));
  frontier_status status = m ? read_marks(f, m) : FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK)
    f->chooser.marks = m;
  else
    trap_marks_free(m);
  return status == FRONTIER_NO_MEMORY ? frontier_fail(f, status, "out of memory for marks of traps") : status;
}

static frontier_status put_marks(frontier *f)
{
  char name[MARKS_NAME];
  size_t last = trap_marks_count(f->chooser.marks) - 1, size;
  uint8_t *bytes = trap_marks_pack(f->chooser.marks, last / TRAP_MARKS_PACKED * TRAP_MARKS_PACKED, &size);
  name_marks(last, name);
  frontier_status status = bytes ? frontier_setting_put(f, name, bytes, size)
                                 : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for marks of traps");
  free(bytes);
  return status;
}

frontier_status frontier_mark_trap(frontier *f, const frontier_mark *mark)
{
  LOCKED(f);
  if (f->options.read_only)
    return refuse_reader(f);
  frontier_mark known;
  frontier_status status = need_marks(f);
  if (status != FRONTIER_OK)
    return status;
  if (!trap_marks_is_name(mark->name, mark->name_size) || mark->note_size > FRONTIER_MARK_NOTE_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a mark has the name of a directory, and a short note");
  if (trap_marks_find(f->chooser.marks, mark->name, mark->name_size, &known) && known.name_size == mark->name_size)
    return FRONTIER_OK;
  if (trap_marks_count(f->chooser.marks) == FRONTIER_MARKS_MAX)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%d directories are marked already", FRONTIER_MARKS_MAX);
  return trap_marks_add(f->chooser.marks, mark)
           ? put_marks(f)
           : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for marks of traps");
}

bool frontier_find_mark(frontier *f, const char *where, size_t size, frontier_mark *mark)
{
  LOCKED(f);
  return need_marks(f) == FRONTIER_OK && trap_marks_find(f->chooser.marks, where, size, mark);
}

frontier_status frontier_each_mark(frontier *f, frontier_mark_visitor *visit, void *context)
{
  LOCKED(f);
  frontier_mark mark;
  frontier_status status = need_marks(f);
  for (size_t i = 0; status == FRONTIER_OK && trap_marks_at(f->chooser.marks, i, &mark) && visit(context, &mark); i++)
    continue;
  return status;
}

/* ---- watching -------------------------------------------------------------------------------------------- */

typedef struct remembering {
  frontier *f;
  url *u;
  unsigned left;
} remembering;

/* Of a marked directory other URLs are no trap's: which are, the classifier knows. */
static bool is_marked(const remembering *r, const url_record *record)
{
  frontier_mark mark;
  return trap_marks_find(r->f->chooser.marks, record->url + record->host_begin, record->url_size - record->host_begin,
                         &mark);
}

static bool remember(void *context, const url_record *record)
{
  remembering *r = context;
  if (!host_is_group(record->who->name) && !is_marked(r, record) &&
      url_parse(record->url, record->url_size, r->f->options.profile, r->u) == URL_OK)
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
  else if (f->store && (status = need_marks(f)) == FRONTIER_OK)
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
  frontier_status status = f->store ? url_records_each_in_steps(f, STORED_WAITING, visit_record, &l) : FRONTIER_OK;
  if (f->store && status == FRONTIER_OK && !l.is_over)
    status = url_records_each_in_steps(f, STORED_ENDED, visit_record, &l);
  return status;
}
