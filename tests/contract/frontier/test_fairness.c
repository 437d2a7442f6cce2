/* A million hosts and a clock that the test turns: none starves, whatever their number, and whatever the clock does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/frontier.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HOSTS = 50000 };
#else
enum { HOSTS = 1000000 };
#endif
enum { URLS_EACH = 2, TAKEN = 64, DELAY_MS = 1000 };

typedef struct crowd {
  frontier *f;
  uint64_t now_ms;
  uint8_t taken[HOSTS];    /* URLs of each host */
  uint64_t last_ms[HOSTS]; /* when its last one was started */
  unsigned started;
} crowd;

/* NULL: it keeps nothing. */
static crowd *open_crowd(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  crowd *c = calloc(1, sizeof *c);
  frontier_options options = {.filter = MLBF_KIND_BLOOM,
                              .expected_urls = HOSTS * URLS_EACH,
                              .rate = 1e-9,
                              .delay_ms = DELAY_MS,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX};
  assert_non_null(c);
  if (frontier_open(directory, &options, &c->f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return c;
}

static void close_crowd(crowd *c)
{
  frontier_close(c->f);
  free(c);
}

/* Every host's first URL, then every host's second. */
static void add_urls(crowd *c)
{
  url *u = malloc(sizeof *u);
  assert_non_null(u);
  for (unsigned i = 0; i < HOSTS * URLS_EACH; i++) {
    char text[48];
    frontier_verdict verdict;
    int size = snprintf(text, sizeof text, "http://h%u.test/%u", i % HOSTS, i / HOSTS);
    assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, u), URL_OK);
    assert_int_equal(frontier_add(c->f, u, (frontier_origin){0}, c->now_ms, &verdict), FRONTIER_OK);
    assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  }
  free(u);
}

static void fetch(crowd *c, const frontier_lease *lease)
{
  unsigned host = (unsigned)strtoul(lease->url + strlen("http://h"), NULL, 10);
  assert_true(host < HOSTS);
  if (c->taken[host] && c->now_ms - c->last_ms[host] < DELAY_MS)
    fail_msg("host %u: asked again after %llu ms", host, (unsigned long long)(c->now_ms - c->last_ms[host]));
  c->taken[host]++;
  c->last_ms[host] = c->now_ms;
  c->started++;
  assert_int_equal(frontier_done(c->f, lease->id, FRONTIER_DONE, 200, NULL, 0, c->now_ms), FRONTIER_OK);
}

/* What is due now, up to TAKEN; how many. */
static size_t take(crowd *c, int64_t *wait_ms)
{
  frontier_lease leases[TAKEN];
  size_t count = 0;
  assert_int_equal(frontier_next(c->f, c->now_ms, leases, TAKEN, &count, wait_ms), FRONTIER_OK);
  for (size_t i = 0; i < count; i++)
    fetch(c, &leases[i]);
  return count;
}

static unsigned hosts_with(const crowd *c, unsigned taken)
{
  unsigned hosts = 0;
  for (unsigned i = 0; i < HOSTS; i++)
    hosts += c->taken[i] == taken;
  return hosts;
}

/* A crawler that takes 64 URLs a millisecond is slower than a million hosts with a second's delay allow: hosts are
 * always due, and yet nobody gets a second turn before everybody had a first one; nor when a day is skipped, as by a
 * machine that sleeps. */
static void everybody_has_a_turn(const char *directory)
{
  static const uint64_t day_ms = 86400000;
  crowd *c = open_crowd(directory);
  int64_t wait_ms;
  bool has_jumped = false;
  add_urls(c);
  for (; c->started < HOSTS; c->now_ms++) {
    take(c, &wait_ms);
    if (!has_jumped && c->started > HOSTS / 2) {
      c->now_ms += day_ms;
      has_jumped = true;
    }
  }
  /* the last call may have begun the second round */
  assert_in_range(hosts_with(c, 0) + hosts_with(c, 2), 0, 2 * TAKEN);
  for (; !frontier_is_finished(c->f); c->now_ms += wait_ms > 0 ? (uint64_t)wait_ms : 1)
    take(c, &wait_ms);
  assert_int_equal(hosts_with(c, URLS_EACH), HOSTS);
  close_crowd(c);
}

CASE(everybody_has_a_turn_before_anybody_has_two)
{
  everybody_has_a_turn(NULL);
}

/* Memory has room for one in fifteen. */
CASE_WITH(on_disk_too, story_begin, story_end)
{
  everybody_has_a_turn(story_directory);
}
