/* So many visits at one address, whatever the names of its hosts. */
#include "crawler/http/per_address.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <string.h>

enum { LIMIT = 2 };

static per_address *a;
static uint64_t wait_ms;

static int set_up(void **state)
{
  (void)state;
  a = per_address_create(LIMIT, test_secret(0));
  return a ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  per_address_free(a);
  return 0;
}

static bool enter(const char *host, address_place *where)
{
  return per_address_enter(a, host, strlen(host), where, &wait_ms);
}

static void learn(const char *host, const char *address)
{
  per_address_learn(a, host, strlen(host), address);
}

CASE(hosts_of_one_address)
{
  address_place first, second, third;
  learn("a.example", "192.0.2.1");
  learn("b.test:8080", "192.0.2.1");
  learn("c.invalid", "192.0.2.1");
  learn("d.org", "2001:db8::1");
  assert_true(enter("a.example", &first));
  assert_true(enter("b.test:8080", &second));
  assert_false(enter("c.invalid", &third));
  assert_true(enter("d.org", &third)); /* elsewhere */
  per_address_leave(a, first);
  assert_true(enter("c.invalid", &first));
  assert_false(enter("a.example", &third));
  per_address_leave(a, first);
  per_address_leave(a, second);
}

/* Who has an IPv6 address has all of its /64. An IPv4 address is one, however it is written. */
CASE(networks_of_ipv6)
{
  address_place where[4], other;
  learn("a.example", "2001:db8:1:2::1");
  learn("b.test", "2001:db8:1:2:ffff::9");
  learn("c.invalid", "2001:db8:1:3::1");
  assert_true(enter("a.example", &where[0]));
  assert_true(enter("b.test", &where[1]));
  assert_false(enter("b.test", &other));
  assert_false(enter("[2001:db8:1:2::abcd]:8080", &other));
  assert_true(enter("c.invalid", &where[2]));
  assert_true(enter("[2001:db8:1:3::2]", &where[3]));
  assert_false(enter("c.invalid", &other));
  learn("d.org", "192.0.2.9");
  learn("e.org", "::ffff:192.0.2.9");
  learn("f.org", "64:ff9b::192.0.2.9");
  learn("g.org", "64:ff9b::192.0.2.10");
  assert_true(enter("d.org", &other));
  assert_true(enter("192.0.2.9:81", &other));
  assert_false(enter("e.org", &other));
  assert_false(enter("f.org", &other));
  assert_false(enter("[2002:c000:209::1]", &other));
  assert_true(enter("g.org", &other));
}

/* A host nobody asked yet is where its domain was met last; a host that answered is where that was. */
CASE(names_of_one_domain)
{
  address_place where[LIMIT], other;
  assert_true(enter("x1.wild.co.uk", &where[0]));
  assert_true(enter("x2.wild.co.uk", &where[1]));
  assert_false(enter("x3.wild.co.uk", &other)); /* not known, but they have that in common */
  assert_true(enter("x1.tame.co.uk", &other));
  learn("x1.wild.co.uk", "192.0.2.1");
  learn("far.wild.co.uk", "192.0.2.2");
  per_address_leave(a, where[0]);
  per_address_leave(a, where[1]);
  assert_true(enter("x4.wild.co.uk", &where[0]));
  assert_true(enter("x5.wild.co.uk", &where[1]));
  assert_false(enter("far.wild.co.uk", &other));
  assert_true(enter("x1.wild.co.uk", &other));
}

CASE(a_host_that_moves)
{
  address_place where[LIMIT], other;
  learn("a.example", "192.0.2.1");
  assert_true(enter("a.example", &where[0]));
  assert_true(enter("a.example", &where[1]));
  learn("a.example", ""); /* no answer says nothing */
  assert_false(enter("a.example", &other));
  learn("a.example", "192.0.2.9");
  assert_true(enter("a.example", &other));
  per_address_leave(a, where[0]); /* where it was, not where it is */
  per_address_leave(a, where[1]);
  assert_true(enter("a.example", &other));
  assert_false(enter("a.example", &other));
}

/* The more wait, the longer each: as many as there is room for come back at once. */
CASE(the_wait_grows)
{
  address_place where, other;
  assert_true(enter("a.example", &where));
  assert_true(enter("a.example", &where));
  for (uint64_t turn = 1; turn <= 3; turn++)
    for (int i = 0; i < LIMIT; i++) {
      assert_false(enter("a.example", &other));
      assert_int_equal(wait_ms, 100 * turn);
    }
  for (int i = 0; i < 1000; i++)
    assert_false(enter("a.example", &other));
  assert_int_equal(wait_ms, 2000);
}

EACH_CASE(set_up, tear_down)
