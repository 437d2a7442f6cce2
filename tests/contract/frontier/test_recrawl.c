/* frontier/recrawl.h: pages come again once they are old enough, sooner if they change, with their validators; nothing
 * is lost or doubled on the way, whatever is closed or killed in between. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/host.h"
#include "frontier/recrawl.h"
#include "tests/support/must.h"
#include "tests/support/second_reader.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

enum { DAY = 86400, START = 1700000000 };

static url u;
static uint64_t now_ms;

static frontier *open_it(uint16_t depth_cap)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 10000, .rate = 1e-9, .per_host = 4, .depth_cap = depth_cap};
  return must_open(story_directory, &options);
}

static void close_it(frontier *f)
{
  second_view view;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  second_read(story_directory, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
}

static void good(const frontier *f, frontier_status status)
{
  if (status != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
}

static void add_deep(frontier *f, unsigned number, uint16_t depth)
{
  frontier_verdict verdict;
  must_parse(&u, "http://h%u.test/%u", number % 7, number);
  good(f, frontier_add(f, &u, (frontier_origin){.depth = depth}, now_ms, &verdict));
}

static void add(frontier *f, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    add_deep(f, i, 0);
}

static unsigned number_of(const frontier_lease *lease)
{
  return (unsigned)strtoul(strrchr(lease->url, '/') + 1, NULL, 10);
}

/* What a page is like at a time: every third never changes, every third each day, every third each ten days. */
static uint64_t content_of(unsigned page, uint64_t at_s)
{
  return page % 3 == 0 ? page : at_s / DAY / (page % 3 == 1 ? 1 : 10);
}

static void visit_now(frontier *f, const frontier_lease *lease, uint64_t at_s)
{
  uint64_t content = content_of(number_of(lease), at_s);
  frontier_visit visit = {.at_s = at_s, .has_content = true};
  memcpy(visit.content, &content, sizeof content);
  good(f, frontier_visit_note(f, lease->id, &visit));
}

/* Fetches all there is; how often each of the first `pages` came is counted. */
static unsigned fetch_all(frontier *f, uint64_t at_s, unsigned *times)
{
  frontier_lease leases[32];
  unsigned fetched = 0;
  while (!frontier_is_finished(f)) {
    size_t count;
    int64_t wait_ms;
    now_ms += 10;
    good(f, frontier_next(f, now_ms, leases, 32, &count, &wait_ms));
    for (size_t i = 0; i < count; i++, fetched++) {
      times[number_of(&leases[i])]++;
      visit_now(f, &leases[i], at_s);
      good(f, frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, now_ms));
    }
    assert_true(fetched < 100000);
  }
  return fetched;
}

static uint64_t done_of(frontier *f)
{
  frontier_stats stats;
  good(f, frontier_stats_read(f, &stats));
  assert_int_equal(stats.queued, 0);
  return stats.done;
}

CASE(only_what_is_older_comes_again)
{
  unsigned times[400] = {0};
  frontier *f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, DAY, DAY, START));
  add(f, 200);
  assert_int_equal(fetch_all(f, START, times), 200);
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY / 2));
  for (unsigned i = 200; i < 300; i++)
    add_deep(f, i, 0);
  assert_int_equal(fetch_all(f, START + DAY / 2, times), 100); /* the new ones */
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY));
  assert_int_equal(fetch_all(f, START + DAY, times), 200);
  assert_int_equal(done_of(f), 300);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY + DAY / 2)); /* later, on the same handle */
  assert_int_equal(fetch_all(f, START + 2 * DAY, times), 100);
  for (unsigned i = 0; i < 300; i++)
    assert_int_equal(times[i], 2);
  close_it(f);
}

/* Visited by a clock that was years ahead, and set right since: they rest once more, and not for years. One that was
 * behind costs a fetch. */
CASE(a_wall_clock_that_was_wrong)
{
  enum { YEAR = 365 * DAY };
  static const int64_t errors[] = {10 * YEAR, -10 * YEAR, 5 * 3600, -5 * 3600};
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    unsigned times[20] = {0};
    uint64_t wrong_s = (uint64_t)(START + errors[i]);
    frontier *f = open_it(UINT16_MAX);
    frontier_clock(f, now_ms, wrong_s * 1000);
    good(f, frontier_recrawl(f, DAY, 4 * DAY, wrong_s));
    add(f, 20);
    assert_int_equal(fetch_all(f, wrong_s, times), 20);
    frontier_clock(f, now_ms, START * UINT64_C(1000));
    good(f, frontier_recrawl(f, DAY, 4 * DAY, START));
    assert_int_equal(fetch_all(f, START, times), errors[i] < -DAY ? 20 : 0);
    close_it(f);
    f = open_it(UINT16_MAX);
    good(f, frontier_recrawl(f, DAY, 4 * DAY, START + 2 * DAY));
    assert_int_equal(fetch_all(f, START + 2 * DAY, times), 20);
    assert_int_equal(done_of(f), 20);
    close_it(f);
    scratch_remove(story_directory);
    scratch_make_fast(story_directory);
  }
}

