/* What a directory is: in three places, any of which brings back the other two; and the scheme of the caller's keys. */
#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, ID_AT = 76, ID_SIZE = 16 }; /* in the file IDENTITY */

static char root[SCRATCH_PATH], original[SCRATCH_PATH], work[SCRATCH_PATH], data[SCRATCH_PATH], file[SCRATCH_PATH];
static char message[FRONTIER_MESSAGE_SIZE], heard[1 << 14];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "original", original);
  scratch_join(root, "work", work);
  scratch_join(work, "data.mdb", data);
  scratch_join(work, "IDENTITY", file);
  small_crawl_make(&(small_crawl){.directory = original, .seed = 9, .urls = 400, .fetched = 90});
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static void copy_original(void)
{
  scratch_remove(work);
  assert_int_equal(mkdir(work, 0777), 0);
  scratch_copy(original, work);
}

static void note(void *context, const char *sentence)
{
  size_t used = strlen(heard);
  (void)context;
  snprintf(heard + used, sizeof heard - used, "%s\n", sentence);
}

static uint64_t check(void)
{
  frontier_findings found;
  *heard = '\0';
  if (frontier_check(work, NULL, note, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return found.faults;
}

static void repair(void)
{
  frontier_repairs done;
  *heard = '\0';
  if (frontier_repair(work, NULL, note, NULL, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(done.gone, 0);
}

/* The leaf pages of data.mdb that have the record, overwritten; how many. */
static unsigned wipe_pages(unsigned which)
{
  size_t size, met = 0, wiped = 0;
  char *bytes = scratch_read(data, &size);
  for (size_t at = 2 * PAGE; at + PAGE <= size; at += PAGE)
    if (bytes[at + 10] == 2 && memmem(bytes + at, PAGE, "identity", 8) &&
        memmem(bytes + at, PAGE, "STRATA frontier", 15) && (which & 1u << met++)) {
      memset(bytes + at + 100, 0, PAGE - 100);
      wiped++;
    }
  scratch_write(data, bytes, size);
  free(bytes);
  return (unsigned)wiped;
}

CASE(any_of_three_brings_back_the_others)
{
  size_t size, after_size;
  for (unsigned lost = 1; lost < 3; lost++) { /* 1: every page with a copy; 2: the file */
    copy_original();
    char *before = scratch_read(file, &size), *after;
    if (lost == 1)
      assert_true(wipe_pages(~0u) >= 2);
    else
      unlink(file);
    assert_true(check() > 0);
    if (lost == 2)
      assert_non_null(strstr(heard, "IDENTITY: "));
    frontier_repairs done;
    *heard = '\0';
    if (frontier_repair(work, NULL, note, NULL, &done, message) != FRONTIER_OK)
      fail_msg("lost %u: %s", lost, message);
    after = scratch_read(file, &after_size);
    assert_int_equal(size, after_size);
    assert_memory_equal(before, after, size);
    if (check() != 0)
      fail_msg("lost %u: %s", lost, heard);
    second_view v;
    second_read(work, false, &v); /* and it compares the tables */
    assert_int_equal(v.faults, 0);
    second_free(&v);
    free(before);
    free(after);
  }
}

CASE(a_file_of_another_directory_is_replaced)
{
  size_t size;
  copy_original();
  char *bytes = scratch_read(file, &size);
  bytes[ID_AT] ^= 1;
  scratch_write(file, bytes, size);
  assert_int_equal(check(), 1);
  repair();
  assert_non_null(strstr(heard, "IDENTITY: "));
  assert_int_equal(check(), 0);
  free(bytes);
}

CASE(a_copy_has_the_id_and_a_merge_its_own)
{
  char to[SCRATCH_PATH], path[SCRATCH_PATH];
  size_t size;
  frontier *f;
  frontier_merged merged;
  copy_original();
  small_crawl c = {.directory = work, .urls = 400};
  frontier_options options = small_crawl_options(&c);
  options.keep_identity = options.read_only = true;
  assert_int_equal(frontier_open(work, &options, &f, message), FRONTIER_OK);
  scratch_join(root, "snapshot", to);
  assert_int_equal(frontier_snapshot(f, to, NULL, message), FRONTIER_OK);
  frontier_close(f);
  char *ours = scratch_read(file, &size), *copied, *made;
  scratch_join(to, "IDENTITY", path);
  copied = scratch_read(path, &size);
  assert_memory_equal(ours, copied, size);
  scratch_join(root, "merged", to);
  const char *from[] = {work};
  assert_int_equal(frontier_merge(from, 1, to, &merged, message), FRONTIER_OK);
  scratch_join(to, "IDENTITY", path);
  made = scratch_read(path, &size);
  assert_memory_not_equal(ours + ID_AT, made + ID_AT, ID_SIZE);
  free(ours);
  free(copied);
  free(made);
}

static frontier_status open_with(const char *name, const char *scheme, bool keep)
{
  char path[SCRATCH_PATH];
  frontier *f = NULL;
  scratch_join(root, name, path);
  small_crawl c = {.directory = path, .urls = 400};
  frontier_options options = small_crawl_options(&c);
  options.key_scheme = scheme;
  options.keep_identity = keep;
  frontier_status status = frontier_open(path, &options, &f, message);
  if (f)
    frontier_close(f);
  return status;
}

CASE(keys_of_another_scheme_are_refused)
{
  char first[SCRATCH_PATH], second[SCRATCH_PATH], to[SCRATCH_PATH], longest[FRONTIER_KEY_SCHEME_MAX + 2];
  frontier_merged merged;
  assert_int_equal(open_with("isbn", "isbn-13", false), FRONTIER_OK);
  assert_int_equal(open_with("isbn", "isbn-13", false), FRONTIER_OK);
  assert_int_equal(open_with("isbn", "isbn-10", false), FRONTIER_MISMATCH);
  assert_non_null(strstr(message, "isbn-13"));
  assert_int_equal(open_with("isbn", NULL, false), FRONTIER_MISMATCH);
  assert_int_equal(open_with("isbn", NULL, true), FRONTIER_OK);
  assert_int_equal(open_with("plain", NULL, false), FRONTIER_OK);
  assert_int_equal(open_with("plain", "", false), FRONTIER_OK);
  assert_int_equal(open_with("plain", "isbn-13", false), FRONTIER_MISMATCH);
  assert_int_equal(open_with("bad", "two words", false), FRONTIER_BAD_ARGUMENT);
  memset(longest, 'k', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_int_equal(open_with("bad", longest, false), FRONTIER_BAD_ARGUMENT);
  longest[sizeof longest - 2] = '\0';
  assert_int_equal(open_with("long", longest, false), FRONTIER_OK);
  assert_int_equal(open_with("long", longest, false), FRONTIER_OK);
  scratch_join(root, "isbn", first);
  scratch_join(root, "plain", second);
  scratch_join(root, "both", to);
  const char *from[] = {first, second};
  assert_int_equal(frontier_merge(from, 2, to, &merged, message), FRONTIER_MISMATCH);
  assert_non_null(strstr(message, "isbn-13"));
  assert_int_equal(frontier_merge(from, 1, to, &merged, message), FRONTIER_OK);
  assert_int_equal(open_with("both", "isbn-13", false), FRONTIER_OK);
}

EACH_CASE(begin, end)
