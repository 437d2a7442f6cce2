/* frontier_repair of a directory in which numbers have no URL already (the record `absent`): of a merge, of a crawl
 * that was repaired before. What had no URL is no loss, and the keys of a merge stay seen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"

enum { URLS = 400, ROW_OF_BLOCK = 30 };

static char root[SCRATCH_PATH], a[SCRATCH_PATH], b[SCRATCH_PATH], merged[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "a", a);
  scratch_join(root, "b", b);
  scratch_join(root, "merged", merged);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static small_crawl crawl_in(const char *directory, const char *path, bool is_exact)
{
  return (small_crawl){
    .directory = directory, .path = path, .seed = 5, .urls = URLS, .fetched = URLS / 4, .exact = is_exact};
}

static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

static uint64_t faults(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  if (frontier_check(directory, NULL, say_nothing, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return found.faults;
}

static frontier_repairs repair(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", kept[SCRATCH_PATH];
  frontier_repairs done;
  assert_true(faults(directory) > 0);
  if (frontier_repair(directory, NULL, say_nothing, NULL, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_true(done.was_rebuilt);
  assert_int_equal(faults(directory), 0);
  scratch_join(directory, "data.mdb.damaged", kept);
  assert_int_equal(unlink(kept), 0);
  return done;
}

/* The first block of rows of the `which`-th value: its URLs are lost. */
static void lose_block(const char *directory, size_t which)
{
  spoil_value v = spoil_read(directory, "text", which);
  assert_true(v.bytes && spoil_flip(directory, &v, spoil_block(&v, 0) + ROW_OF_BLOCK) > 0);
  spoil_free(&v);
}

static void lose_progress(const char *directory)
{
  char path[SCRATCH_PATH];
  size_t size;
  unsigned met = 0;
  scratch_join(directory, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), "progress", 8)); at += 8, met++)
    at[8] ^= 1;
  assert_true(met > 0);
  scratch_write(path, bytes, size);
  free(bytes);
}

static unsigned count_seen(const char *directory, const small_crawl *c)
{
  static url u;
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = small_crawl_options(c);
  frontier_verdict verdict;
  frontier *f = NULL;
  unsigned seen = 0;
  options.read_only = options.keep_identity = true;
  if (frontier_open(directory, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  for (unsigned i = 0; i < URLS; i++) {
    small_crawl_url(c, i, &u);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    seen += verdict.outcome == FRONTIER_SEEN;
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return seen;
}

/* Each loss is counted once, and the crawl goes on after each. */
CASE(a_crawl_loses_urls_twice)
{
  for (int is_exact = 0; is_exact < 2; is_exact++) {
    scratch_remove(a);
    small_crawl c = crawl_in(a, "/a/", is_exact);
    small_crawl_make(&c);
    lose_block(a, 0);
    frontier_repairs first = repair(a);
    assert_true(first.gone > 0);
    small_crawl_make(&c);
    lose_progress(a);
    assert_int_equal(repair(a).gone, 0);
    lose_block(a, 0);
    frontier_repairs last = repair(a);
    assert_true(last.gone > 0 && last.gone <= 64);
    c.fetched = 10 * URLS;
    small_crawl_make(&c);
    assert_int_equal(faults(a), 0);
    assert_int_equal(count_seen(a, &c), URLS);
  }
}

/* Its keys are those of other crawls: nothing is gone, and all are seen still. */
CASE(a_merge_is_repaired)
{
  for (int is_exact = 0; is_exact < 2; is_exact++) {
    char message[FRONTIER_MESSAGE_SIZE] = "";
    scratch_remove(a);
    scratch_remove(b);
    scratch_remove(merged);
    small_crawl one = crawl_in(a, "/a/", is_exact), other = crawl_in(b, "/b/", is_exact);
    small_crawl_make(&one);
    small_crawl_make(&other);
    if (frontier_merge((const char *const[]){a, b}, 2, merged, &(frontier_merged){0}, message) != FRONTIER_OK)
      fail_msg("%s", message);
    unsigned seen = count_seen(merged, &one), seen_of_other = count_seen(merged, &other);
    assert_true(seen > URLS / 4 && seen_of_other > URLS / 4);
    for (int i = 0; i < 2; i++) {
      lose_progress(merged);
      frontier_repairs done = repair(merged);
      assert_int_equal(done.gone + done.keys_gone, 0);
      assert_int_equal(count_seen(merged, &one), seen);
      assert_int_equal(count_seen(merged, &other), seen_of_other);
    }
  }
}

EACH_CASE(begin, end)