/* Over a hundred days: what changes daily comes as often as it may, what never does, seldom. */
CASE(rest_is_learnt)
{
  unsigned times[30] = {0};
  frontier *f = open_it(UINT16_MAX);
  add(f, 30);
  for (unsigned day = 0; day < 100; day++) {
    good(f, frontier_recrawl(f, DAY, 32 * DAY, START + day * DAY));
    fetch_all(f, START + day * DAY, times);
  }
  for (unsigned i = 0; i < 30; i++) {
    unsigned least = i % 3 == 0 ? 6 : i % 3 == 1 ? 100 : 10, most = i % 3 == 0 ? 8 : i % 3 == 1 ? 100 : 40;
    assert_in_range(times[i], least, most);
  }
  assert_int_equal(done_of(f), 30);
  close_it(f);
}

/* Two runs without a word of recrawl, then one with other bounds than any before: nothing is too young or forgotten. */
CASE(other_bounds_and_pages_without_a_visit)
{
  unsigned times[100] = {0};
  frontier_lease leases[16];
  size_t count;
  int64_t wait_ms;
  frontier *f = open_it(UINT16_MAX);
  add(f, 10); /* of these nobody notes a visit; one fails, one is skipped */
  good(f, frontier_next(f, now_ms, leases, 16, &count, &wait_ms));
  assert_int_equal(count, 10);
  for (size_t i = 0; i < count; i++)
    good(f, frontier_done(f, leases[i].id,
                          i == 3   ? FRONTIER_FAILED
                          : i == 4 ? FRONTIER_SKIPPED
                                   : FRONTIER_DONE,
                          200, NULL, 0, now_ms));
  add(f, 20);
  assert_int_equal(fetch_all(f, START, times), 10);
  good(f, frontier_recrawl(f, 5 * DAY, 5 * DAY, START + DAY));
  assert_int_equal(fetch_all(f, START + DAY, times), 8); /* unknown is old */
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, 2 * DAY, 2 * DAY, START + 2 * DAY));
  assert_int_equal(fetch_all(f, START + 2 * DAY, times), 10); /* visited at START; now old enough */
  good(f, frontier_recrawl(f, 9 * DAY, 9 * DAY, START + 9 * DAY));
  assert_int_equal(fetch_all(f, START + 9 * DAY, times), 0);
  good(f, frontier_recrawl(f, 9 * DAY, 9 * DAY, START + 10 * DAY));
  assert_int_equal(fetch_all(f, START + 10 * DAY, times), 8);
  close_it(f);
}

