/* crawler/http/address_share.h: in any t, an address gets no more than so many hosts would. */
#include "crawler/http/address_key.h"
#include "crawler/http/address_share.h"
#include "tests/support/test.h"

enum { HOSTS = 8, DELAY = 1000, SECONDS = 20 };

static address_share *a;
static uint64_t wait_ms;

static int set_up(void **state)
{
  (void)state;
  a = address_share_create(HOSTS, DELAY);
  return a ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  address_share_free(a);
  return 0;
}

static bool take(const char *address, uint64_t now_ms)
{
  return address_share_take(a, address_key_of_text(address), now_ms, &wait_ms);
}

CASE(no_more_than_its_share)
{
  unsigned taken = 0;
  for (uint64_t ms = 0; ms < SECONDS * 1000; ms++) {
    for (int i = 0; i < 3; i++)
      taken += take("192.0.2.1", 100000 + ms);
    assert_true(taken <= HOSTS + HOSTS * ms / DELAY);
  }
  assert_in_range(taken, HOSTS * SECONDS, HOSTS * (SECONDS + 1));
}

CASE(others_are_not_concerned)
{
  while (take("192.0.2.1", 100000))
    continue;
  assert_true(take("192.0.2.2", 100000));
  assert_true(take("2001:db8::1", 100000));
  for (int i = 1; i < HOSTS; i++)
    assert_true(take("2001:db8::ffff:1", 100000)); /* one /64 */
  assert_false(take("2001:db8::2", 100000));
  assert_true(take("2001:db8:0:1::1", 100000));
  assert_false(take("::ffff:192.0.2.1", 100000));
}

/* Who comes again when told to is let in, and the more there are the later. */
CASE(those_refused_come_one_after_the_other)
{
  uint64_t last_ms;
  while (take("192.0.2.1", 100000))
    continue;
  last_ms = wait_ms;
  for (int i = 0; i < 100; i++, last_ms = wait_ms) {
    assert_false(take("192.0.2.1", 100000));
    assert_true(wait_ms > last_ms && wait_ms - last_ms <= 126);
  }
  for (int i = 0; i < 10000; i++)
    take("192.0.2.1", 100000);
  assert_in_range(wait_ms, 59000, 60001);
  assert_true(take("192.0.2.1", 100000 + 60001));
}

EACH_CASE(set_up, tear_down)
