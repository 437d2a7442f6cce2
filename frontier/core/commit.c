/* The open batch becomes one transaction; only then are filter bits set.
 *
 *     0. the caller's own files                                              (frontier_before_commit)
 *     1. one transaction is gathered and sealed: text, endings, hosts, hash
 *        log, owed lines, counters, progress                                 (put, each part; store_seal; sealed, each)
 *     2. journal lines written after the last commit reach the disk          (sync, each part)
 *     3. the transaction is written                                          (store_land)
 *     4. the bits of the new keys; owed lines into the journal               (landed, each part)
 *
 * Steps 2 and 3 need no mutex. With a commit thread (lander.h) they run beside other calls, which gather the next batch
 * meanwhile; there is one sealed transaction at most, and the next one waits until it has landed.
 *
 * Always: a failure in 0 or 1 leaves the batch as it was. A failure in 2 or 3 leaves the transaction sealed: it is
 * written again, as it is, before any other. A failure in 4 makes another commit due, which tries it again.
 *
 * Called under the handle's mutex, but for commit_write.
 *
 * After a crash
 *     before 3 is done   nothing of the batch is there: what was in flight is leased again, its links are found again
 *     between 3 and 4    the hash log is ahead of the filter's file; opening replays it (checkpoint.c). The owed lines
 *                        are in LMDB; opening writes them (journal.h) */
#include "frontier/core/state.h"

#include "frontier/base/machine.h"
#include "frontier/exchange.h"

#include <assert.h>

void frontier_before_commit(frontier *f, frontier_hook *hook, void *context)
{
  LOCKED(f);
  f->committing.hook = hook;
  f->committing.context = context;
}

static frontier_status call_hook(frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  const committing *c = &f->committing;
  frontier_status status = c->hook ? c->hook(c->context, message) : FRONTIER_OK;
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", message);
}

/* ---- 0 and 1 ---------------------------------------------------------------------------------------------- */

static frontier_status seal(frontier *f)
{
  frontier_status status = call_hook(f);
  if (status != FRONTIER_OK)
    return status;
  uint64_t ended = batch_ended_count(&f->batch);
  store_begin(f->store);
  for (const part *const *p = all_parts; *p; p++)
    if ((*p)->put)
      (*p)->put(f);
  status = store_seal(f->store);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  f->committing.sealed = counts_next_sequence(&f->counts);
  f->committing.sealed_ended = ended;
  f->committing.seals++;
  for (const part *const *p = all_parts; *p; p++)
    if ((*p)->sealed)
      (*p)->sealed(f);
  return FRONTIER_OK;
}

/* ---- 2 and 3: without the mutex ---------------------------------------------------------------------------- */

void commit_write(frontier *f)
{
  committing *c = &f->committing;
  c->has_synced = true;
  for (const part *const *p = all_parts; *p && c->has_synced; p++)
    if ((*p)->sync)
      c->has_synced = (*p)->sync(f);
  if (c->has_synced)
    store_land(f->store);
}

/* ---- 4 ------------------------------------------------------------------------------------------------------ */

/* Each part, whatever became of the others: all is committed. */
static frontier_status tell_landed(frontier *f)
{
  f->committing.landed = f->committing.sealed;
  f->committing.landings = f->committing.seals;
  f->committing.sealed_ended = 0;
  if (queue_is_unread(&f->queues)) /* there is more to read now */
    wake_now(f);
  frontier_status status = FRONTIER_OK;
  for (const part *const *p = all_parts; *p; p++) {
    frontier_status landed = (*p)->landed ? (*p)->landed(f) : FRONTIER_OK;
    status = landed == FRONTIER_OK ? status : landed;
  }
  if (status != FRONTIER_OK)
    batch_touch(&f->batch); /* to try again with the next commit */
  return status;
}

static frontier_status finish(frontier *f)
{
  if (!f->committing.has_synced)
    return journal_record_failed(f);
  frontier_status status = store_landed(f->store);
  return status == FRONTIER_OK ? tell_landed(f) : frontier_fail(f, status, "%s", store_message(f->store));
}

/* ---- the calls -------------------------------------------------------------------------------------------- */

/* What is sealed, in this thread. */
static frontier_status land(frontier *f)
{
  frontier_status status = store_make_ready(f->store);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  uint64_t since_ms = machine_monotonic_ms();
  commit_write(f);
  f->committing.waited_ms += machine_monotonic_ms() - since_ms;
  return finish(f);
}

void commit_open(frontier *f)
{
  f->committing.sealed = f->committing.landed = counts_next_sequence(&f->counts);
}

uint64_t commit_waited_ms(const frontier *f)
{
  return f->committing.waited_ms;
}

bool commit_has_landed(const frontier *f, uint64_t sequence)
{
  return sequence < f->committing.landed;
}

bool commit_is_landed(const frontier *f)
{
  return !f->store || !store_is_sealed(f->store);
}

/* Nothing is sealed from here on, or it failed. */
static frontier_status settle_last(frontier *f)
{
  uint64_t since_ms = machine_monotonic_ms();
  bool has_ended = lander_wait(f);
  f->committing.waited_ms += machine_monotonic_ms() - since_ms;
  frontier_status status = has_ended ? finish(f) : FRONTIER_OK;
  return store_is_sealed(f->store) ? land(f) : status;
}

/* What failed in another thread is said by the next call that needs it done. */
void commit_poll(frontier *f)
{
  if (f->store && !lander_is_busy(f) && lander_wait(f))
    finish(f);
}

frontier_status commit_batch(frontier *f)
{
  frontier_status status = f->store && !f->options.read_only ? settle_last(f) : FRONTIER_OK;
  if (status != FRONTIER_OK || !batch_is_dirty(&f->batch))
    return status;
  assert(!f->options.read_only);
  if (!f->store) {
    status = hash_log_keep(f);
    if (status == FRONTIER_OK) {
      batch_clean(&f->batch);
      f->committing.seals++;
      status = tell_landed(f);
    }
    return status;
  }
  status = seal(f);
  return status == FRONTIER_OK ? land(f) : status;
}

bool commit_is_due(frontier *f, uint64_t now_ms)
{
  uint64_t most = f->options.commit_after_ended;
  return batch_is_due(&f->batch, now_ms) || (most && batch_ended_count(&f->batch) >= most && !lander_is_busy(f));
}

bool commit_is_behind(frontier *f)
{
  uint64_t most = f->options.commit_after_ended;
  commit_poll(f);
  return most && f->committing.sealed_ended + batch_ended_count(&f->batch) >= 2 * most;
}

uint64_t frontier_committed(const frontier *f)
{
  LOCKED(f);
  return f->committing.landings;
}

uint64_t frontier_commit_number(const frontier *f)
{
  LOCKED(f);
  return f->committing.seals + batch_is_dirty(&f->batch);
}

frontier_status commit_begin(frontier *f)
{
  if (!lander_is_there(&f->lander))
    return commit_batch(f);
  frontier_status status = settle_last(f);
  if (status != FRONTIER_OK || !batch_is_dirty(&f->batch))
    return status;
  status = seal(f);
  if (status == FRONTIER_OK && (status = store_make_ready(f->store)) != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  if (status == FRONTIER_OK)
    lander_go(f);
  return status;
}
