/* See journal_record.h. */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <stdlib.h>

static frontier_status fail(frontier *f, frontier_status status)
{
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", journal_message(f->journal));
}

bool journal_record_add(frontier *f, const char *report, size_t size)
{
  return !f->journal || size == 0 || journal_add(f->journal, report, size);
}

bool journal_record_settle(frontier *f)
{
  bool is_worth_it = f->journal && journal_settle(f->journal);
  if (is_worth_it)
    batch_touch(&f->batch);
  return is_worth_it;
}

/* ---- open ----------------------------------------------------------------------------------------------- */

/* The record of a journal: the offset of the owed lines, and the lines. Without one the journal is new. */
static frontier_status take_record(frontier *f, const uint8_t *body, size_t size)
{
  if (size < JOURNAL_HEAD)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the journal record is damaged", f->directory);
  return journal_open(f->options.journal_path, get_le(body, JOURNAL_HEAD), body + JOURNAL_HEAD, size - JOURNAL_HEAD,
                      &f->journal, f->message);
}

static frontier_status take_sum(frontier *f, const uint8_t *body, size_t size)
{
  if (size != JOURNAL_SUM_SIZE)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s: the record of the journal's sum is damaged", f->directory);
  journal_resume(f->journal, (journal_sum){.lines = get_le(body, 8), .sum = get_le(body + 8, 8)});
  return FRONTIER_OK;
}

frontier_status journal_record_open(frontier *f)
{
  if (!f->options.journal_path || f->options.read_only)
    return FRONTIER_OK;
  frontier_status status = meta_take(f, "journal", false, take_record);
  if (status == FRONTIER_OK && !f->journal)
    status = journal_open(f->options.journal_path, 0, NULL, 0, &f->journal, f->message);
  if (status == FRONTIER_OK)
    status = meta_take(f, "journal-sum", false, take_sum);
  if (status == FRONTIER_OK)
    directory_sync_parent(f->options.journal_path);
  return status;
}

uint64_t journal_record_end(const frontier *f, uint64_t recorded)
{
  size_t size;
  uint64_t end = recorded;
  if (f->journal)
    journal_owed(f->journal, &size, &end);
  return end < recorded ? end : recorded;
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void check(const frontier *f)
{
  assert(!f->journal || directory_is_locked(f));
  (void)f;
}

static bool sync_lines(frontier *f)
{
  return !f->journal || journal_sync(f->journal);
}

frontier_status journal_record_failed(frontier *f)
{
  return fail(f, journal_sync_failed(f->journal));
}

static void put(frontier *f)
{
  if (!f->journal)
    return;
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

static void sealed(frontier *f)
{
  if (f->journal)
    journal_seal(f->journal);
}

/* Where it fails, the lines are safe inside LMDB, and go out with the next commit. */
static frontier_status landed(frontier *f)
{
  return f->journal ? fail(f, journal_write(f->journal)) : FRONTIER_OK;
}

static void close_it(frontier *f)
{
  journal_close(f->journal);
}

const part journal_part = {
  .check = check, .put = put, .sealed = sealed, .sync = sync_lines, .landed = landed, .close = close_it};
