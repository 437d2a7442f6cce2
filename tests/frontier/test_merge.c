/* frontier_merge: seen in any of them is seen in the new one, by the filter's bits or by the logs; nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"

static char root[SCRATCH_PATH], a[SCRATCH_PATH], b[SCRATCH_PATH], to[SCRATCH_PATH];
static url u;

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "a", a);
  scratch_join(root, "b", b);
  scratch_join(root, "to", to);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static frontier_merged merge(const char *const *directories, size_t count, frontier_status expected, const char *names)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_merged merged = {0};
  frontier_status status = frontier_merge(directories, count, to, &merged, message);
  if (status != expected || (names && !strstr(message, names)))
    fail_msg("status %d: %s", (int)status, message);
  return merged;
}

static frontier *open_reader(const small_crawl *c, const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = small_crawl_options(c);
  frontier *f = NULL;
  options.read_only = options.keep_identity = true;
  options.journal_path = NULL;
  if (frontier_open(directory, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static bool has_seen(frontier *f, const small_crawl *c, unsigned number)
{
  frontier_verdict verdict;
  small_crawl_url(c, number, &u);
  assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
  return verdict.outcome == FRONTIER_SEEN;
}

static void print_fault(void *context, const char *sentence)
{
  (void)context;
  print_message("%s\n", sentence);
}

static void assert_sound(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  if (frontier_check(to, NULL, print_fault, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(found.faults, 0);
}

/* One by one: what a crawl says it has seen, the merge has; what neither has, it has not. */
static void compare(const small_crawl *first, const small_crawl *second)
{
  unsigned seen = 0, wrong = 0, all = first->urls > second->urls ? first->urls : second->urls;
  frontier *fa = open_reader(first, a), *fb = open_reader(second, b), *ft = open_reader(first, to);
  for (unsigned i = 0; i < 2 * all; i++)
    for (int of_second = 0; of_second < 2; of_second++) {
      const small_crawl *c = of_second ? second : first;
      bool is_seen = has_seen(fa, c, i) || has_seen(fb, c, i), is_merged = has_seen(ft, c, i);
      if (is_seen && !is_merged)
        fail_msg("%s is not seen any more", u.key);
      wrong += !is_seen && is_merged;
      seen += is_seen;
    }
  assert_true(seen > first->fetched && seen < 4 * all);
  assert_in_range(wrong, 0, 1); /* 1e-6 each */
  frontier_close(fa);
  frontier_close(fb);
  frontier_close(ft);
}

/* A crawl that begins with the memory of both finds only what neither had. */
static void crawl_on(const small_crawl *like)
{
  small_crawl c = *like;
  frontier_stats before, after;
  c.directory = to;
  c.path = "/new/";
  c.fetched = 100;
  frontier *f = small_crawl_open(&c);
  assert_int_equal(frontier_stats_read(f, &before), FRONTIER_OK);
  assert_int_equal(small_crawl_run(&c, f), 100);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound();
  f = open_reader(&c, to);
  assert_int_equal(frontier_stats_read(f, &after), FRONTIER_OK);
  assert_int_equal(after.done + after.failed + after.skipped, 100);
  assert_true(has_seen(f, &c, 0) && has_seen(f, like, 0));
  frontier_close(f);
}

static void both_ways(uint64_t second_size, bool by_bits, mlbf_kind filter)
{
  small_crawl first = {
    .directory = a, .seed = 5, .urls = 900, .fetched = 300, .path = "/a/", .expected_urls = 4000, .filter = filter};
  small_crawl second = first;
  second.directory = b;
  second.path = "/b/";
  second.urls = 1200;
  second.expected_urls = second_size;
  small_crawl_make(&first);
  small_crawl_make(&second);
  frontier_merged merged = merge((const char *const[]){a, b}, 2, FRONTIER_OK, NULL);
  assert_int_equal(merged.by_bits, by_bits);
  assert_true(merged.keys > 600);
  assert_sound();
  compare(&first, &second);
  crawl_on(&first);
}

static void filters_of_one_size_are_united(void **state)
{
  (void)state;
  both_ways(4000, true, MLBF_KIND_MLBF);
}

static void others_go_through_the_logs(void **state)
{
  (void)state;
  both_ways(50, false, MLBF_KIND_MLBF);
}

static void bloom_filters_too(void **state)
{
  (void)state;
  both_ways(4000, true, MLBF_KIND_BLOOM);
}

static void what_cannot_be_merged_is_named(void **state)
{
  (void)state;
  small_crawl c = {.directory = a, .seed = 5, .urls = 100, .fetched = 10};
  small_crawl_make(&c);
  c.directory = b;
  c.profile = URL_NO_WWW;
  small_crawl_make(&c);
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_merged merged;
  assert_int_equal(frontier_merge((const char *const[]){a, b}, 2, to, &merged, message), FRONTIER_MISMATCH);
  assert_true(strstr(message, a) && strstr(message, b) && strstr(message, "no-www") && strstr(message, "strict"));
  merge((const char *const[]){a, "/nowhere"}, 2, FRONTIER_NOT_FOUND, "/nowhere");
  merge((const char *const[]){a}, 0, FRONTIER_BAD_ARGUMENT, NULL);
  assert_int_not_equal(access(to, F_OK), 0);
  merge((const char *const[]){a}, 1, FRONTIER_OK, NULL);
  merge((const char *const[]){a}, 1, FRONTIER_BAD_ARGUMENT, "there already");
  assert_sound();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(filters_of_one_size_are_united, begin, end),
    cmocka_unit_test_setup_teardown(others_go_through_the_logs, begin, end),
    cmocka_unit_test_setup_teardown(bloom_filters_too, begin, end),
    cmocka_unit_test_setup_teardown(what_cannot_be_merged_is_named, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
