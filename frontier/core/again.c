/* A URL that has ended waits again, under its old id: its row is copied to table `again`, in the transaction that says
 * so. Pages that are due (recrawl.c), and what the caller names. */
#include "frontier/recrawl.h"

#include "frontier/core/revisit_info.h"
#include "frontier/core/state.h"

#include <stdlib.h>

/* Without room in memory its text is on disk once it is committed. */
static void join_line(frontier *f, entry *e)
{
  if (ordering_takes(f, e))
    return;
  if (!queue_has_room(f, e->class) && hosts_push_ref(f->hosts, e->host, e->class, e->sequence))
    entry_free(e);
  else
    hosts_push(f->hosts, e);
}

frontier_status again_put(frontier *f, const url_record *record, frontier_class class, frontier_state state)
{
  host *who = record->who;
  entry *e = url_record_entry(record, &f->pool);
  url_row row = url_record_row(record, class);
  if (!e || !host_reserve(who, class) || !queue_note_changed(&f->queues, record->sequence) ||
      !batch_add_again(&f->batch, &row, record->sequence, clock_latest(f))) {
    entry_free(e);
    return FRONTIER_NO_MEMORY;
  }
  e->class = class;
  e->is_again = e->is_fresh = true;
  counts_take_back(f, who, class, state);
  join_line(f, e);
  hosts_recount(f->hosts, who);
  batch_touch(&f->batch);
  return FRONTIER_OK;
}

/* ---- what the caller names ---------------------------------------------------------------------------------- */

typedef struct again_request {
  frontier *f;
  uint64_t queued;
  frontier_status status;
} again_request;

static bool queue_ended(void *context, const url_record *record)
{
  again_request *a = context;
  seen_visit v;
  uint8_t *body = NULL;
  uint8_t what = record->state.what;
  bool has_ended = what == FRONTIER_DONE || what == FRONTIER_FAILED || what == FRONTIER_SKIPPED;
  if (!has_ended || record->origin.depth > a->f->options.depth_cap)
    return false;
  a->status = visits_find(a->f, record->sequence, &body, &v);
  v.state = (frontier_state)what;
  if (a->status == FRONTIER_OK)
    a->status = recrawl_put(a->f, record, &v);
  else if (a->status == FRONTIER_NOT_FOUND)
    a->status = again_put(a->f, record, record->state.was_trap ? FRONTIER_TRAP : FRONTIER_NORMAL, (frontier_state)what);
  free(body);
  a->queued += a->status == FRONTIER_OK;
  return false;
}

/* What stands in the batch cannot be read yet. */
static frontier_status one_again(again_request *a, uint64_t id)
{
  frontier_status status = batch_is_full(&a->f->batch) ? commit_batch(a->f) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = url_records_one(a->f, id, queue_ended, a);
  status = status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
  if (status == FRONTIER_OK && a->status == FRONTIER_NO_MEMORY)
    return frontier_fail(a->f, FRONTIER_NO_MEMORY, "out of memory for one more URL to fetch again");
  return status == FRONTIER_OK ? a->status : status;
}

frontier_status frontier_again(frontier *f, const uint64_t *ids, size_t count, uint64_t *queued)
{
  LOCKED(f);
  again_request a = {.f = f};
  if (f->options.read_only)
    return refuse_reader(f);
  if (!f->store)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "a frontier that keeps nothing fetches nothing again");
  for (size_t i = 1; i < count; i++)
    if (ids[i - 1] >= ids[i])
      return frontier_fail(f, FRONTIER_BAD_ARGUMENT, "ids to fetch again must rise");
  frontier_status status = commit_batch(f); /* so that what ended is on disk */
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++)
    status = one_again(&a, ids[i]);
  *queued = a.queued;
  wake_now(f);
  return status;
}
