/* Exact keys, beside what the model sees (test_frontier.c): whose directory it is, and the care of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

enum { URLS = 2000 };

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];

static small_crawl exact_crawl(void)
{
  return (small_crawl){
    .directory = directory, .seed = 5, .urls = URLS, .fetched = URLS - 300, .exact = true, .secret = test_secret(0)};
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  small_crawl c = exact_crawl();
  small_crawl_make(&c);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* ---- what may never change ------------------------------------------------------------------------------ */

static frontier_status open_as(const char *where, bool exact, bool keep_identity, frontier **f, char *message)
{
  small_crawl c = exact_crawl();
  frontier_options options = small_crawl_options(&c);
  options.exact = exact;
  options.keep_identity = keep_identity;
  return frontier_open(where, &options, f, message);
}

CASE_WITH(the_directory_says_so, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  assert_int_equal(open_as(directory, false, false, &f, message), FRONTIER_MISMATCH);
  assert_non_null(strstr(message, "exact keys"));
  assert_int_equal(open_as(directory, false, true, &f, message), FRONTIER_OK);
  assert_true(frontier_is_exact(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(it_needs_a_directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  assert_int_equal(open_as(NULL, true, false, &f, message), FRONTIER_BAD_ARGUMENT);
}

/* ---- the care of it ------------------------------------------------------------------------------------- */

static void count_fault(void *context, const char *sentence)
{
  unsigned *faults = context;
  ++*faults;
  print_message("%s\n", sentence);
}

static unsigned check(const char *where)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  unsigned faults = 0;
  if (frontier_check(where, NULL, count_fault, &faults, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return faults;
}

static void ask(frontier *f, unsigned number, const char *path, frontier_outcome *outcome)
{
  static url u;
  frontier_verdict verdict;
  small_crawl c = exact_crawl();
  c.path = path;
  small_crawl_url(&c, number, &u);
  assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
  *outcome = verdict.outcome;
}

/* All it had is seen, and nothing else is. */
static void check_memory(const char *where)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  frontier_stats stats;
  frontier_outcome outcome;
  assert_int_equal(open_as(where, true, false, &f, message), FRONTIER_OK);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_true(stats.expected_lost == 0);
  unsigned seen = 0;
  for (unsigned i = 0; i < URLS; i++) {
    ask(f, i, NULL, &outcome);
    seen += outcome == FRONTIER_SEEN;
    ask(f, i, "/never/", &outcome);
    assert_int_not_equal(outcome, FRONTIER_SEEN);
  }
  assert_int_equal(seen, stats.done + stats.failed + stats.skipped + stats.queued);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE_WITH(compacted_and_sound, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  second_view v;
  assert_int_equal(check(directory), 0);
  if (frontier_compact(directory, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_true(sizes.after < sizes.before);
  assert_int_equal(check(directory), 0);
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  assert_true(v.is_exact);
  second_free(&v);
  check_memory(directory);
}

CASE_WITH(a_snapshot_is_exact, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", to[SCRATCH_PATH];
  frontier *f = NULL;
  scratch_join(root, "snapshot", to);
  assert_int_equal(open_as(directory, true, false, &f, message), FRONTIER_OK);
  if (frontier_snapshot(f, to, NULL, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(check(to), 0);
  check_memory(to);
}

/* ---- merging -------------------------------------------------------------------------------------------- */

enum { FORGOTTEN = 3 };

static void forget(const char *where, unsigned number)
{
  static url u;
  char message[FRONTIER_MESSAGE_SIZE] = "";
  bool was_seen;
  frontier *f = NULL;
  small_crawl c = exact_crawl();
  small_crawl_url(&c, number, &u);
  assert_int_equal(open_as(where, true, false, &f, message), FRONTIER_OK);
  assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Seen in either, and nothing else; what one forgot and the other never had is new. */
static void check_merged(const char *to, const char *other, const char *path)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  const char *const where[] = {directory, other, to};
  frontier *f[3];
  unsigned seen = 0;
  for (int i = 0; i < 3; i++)
    if (open_as(where[i], true, true, &f[i], message) != FRONTIER_OK)
      fail_msg("%s", message);
  for (unsigned i = 0; i < 3 * URLS; i++) {
    const char *of = i % 3 == 0 ? NULL : i % 3 == 1 ? path : "/never/";
    frontier_outcome outcomes[3];
    for (int j = 0; j < 3; j++)
      ask(f[j], i / 3, of, &outcomes[j]);
    bool is_seen = outcomes[0] == FRONTIER_SEEN || outcomes[1] == FRONTIER_SEEN;
    assert_int_equal(outcomes[2] == FRONTIER_SEEN, is_seen);
    seen += is_seen;
  }
  assert_in_range(seen, URLS + 1, 2 * URLS);
  for (int i = 0; i < 3; i++)
    assert_int_equal(frontier_close(f[i]), FRONTIER_OK);
}

/* Crawls `c` beside the crawl there is, and merges both. */
static frontier_status merge_with(small_crawl c, char other[SCRATCH_PATH], char to[SCRATCH_PATH],
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  const char *const both[] = {directory, other};
  frontier_merged merged;
  scratch_join(root, "other", other);
  scratch_join(root, "merged", to);
  c.directory = other;
  small_crawl_make(&c);
  return frontier_merge(both, 2, to, &merged, message);
}

CASE_WITH(merged_exactly, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", other[SCRATCH_PATH], to[SCRATCH_PATH];
  small_crawl c = exact_crawl();
  c.path = "/other/";
  forget(directory, FORGOTTEN);
  if (merge_with(c, other, to, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(check(to), 0);
  check_merged(to, other, c.path);
}

/* All keys are in the logs, so any crawls can be merged. One that wrongly called links seen has missed pages, and the
 * merge of it has, too: so its keys are not exact. */
CASE_WITH(merged_with_one_that_is_not, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", other[SCRATCH_PATH], to[SCRATCH_PATH];
  frontier *f = NULL;
  small_crawl c = exact_crawl();
  c.exact = false;
  c.path = "/other/";
  if (merge_with(c, other, to, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(check(to), 0);
  assert_int_equal(open_as(to, false, false, &f, message), FRONTIER_OK);
  assert_false(frontier_is_exact(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  check_merged(to, other, c.path);
}

/* ---- damage --------------------------------------------------------------------------------------------- */

static frontier_repairs repair(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  unsigned said = 0;
  if (frontier_repair(directory, NULL, count_fault, &said, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(check(directory), 0);
  return done;
}

/* Pages of the file, of whatever table, are overwritten: what comes out is sound, and nothing in it is new. */
CASE(overwritten_pages)
{
  enum { PAGE = 4096, TRIES = 12 };
  for (unsigned seed = 1; seed <= TRIES; seed++) {
    char data[SCRATCH_PATH];
    size_t size;
    unsigned dice = seed;
    frontier_stats stats;
    frontier *f = NULL;
    char message[FRONTIER_MESSAGE_SIZE] = "";
    begin(state);
    scratch_join(directory, "data.mdb", data);
    char *bytes = scratch_read(data, &size);
    for (int i = 0; i < 5; i++)
      memset(bytes + (2 + (unsigned)rand_r(&dice) % (size / PAGE - 2)) * PAGE, (int)seed, PAGE);
    scratch_write(data, bytes, size);
    free(bytes);
    if (check(directory) > 0)
      repair();
    assert_int_equal(open_as(directory, true, false, &f, message), FRONTIER_OK);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    unsigned seen = 0;
    for (unsigned i = 0; i < URLS; i++) {
      frontier_outcome outcome;
      ask(f, i, NULL, &outcome);
      seen += outcome == FRONTIER_SEEN;
      ask(f, i, "/never/", &outcome);
      assert_int_not_equal(outcome, FRONTIER_SEEN);
    }
    assert_true(seen >= stats.done + stats.failed + stats.skipped + stats.queued);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    end(state);
  }
}
