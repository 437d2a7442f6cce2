/* frontier_merge: seen in any of them is seen in the new one, by the filter's bits or by the logs; nothing else is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

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
  frontier_options options = small_crawl_options(c);
  options.read_only = options.keep_identity = true;
  options.journal_path = NULL;
  return must_open(directory, &options);
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

typedef struct pair {
  uint64_t second_size;
  bool by_bits;
  mlbf_kind filter;
  bool exact;
  const uint8_t *secrets[2]; /* NULL: drawn */
} pair;

static void both_ways(pair p)
{
  small_crawl first = {.directory = a,
                       .seed = 5,
                       .urls = 900,
                       .fetched = 300,
                       .path = "/a/",
                       .expected_urls = 4000,
                       .filter = p.filter,
                       .exact = p.exact,
                       .secret = p.secrets[0]};
  small_crawl second = first;
  second.directory = b;
  second.path = "/b/";
  second.urls = 1200;
  second.expected_urls = p.second_size;
  second.secret = p.secrets[1];
  small_crawl_make(&first);
  small_crawl_make(&second);
  frontier_merged merged = merge((const char *const[]){a, b}, 2, FRONTIER_OK, NULL);
  assert_int_equal(merged.by_bits, p.by_bits);
  assert_true(merged.keys > 600);
  assert_sound();
  first.secret = second.secret = NULL; /* of a reader */
  compare(&first, &second);
  crawl_on(&first);
}

CASE(filters_of_one_size_are_united)
{
  both_ways((pair){4000, true, MLBF_KIND_MLBF, false, {test_secret(0), test_secret(0)}});
}

CASE(others_go_through_the_logs)
{
  both_ways((pair){50, false, MLBF_KIND_MLBF, false, {test_secret(0), test_secret(0)}});
}

CASE(bloom_filters_too)
{
  both_ways((pair){4000, true, MLBF_KIND_BLOOM, false, {test_secret(0), test_secret(0)}});
}

/* ---- secrets ---------------------------------------------------------------------------------------------- */

CASE(other_secrets_go_through_the_urls)
{
  both_ways((pair){4000, true, MLBF_KIND_MLBF, false, {test_secret(0), test_secret(1)}});
}

CASE(other_secrets_and_other_sizes)
{
  both_ways((pair){50, false, MLBF_KIND_LINE, false, {NULL, NULL}});
}

CASE(other_secrets_and_exact_keys)
{
  both_ways((pair){4000, true, MLBF_KIND_MLBF, true, {test_secret(0), NULL}});
}

static const mlbf_span own_key[] = {{"isbn:", 5}, {"3-499", 5}};

