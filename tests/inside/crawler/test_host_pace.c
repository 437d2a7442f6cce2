/* crawler/loop/host_pace.h: requests beside a host's turns, in turn with those of its own. */
#include "crawler/loop/host_pace.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <string.h>

enum { DELAY = 1000, NOW = 5000 };

static host_pace *p;
static uint64_t wait_ms;

static int set_up(void **state)
{
  (void)state;
  p = host_pace_create(1, DELAY, test_secret(0));
  return p ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  host_pace_free(p);
  return 0;
}

static pace_place begin(const char *host, uint64_t now_ms)
{
  return host_pace_begin(p, host, strlen(host), now_ms);
}

static bool begin_beside(const char *host, uint64_t now_ms, pace_place *place)
{
  return host_pace_begin_beside(p, host, strlen(host), now_ms, place, &wait_ms);
}

static uint64_t page_waits(const char *host, uint64_t now_ms, uint64_t delay_ms)
{
  return host_pace_wait_ms(p, host, strlen(host), now_ms, delay_ms);
}

/* One that is refused goes as soon as the delay is over: the page that is due then lets it. */
CASE(they_take_turns)
{
  pace_place place;
  assert_int_equal(page_waits("a.example", NOW, 0), 0);
  host_pace_end(p, begin("a.example", NOW), false);
  assert_int_equal(page_waits("a.example", NOW, 0), 0); /* that is the frontier's to know */
  assert_false(begin_beside("a.example", NOW + 400, &place));
  assert_int_equal(wait_ms, 600);
  assert_int_equal(page_waits("a.example", NOW + DELAY, 0), DELAY / 2);
  assert_true(begin_beside("a.example", NOW + DELAY, &place));
  host_pace_end(p, place, true);
  assert_int_equal(page_waits("a.example", NOW + DELAY + 1, 0), DELAY - 1);
  assert_int_equal(page_waits("a.example", NOW + 2 * DELAY, 0), 0);
  assert_int_equal(page_waits("a.example", NOW + 2 * DELAY, 30000), 29000); /* a Crawl-delay that came to light */
  assert_false(begin_beside("a.example", NOW + 2 * DELAY, &place));         /* the page's turn */
  assert_int_equal(page_waits("a.example", NOW + 2 * DELAY, 0), 0);
  assert_true(begin_beside("a.example", NOW + 3 * DELAY, &place));
  assert_true(begin_beside("b.example", NOW, &place));
}

/* A claim that is not used ends, and those behind it come one after the other. */
CASE(nobody_waits_for_ever)
{
  pace_place place;
  uint64_t before_ms = 0;
  begin("a.example", NOW);
  for (int i = 0; i < 100; i++, before_ms = wait_ms) {
    assert_false(begin_beside("a.example", NOW, &place));
    assert_true(wait_ms > before_ms);
  }
  for (int i = 0; i < 1000; i++)
    assert_false(begin_beside("a.example", NOW, &place));
  assert_in_range(wait_ms, 500000, 600000);
  assert_int_equal(page_waits("a.example", NOW + 2 * DELAY, 0), 0);
}

CASE(never_more_at_once_than_allowed)
{
  pace_place own, beside;
  own = begin("a.example", NOW);
  assert_false(begin_beside("a.example", NOW + 5 * DELAY, &beside));
  host_pace_end(p, own, false);
  assert_true(begin_beside("a.example", NOW + 6 * DELAY, &beside));
  assert_true(page_waits("a.example", NOW + 9 * DELAY, 0) > 0); /* it is still under way */
  host_pace_end(p, beside, true);
  assert_int_equal(page_waits("a.example", NOW + 9 * DELAY, 0), 0);
}

CASE(delays_and_rests_hold_for_both)
{
  pace_place place;
  host_pace_end(p, begin("slow.example", NOW), false);
  host_pace_delay(p, "slow.example", 12, NOW + 1, 30000);
  assert_false(begin_beside("slow.example", NOW + 29999, &place));
  assert_true(begin_beside("slow.example", NOW + 30000, &place));
  host_pace_end(p, place, true);
  assert_int_equal(page_waits("slow.example", NOW + 30000, 0), 30000);
  host_pace_rest(p, "ill.example", 11, NOW, 60000);
  assert_false(begin_beside("ill.example", NOW + 59999, &place));
  assert_int_equal(host_pace_left_ms(p, "ill.example", 11, NOW), 60000);
  assert_true(begin_beside("ill.example", NOW + 60000, &place));
  assert_int_equal(host_pace_left_ms(p, "other.example", 13, NOW), 0);
}

/* More than there is room for: some share, and none is asked too early. */
CASE(more_hosts_than_places)
{
  enum { HOSTS = 40000 };
  char host[32];
  pace_place place;
  unsigned waits = 0;
  for (int i = 0; i < HOSTS; i++) {
    snprintf(host, sizeof host, "h%d.example", i);
    host_pace_end(p, begin(host, NOW), false);
    waits += !begin_beside(host, NOW + DELAY - 1, &place);
  }
  assert_int_equal(waits, HOSTS);
}

EACH_CASE(set_up, tear_down)
