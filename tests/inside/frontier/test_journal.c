/* frontier/store/journal.h: which lines are in the file, after what. The disk's failures come from faults.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/store/journal.h"
#include "tests/support/faults.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static char directory[SCRATCH_PATH], path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "journal", path);
  return 0;
}

static int end(void **state)
{
  (void)state;
  faults_end();
  scratch_remove(directory);
  return 0;
}

static void assert_file(const char *wanted)
{
  size_t size;
  char *text = scratch_read(path, &size);
  assert_non_null(text);
  assert_string_equal(text, wanted);
  free(text);
}

static journal *open_at(uint64_t offset, const char *owed)
{
  journal *j = NULL;
  if (journal_open(path, offset, (const uint8_t *)owed, strlen(owed), &j, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return j;
}

static void add(journal *j, const char *line)
{
  assert_true(journal_add(j, line, strlen(line)));
}

/* What is owed, sealed, synced, written: the order of commit.c. */
static void commit(journal *j, uint64_t offset, const char *owed)
{
  size_t size;
  uint64_t at;
  const uint8_t *lines = journal_owed(j, &size, &at);
  assert_int_equal(at, offset);
  assert_int_equal(size, strlen(owed));
  assert_memory_equal(lines ? (const char *)lines : "", owed, size);
  journal_seal(j);
  assert_true(journal_sync(j));
  assert_int_equal(journal_write(j), FRONTIER_OK);
}

CASE(a_line_is_there_after_its_commit)
{
  journal *j = open_at(0, "");
  add(j, "one");
  add(j, "");
  assert_file("");
  commit(j, 0, "one\n\n");
  assert_file("one\n\n");
  commit(j, 0, "one\n\n");
  add(j, "two");
  commit(j, 0, "one\n\ntwo\n");
  assert_file("one\n\ntwo\n");
  journal_close(j);
}

/* Of small batches many are owed together; what is on disk is not. */
CASE(what_is_owed_is_synced_now_and_then)
{
  static char line[1001], owed[64 << 10], all[256 << 10];
  size_t size = 0, from = 0, most = 0;
  unsigned syncs = 0;
  (void)state;
  journal *j = open_at(0, "");
  for (unsigned i = 0; i < 200; i++) {
    memset(line, 'a' + (int)(i % 26), sizeof line - 1);
    add(j, line);
    size += (size_t)snprintf(all + size, sizeof all - size, "%s\n", line);
    size_t owed_size;
    uint64_t at;
    journal_owed(j, &owed_size, &at);
    syncs += at > from;
    from = (size_t)at;
    most = owed_size > most ? owed_size : most;
    memcpy(owed, all + from, size - from);
    owed[size - from] = '\0';
    commit(j, from, owed);
    assert_file(all);
  }
  assert_in_range(syncs, 4, 8);
  assert_in_range(most, 30 << 10, 36 << 10);
  assert_true(journal_settle(j));
  commit(j, size, "");
  assert_false(journal_settle(j));
  journal_close(j);
}

/* Rows: what the last commit said, what the file holds after a crash, and what it holds once open. */
CASE(opening_makes_good)
{
  static const struct row {
    uint64_t offset;
    const char *owed, *before, *after;
    frontier_status status;
  } rows[] = {
    {0, "", "", "", FRONTIER_OK},
    {0, "a\nb\n", "", "a\nb\n", FRONTIER_OK}, /* nothing was written */
    {0, "a\nb\n", "a\n", "a\nb\n", FRONTIER_OK},
    {2, "b\n", "a\nb", "a\nb\n", FRONTIER_OK}, /* cut inside a line */
    {2, "b\n", "a\n", "a\nb\n", FRONTIER_OK},
    {2, "b\n", "a\nb\n", "a\nb\n", FRONTIER_OK},
    {2, "b\n", "a\n??", "a\nb\n", FRONTIER_OK}, /* blocks that never reached the disk */
    {2, "b\n", "a\nb\nc", "a\nb\n", FRONTIER_OK},
    {2, "", "a\nb\n", "a\n", FRONTIER_OK},
    {2, "b\n", "", "b\n", FRONTIER_OK},           /* moved away: begun again */
    {4, "c\n", "a\nb", "a\nb", FRONTIER_DAMAGED}, /* lines are missing */
    {0, "", "notes\n", "notes\n", FRONTIER_NOT_OURS},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    journal *j = NULL;
    scratch_write(path, r->before, strlen(r->before));
    *message = '\0';
    frontier_status status = journal_open(path, r->offset, (const uint8_t *)r->owed, strlen(r->owed), &j, message);
    assert_int_equal(status, r->status);
    assert_true((status == FRONTIER_OK) == (strstr(message, path) == NULL));
    assert_file(r->after);
    if (j) { /* and on from there */
      add(j, "next");
      commit(j, strlen(r->after), "next\n");
    }
    journal_close(j);
  }
}

CASE(what_could_not_be_written_is_owed_again)
{
  journal *j = open_at(0, "");
  add(j, "one");
  journal_seal(j);
  assert_true(journal_sync(j));
  faults_set(FAULT_WRITE, 1, ENOSPC, false);
  assert_int_equal(journal_write(j), FRONTIER_NO_SPACE);
  assert_non_null(strstr(journal_message(j), path));
  add(j, "two");
  commit(j, 0, "one\ntwo\n");
  assert_file("one\ntwo\n");
  journal_close(j);
}

/* After a failed fdatasync the kernel holds the pages for clean, whatever is on disk. Here they are gone indeed. */
CASE(what_could_not_be_synced_is_written_again)
{
  journal *j = open_at(0, "");
  add(j, "one");
  commit(j, 0, "one\n");
  add(j, "two");
  faults_set(FAULT_SYNC, 1, EIO, true);
  journal_settle(j);
  journal_seal(j);
  assert_false(journal_sync(j));
  scratch_write(path, "????", 4); /* what the kernel dropped */
  assert_int_equal(journal_sync_failed(j), FRONTIER_IO);
  faults_end();
  commit(j, 4, "two\n");
  assert_file("one\ntwo\n");
  journal_close(j);
}

CASE(a_cut_write_goes_on)
{
  journal *j = open_at(0, "");
  add(j, "a line that is cut");
  faults_set(FAULT_WRITE, 1, FAULT_SHORT, false);
  commit(j, 0, "a line that is cut\n");
  assert_true(faults_have_struck());
  assert_file("a line that is cut\n");
  journal_close(j);
}

CASE(what_is_no_file_is_refused)
{
  journal *j = NULL;
  assert_int_equal(journal_open(directory, 0, NULL, 0, &j, message), FRONTIER_IO);
  assert_non_null(strstr(message, directory));
  assert_int_equal(journal_open("/nonexistent/journal", 0, NULL, 0, &j, message), FRONTIER_IO);
  assert_null(j);
}

EACH_CASE(begin, end)
