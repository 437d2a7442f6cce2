/* Sets the journal's record in data.mdb from the journal file, since lost lines cannot be restored. */
#include "frontier/admin/check.h"
#include "frontier/admin/repair.h"

#include "frontier/base/record.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdlib.h>

/* Where the last whole line ends before `limit`; and what the lines add up to. */
static uint64_t sum_lines(FILE *file, uint64_t limit, journal_sum *sum)
{
  char *text = NULL;
  size_t room = 0;
  uint64_t at = 0;
  *sum = (journal_sum){0};
  rewind(file);
  for (ssize_t got;
       (got = getdelim(&text, &room, '\n', file)) > 0 && text[got - 1] == '\n' && at + (uint64_t)got <= limit;
       at += (uint64_t)got)
    journal_sum_add(sum, at, (const uint8_t *)text, (size_t)got);
  free(text);
  return at;
}

/* A line ended at `offset`, and its LF is certain. */
static void end_line(FILE *file, uint64_t offset)
{
  if (offset && fseeko(file, (off_t)offset - 1, SEEK_SET) == 0) {
    putc('\n', file);
    fflush(file);
  }
}

/* Up to where the file is taken as it is. `*owed_size` becomes 0 if what stands behind are not the owed lines: the
 * record is then of an older state, and they are there already. */
static uint64_t settle_file(FILE *file, uint64_t offset, const uint8_t *owed, size_t *owed_size, journal_sum *sum)
{
  uint64_t size = fseeko(file, 0, SEEK_END) == 0 ? (uint64_t)ftello(file) : 0;
  if (size < offset)
    return sum_lines(file, size, sum);
  if (fseeko(file, (off_t)offset, SEEK_SET) == 0 && journal_tail_is_owed(file, owed, *owed_size)) {
    end_line(file, offset);
    return sum_lines(file, offset, sum);
  }
  *owed_size = 0;
  return sum_lines(file, size, sum);
}

static void put_records(store *to, uint64_t offset, const uint8_t *owed, size_t owed_size, journal_sum sum)
{
  uint8_t total[JOURNAL_SUM_SIZE], *body = malloc(JOURNAL_HEAD + owed_size);
  if (!body) {
    store_fail(to);
    return;
  }
  put_le(body, offset, JOURNAL_HEAD);
  memcpy(body + JOURNAL_HEAD, owed, owed_size);
  journal_sum_add(&sum, offset, owed, owed_size);
  put_le(total, sum.lines, 8);
  put_le(total + 8, sum.sum, 8);
  store_put_meta(to, "journal", body, JOURNAL_HEAD + owed_size);
  store_put_meta(to, "journal-sum", total, sizeof total);
  free(body);
}

static frontier_status follow(store *to, const char *path)
{
  uint8_t none[JOURNAL_HEAD] = {0}, *body = NULL;
  size_t size = 0;
  journal_sum sum;
  frontier_status status = store_get_meta(to, "journal", &body, &size);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return status;
  const uint8_t *record = status == FRONTIER_OK && size >= JOURNAL_HEAD ? body : none;
  size_t owed_size = record == body ? size - JOURNAL_HEAD : 0;
  FILE *file = own_file_stream(path, "r+", 0);
  if (file) {
    uint64_t end = settle_file(file, get_le(record, JOURNAL_HEAD), record + JOURNAL_HEAD, &owed_size, &sum);
    put_records(to, end, record + JOURNAL_HEAD, owed_size, sum);
    fclose(file);
  }
  free(body);
  return file || errno == ENOENT ? FRONTIER_OK : FRONTIER_IO;
}

bool repair_journal(salvage *s, const char *path)
{
  store *to = NULL;
  s->status = store_open(s->f->directory, false, "", 0, &to, s->f->message);
  if (s->status != FRONTIER_OK)
    return false;
  frontier_status status = store_begin(to);
  if (status == FRONTIER_OK && (status = follow(to, path)) == FRONTIER_OK)
    status = store_commit(to);
  if (status != FRONTIER_OK)
    salvage_fail(s, status, store_message(to));
  else
    salvage_say(s, "%s: taken as it is from now on", path);
  store_close(to);
  return status == FRONTIER_OK;
}
