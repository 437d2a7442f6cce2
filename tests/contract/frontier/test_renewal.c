/* The next main filter beside a crawl: death at each write, a file that cannot be written, a damaged one. With tiny
 * limits: one is made after each 300 keys, over several commits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/frontier.h"
#include "tests/support/each_fault.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"

enum { URLS = 1200, BATCH = 40, CHECKPOINT_KEYS = 2, SLOT = 3 /* in second_view.progress */ };

static char directory[SCRATCH_PATH], heard[4096];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  *heard = '\0';
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static void hear(void *context, const char *line)
{
  (void)context;
  strncat(heard, line, sizeof heard - strlen(heard) - 1);
}

static frontier *open_as(uint64_t expected, bool commit_thread)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = expected,
                              .rate = 1e-6,
                              .per_host = 1,
                              .log = hear,
                              .commit_thread = commit_thread};
  return must_open(directory, &options);
}

static frontier *open_frontier(uint64_t expected)
{
  return open_as(expected, false);
}

static frontier_outcome ask(frontier *f, unsigned number, bool add)
{
  static url u;
  char text[64];
  frontier_verdict verdict = {FRONTIER_SEEN, 0};
  int size = snprintf(text, sizeof text, "http://h%u.test/%u/%u", number % 20, number % 70, number);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK ||
      (add ? frontier_add(f, &u, (frontier_origin){0}, 0, &verdict) : frontier_lookup(f, &u, &verdict)) != FRONTIER_OK)
    abort();
  return verdict.outcome;
}

/* Those that are in the directory, whatever was done to it, and no others. */
static void assert_seen_are(frontier *f, unsigned from, unsigned to)
{
  for (unsigned i = 0; i < from; i++)
    if (ask(f, i, false) != FRONTIER_SEEN)
      fail_msg("%u was committed, and is new", i);
  for (unsigned i = to; i < URLS + BATCH; i++)
    if (ask(f, i, false) == FRONTIER_SEEN)
      fail_msg("%u was not committed, and is seen", i);
}

static void say_nothing(void *context, const char *line)
{
  (void)context;
  (void)line;
}

static uint64_t faults_found(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  assert_int_equal(frontier_check(directory, NULL, say_nothing, NULL, &found, message), FRONTIER_OK);
  assert_int_equal(found.faults, found.filter_faults);
  return found.faults;
}

static uint64_t progress_of(int number)
{
  second_view v;
  second_read(directory, false, &v);
  uint64_t value = v.progress[number];
  second_free(&v);
  return value;
}

/* ---- death ------------------------------------------------------------------------------------------------ */

/* Adds from the first that is new; says how many are committed. */
static bool crawl(unsigned *committed)
{
  frontier *f = open_frontier(100);
  unsigned first = 0;
  while (first < URLS && ask(f, first, false) == FRONTIER_SEEN)
    first++;
  for (unsigned i = first; i < URLS; i++) {
    ask(f, i, true);
    if (i % BATCH != BATCH - 1)
      continue;
    if (frontier_sync(f) != FRONTIER_OK)
      return false;
    *committed = i + 1;
  }
  return true;
}

static void dies_at_each(fault_class what)
{
  unsigned *committed = fault_witness(sizeof *committed), trials = 0, renewed = 0;
  fault_loop l = {.what = what, .error = FAULT_DEATH, .share = 3};
  while (fault_next(&l)) {
    *committed = 0;
    if (fault_begin(&l))
      fault_end(&l, !crawl(committed));
    assert_int_equal(l.outcome, 0);
    frontier *f = open_frontier(100);
    assert_seen_are(f, *committed, *committed + BATCH); /* the next batch may be committed, and not told of */
    frontier_close(f);
    if (l.number % 16 == 0)
      assert_int_equal(faults_found(), 0);
    trials++;
    renewed += progress_of(CHECKPOINT_KEYS) > 300;
    scratch_remove(directory);
    scratch_make_fast(directory);
  }
  assert_true(l.number > 30 && renewed > trials / 2);
}

CASE(death_at_each_write)
{
  dies_at_each(FAULT_WRITE);
}

CASE(death_at_each_sync)
{
  dies_at_each(FAULT_SYNC);
}

/* One death after the other, none of them undone. */
CASE(many_deaths_of_one_crawl)
{
  unsigned *committed = fault_witness(sizeof *committed), deaths = 0;
  fault_loop l = {.what = FAULT_WRITE, .error = FAULT_DEATH, .has_struck = true};
  for (; l.has_struck && deaths < 200; deaths += l.has_struck) {
    l.number = 20 + deaths % 7;
    if (fault_begin(&l))
      fault_end(&l, !crawl(committed));
  }
  assert_true(deaths > 5);
  assert_int_equal(*committed, URLS);
  frontier *f = open_frontier(100);
  assert_seen_are(f, URLS, URLS);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(faults_found(), 0);
}

