/* The open batch becomes one transaction; only then are filter bits set.
 *
 *     0. the caller's own files                                              (frontier_before_commit)
 *     1. journal lines written after the last commit reach the disk          (prepare, each part)
 *     2. one transaction: queue + history + hosts + hash log + owed lines
 *        + counters + progress                                               (put, each part; store_commit)
 *     3. the bits of the new keys; a filter that fills up grows              (settle, each part)
 *     4. the owed lines into the journal                                     (settle of the last)
 *
 * Always: a failure in 0, 1 or 2 leaves the batch as it was, and the caller may try again when the cause is gone. After
 * 2 the batch is committed: a failure in 3 or 4 makes another commit due, which tries it again.
 *
 * Called under the handle's mutex, by whatever fills the batch, needs it on disk, or closes the handle.
 *
 * After a crash
 *     before 2 is done   nothing of the batch is there: what was in flight is leased again, its links are found again
 *     between 2 and 3    the hash log is ahead of the filter's file; opening replays it (checkpoint.c)
 *     between 3 and 4    the owed lines are in LMDB; opening writes them (journal.h) */
#include "frontier/core/state.h"

#include <assert.h>

void frontier_before_commit(frontier *f, frontier_hook *hook, void *context)
{
  LOCKED(f);
  f->hook = (commit_hook){hook, context};
}

static frontier_status call_hook(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_status status = f->hook.call ? f->hook.call(f->hook.context, message) : FRONTIER_OK;
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", message);
}

static frontier_status prepare(frontier *f)
{
  frontier_status status = call_hook(f);
  for (const part *const *p = all_parts; *p && status == FRONTIER_OK; p++)
    if ((*p)->prepare)
      status = (*p)->prepare(f);
  return status;
}

static frontier_status write_transaction(frontier *f)
{
  frontier_status status = prepare(f);
  if (status != FRONTIER_OK)
    return status;
  status = store_begin(f->store);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  for (const part *const *p = all_parts; *p; p++)
    if ((*p)->put)
      (*p)->put(f);
  status = store_commit(f->store);
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

/* Each part, whatever became of the others: all is committed. */
static frontier_status settle(frontier *f)
{
  frontier_status status = FRONTIER_OK;
  for (const part *const *p = all_parts; *p; p++) {
    frontier_status settled = (*p)->settle ? (*p)->settle(f) : FRONTIER_OK;
    status = settled == FRONTIER_OK ? status : settled;
  }
  if (status != FRONTIER_OK)
    batch_touch(&f->batch); /* to try again with the next commit */
  return status;
}

frontier_status commit_batch(frontier *f)
{
  if (!batch_is_dirty(&f->batch))
    return FRONTIER_OK;
  assert(!f->options.read_only);
  frontier_status status = f->store ? write_transaction(f) : hash_log_keep(f);
  return status == FRONTIER_OK ? settle(f) : status;
}
