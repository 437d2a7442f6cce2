/* frontier_maintain: what it has done is not left for the commits, and survives death; what closing does then. With
 * tiny limits: a checkpoint is due after 300 keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/frontier.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"

enum { URLS = 1000, EXPECTED = 100, CHECKPOINT_KEYS = 2 /* in second_view.progress */ };

static char directory[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static frontier *open_frontier(void)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = EXPECTED, .rate = 1e-6, .per_host = 1};
  return must_open(directory, &options);
}

static frontier_outcome ask(frontier *f, unsigned number, bool add)
{
  static url u;
  frontier_verdict verdict;
  must_parse(&u, "http://h%u.test/%u", number % 20, number);
  assert_int_equal(add ? frontier_add(f, &u, (frontier_origin){0}, 0, &verdict) : frontier_lookup(f, &u, &verdict),
                   FRONTIER_OK);
  return verdict.outcome;
}

static uint64_t design_of(frontier *f)
{
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  return stats.filter.design_keys;
}

/* All that is due, and nothing of it afterwards. */
static void maintain_all(frontier *f)
{
  bool is_more = true;
  for (int calls = 0; is_more; calls++) {
    assert_true(calls < 100000);
    assert_int_equal(frontier_maintain(f, calls % 2 ? 1 : 0, &is_more), FRONTIER_OK); /* a step at least, each time */
  }
  assert_int_equal(frontier_maintain(f, 1000, &is_more), FRONTIER_OK);
  assert_false(is_more);
}

static void crawl_and_die(void)
{
  frontier *f = open_frontier();
  for (unsigned i = 0; i < URLS; i++) {
    if (ask(f, i, true) == FRONTIER_SEEN)
      _exit(1);
    if (i % 40 == 39) {
      frontier_sync(f);
      maintain_all(f);
    }
  }
  frontier_count(f, "done", 1); /* something to commit, with what the checkpoint has to say */
  _exit(frontier_sync(f) == FRONTIER_OK ? 0 : 2);
}

CASE(all_that_is_due_is_done)
{
  int status;
  pid_t child = fork();
  if (child == 0)
    crawl_and_die();
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  second_view v;
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  assert_in_range(v.progress[CHECKPOINT_KEYS], URLS - 340, URLS); /* the interval, and a batch */
  second_free(&v);
  frontier *f = open_frontier();
  assert_in_range(design_of(f), URLS, 2 * URLS);
  for (unsigned i = 0; i < URLS; i++)
    assert_int_equal(ask(f, i, false), FRONTIER_SEEN);
  assert_int_not_equal(ask(f, URLS, false), FRONTIER_SEEN);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(nothing_to_do)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = open_frontier();
  maintain_all(f);
  frontier_close(f);
  frontier_options reader = {
    .filter = MLBF_KIND_MLBF, .expected_urls = EXPECTED, .rate = 1e-6, .per_host = 1, .read_only = true};
  f = must_open(directory, &reader);
  maintain_all(f);
  frontier_close(f);
  assert_int_equal(frontier_open(NULL,
                                 &(frontier_options){
                                   .filter = MLBF_KIND_MLBF, .expected_urls = EXPECTED, .rate = 1e-6, .per_host = 1},
                                 &f, message),
                   FRONTIER_OK);
  maintain_all(f);
  frontier_close(f);
}

/* The filter has room for as many as were expected, and grows when more come. */
CASE(what_was_expected_fits)
{
  frontier *f = open_frontier();
  uint64_t design = 0;
  for (unsigned i = 0; i < 2 * EXPECTED; i++) {
    assert_int_not_equal(ask(f, i, true), FRONTIER_SEEN);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
    maintain_all(f);
    design = i ? design : design_of(f);
    assert_true(i + 1 > EXPECTED || design_of(f) == design);
  }
  assert_true(design_of(f) > design);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static uint64_t saved_keys(void)
{
  second_view v;
  second_read(directory, false, &v);
  uint64_t keys = v.progress[CHECKPOINT_KEYS];
  second_free(&v);
  return keys;
}

static void add_and_close(unsigned from, unsigned to)
{
  frontier *f = open_frontier();
  for (unsigned i = 0; i < to; i++)
    assert_int_equal(ask(f, i, i >= from) == FRONTIER_SEEN, i < from);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  maintain_all(f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* The filter of many keys is not written again for a few. */
CASE(closing_saves_what_is_worth_it)
{
  add_and_close(0, URLS);
  assert_int_equal(saved_keys(), URLS);
  add_and_close(URLS, URLS + URLS / 100);
  assert_int_equal(saved_keys(), URLS);
  add_and_close(URLS + URLS / 100, URLS + URLS / 50);
  assert_int_equal(saved_keys(), URLS + URLS / 50);
}

EACH_CASE(begin, end)
