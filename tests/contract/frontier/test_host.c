/* frontier/host.h: what is said of a host holds, outlives the process, and drops nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/host.h"
#include "tests/support/must.h"
#include "tests/support/second_reader.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

static url u;

static frontier *open_it(bool read_only)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 10000,
                              .rate = 1e-9,
                              .per_host = 2,
                              .delay_ms = 10,
                              .depth_cap = UINT16_MAX,
                              .read_only = read_only};
  return must_open(story_directory, &options);
}

static void add_deep(frontier *f, const char *name, unsigned number, uint16_t depth)
{
  frontier_verdict verdict;
  must_parse(&u, "http://%s/%u", name, number);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){.depth = depth}, 0, &verdict), FRONTIER_OK);
}

static void add(frontier *f, const char *name, unsigned count)
{
  for (unsigned i = 0; i < count; i++)
    add_deep(f, name, i, 0);
}

static size_t next(frontier *f, uint64_t now_ms, frontier_lease *leases, size_t max, int64_t *wait_ms)
{
  size_t count;
  if (frontier_next(f, now_ms, leases, max, &count, wait_ms) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  return count;
}

static void done(frontier *f, const frontier_lease *lease)
{
  assert_int_equal(frontier_done(f, lease->id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
}

/* All that may be taken, from `now_ms` on; how many. */
static unsigned drain(frontier *f, uint64_t now_ms)
{
  frontier_lease leases[16];
  unsigned drained = 0;
  int64_t wait_ms = 0;
  while (!frontier_is_finished(f)) {
    size_t count = next(f, now_ms, leases, 16, &wait_ms);
    for (size_t i = 0; i < count; i++, drained++)
      done(f, &leases[i]);
    assert_true(count || wait_ms != FRONTIER_WAIT_FOREVER);
    now_ms += count ? 0 : (uint64_t)wait_ms;
  }
  return drained;
}

