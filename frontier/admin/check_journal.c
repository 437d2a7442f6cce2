/* Compares the journal with its record in the last transaction: the bytes before the recorded offset are unchanged, and
 * after them come the owed lines (committed in LMDB, perhaps not yet in the file: journal.h), as far as they were
 * written. */
#include "frontier/admin/check.h"

#include "frontier/base/record.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Compares what follows the settled part with the owed lines. */
bool journal_tail_is_owed(FILE *file, const uint8_t *owed, size_t owed_size)
{
  size_t at = 0;
  for (int byte; (byte = getc(file)) != EOF; at++)
    if (at == owed_size || byte != owed[at])
      return false;
  return true;
}

/* The sum over the first `size` bytes of the file, line by line; false: they do not end where a line ends. */
static bool sum_lines(check *c, FILE *file, uint64_t size, journal_sum *sum)
{
  char *text = NULL;
  size_t room = 0;
  uint64_t at = 0;
  while (at < size) {
    ssize_t got = getdelim(&text, &room, '\n', file);
    if (got <= 0 || text[got - 1] != '\n')
      break;
    journal_sum_add(sum, at, (const uint8_t *)text, (size_t)got);
    at += (uint64_t)got;
  }
  if (at < size && errno == ENOMEM)
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for one line of the journal");
  free(text);
  return at == size;
}

static void check_file(check *c, FILE *file, const char *path, uint64_t size)
{
  uint64_t offset = get_le(c->journal, JOURNAL_HEAD);
  const uint8_t *owed = c->journal + JOURNAL_HEAD;
  size_t owed_size = c->journal_size - JOURNAL_HEAD;
  journal_sum sum = {0};
  if (size < offset) {
    check_say(c, IN_JOURNAL, "%s: %" PRIu64 " bytes are missing at its end", path, offset - size);
    return;
  }
  if (!sum_lines(c, file, offset, &sum)) {
    check_say(c, IN_JOURNAL, "%s: no line ends at byte %" PRIu64 ", where one ended", path, offset);
    return;
  }
  if (fseeko(file, (off_t)offset, SEEK_SET) != 0 || !journal_tail_is_owed(file, owed, owed_size))
    check_say(c, IN_JOURNAL, "%s: what stands behind byte %" PRIu64 " was not written by this crawl", path, offset);
  journal_sum_add(&sum, offset, owed, owed_size);
  c->found->lines = sum.lines;
  if (!c->sum)
    return; /* a repair that did not read the journal kept no sum */
  if (c->sum_size != JOURNAL_SUM_SIZE || sum.lines != get_le(c->sum, 8))
    check_say(c, IN_JOURNAL, "%s: it has %" PRIu64 " lines, not %" PRIu64, path, sum.lines,
              c->sum_size == JOURNAL_SUM_SIZE ? get_le(c->sum, 8) : 0);
  else if (sum.sum != get_le(c->sum + 8, 8))
    check_say(c, IN_JOURNAL, "%s: some of its %" PRIu64 " lines are not as they were written", path, sum.lines);
}

void check_journal(check *c, const char *path)
{
  FILE *file = own_file_stream(path, "r", 0);
  off_t size = 0;
  if (file && (fseeko(file, 0, SEEK_END) != 0 || (size = ftello(file)) < 0 || fseeko(file, 0, SEEK_SET) != 0))
    check_say(c, IN_JOURNAL, "%s: %s", path, strerror(errno));
  else if (c->journal && c->journal_size < JOURNAL_HEAD)
    check_say(c, IN_DATA, "data.mdb: the record \"journal\" makes no sense");
  else if (c->journal && size > 0) /* an empty one was moved away by its user */
    check_file(c, file, path, (uint64_t)size);
  else if (!c->journal && size > 0)
    check_say(c, IN_JOURNAL, "%s: nothing in it is of this crawl", path);
  if (file)
    fclose(file);
}
