/* frontier/core/clock.c: the caller's clock jumps by hours, back and forth; no host is asked early for it, and none
 * waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/host.h"
#include "tests/site/random.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { DELAY = 1000, HOUR = 3600000, START = 400 * HOUR, HOSTS = 20 };

static char directory[SCRATCH_PATH];
static url u;

static frontier *open_it(const char *path)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 10000,
                              .rate = 1e-9,
                              .per_host = 1,
                              .delay_ms = DELAY,
                              .depth_cap = UINT16_MAX};
  return must_open(path, &options);
}

static void add(frontier *f, unsigned host, unsigned count, uint64_t now_ms)
{
  static unsigned number;
  frontier_verdict verdict;
  while (count--) {
    must_parse(&u, "http://h%u.test/%u", host, number++);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, now_ms, &verdict), FRONTIER_OK);
  }
}

/* The one URL that is due, fetched at once; false: none is. */
static bool take(frontier *f, uint64_t now_ms, unsigned *host, int64_t *wait_ms)
{
  frontier_lease lease;
  size_t count;
  if (frontier_next(f, now_ms, &lease, 1, &count, wait_ms) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  if (count == 0)
    return false;
  *host = (unsigned)strtoul(lease.url + strlen("http://h"), NULL, 10);
  assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
  return true;
}

CASE(set_back_by_hours)
{
  unsigned host;
  int64_t wait_ms;
  frontier *f = open_it(NULL);
  add(f, 1, 3, START);
  assert_true(take(f, START, &host, &wait_ms));
  assert_false(take(f, START + 400, &host, &wait_ms));
  assert_int_equal(wait_ms, DELAY - 400);
  assert_false(take(f, START - 5 * HOUR, &host, &wait_ms));
  assert_int_equal(wait_ms, DELAY - 400);
  assert_false(take(f, START - 5 * HOUR + DELAY - 401, &host, &wait_ms));
  assert_true(take(f, START - 5 * HOUR + DELAY - 400, &host, &wait_ms));
  assert_false(take(f, 0, &host, &wait_ms));
  assert_int_equal(wait_ms, DELAY);
  assert_true(take(f, DELAY, &host, &wait_ms));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Threads that waited for the handle come with a time that is past: own time does not run faster for each. */
/* A clock of nonsense, once: time that passed. Delays and back-offs hold after it as before. */
CASE(set_to_the_end_of_time)
{
  frontier_lease lease;
  size_t count;
  unsigned host;
  int64_t wait_ms;
  frontier *f = open_it(NULL);
  add(f, 1, 3, START);
  frontier_clock(f, START, (uint64_t)1 << 63);
  frontier_clock(f, START, START);
  assert_true(take(f, UINT64_MAX, &host, &wait_ms));
  assert_false(take(f, UINT64_MAX, &host, &wait_ms));
  assert_false(take(f, START, &host, &wait_ms)); /* set back: it goes on from there */
  assert_int_equal(wait_ms, DELAY);
  assert_true(take(f, START + DELAY, &host, &wait_ms));
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  f = open_it(NULL);
  add(f, 1, 3, START);
  assert_int_equal(frontier_next(f, (uint64_t)1 << 60, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_int_equal(frontier_host_back_off(f, lease.id, START, HOUR), FRONTIER_OK);
  assert_int_equal(frontier_release(f, lease.id, START), FRONTIER_OK);
  assert_false(take(f, START + HOUR - 1, &host, &wait_ms));
  assert_true(take(f, START + HOUR, &host, &wait_ms));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(late_calls_do_not_add_up)
{
  unsigned host;
  int64_t wait_ms;
  frontier *f = open_it(NULL);
  add(f, 1, 2, START);
  assert_true(take(f, START, &host, &wait_ms));
  for (int i = 0; i < 1000; i++)
    assert_false(take(f, i % 2 ? START + DELAY - 1 : START - DELAY, &host, &wait_ms));
  assert_int_equal(wait_ms, 1);
  assert_true(take(f, START + DELAY, &host, &wait_ms));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* What a caller says when it adds or ends is not what time it is: 0 will do. */
CASE(adding_and_ending_move_no_time)
{
  unsigned host;
  int64_t wait_ms;
  frontier *f = open_it(NULL);
  add(f, 1, 3, START + HOUR);
  assert_true(take(f, START, &host, &wait_ms));
  add(f, 1, 1, 0);
  add(f, 1, 1, START + HOUR);
  assert_false(take(f, START + DELAY - 1, &host, &wait_ms));
  assert_int_equal(wait_ms, 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

typedef struct jumping {
  uint64_t real_ms, clock_ms;
  uint64_t lost_ms;    /* steps over which the clock went back: no one can know how long they were */
  uint64_t forward_ms; /* when it last went forward: what was due is due then */
  uint64_t started_ms[HOSTS], lost_at[HOSTS];
} jumping;

static void step(jumping *j, unsigned *seed)
{
  uint64_t passed_ms = (uint64_t)rand_r(seed) % 50 + 1, jump_ms = (uint64_t)(rand_r(seed) % 20 + 1) * HOUR;
  unsigned dice = (unsigned)rand_r(seed) % 200;
  j->real_ms += passed_ms;
  j->clock_ms += passed_ms;
  if (dice == 0) {
    j->clock_ms += jump_ms;
    j->forward_ms = j->real_ms;
  } else if (dice == 1 && j->clock_ms > jump_ms) {
    j->clock_ms -= jump_ms;
    j->lost_ms += passed_ms;
  }
}

/* Each host always has a URL, so each of them is asked once a delay: not sooner, unless the clock ran ahead, and not
 * later than the next look, and what the clock lost of real time. */
CASE(all_hosts_keep_their_pace)
{
  enum { STEPS = 20000, LOOK = 50 };
  unsigned seed = (unsigned)random_seed_or(1), host, fetched = 0;
  int64_t wait_ms;
  frontier *f = open_it(NULL);
  jumping j = {.real_ms = START, .clock_ms = START};
  for (unsigned i = 0; i < HOSTS; i++)
    add(f, i, STEPS * LOOK / DELAY, START);
  for (int i = 0; i < STEPS; i++) {
    step(&j, &seed);
    while (take(f, j.clock_ms, &host, &wait_ms)) {
      bool is_first = j.started_ms[host] == 0, is_ahead = j.forward_ms > j.started_ms[host];
      if (!is_first && !is_ahead)
        assert_true(j.real_ms - j.started_ms[host] >= DELAY);
      if (!is_first)
        assert_true(j.real_ms - j.started_ms[host] <= DELAY + LOOK + j.lost_ms - j.lost_at[host]);
      j.started_ms[host] = j.real_ms;
      j.lost_at[host] = j.lost_ms;
      fetched++;
    }
    for (unsigned each = 0; each < HOSTS; each++)
      assert_true(j.real_ms - j.started_ms[each] <= DELAY + LOOK + j.lost_ms - j.lost_at[each]);
  }
  assert_true(fetched > HOSTS * (j.real_ms - START) / (DELAY + 2 * LOOK));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Told to wait a minute (429): a minute it is, in this run and in the next, by a clock that was wrong before. */
CASE(a_host_told_to_wait)
{
  enum { REST = 60000 };
  frontier_lease lease;
  unsigned host;
  size_t count;
  int64_t wait_ms;
  uint64_t now_ms = START - 3 * HOUR;
  scratch_make_fast(directory);
  frontier *f = open_it(directory);
  frontier_clock(f, START, START);
  add(f, 1, 2, START);
  assert_int_equal(frontier_next(f, START, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  frontier_clock(f, now_ms, now_ms);
  assert_int_equal(frontier_host_back_off(f, lease.id, now_ms, REST), FRONTIER_OK); /* set back just before */
  assert_int_equal(frontier_release(f, lease.id, now_ms), FRONTIER_OK);
  assert_false(take(f, now_ms + REST / 2, &host, &wait_ms));
  assert_int_equal(wait_ms, REST / 2);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_it(directory);
  frontier_clock(f, now_ms + REST / 2, now_ms + REST / 2);
  assert_false(take(f, now_ms + REST / 2, &host, &wait_ms));
  assert_int_equal(wait_ms, REST / 2);
  assert_true(take(f, now_ms + REST, &host, &wait_ms));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

/* By a clock that counts from the machine's start, and nobody said which wall-clock time that is. */
CASE(nothing_is_kept_by_a_clock_of_the_machine)
{
  enum { REST = 60000, WALL_S = 1700000000 };
  const uint64_t uptime_ms = (uint64_t)40 * 24 * HOUR;
  frontier_lease lease;
  unsigned host;
  size_t count;
  int64_t wait_ms;
  frontier_host_control control;
  scratch_make_fast(directory);
  frontier *f = open_it(directory);
  add(f, 1, 2, uptime_ms);
  assert_int_equal(frontier_next(f, uptime_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(frontier_host_back_off(f, lease.id, uptime_ms, REST), FRONTIER_OK);
  assert_int_equal(frontier_host_next(f, lease.id, uptime_ms, 0), FRONTIER_OK);
  assert_int_equal(frontier_release(f, lease.id, uptime_ms), FRONTIER_OK);
  assert_false(take(f, uptime_ms, &host, &wait_ms)); /* in this run it holds */
  assert_int_equal(wait_ms, REST);
  assert_int_equal(frontier_host_get(f, "h1.test", &control), FRONTIER_OK);
  assert_int_equal(control.not_before_s, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  f = open_it(directory); /* the machine was started again */
  assert_true(take(f, 5000, &host, &wait_ms));
  control.not_before_s = WALL_S + 60;
  assert_int_equal(frontier_host_set(f, "h1.test", &control), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  f = open_it(directory); /* nor is what is kept waited for by such a clock, and it stays */
  assert_true(take(f, 5000, &host, &wait_ms));
  add(f, 1, 1, 5000);
  frontier_clock(f, 6000, WALL_S * (uint64_t)1000);
  assert_false(take(f, 6000, &host, &wait_ms));
  assert_int_equal(wait_ms, REST);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

static frontier_status count_commit(void *context, char message[FRONTIER_MESSAGE_SIZE])
{
  (void)message;
  ++*(unsigned *)context;
  return FRONTIER_OK;
}

/* A batch is 100 ms old after 100 ms, also if they began before the clock was set back. */
CASE(a_batch_waits_no_longer)
{
  unsigned host, commits = 0;
  int64_t wait_ms;
  scratch_make_fast(directory);
  frontier *f = open_it(directory);
  frontier_before_commit(f, count_commit, &commits);
  add(f, 1, 50, START);
  assert_true(take(f, START, &host, &wait_ms));
  add(f, 2, 1, START);
  take(f, START - 7 * HOUR, &host, &wait_ms);
  unsigned before = commits;
  take(f, START - 7 * HOUR + 99, &host, &wait_ms);
  assert_int_equal(commits, before);
  take(f, START - 7 * HOUR + 100, &host, &wait_ms);
  assert_int_equal(commits, before + 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