/* Of 200 pages, and one whose key is the caller's own. */
static void make_with_own_key(const char *directory, const uint8_t *secret)
{
  small_crawl c = {.directory = directory,
                   .seed = 5,
                   .urls = 200,
                   .fetched = 50,
                   .path = directory == a ? "/a/" : "/b/",
                   .secret = secret};
  frontier_verdict verdict;
  small_crawl_make(&c);
  frontier *f = small_crawl_open(&c);
  small_crawl_url(&c, 1000, &u);
  frontier_link link = {.target = &u, .key = own_key, .key_count = 2};
  assert_int_equal(frontier_note(f, &link, 0, &verdict), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* `to` has this secret, and in it every page of `of`, and the own key if there was one. */
static void assert_merged_under(const uint8_t *secret, const char *of, bool has_own_key)
{
  small_crawl c = {.directory = of, .seed = 5, .urls = 200, .path = of == a ? "/a/" : "/b/"}, merged = c;
  frontier_verdict verdict;
  merged.secret = secret;
  frontier *f = open_reader(&merged, to), *source = open_reader(&c, of);
  unsigned seen = 0;
  for (unsigned i = 0; i < 200; i++)
    if (has_seen(source, &c, i)) {
      assert_true(has_seen(f, &c, i));
      seen++;
    }
  assert_true(seen > 50);
  frontier_link link = {.target = &u, .key = own_key, .key_count = 2};
  assert_int_equal(frontier_lookup_batch(f, &link, 1, &verdict), FRONTIER_OK);
  assert_int_equal(verdict.outcome == FRONTIER_SEEN, has_own_key);
  frontier_close(f);
  frontier_close(source);
  assert_sound();
}

/* Own keys cannot be hashed again: where one crawl has some, the merge has its secret. */
CASE(own_keys_keep_their_secret)
{
  small_crawl plain = {.directory = a, .seed = 5, .urls = 200, .fetched = 50, .path = "/a/", .secret = test_secret(0)};
  small_crawl_make(&plain);
  make_with_own_key(b, test_secret(1));
  merge((const char *const[]){a, b}, 2, FRONTIER_OK, NULL);
  assert_merged_under(test_secret(1), a, true);
  assert_merged_under(test_secret(1), b, true);
}

CASE(own_keys_of_one_secret_are_merged)
{
  make_with_own_key(a, test_secret(1));
  make_with_own_key(b, test_secret(1));
  merge((const char *const[]){a, b}, 2, FRONTIER_OK, NULL);
  assert_merged_under(test_secret(1), a, true);
  assert_merged_under(test_secret(1), b, true);
}

CASE(own_keys_of_two_secrets_are_not)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_merged merged;
  make_with_own_key(a, test_secret(0));
  make_with_own_key(b, test_secret(1));
  assert_int_equal(frontier_merge((const char *const[]){a, b}, 2, to, &merged, message), FRONTIER_MISMATCH);
  assert_true(strstr(message, a) && strstr(message, b) && strstr(message, "secret"));
  assert_int_not_equal(access(to, F_OK), 0);
}

/* A merge has keys and no URLs: merged once more, with another crawl, it keeps its secret too. */
CASE(a_merge_keeps_its_secret)
{
  char once[SCRATCH_PATH];
  small_crawl c = {.directory = a, .seed = 5, .urls = 200, .fetched = 50, .path = "/a/", .secret = test_secret(0)};
  small_crawl_make(&c);
  merge((const char *const[]){a}, 1, FRONTIER_OK, NULL);
  scratch_join(root, "once", once);
  assert_int_equal(rename(to, once), 0);
  c.directory = b;
  c.path = "/b/";
  c.secret = test_secret(1);
  small_crawl_make(&c);
  merge((const char *const[]){b, once}, 2, FRONTIER_OK, NULL);
  assert_merged_under(test_secret(0), a, false);
  assert_merged_under(test_secret(0), b, false);
}

/* What was forgotten, and what was erased since, is not seen in the merge either. */
/* Through the URLs, if the secrets differ; else through the logs. */
CASE(what_was_forgotten_is_not_made_again)
{
  for (int turn = 0; turn < 4; turn++) {
    bool exact = turn % 2, of_one_secret = turn / 2;
    small_crawl c = {
      .directory = a, .seed = 5, .urls = 200, .fetched = 50, .path = "/a/", .exact = exact, .secret = test_secret(0)};
    small_crawl other = c;
    frontier_sizes sizes;
    bool was_seen;
    char message[FRONTIER_MESSAGE_SIZE] = "";
    if (turn)
      begin(state);
    other.directory = b;
    other.path = "/b/";
    other.secret = test_secret(!of_one_secret);
    small_crawl_make(&c);
    small_crawl_make(&other);
    for (unsigned i = 4; i < 6; i++) { /* 4 is erased, 5 forgotten */
      frontier *f = small_crawl_open(&other);
      small_crawl_url(&other, i, &u);
      assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen), FRONTIER_OK);
      assert_true(was_seen);
      assert_int_equal(frontier_close(f), FRONTIER_OK);
      if (i == 4 && frontier_compact(b, &sizes, message) != FRONTIER_OK)
        fail_msg("%s", message);
    }
    merge((const char *const[]){a, b}, 2, FRONTIER_OK, NULL);
    small_crawl merged = other;
    merged.secret = test_secret(0);
    frontier *f = open_reader(&merged, to);
    assert_true(has_seen(f, &other, 3) && !has_seen(f, &other, 4) && !has_seen(f, &other, 5));
    assert_true(has_seen(f, &c, 4) && has_seen(f, &c, 5));
    frontier_close(f);
    assert_sound();
    if (turn < 3)
      end(state);
  }
}

CASE(what_cannot_be_merged_is_named)
{
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

EACH_CASE(begin, end)
