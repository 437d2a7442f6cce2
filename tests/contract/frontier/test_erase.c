/* frontier/admin/erase.c by frontier_compact: what was forgotten costs no row any more, is new once when it is met
 * again, and neither check nor repair brings it back. Death on the way: test_admin_faults.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/admin.h"
#include "frontier/recrawl.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

enum { URLS = 600 };
#define CROWDED "h0.test" /* more than every other URL is its */

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];
static url u;

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* ---- what is done, and asked ------------------------------------------------------------------------------ */

static small_crawl crawl(bool exact)
{
  return (small_crawl){.directory = directory, .seed = 11, .urls = URLS, .fetched = URLS, .exact = exact};
}

static frontier *open_it(const small_crawl *c)
{
  frontier_options options = small_crawl_options(c);
  return must_open(directory, &options);
}

/* Until all that the filter calls seen is confirmed: of an unconfirmed link the key stays as it is. */
static void confirm_all(frontier *f)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  for (uint64_t now_ms = 0; !frontier_is_finished(f); now_ms += 1000)
    assert_int_equal(frontier_next(f, now_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  for (bool is_more = true; is_more;)
    assert_int_equal(frontier_maintain(f, 1000, &is_more), FRONTIER_OK);
}

static uint64_t forget_host(const small_crawl *c)
{
  uint64_t forgotten;
  frontier *f = open_it(c);
  if (c->exact)
    confirm_all(f);
  assert_int_equal(frontier_forget_host(f, CROWDED, strlen(CROWDED), &forgotten), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return forgotten;
}

static void compact(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  if (frontier_compact(directory, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
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
  second_view v;
  if (frontier_check(directory, NULL, print_fault, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(found.faults, 0);
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  second_free(&v);
}

static uint64_t rows(void)
{
  second_view v;
  second_read(directory, false, &v);
  uint64_t count = v.revoked;
  second_free(&v);
  return count;
}

static bool is_crowded(const small_crawl *c, unsigned number)
{
  small_crawl_url(c, number, &u);
  return u.host_end - u.host_begin == strlen(CROWDED) && memcmp(u.fetch + u.host_begin, CROWDED, strlen(CROWDED)) == 0;
}

static unsigned count_crowded(const small_crawl *c)
{
  unsigned count = 0;
  for (unsigned i = 0; i < URLS; i++)
    count += is_crowded(c, i);
  return count;
}

static bool is_seen(const small_crawl *c, frontier *f, unsigned number)
{
  frontier_verdict verdict;
  small_crawl_url(c, number, &u);
  assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
  return verdict.outcome == FRONTIER_SEEN;
}

static void assert_forgotten(const small_crawl *c)
{
  frontier *f = open_it(c);
  for (unsigned i = 0; i < URLS; i++)
    assert_int_equal(is_seen(c, f, i), !is_crowded(c, i));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* In two lives, so that memory alone cannot do it. */
static void assert_new_once(const small_crawl *c)
{
  frontier_verdict verdict;
  for (int life = 0; life < 2; life++) {
    frontier *f = open_it(c);
    for (unsigned i = 0; i < URLS; i++) {
      bool is_new = life == 0 && is_crowded(c, i);
      small_crawl_url(c, i, &u);
      assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
      assert_int_equal(verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED, is_new);
    }
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
}

/* The older root, which nothing needs: all the same data.mdb is then made again. */
static frontier_repairs repair_after_damage(void)
{
  enum { PAGE = 4096, TRANSACTION = 144 };
  char message[FRONTIER_MESSAGE_SIZE] = "", path[SCRATCH_PATH];
  frontier_repairs done;
  size_t size;
  uint64_t first, second;
  scratch_join(directory, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  memcpy(&first, bytes + TRANSACTION, 8);
  memcpy(&second, bytes + PAGE + TRANSACTION, 8);
  bytes[(first < second ? 0 : PAGE) + 16] ^= 1;
  scratch_write(path, bytes, size);
  free(bytes);
  if (frontier_repair(directory, NULL, print_fault, NULL, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_true(done.was_rebuilt);
  return done;
}

/* ---- a host ----------------------------------------------------------------------------------------------- */

static void a_host(bool exact)
{
  small_crawl c = crawl(exact);
  small_crawl_make(&c);
  assert_int_equal(forget_host(&c), count_crowded(&c));
  assert_int_equal(rows(), count_crowded(&c));
  compact();
  assert_int_equal(rows(), 0);
  assert_sound();
  assert_forgotten(&c);
  assert_int_equal(forget_host(&c), 0);
  assert_int_equal(rows(), 0);
  frontier_repairs done = repair_after_damage();
  assert_true(done.gone == 0 && done.keys_gone == 0);
  assert_sound();
  assert_int_equal(rows(), 0);
  assert_forgotten(&c);
  assert_new_once(&c);
  assert_sound();
}

CASE_WITH(a_forgotten_host_costs_nothing_any_more, begin, end)
{
  a_host(false);
}

CASE_WITH(nor_where_keys_are_exact, begin, end)
{
  a_host(true);
}

/* Met again, forgotten again, erased again: its key is in the log three times, and in the end it is new. */
CASE_WITH(again_and_again, begin, end)
{
  small_crawl c = crawl(true);
  small_crawl_make(&c);
  for (int round = 0; round < 3; round++) {
    forget_host(&c);
    compact();
    assert_int_equal(rows(), 0);
    assert_forgotten(&c);
    frontier *f = small_crawl_open(&c);
    for (unsigned i = 0; i < URLS; i++) {
      frontier_verdict verdict;
      small_crawl_url(&c, i, &u);
      assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
    }
    assert_int_equal(small_crawl_run(&c, f), count_crowded(&c));
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    assert_sound();
  }
  compact();
  assert_sound();
}

/* ---- in every place a URL may be -------------------------------------------------------------------------- */

#define OWN_KEY "isbn:1"

static void note(frontier *f, const frontier_link *link)
{
  frontier_verdict verdict;
  assert_int_equal(frontier_note(f, link, 0, &verdict), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

static void forget(frontier *f, const frontier_link *link)
{
  bool was_seen;
  assert_int_equal(frontier_forget(f, link, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
}

/* One that waits keeps waiting, and is not new by its record; a caller's own key has no text to be made from again. */
CASE(one_that_waits_and_one_with_an_own_key)
{
  for (int exact = 0; exact < 2; exact++) {
    static url other;
    mlbf_span own = {OWN_KEY, strlen(OWN_KEY)};
    frontier_link link = {.target = &other, .key = &own, .key_count = 1};
    frontier_stats stats;
    frontier_verdict verdict;
    begin(state);
    small_crawl c = crawl(exact);
    c.fetched = 1;
    assert_int_equal(url_parse("http://own.test/", 16, URL_STRICT, &other), URL_OK);
    small_crawl_make(&c);
    frontier *f = open_it(&c);
    note(f, &link);
    small_crawl_url(&c, 2, &u); /* one of the seeds that were not fetched */
    forget(f, &(frontier_link){.target = &u});
    forget(f, &link);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    uint64_t queued = stats.queued;

    compact();
    assert_int_equal(rows(), 0);
    assert_sound();
    frontier_repairs done = repair_after_damage();
    assert_true(done.gone == 0 && done.keys_gone == 0);
    assert_sound();
    f = open_it(&c);
    assert_false(is_seen(&c, f, 2));
    note(f, &link);
    assert_int_equal(frontier_note(f, &link, 0, &verdict), FRONTIER_OK);
    assert_int_equal(verdict.outcome, FRONTIER_SEEN);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    assert_int_equal(stats.queued, queued);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    assert_sound();
    end(state);
  }
}

/* It leaves the history for the queue and comes back, and its key stays out of the log. */
CASE_WITH(one_that_is_fetched_again, begin, end)
{
  enum { DAY = 86400 };
  small_crawl c = crawl(false);
  frontier *f = open_it(&c);
  frontier_verdict verdict;
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_recrawl(f, DAY, DAY, DAY), FRONTIER_OK);
  small_crawl_url(&c, 0, &u);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  for (int time = 0; time < 2; time++) {
    assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(count, 1);
    assert_int_equal(lease.id, 1);
    assert_int_equal(frontier_visit_note(f, lease.id, &(frontier_visit){.at_s = DAY}), FRONTIER_OK);
    assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
    if (time == 0)
      forget(f, &(frontier_link){.target = &u});
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    compact();
    assert_int_equal(rows(), 0);
    assert_sound();
    f = open_it(&c);
    assert_false(is_seen(&c, f, 0));
    assert_int_equal(frontier_recrawl(f, DAY, DAY, 3 * DAY), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- doubt ------------------------------------------------------------------------------------------------ */

enum { NOTED = 12000 };

static frontier *open_doubtful(small_crawl *c, bool exact)
{
  *c = crawl(exact);
  frontier_options options = small_crawl_options(c);
  options.filter = MLBF_KIND_BLOOM; /* no layers, which know too well what is new */
  options.rate = 0.3;
  options.expected_urls = 1;
  return must_open(directory, &options);
}

static frontier *make_doubtful(small_crawl *c, bool exact)
{
  frontier *f = open_doubtful(c, exact);
  for (unsigned i = 0; i < NOTED; i++) {
    frontier_verdict verdict;
    small_crawl_url(c, i, &u);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict), FRONTIER_OK);
  }
  return f;
}

/* A filter that takes one URL in four for seen: those it does, though they were never accepted, are forgotten by name,
 * and are new ever after. A row is left of those that the filter made anew claims as well. */
CASE_WITH(what_the_filter_only_thinks_it_knows, begin, end)
{
  enum { OTHERS = 300 };
  small_crawl c;
  unsigned claimed = 0;
  bool was_claimed[OTHERS];
  frontier *f = make_doubtful(&c, false);
  c.path = "/0/other/";
  for (unsigned i = 0; i < OTHERS; i++) {
    small_crawl_url(&c, i, &u);
    assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_claimed[i]), FRONTIER_OK);
    claimed += was_claimed[i];
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(rows(), claimed);
  compact();
  uint64_t left = rows();
  print_message("%u of %u were taken for seen, %llu still are\n", claimed, OTHERS, (unsigned long long)left);
  assert_true(left > 0 && left < claimed);
  f = open_doubtful(&c, false);
  c.path = "/0/other/";
  for (unsigned i = 0; i < OTHERS; i++)
    assert_false(was_claimed[i] && is_seen(&c, f, i));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound();
}

/* Beside such a filter the runs have the last word, and none of them is forgotten twice, nor has a row. */
CASE_WITH(what_the_runs_know_better, begin, end)
{
  small_crawl c;
  uint64_t forgotten;
  frontier *f = make_doubtful(&c, true);
  confirm_all(f);
  assert_int_equal(frontier_forget_host(f, CROWDED, strlen(CROWDED), &forgotten), FRONTIER_OK);
  assert_true(forgotten > NOTED / 2);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  compact();
  assert_int_equal(rows(), 0);
  assert_sound();
  f = open_doubtful(&c, true);
  assert_int_equal(frontier_forget_host(f, CROWDED, strlen(CROWDED), &forgotten), FRONTIER_OK);
  assert_int_equal(forgotten, 0);
  for (unsigned i = 0; i < URLS; i++) {
    bool is_known = !is_crowded(&c, i);
    assert_int_equal(is_seen(&c, f, i), is_known);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- elsewhere -------------------------------------------------------------------------------------------- */

/* A merged memory, a snapshot and a crawl that has it for its earlier one do not know it either. */
CASE_WITH(whoever_reads_the_directory, begin, end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", merged[SCRATCH_PATH], snapshot[SCRATCH_PATH], later[SCRATCH_PATH];
  frontier_merged result;
  frontier_verdict verdict;
  frontier_options options;
  small_crawl c = crawl(false);
  scratch_join(root, "merged", merged);
  scratch_join(root, "snapshot", snapshot);
  scratch_join(root, "later", later);
  small_crawl_make(&c);
  forget_host(&c);
  compact();
  assert_int_equal(frontier_merge((const char *const[]){directory}, 1, merged, &result, message), FRONTIER_OK);
  frontier *f = open_it(&c), *other;
  assert_int_equal(frontier_snapshot(f, snapshot, NULL, message), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  options = small_crawl_options(&c);
  options.previous_path = directory;
  f = must_open(later, &options);
  for (unsigned i = 0; i < URLS; i++) {
    bool is_known = !is_crowded(&c, i);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    assert_int_equal(verdict.outcome == FRONTIER_KNOWN_BEFORE, is_known);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  const char *const copies[] = {merged, snapshot};
  for (size_t copy = 0; copy < 2; copy++) {
    options = small_crawl_options(&c);
    other = must_open(copies[copy], &options);
    for (unsigned i = 0; i < URLS; i++)
      assert_int_equal(is_seen(&c, other, i), !is_crowded(&c, i));
    assert_int_equal(frontier_close(other), FRONTIER_OK);
  }
}
