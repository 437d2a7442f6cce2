/* Hosts that may not be asked, whatever their number and reason, and hosts with long queues hold nobody up, and every
 * URL comes out once. Its memory: test_workbench.c. */
#include "frontier/host.h"
#include "tests/support/must.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 150000, SHORT = 50, OTHERS = 20 };

static url u;
static uint8_t *times; /* each URL of the long host was handed out, by its number */

static frontier *open_it(uint32_t per_host)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 200000, .rate = 1e-9, .per_host = per_host, .depth_cap = UINT16_MAX};
  return must_open(story_directory, &options);
}

static void add(frontier *f, const char *name, unsigned number)
{
  frontier_verdict verdict;
  must_parse(&u, "http://%s.example/%u", name, number);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

static bool is_long(const frontier_lease *lease)
{
  return strncmp(lease->url, "http://long.", 12) == 0;
}

static uint64_t now_ms; /* passes as frontier_next asks for */

static size_t next(frontier *f, frontier_lease *leases, size_t max)
{
  size_t count;
  int64_t wait_ms;
  if (frontier_next(f, now_ms, leases, max, &count, &wait_ms) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  if (!count && wait_ms > 0)
    now_ms += (uint64_t)wait_ms;
  return count;
}

static void done(frontier *f, const frontier_lease *lease)
{
  assert_int_equal(frontier_done(f, lease->id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
}

/* How many URLs of other hosts come while the long host's one lease never ends. */
static unsigned others_beside_a_stuck_host(frontier *f)
{
  frontier_lease leases[64], stuck = {0};
  unsigned others = 0;
  for (int idle = 0; idle < 1000;) { /* a call reads some 600 rows */
    size_t count = next(f, leases, 64);
    idle = count ? 0 : idle + 1;
    for (size_t i = 0; i < count; i++)
      if (is_long(&leases[i])) {
        assert_int_equal(stuck.id, 0);
        stuck = leases[i];
      } else {
        others++;
        done(f, &leases[i]);
      }
  }
  assert_int_not_equal(stuck.id, 0);
  assert_int_equal(frontier_release(f, stuck.id, 0), FRONTIER_OK);
  return others;
}

/* Everything that is left, with the frontier closed and opened again now and then. */
static unsigned drain(frontier **f, unsigned reopen_every)
{
  frontier_lease leases[64];
  unsigned drained = 0, since_open = 0;
  for (size_t count; (count = next(*f, leases, 64));) {
    for (size_t i = 0; i < count; i++, drained++, since_open++) {
      assert_true(is_long(&leases[i]));
      times[atoi(strrchr(leases[i].url, '/') + 1)]++;
      done(*f, &leases[i]);
    }
    if (since_open >= reopen_every) {
      since_open = 0;
      assert_int_equal(frontier_close(*f), FRONTIER_OK);
      *f = open_it(1000);
    }
  }
  return drained;
}

CASE(a_stuck_host_holds_nobody_up)
{
  frontier *f = open_it(1);
  for (unsigned i = 0; i < LONG; i++)
    add(f, "long", i);
  for (unsigned i = 0; i < SHORT * OTHERS; i++) {
    char name[16];
    snprintf(name, sizeof name, "h%u", i % OTHERS);
    add(f, name, i);
  }
  assert_int_equal(frontier_sync(f), FRONTIER_OK); /* the clock stands, so no commit is due by itself */
  assert_int_equal(others_beside_a_stuck_host(f), SHORT * OTHERS);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, LONG);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE_AFTER(and_loses_nothing, a_stuck_host_holds_nobody_up)
{
  frontier *f = open_it(1000);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, LONG);
  times = calloc(LONG, 1);
  assert_int_equal(drain(&f, 40000), LONG);
  for (unsigned i = 0; i < LONG; i++)
    assert_int_equal(times[i], 1);
  free(times);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Every URL is met once, wherever it stands: ended or in the queue. */
typedef struct tally {
  unsigned ended, queued, again;
  uint8_t *met;
} tally;

static bool count_record(void *context, const frontier_record *record)
{
  tally *t = context;
  assert_in_range(record->id, 1, LONG + SHORT * OTHERS);
  t->again += t->met[record->id]++;
  t->queued += record->is_queued;
  if (record->is_queued) {
    assert_memory_equal(record->url, "http://long.example/", 20);
  } else {
    t->ended++;
    assert_int_equal(record->state, FRONTIER_DONE);
    assert_int_equal(record->code, 200);
    assert_memory_equal(record->url, "http://h", 8);
  }
  return true;
}

static bool stop_at_once(void *context, const frontier_record *record)
{
  (void)record;
  ++*(unsigned *)context;
  return false;
}

CASE_AFTER(each_url_is_met_once, a_stuck_host_holds_nobody_up)
{
  frontier *f = open_it(1);
  tally t = {.met = calloc(LONG + SHORT * OTHERS + 1, 1)};
  unsigned calls = 0;
  assert_int_equal(frontier_each(f, count_record, &t), FRONTIER_OK);
  assert_int_equal(t.again, 0);
  assert_int_equal(t.ended, SHORT * OTHERS);
  assert_int_equal(t.queued, LONG);
  assert_int_equal(frontier_each(f, stop_at_once, &calls), FRONTIER_OK);
  assert_int_equal(calls, 1);
  free(t.met);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- hosts that rest ------------------------------------------------------------------------------------ */

enum { RESTING_URLS = 100, HEALTHY = 20, HEALTHY_URLS = 10, HOUR_MS = 3600000 };

typedef enum cause { BACK_OFF, CRAWL_DELAY, PAUSE, BLOCKED, OVER_BUDGET, CAUSES } cause;

static void add_hosts(frontier *f, const char *name, unsigned number, unsigned urls)
{
  char full[32];
  for (unsigned i = 0; i < number * urls; i++) {
    snprintf(full, sizeof full, "%s%u", name, i % number);
    add(f, full, i / number);
  }
}

/* It was asked once, and now rests for an hour, or for good. */
static void put_to_rest(frontier *f, const frontier_lease *lease, cause why)
{
  char name[64];
  frontier_host_control control = {.is_blocked = why == BLOCKED, .budget = why == OVER_BUDGET};
  snprintf(name, sizeof name, "%s", frontier_host_of(f, lease->id));
  if (why == BACK_OFF)
    assert_int_equal(frontier_host_back_off(f, lease->id, now_ms, HOUR_MS), FRONTIER_OK);
  else if (why == CRAWL_DELAY)
    assert_int_equal(frontier_host_delay(f, lease->id, HOUR_MS), FRONTIER_OK);
  else if (why == PAUSE)
    assert_int_equal(frontier_host_next(f, lease->id, now_ms, HOUR_MS), FRONTIER_OK);
  else
    assert_int_equal(frontier_host_set(f, name, &control), FRONTIER_OK);
  done(f, lease);
}

typedef struct beside {
  unsigned resting, healthy; /* URLs of each that came */
  uint64_t calls;
} beside;

/* Until all URLs of healthy hosts were there, or for a minute of the frontier's time. */
static beside crawl_beside(frontier *f, unsigned healthy, const cause *why)
{
  frontier_lease leases[64];
  beside b = {0};
  for (uint64_t end_ms = now_ms + 60000; b.healthy < healthy && now_ms < end_ms && b.calls < 200000; b.calls++) {
    size_t count = next(f, leases, 64);
    for (size_t i = 0; i < count; i++) {
      bool rests = strncmp(leases[i].url, "http://r", 8) == 0;
      b.resting += rests;
      b.healthy += !rests;
      if (!rests)
        done(f, &leases[i]);
      else
        put_to_rest(f, &leases[i], why ? *why : (cause)(b.resting % CAUSES));
    }
  }
  return b;
}

/* As many hosts of 100 URLs rest, before healthy ones with some. `why` NULL: for all causes. */
static void healthy_beside(unsigned resting, const cause *why, bool reopened)
{
  scratch_remove(story_directory);
  now_ms = 0;
  frontier *f = open_it(1);
  add_hosts(f, "r", resting, RESTING_URLS);
  if (reopened) {
    assert_int_equal(crawl_beside(f, 1, why).resting, resting); /* all have begun to rest */
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    f = open_it(1);
  }
  add_hosts(f, "h", HEALTHY, HEALTHY_URLS);
  uint64_t begin_ms = now_ms;
  beside b = crawl_beside(f, HEALTHY * HEALTHY_URLS, why);
  if (b.healthy != HEALTHY * HEALTHY_URLS)
    fail_msg("%u resting, cause %d: %u healthy URLs came", resting, why ? (int)*why : -1, b.healthy);
  assert_in_range(now_ms - begin_ms, 0, 5000);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_true(stats.queued >= resting * (RESTING_URLS - 2));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(resting_hosts_hold_nobody_up)
{
  for (cause why = 0; why < CAUSES; ++why)
    healthy_beside(700, &why, false);
}

/* More than have room in the window with one URL each. */
CASE(nor_do_thousands)
{
  healthy_beside(5000, NULL, false);
}

/* What rests by its control does so in the next process too; what does not is asked once more. */
CASE(nor_after_a_reopening)
{
  static const cause why = BACK_OFF;
  healthy_beside(700, &why, true);
}

EACH_CASE(story_begin, story_end)