CASE(what_waits_of_a_host)
{
  frontier *f = open_it(false);
  frontier_lease leases[2];
  int64_t wait_ms;
  add(f, "a.test", 3);
  assert_int_equal(next(f, 0, leases, 1, &wait_ms), 1);
  assert_int_equal(frontier_host_waiting(f, leases[0].id), 2);
  assert_int_equal(next(f, 1000, leases + 1, 1, &wait_ms), 1);
  assert_int_equal(frontier_host_waiting(f, leases[0].id), 1);
  done(f, &leases[1]);
  assert_int_equal(frontier_host_waiting(f, leases[0].id), 1);
  assert_int_equal(frontier_release(f, leases[0].id, 1000), FRONTIER_OK);
  assert_int_equal(frontier_host_waiting(f, leases[0].id), 0); /* no lease any more */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* For all hosts: three at once in place of two, and a second between starts. One of them has a delay of its own. */
CASE(other_defaults_hold_from_the_next_start_on)
{
  frontier *f = open_it(false);
  frontier_lease leases[8];
  int64_t wait_ms;
  add(f, "a.test", 4);
  add(f, "b.test", 4);
  assert_int_equal(frontier_host_set(f, "b.test", &(frontier_host_control){.delay_ms = 50}), FRONTIER_OK);
  assert_int_equal(frontier_host_defaults(f, 1000, 0), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_host_defaults(f, 1000, 3), FRONTIER_OK);
  assert_int_equal(next(f, 0, leases, 8, &wait_ms), 2);
  assert_int_equal(next(f, 49, leases + 2, 6, &wait_ms), 0);
  assert_int_equal(wait_ms, 1);
  assert_int_equal(next(f, 100, leases + 2, 6, &wait_ms), 1);
  assert_string_equal(leases[2].url, "http://b.test/1");
  assert_int_equal(next(f, 150, leases + 3, 5, &wait_ms), 1);
  assert_int_equal(next(f, 999, leases + 4, 4, &wait_ms), 0); /* b.test has three at once, a.test waits */
  assert_int_equal(wait_ms, 1);
  assert_int_equal(next(f, 1000, leases + 4, 4, &wait_ms), 1);
  assert_string_equal(leases[4].url, "http://a.test/1");
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

typedef struct finding {
  const char *name;
  frontier_host_info info;
} finding;

static bool find_host(void *context, const frontier_host_info *info)
{
  finding *f = context;
  bool is_it = strcmp(info->name, f->name) == 0;
  if (is_it)
    f->info = *info;
  return !is_it;
}

static frontier_host_info look(frontier *f, const char *name, uint64_t now_ms)
{
  finding found = {.name = name};
  assert_int_equal(frontier_each_host(f, now_ms, find_host, &found), FRONTIER_OK);
  assert_non_null(found.info.name);
  return found.info;
}

CASE(a_blocked_host_waits_and_is_counted)
{
  frontier *f = open_it(false);
  add(f, "a.test", 5);
  add(f, "b.test", 3);
  assert_int_equal(frontier_host_block(f, "a.test"), FRONTIER_OK);
  assert_int_equal(drain(f, 0), 3);
  assert_int_equal(frontier_held(f), 5);
  assert_int_equal(look(f, "a.test", 0).state, FRONTIER_HOST_BLOCKED);
  assert_int_equal(look(f, "b.test", 0).state, FRONTIER_HOST_IDLE);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  f = open_it(false); /* it is blocked still */
  assert_true(frontier_host_get(f, "a.test", &(frontier_host_control){0}) == FRONTIER_OK);
  assert_int_equal(frontier_held(f), 5);
  assert_int_equal(drain(f, 0), 0);
  add(f, "a.test", 6); /* one more: held too */
  assert_int_equal(frontier_held(f), 6);
  assert_int_equal(frontier_host_unblock(f, "a.test"), FRONTIER_OK);
  assert_int_equal(frontier_held(f), 0);
  assert_int_equal(look(f, "a.test", 0).state, FRONTIER_HOST_DUE);
  assert_int_equal(drain(f, 0), 6);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* More blocked hosts than memory holds URLs of, before one that is not: it is reached. */
CASE(blocked_hosts_delay_nobody)
{
  enum { BLOCKED = 3000, EACH = 30 };
  frontier *f = open_it(false);
  char name[32];
  for (unsigned i = 0; i < BLOCKED; i++) {
    snprintf(name, sizeof name, "blocked%u.test", i);
    add(f, name, EACH);
  }
  add(f, "free.test", 50);
  for (unsigned i = 0; i < BLOCKED; i++) {
    snprintf(name, sizeof name, "blocked%u.test", i);
    assert_int_equal(frontier_host_block(f, name), FRONTIER_OK);
  }
  assert_int_equal(drain(f, 0), 50);
  assert_int_equal(frontier_held(f), BLOCKED * EACH);
  for (unsigned i = 0; i < BLOCKED; i += 2) {
    snprintf(name, sizeof name, "blocked%u.test", i);
    assert_int_equal(frontier_host_unblock(f, name), FRONTIER_OK);
  }
  assert_int_equal(drain(f, 0), BLOCKED / 2 * EACH);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  second_view view;
  second_read(story_directory, false, &view);
  assert_int_equal(view.faults, 0);
  second_free(&view);
}

CASE(a_budget_holds_the_rest)
{
  frontier *f = open_it(false);
  frontier_host_control control = {.budget = 4};
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK); /* before it has a URL */
  add(f, "a.test", 10);
  add(f, "b.test", 2);
  assert_int_equal(drain(f, 0), 6);
  assert_int_equal(frontier_held(f), 6);
  assert_int_equal(look(f, "a.test", 0).state, FRONTIER_HOST_OVER_BUDGET);
  assert_int_equal(look(f, "a.test", 0).held, 6);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_it(true);
  assert_int_equal(look(f, "a.test", 0).held, 6);
  assert_int_equal(look(f, "a.test", 0).state, FRONTIER_HOST_OVER_BUDGET);
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_BAD_ARGUMENT); /* a reader's handle */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_it(false);
  control.budget = 7;
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK);
  assert_int_equal(drain(f, 0), 3);
  control.budget = 0;
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK);
  assert_int_equal(drain(f, 0), 3);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(delay_and_concurrency_are_a_hosts_own)
{
  frontier_lease leases[16];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_host_control control = {.delay_ms = 500, .per_host = 3};
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_it(false);
  add(f, "a.test", 10);
  add(f, "b.test", 10);
  size_t count = next(f, 1000, leases, 16, &wait_ms);
  assert_int_equal(count, 2);
  assert_int_equal(wait_ms, 10);
  assert_int_equal(look(f, "a.test", 1000).state, FRONTIER_HOST_WAITING);
  count = next(f, 1010, leases, 16, &wait_ms); /* the default delay of b is over */
  assert_int_equal(count, 1);
  assert_string_equal(frontier_host_of(f, leases[0].id), "b.test");
  assert_int_equal(look(f, "b.test", 1010).state, FRONTIER_HOST_BUSY); /* two at once */
  assert_int_equal(next(f, 1400, leases, 16, &wait_ms), 0);
  assert_int_equal(wait_ms, 100);
  assert_int_equal(next(f, 1500, leases, 16, &wait_ms), 1);
  assert_int_equal(next(f, 2000, leases, 16, &wait_ms), 1);
  assert_int_equal(look(f, "a.test", 2000).state, FRONTIER_HOST_BUSY); /* three at once */
  assert_int_equal(look(f, "a.test", 2000).in_flight, 3);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* 429 with Retry-After: the host rests, others go on; a restart, with another clock, shortens nothing. */
CASE(back_off_outlives_the_process)
{
  static const uint64_t wall_ms = 1700000000000;
  frontier_lease leases[16];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_clock(f, 5000, wall_ms);
  add(f, "a.test", 3);
  add(f, "b.test", 1);
  assert_int_equal(next(f, 5000, leases, 16, &wait_ms), 2);
  uint64_t a = leases[strcmp(frontier_host_of(f, leases[0].id), "a.test") != 0].id;
  assert_int_equal(frontier_host_back_off(f, a, 5000, 60000), FRONTIER_OK);
  assert_int_equal(frontier_host_back_off(f, a, 5000, 1000), FRONTIER_OK); /* no shorter */
  assert_int_equal(frontier_host_back_off(f, 99, 5000, 1000), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_release(f, a, 5000), FRONTIER_OK);
  assert_int_equal(next(f, 64999, leases, 16, &wait_ms), 0);
  assert_int_equal(wait_ms, 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  f = open_it(false);
  frontier_clock(f, 77, wall_ms + 20000);
  assert_int_equal(next(f, 77, leases, 16, &wait_ms), 1); /* b was in flight: it comes again */
  assert_string_equal(frontier_host_of(f, leases[0].id), "b.test");
  assert_int_equal(next(f, 77, leases, 16, &wait_ms), 0);
  assert_int_equal(wait_ms, 40000);
  assert_int_equal(next(f, 40077, leases, 16, &wait_ms), 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* The wall clock is set back and forth while a host rests: it rests as long as it was told. */
CASE(a_clock_that_jumps_shortens_nothing)
{
  frontier_lease leases[4];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_clock(f, 1000, 1700000000000);
  add(f, "a.test", 2);
  assert_int_equal(next(f, 1000, leases, 4, &wait_ms), 1);
  assert_int_equal(frontier_host_back_off(f, leases[0].id, 1000, 60000), FRONTIER_OK);
  done(f, &leases[0]);
  frontier_clock(f, 2000, 1900000000000);
  assert_int_equal(next(f, 2000, leases, 4, &wait_ms), 0);
  assert_int_equal(wait_ms, 59000);
  frontier_clock(f, 3000, 1000);
  assert_int_equal(next(f, 3000, leases, 4, &wait_ms), 0);
  assert_int_equal(wait_ms, 58000);
  assert_int_equal(next(f, 61000, leases, 4, &wait_ms), 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* What robots.txt asks holds beside the controls, whichever is said last; and a delay that gets shorter does not cut a
 * back-off. */
CASE(what_robots_asks_outlasts_controls)
{
  frontier_lease leases[4];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_host_control longer = {.delay_ms = 9000}, none = {0};
  add(f, "a.test", 4);
  assert_int_equal(next(f, 1000, leases, 4, &wait_ms), 1);
  assert_int_equal(frontier_host_delay(f, leases[0].id, 5000), FRONTIER_OK);
  assert_int_equal(frontier_host_block(f, "a.test"), FRONTIER_OK);
  assert_int_equal(frontier_host_unblock(f, "a.test"), FRONTIER_OK);
  assert_int_equal(next(f, 1000, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, 5000);
  assert_int_equal(frontier_host_set(f, "a.test", &longer), FRONTIER_OK);
  assert_int_equal(next(f, 1000, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, 9000);
  assert_int_equal(frontier_host_set(f, "a.test", &none), FRONTIER_OK);
  assert_int_equal(next(f, 5999, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, 1);
  assert_int_equal(frontier_host_back_off(f, leases[0].id, 5999, 60000), FRONTIER_OK);
  assert_int_equal(frontier_host_delay(f, leases[0].id, 0), FRONTIER_OK);
  assert_int_equal(next(f, 65998, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(next(f, 66999, leases + 1, 1, &wait_ms), 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* robots.txt must come first: meanwhile nothing else of the host starts, and then its delay counts from the page. */
CASE(the_next_start_counts_from_when_it_is_said)
{
  frontier_lease leases[4];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_host_control two = {.delay_ms = 1000, .per_host = 2};
  assert_int_equal(frontier_host_set(f, "a.test", &two), FRONTIER_OK);
  add(f, "a.test", 5);
  assert_int_equal(next(f, 1000, leases, 4, &wait_ms), 1);
  assert_int_equal(frontier_host_next(f, leases[0].id, 1000, 60000), FRONTIER_OK);
  assert_int_equal(next(f, 4000, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, 57000);
  assert_int_equal(frontier_host_next(f, leases[0].id, 4000, FRONTIER_ITS_DELAY), FRONTIER_OK);
  assert_int_equal(next(f, 4999, leases + 1, 1, &wait_ms), 0);
  assert_int_equal(wait_ms, 1);
  assert_int_equal(next(f, 5000, leases + 1, 1, &wait_ms), 1);
  done(f, &leases[1]);
  assert_int_equal(frontier_host_next(f, leases[0].id, 5000, 0), FRONTIER_OK); /* it was not asked after all */
  assert_int_equal(next(f, 5000, leases + 1, 1, &wait_ms), 1);
  assert_int_equal(frontier_host_back_off(f, leases[0].id, 5000, 60000), FRONTIER_OK);
  assert_int_equal(frontier_host_next(f, leases[0].id, 5000, 0), FRONTIER_OK); /* that stands */
  done(f, &leases[0]);
  assert_int_equal(next(f, 64999, leases, 1, &wait_ms), 0);
  assert_int_equal(frontier_host_next(f, 99, 5000, 0), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* A time not to start before may be said before anybody said what time it is, and may be lifted. */
CASE(a_time_not_to_start_before_is_lifted)
{
  static const uint64_t wall_s = 1700000000;
  frontier_lease leases[4];
  int64_t wait_ms;
  frontier *f = open_it(false);
  frontier_host_control late = {.not_before_s = wall_s + 60}, soon = {.not_before_s = wall_s + 30}, none = {0};
  add(f, "a.test", 4);
  assert_int_equal(frontier_host_set(f, "a.test", &late), FRONTIER_OK);
  frontier_clock(f, 500, wall_s * 1000);
  assert_int_equal(next(f, 500, leases, 4, &wait_ms), 0);
  assert_int_equal(wait_ms, 60000);
  assert_int_equal(frontier_host_set(f, "a.test", &soon), FRONTIER_OK);
  assert_int_equal(next(f, 500, leases, 4, &wait_ms), 0);
  assert_int_equal(wait_ms, 30000);
  assert_int_equal(frontier_host_set(f, "a.test", &none), FRONTIER_OK);
  assert_int_equal(next(f, 500, leases, 4, &wait_ms), 0);
  assert_int_equal(wait_ms, 10); /* the delay from now on */
  assert_int_equal(next(f, 510, leases, 4, &wait_ms), 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(a_bad_name_or_class_is_refused)
{
  frontier *f = open_it(false);
  frontier_host_control control = {.priority = (frontier_class)9};
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_BAD_ARGUMENT);
  assert_non_null(strstr(frontier_message(f), "a.test"));
  assert_int_equal(frontier_host_block(f, ""), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_host_block(f, "http://a.test/"), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_host_get(f, "never.test", &control), FRONTIER_OK);
  assert_int_equal(control.priority, FRONTIER_NORMAL);
  assert_null(frontier_host_of(f, 1));
  assert_int_equal(frontier_host_waiting(f, 1), 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- classes ------------------------------------------------------------------------------------------- */

static frontier_class by_last_digit(void *context, const frontier_link *link, frontier_verdict verdict,
                                    frontier_class by_rule)
{
  const url *found = link->target;
  ++*(unsigned *)context;
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  return found->fetch[found->fetch_size - 1] == '7' ? FRONTIER_HIGH : by_rule;
}

CASE(classes_come_from_host_depth_and_caller)
{
  unsigned asked = 0;
  frontier *f = open_it(false);
  assert_int_equal(frontier_host_set(f, "low.test", &(frontier_host_control){.priority = FRONTIER_LOW}), FRONTIER_OK);
  frontier_classify(f, by_last_digit, &asked);
  add(f, "low.test", 10);
  add(f, "a.test", 10);
  add(f, "a.test", 10); /* seen: nobody is asked */
  add_deep(f, "a.test", 100, 17);
  add_deep(f, "a.test", 107, 17);
  assert_int_equal(asked, 22);
  const uint64_t *low = look(f, "low.test", 0).queued;
  assert_int_equal(low[FRONTIER_LOW], 9);
  frontier_host_info a = look(f, "a.test", 0);
  assert_int_equal(a.queued[FRONTIER_NORMAL], 9);
  assert_int_equal(a.queued[FRONTIER_HIGH], 2);
  assert_int_equal(a.queued[FRONTIER_LOW], 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_it(false); /* and they are kept */
  a = look(f, "a.test", 0);
  assert_int_equal(a.queued[FRONTIER_HIGH], 2);
  frontier_lease lease;
  int64_t wait_ms;
  uint64_t now_ms = 0;
  unsigned first_high = 0;
  frontier_host_block(f, "low.test");
  for (unsigned i = 0; i < 3; i++, now_ms += 10) {
    assert_int_equal(next(f, now_ms, &lease, 1, &wait_ms), 1);
    first_high += lease.url[lease.url_size - 1] == '7';
    done(f, &lease);
  }
  assert_int_equal(first_high, 2);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- one call, with limits ------------------------------------------------------------------------------- */

CASE(a_batch_keeps_its_limits)
{
  frontier_lease leases[64];
  int64_t wait_ms;
  size_t count;
  frontier *f = open_it(false);
  frontier_host_control quick = {.delay_ms = 0, .per_host = 8};
  for (char name[] = "a.test"; *name <= 'f'; ++*name) {
    assert_int_equal(frontier_host_set(f, name, &quick), FRONTIER_OK);
    add(f, name, 10);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 10000, .rate = 1e-9, .per_host = 2, .depth_cap = UINT16_MAX};
  f = must_open(story_directory, &options);
  frontier_limits limits = {.max = 64, .max_hosts = 4, .per_host = 5};
  assert_int_equal(frontier_next_batch(f, 0, &limits, leases, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 20);
  for (size_t i = 0; i < count; i++) /* the URLs of a host stand together, in order */
    assert_true(i % 5 == 0 || (leases[i].id == leases[i - 1].id + 1 &&
                               frontier_host_of(f, leases[i].id) == frontier_host_of(f, leases[i - 1].id)));
  assert_int_equal(frontier_next_batch(f, 0, &limits, leases, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 5 + 5 + 3 + 3); /* first those that were not asked; then two of 8 - 5 */
  limits = (frontier_limits){.max = 7};
  assert_int_equal(frontier_next_batch(f, 0, &limits, leases, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 7);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

EACH_CASE(story_begin, story_end)
