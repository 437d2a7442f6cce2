/* The open batch becomes one transaction; only then are filter bits set.
 *
 *     0. the caller's own files                                              (frontier_before_commit)
 *     1. journal lines written after the last commit reach the disk          (journal_settle)
 *     2. one transaction: queue + history + hosts + hash log + owed lines
 *        + counters + progress                                               (store_commit)
 *     3. the bits of the new keys; a filter that fills up grows              (seen_settle)
 *     4. the owed lines into the journal                                     (journal_write)
 *
 * A failure in 0, 1 or 2 leaves the batch as it was: the caller may try again when the cause is gone. */
#include "frontier/core/recrawl_inside.h"
#include "frontier/core/spill.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the transaction ---------------------------------------------------------------------------------- */

static void put_journal(frontier *f)
{
  size_t size;
  uint64_t offset;
  const uint8_t *lines = journal_owed(f->journal, &size, &offset);
  uint8_t *body = malloc(JOURNAL_HEAD + size);
  if (!body) {
    store_fail(f->store);
    return;
  }
  put_le(body, offset, JOURNAL_HEAD);
  if (size)
    memcpy(body + JOURNAL_HEAD, lines, size);
  store_put_meta(f->store, "journal", body, JOURNAL_HEAD + size);
  free(body);
  journal_sum total;
  uint8_t sum[JOURNAL_SUM_SIZE];
  if (!journal_total(f->journal, &total))
    return;
  put_le(sum, total.lines, 8);
  put_le(sum + 8, total.sum, 8);
  store_put_meta(f->store, "journal-sum", sum, sizeof sum);
}

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

static frontier_status write_transaction(frontier *f)
{
  frontier_status status = call_hook(f);
  if (status != FRONTIER_OK)
    return status;
  status = f->journal ? journal_settle(f->journal) : FRONTIER_OK;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", journal_message(f->journal));
  status = store_begin(f->store);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  recrawl_put(f);
  batch_put(f);
  spill_put(f);
  host_changes_put(&f->host_changes, f->hosts, f->store);
  hash_log_put(f);
  settings_put(f);
  counts_put(f);
  if (f->journal)
    put_journal(f);
  status = store_commit(f->store);
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

frontier_status commit_batch(frontier *f)
{
  if (!batch_is_dirty(&f->batch))
    return FRONTIER_OK;
  assert(!f->options.read_only);
  frontier_status status = f->store ? write_transaction(f) : hash_log_keep(f);
  if (status != FRONTIER_OK)
    return status;
  spill_settle(f);
  recrawl_settle(f);
  batch_settle(f);
  host_changes_settle(&f->host_changes, f->hosts);
  settings_settle(f);
  status = hash_log_settle(f);
  if (status != FRONTIER_OK)
    batch_touch(&f->batch); /* to grow at the next try */
  frontier_status written = f->journal ? journal_write(f->journal) : FRONTIER_OK;
  if (written != FRONTIER_OK) {
    batch_touch(&f->batch); /* the lines are safe inside LMDB, and go out with the next commit */
    return frontier_fail(f, written, "%s", journal_message(f->journal));
  }
  return status;
}