CASE(validators_come_back)
{
  frontier_lease lease;
  frontier_visit visit;
  size_t count;
  int64_t wait_ms;
  char long_tag[FRONTIER_VALIDATOR_MAX + 1];
  memset(long_tag, 'x', sizeof long_tag);
  static const char etag[] = "W/\"abc\"", date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
  frontier *f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, 60, 60, START));
  add(f, 1);
  good(f, frontier_next(f, 0, &lease, 1, &count, &wait_ms));
  assert_int_equal(count, 1);
  assert_int_equal(frontier_visit_get(f, lease.id, &visit), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_visit_get(f, 99, &visit), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_visit_note(f, 99, &(frontier_visit){.at_s = START}), FRONTIER_NOT_FOUND);
  good(f, frontier_visit_note(f, lease.id, &(frontier_visit){.at_s = START})); /* said twice: the last word counts */
  good(f, frontier_visit_note(f, lease.id,
                              &(frontier_visit){.at_s = START,
                                                .etag = etag,
                                                .etag_size = strlen(etag),
                                                .last_modified = date,
                                                .last_modified_size = strlen(date),
                                                .has_content = true,
                                                .content = "sixteen bytes, ."}));
  good(f, frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, 0));
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, 60, 60, START + 60));
  for (unsigned unchanged = 0; unchanged < 2; unchanged++) {
    good(f, frontier_next(f, 0, &lease, 1, &count, &wait_ms));
    assert_int_equal(count, 1);
    good(f, frontier_visit_get(f, lease.id, &visit));
    assert_int_equal(visit.at_s, START + 60 * unchanged);
    assert_int_equal(visit.etag_size, strlen(etag));
    assert_memory_equal(visit.etag, etag, strlen(etag));
    assert_int_equal(visit.last_modified_size, strlen(date));
    assert_memory_equal(visit.last_modified, date, strlen(date));
    assert_memory_equal(visit.content, "sixteen bytes, .", 16);
    good(f, frontier_visit_note(f, lease.id, &(frontier_visit){.at_s = START + 60, .is_unchanged = true}));
    good(f, frontier_done(f, lease.id, FRONTIER_DONE, 304, NULL, 0, 0));
    good(f, frontier_recrawl(f, 60, 60, START + 120));
  }
  good(f, frontier_recrawl(f, 60, 60, START + 1000));
  good(f, frontier_next(f, 0, &lease, 1, &count, &wait_ms));
  good(f, frontier_visit_note(f, lease.id,
                              &(frontier_visit){.at_s = START + 500, .etag = long_tag, .etag_size = sizeof long_tag}));
  good(f, frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, 0));
  good(f, frontier_next(f, 0, &lease, 1, &count, &wait_ms));
  assert_int_equal(count, 0); /* it was drained until START + 1000 */
  good(f, frontier_recrawl(f, 60, 60, START + 1000));
  good(f, frontier_next(f, 0, &lease, 1, &count, &wait_ms));
  good(f, frontier_visit_get(f, lease.id, &visit));
  assert_int_equal(visit.etag_size, 0); /* too long: and the page had changed, so the old one is gone too */
  assert_int_equal(visit.last_modified_size, 0);
  close_it(f);
}

/* Beside new URLs, in their hosts' lines; a blocked host's wait, and what is too deep rests on. */
CASE(among_others)
{
  unsigned times[300] = {0};
  frontier_visit visit;
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  frontier *f = open_it(UINT16_MAX);
  add(f, 70);
  add_deep(f, 70, 9);
  fetch_all(f, START, times);
  close_it(f);
  f = open_it(5);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY));
  good(f, frontier_host_block(f, "h3.test"));
  for (unsigned i = 100; i < 170; i++)
    add_deep(f, i, 0);
  assert_int_equal(fetch_all(f, START + DAY, times), 60 + 60);
  assert_int_equal(frontier_held(f), 20);
  good(f, frontier_host_unblock(f, "h3.test"));
  good(f, frontier_next(f, now_ms, &lease, 1, &count, &wait_ms)); /* an old one; it is given back */
  assert_int_equal(count, 1);
  good(f, frontier_visit_get(f, lease.id, &visit));
  assert_int_equal(visit.at_s, START);
  good(f, frontier_visit_note(f, lease.id, &(frontier_visit){.at_s = START + DAY}));
  good(f, frontier_release(f, lease.id, now_ms));
  assert_int_equal(fetch_all(f, START + DAY, times), 20);
  for (unsigned i = 0; i < 170; i++)
    assert_int_equal(times[i], i < 70 ? 2 : i == 70 || i >= 100);
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY));
  assert_int_equal(fetch_all(f, START + DAY, times), 1);
  assert_int_equal(times[70], 2);
  close_it(f);
}

/* Copies of the directory while it is in use, as kill -9 would leave it: everything due is fetched, at most what was in
 * flight or uncommitted a second time. */
CASE(a_crash_loses_nothing)
{
  enum { PAGES = 150 };
  unsigned times[PAGES] = {0};
  frontier_lease leases[8];
  int64_t wait_ms;
  frontier *f = open_it(UINT16_MAX);
  add(f, PAGES);
  fetch_all(f, START, times);
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY));
  for (unsigned round = 0; !frontier_is_finished(f); round++) {
    size_t count;
    now_ms += 50;
    good(f, frontier_next(f, now_ms, leases, 8, &count, &wait_ms));
    for (size_t i = 0; i < count; i++) {
      times[number_of(&leases[i])]++;
      visit_now(f, &leases[i], START + DAY);
      good(f, frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, now_ms));
    }
    if (round % 3 == 2) {
      char copy[SCRATCH_PATH];
      scratch_make_fast(copy);
      scratch_copy(story_directory, copy);
      good(f, frontier_close(f));
      scratch_remove(story_directory);
      memcpy(story_directory, copy, sizeof copy);
      f = open_it(UINT16_MAX);
      good(f, frontier_recrawl(f, DAY, DAY, START + DAY));
    }
    assert_true(round < 1000);
  }
  assert_int_equal(done_of(f), PAGES);
  unsigned again = 0;
  for (unsigned i = 0; i < PAGES; i++) {
    assert_in_range(times[i], 2, 12);
    again += times[i] - 2;
  }
  print_message("  %u of %u fetched again after a crash\n", again, PAGES);
  assert_in_range(again, 1, 3 * PAGES);
  close_it(f);
}