/* ---- what is in the way -------------------------------------------------------------------------------------- */

static void add_some(frontier *f, unsigned from, unsigned to)
{
  for (unsigned i = from; i < to; i++) {
    assert_int_not_equal(ask(f, i, true), FRONTIER_SEEN);
    if (i % BATCH == BATCH - 1)
      assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
}

/* Then the young filter has all keys, and grows; later the file has them. */
CASE(a_file_that_cannot_be_written)
{
  char one[SCRATCH_PATH], two[SCRATCH_PATH];
  frontier *f = open_frontier(100);
  scratch_join(directory, "seen.0.tmp", one);
  scratch_join(directory, "seen.1.tmp", two);
  assert_int_equal(mkdir(one, 0777) + mkdir(two, 0777), 0);
  add_some(f, 0, 800);
  assert_seen_are(f, 800, 800);
  assert_non_null(strstr(heard, "takes longer"));
  assert_int_equal(progress_of(CHECKPOINT_KEYS), 0);
  assert_int_equal(rmdir(one) + rmdir(two), 0);
  add_some(f, 800, URLS);
  assert_in_range(progress_of(CHECKPOINT_KEYS), 800, URLS);
  assert_seen_are(f, URLS, URLS);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(faults_found(), 0);
}

static void flip(unsigned slot, long at)
{
  char path[SCRATCH_PATH];
  scratch_join(directory, slot ? "seen.1" : "seen.0", path);
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, at, SEEK_SET), 0);
  int byte = fgetc(file);
  assert_true(byte != EOF);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 16, file);
  fclose(file);
}

/* In a file of several MiB, which is not read at open: the checks find it, and another is made from the log. */
CASE(damage_is_found_and_mended)
{
  bool is_more = true;
  frontier *f = open_frontier(1500000);
  add_some(f, 0, 800);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  flip((unsigned)progress_of(SLOT), 3000000);
  f = open_frontier(1500000);
  assert_int_equal(*heard, '\0');
  for (int calls = 0; is_more && calls < 100; calls++)
    assert_int_equal(frontier_maintain(f, 0, &is_more), FRONTIER_OK);
  assert_non_null(strstr(heard, "is damaged"));
  add_some(f, 800, 880); /* which begins the next one */
  for (is_more = true; is_more;)
    assert_int_equal(frontier_maintain(f, 100, &is_more), FRONTIER_OK);
  assert_seen_are(f, 880, 880);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(faults_found(), 0);
}

/* Nobody looked for it: what copies the file does. */
CASE(damage_is_not_copied)
{
  frontier *f = open_frontier(1500000);
  add_some(f, 0, 800);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  flip((unsigned)progress_of(SLOT), 5000000);
  f = open_frontier(1500000);
  add_some(f, 800, 840);
  assert_int_equal(frontier_close(f), FRONTIER_OK); /* a 20th is new: a new file */
  assert_non_null(strstr(heard, "is damaged"));
  assert_int_equal(faults_found(), 1); /* of the old file, which is not in use any more */
  f = open_frontier(1500000);
  assert_seen_are(f, 840, 840);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- the commit thread ---------------------------------------------------------------------------------------- */

/* A call that begins a commit, and fetches one URL. */
/* Also while the first main filter is made, when the keys are those of two young ones. */
CASE(no_more_keys_than_room_is_said_to_be_there)
{
  frontier *f = open_frontier(100);
  for (unsigned number = 0; number < URLS; number++) {
    frontier_stats stats;
    ask(f, number, true);
    if (number % BATCH == BATCH - 1)
      assert_int_equal(frontier_sync(f), FRONTIER_OK);
    assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
    assert_true(stats.filter.keys <= stats.filter.design_keys);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static void fetch_one(frontier *f, uint64_t now_ms)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, now_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  if (count)
    assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
}

/* Filters are frozen, merged and replaced while a transaction is written and the next one gathers: each URL is new
 * once, wherever its key is at that moment, and every one is there after it is opened again. */
CASE(filters_are_merged_while_commits_land)
{
  enum { MANY = 12000, PART = 4000 };
  for (unsigned part = 0; part < MANY; part += PART) {
    frontier *f = open_as(100, true);
    for (unsigned i = part; i < part + PART; i++) {
      assert_int_not_equal(ask(f, i, true), FRONTIER_SEEN);
      assert_int_equal(ask(f, i, true), FRONTIER_SEEN);
      assert_int_equal(ask(f, i - i % 97 * (i / 97), true), FRONTIER_SEEN);
      if (i % 60 == 59)
        fetch_one(f, 1000 * (uint64_t)i);
    }
    for (unsigned i = 0; i < part + PART; i++)
      assert_int_equal(ask(f, i, false), FRONTIER_SEEN);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    assert_in_range(progress_of(CHECKPOINT_KEYS), part + PART / 2, part + PART);
    assert_int_equal(faults_found(), 0);
  }
}

EACH_CASE(begin, end)
