/* Where a WARC goes on after a crash: what is behind the committed place is cut off, and nothing else is touched. And
 * after a disk that failed: what it may have lost is written again. */
#include "crawler/warc/warc_files.h"
#include "tests/support/faults.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CASE(places_as_text)
{
  static const warc_place places[] = {{0, 0, 0}, {1, 2, 3}, {10000000, UINT64_MAX, UINT64_MAX}};
  static const char *const bad[] = {
    "",        "1",      "1 2",          "1 2 3 ",
    "1 2 3 4", " 1 2 3", "1  2 3",       "-1 2 3",
    "1 2 x",   "1 2 3x", "10000001 1 1", "99999999999999999999999999999999999999999999999999999999999999 1 1"};
  char text[WARC_PLACE_TEXT];
  warc_place place;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    warc_place_write(places[i], text);
    assert_true(warc_place_read(text, strlen(text), &place));
    assert_int_equal(place.number, places[i].number);
    assert_true(place.bytes == places[i].bytes && place.index_bytes == places[i].index_bytes);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (warc_place_read(bad[i], strlen(bad[i]), &place))
      fail_msg("\"%s\" is taken for a place", bad[i]);
}

static char directory[SCRATCH_PATH];

static int set_up(void **state)
{
  (void)state;
  scratch_make(directory);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static void put(unsigned number, const char *suffix, const char *bytes)
{
  char path[WARC_PATH_SIZE];
  warc_path(directory, number, suffix, path);
  scratch_write(path, bytes, strlen(bytes));
}

static void assert_file(unsigned number, const char *suffix, const char *expected)
{
  char path[WARC_PATH_SIZE];
  size_t size;
  warc_path(directory, number, suffix, path);
  char *bytes = scratch_read(path, &size);
  assert_int_equal(bytes != NULL, expected != NULL);
  if (expected)
    assert_string_equal(bytes, expected);
  free(bytes);
}

static bool recover(warc_place place, char message[WARC_MESSAGE_SIZE])
{
  warc_files f;
  assert_true(warc_files_init(&f, directory));
  bool recovered = warc_files_recover(&f, place, message);
  warc_files_free(&f);
  return recovered;
}

/* Died with file 2 open: two records of it were committed, and file 3 was begun. */
CASE_WITH(what_was_not_committed_goes, set_up, tear_down)
{
  char message[WARC_MESSAGE_SIZE];
  put(1, WARC_SUFFIX, "whole");
  put(1, WARC_PART, "b\na\n");
  put(2, WARC_SUFFIX, "one two three");
  put(2, WARC_PART, "d\nc\ntorn");
  put(3, WARC_SUFFIX, "not committed");
  put(3, WARC_PART, "x\n");
  put(4, WARC_SUFFIX, "nor this");
  assert_true(recover((warc_place){2, 7, 4}, message));
  assert_file(1, WARC_SUFFIX, "whole");
  assert_file(1, WARC_INDEX, "a\nb\n");
  assert_file(1, WARC_PART, NULL);
  assert_file(2, WARC_SUFFIX, "one two");
  assert_file(2, WARC_INDEX, "c\nd\n");
  assert_file(2, WARC_PART, NULL);
  assert_file(3, WARC_SUFFIX, NULL);
  assert_file(3, WARC_PART, NULL);
  assert_file(4, WARC_SUFFIX, NULL);
  assert_true(recover((warc_place){2, 7, 4}, message)); /* once more changes nothing */
  assert_file(2, WARC_INDEX, "c\nd\n");
}

CASE_WITH(nothing_was_committed, set_up, tear_down)
{
  char message[WARC_MESSAGE_SIZE];
  put(1, WARC_SUFFIX, "begun");
  assert_true(recover((warc_place){0}, message));
  assert_file(1, WARC_SUFFIX, NULL);
}

CASE_WITH(a_file_that_lost_bytes, set_up, tear_down)
{
  char message[WARC_MESSAGE_SIZE] = "";
  put(1, WARC_SUFFIX, "short");
  assert_false(recover((warc_place){1, 6, 0}, message));
  assert_non_null(strstr(message, "bytes are missing"));
  assert_file(1, WARC_SUFFIX, "short");
}

/* ---- a disk that fails -------------------------------------------------------------------------------------- */

/* What a kernel may do with what it could not write: drop it. */
static void lose(unsigned number, const char *suffix)
{
  char path[WARC_PATH_SIZE];
  warc_path(directory, number, suffix, path);
  assert_int_equal(truncate(path, 0), 0);
}

static size_t size_of(unsigned number, const char *suffix)
{
  char path[WARC_PATH_SIZE];
  size_t size = 0;
  warc_path(directory, number, suffix, path);
  free(scratch_read(path, &size));
  return size;
}

/* A record, and its line in the index. */
static void put_one(warc_files *f, const char *text)
{
  warc_record_begin(&f->data);
  warc_record_add(&f->data, text, strlen(text));
  warc_record_end(&f->data);
  json_put_raw(&f->lines, text);
  json_put_raw(&f->lines, "\n");
}

/* Sync number `number` of the first settling fails: of the data, or of the index. All that was written is lost, and all
 * the same there when it is settled again. */
CASE_WITH(what_a_sync_lost_is_written_again, set_up, tear_down)
{
  for (unsigned number = 1; number <= 2; number++) {
    warc_files f;
    bool is_new;
    assert_true(warc_files_init(&f, directory));
    assert_int_equal(warc_files_ready(&f, 1000, &is_new), 0);
    put_one(&f, "one");
    uint64_t end = warc_file_end(&f.data);
    faults_set(FAULT_SYNC, number, EIO, false);
    assert_int_equal(warc_files_settle(&f), EIO);
    assert_true(faults_have_struck());
    lose(1, number == 1 ? WARC_SUFFIX : WARC_PART);
    put_one(&f, "two");
    assert_int_equal(warc_files_settle(&f), 0);
    warc_place place = warc_files_place(&f);
    assert_true(place.bytes > end && place.bytes == size_of(1, WARC_SUFFIX));
    assert_int_equal(place.index_bytes, 8);
    assert_file(1, WARC_PART, "one\ntwo\n");
    faults_end();
    warc_files_free(&f);
  }
}

/* Files whose names may not be on disk hold nothing, and are made anew. */
CASE_WITH(a_file_whose_name_may_be_lost_is_made_anew, set_up, tear_down)
{
  warc_files f;
  bool is_new;
  assert_true(warc_files_init(&f, directory));
  faults_set(FAULT_SYNC, 1, EIO, false);
  assert_int_equal(warc_files_ready(&f, 1000, &is_new), EIO);
  assert_file(1, WARC_SUFFIX, NULL);
  assert_file(1, WARC_PART, NULL);
  assert_int_equal(warc_files_place(&f).number, 0);
  assert_int_equal(warc_files_ready(&f, 1000, &is_new), 0);
  assert_true(is_new);
  assert_file(1, WARC_SUFFIX, "");
  faults_end();
  warc_files_free(&f);
}

/* However much came since the last commit, what is held in memory is bounded; and where the disk takes nothing, nothing
 * is lost either. */
CASE_WITH(a_large_record_is_settled_in_between, set_up, tear_down)
{
  enum { PIECES = 270 }; /* twice what is held, and a little more */
  static char noise[65536];
  uint64_t dice = 1;
  warc_files f;
  bool is_new;
  assert_true(warc_files_init(&f, directory));
  assert_int_equal(warc_files_ready(&f, 1000, &is_new), 0);
  for (size_t i = 0; i < sizeof noise; i++)
    noise[i] = (char)((dice = dice * 6364136223846793005u + 1442695040888963407u) >> 56);
  warc_record_begin(&f.data);
  faults_set(FAULT_SYNC, 1, ENOSPC, false); /* the first time that somebody thinks of it */
  for (unsigned i = 0; i < PIECES; i++)
    warc_record_add(&f.data, noise, sizeof noise);
  warc_record_end(&f.data);
  assert_true(faults_have_struck());
  faults_end();
  assert_true(f.data.settled > 0 && f.data.size < 10 << 20);
  assert_int_equal(warc_files_settle(&f), 0);
  assert_true(size_of(1, WARC_SUFFIX) == warc_files_place(&f).bytes);
  assert_true(size_of(1, WARC_SUFFIX) > sizeof noise * PIECES);
  warc_files_free(&f);
}