/* A run that stops half-way, and the next has other bounds: what waits in the queue is not due a second time. */
CASE(other_bounds_while_some_wait)
{
  enum { PAGES = 60 };
  unsigned times[PAGES] = {0};
  frontier_lease leases[8];
  size_t count;
  int64_t wait_ms;
  frontier *f = open_it(UINT16_MAX);
  add(f, PAGES);
  fetch_all(f, START, times);
  good(f, frontier_recrawl(f, DAY, DAY, START + 5 * DAY));
  good(f, frontier_next(f, now_ms, leases, 8, &count, &wait_ms));
  assert_int_equal(count, 8);
  close_it(f); /* all 60 are in the queue again */
  f = open_it(UINT16_MAX);
  good(f, frontier_recrawl(f, 2 * DAY, 3 * DAY, START + 5 * DAY));
  assert_int_equal(fetch_all(f, START + 5 * DAY, times), PAGES);
  assert_int_equal(done_of(f), PAGES);
  for (unsigned i = 0; i < PAGES; i++)
    assert_int_equal(times[i], 2);
  close_it(f);
}

/* What failed, by its id, whether a visit was noted or not; what waits, and what was never given, stays as it is. */
CASE(by_name)
{
  enum { PAGES = 40 };
  frontier_lease leases[PAGES];
  frontier_stats stats;
  frontier_record record;
  uint64_t ids[PAGES + 1], queued;
  size_t count;
  int64_t wait_ms;
  unsigned times[PAGES] = {0};
  frontier *f = open_it(UINT16_MAX);
  add(f, PAGES);
  for (size_t ended = 0; ended < PAGES; ended += count) {
    good(f, frontier_next(f, now_ms += 10, leases, PAGES, &count, &wait_ms));
    for (size_t i = 0; i < count; i++) {
      if (leases[i].id % 2)
        visit_now(f, &leases[i], START);
      good(f,
           frontier_done(f, leases[i].id, leases[i].id % 3 ? FRONTIER_FAILED : FRONTIER_SKIPPED, 503, NULL, 0, now_ms));
    }
  }
  for (unsigned i = 0; i <= PAGES; i++)
    ids[i] = i + 1; /* the last one is no URL's */
  good(f, frontier_again(f, ids, 10, &queued));
  assert_int_equal(queued, 10);
  close_it(f);
  f = open_it(UINT16_MAX);
  good(f, frontier_stats_read(f, &stats));
  assert_int_equal(stats.queued, 10);
  assert_int_equal(stats.failed + stats.skipped, PAGES - 10);
  good(f, frontier_again(f, ids, PAGES + 1, &queued));
  assert_int_equal(queued, PAGES - 10);
  good(f, frontier_sync(f)); /* the reading of what waited at open comes by them */
  assert_int_equal(fetch_all(f, START + 2, times), PAGES);
  assert_int_equal(done_of(f), PAGES);
  good(f, frontier_find_id(f, 7, &record));
  assert_int_equal(record.state, FRONTIER_DONE);
  good(f, frontier_recrawl(f, DAY, DAY, START + DAY + 2)); /* all of them have one visit, which is due once */
  assert_int_equal(fetch_all(f, START + DAY + 2, times), PAGES);
  for (unsigned i = 0; i < PAGES; i++)
    assert_int_equal(times[i], 2);
  good(f, frontier_stats_read(f, &stats));
  assert_int_equal(stats.failed + stats.skipped, 0);
  assert_int_equal(frontier_again(f, (const uint64_t[]){2, 2}, 2, &queued), FRONTIER_BAD_ARGUMENT);
  close_it(f);
}

CASE(nonsense_is_refused)
{
  frontier *f = open_it(UINT16_MAX);
  assert_int_equal(frontier_recrawl(f, 0, DAY, START), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_recrawl(f, 2 * DAY, DAY, START), FRONTIER_BAD_ARGUMENT);
  close_it(f);
  frontier_options options = {.filter = MLBF_KIND_MLBF, .expected_urls = 100, .rate = 1e-6, .per_host = 1};
  f = must_open(NULL, &options);
  assert_int_equal(frontier_recrawl(f, DAY, DAY, START), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static int begin(void **state)
{
  now_ms = 0;
  return story_begin(state);
}

EACH_CASE(begin, story_end)
