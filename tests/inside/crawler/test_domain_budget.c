/* crawler/loop/domain_budget.h: names are for nothing, domains are not. */
#include "crawler/loop/domain_budget.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <stdio.h>
#include <string.h>

enum { BUDGET = 10 };

static domain_budget *b;

static int set_up(void **state)
{
  (void)state;
  b = domain_budget_create(BUDGET, test_secret(0));
  return b ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  domain_budget_free(b);
  return 0;
}

static void count(const char *host, uint64_t urls)
{
  domain_budget_count(b, host, strlen(host), urls);
}

static bool is_over(const char *host)
{
  return domain_budget_is_over(b, host, strlen(host));
}

static void link_from(const char *host, const char *to)
{
  domain_budget_page(b, host, strlen(host));
  domain_budget_link(b, to, strlen(to));
}

CASE(all_names_of_a_domain_count)
{
  char name[64];
  for (int i = 0; i < BUDGET; i++) {
    snprintf(name, sizeof name, "x%d.farm.co.uk:80%d", i, i);
    assert_false(is_over(name));
    count(name, 1);
  }
  assert_true(is_over("farm.co.uk"));
  assert_true(is_over("never.seen.farm.co.uk"));
  assert_false(is_over("other.co.uk"));
  assert_false(is_over("x1.farm.uk"));
}

CASE(each_domain_that_links_adds_a_budget)
{
  count("www.site.example", 2 * BUDGET - 1);
  assert_true(is_over("site.example"));
  link_from("a.site.example", "b.site.example"); /* itself */
  link_from("a.site.example", "a.site.example");
  assert_true(is_over("site.example") && !domain_budget_has_grown(b));
  link_from("a.friend.example", "site.example");
  assert_true(!is_over("site.example") && domain_budget_has_grown(b));
  count("site.example", 1);
  assert_true(is_over("site.example"));
  link_from("b.friend.example", "site.example"); /* the same domain */
  link_from("c.friend.example:8080", "site.example");
  assert_true(is_over("site.example"));
  domain_budget_reviewed(b);
  assert_false(domain_budget_has_grown(b));
}

CASE(what_many_link_to_has_no_limit)
{
  char from[64];
  count("popular.example", 1000000000);
  unsigned links = 0;
  for (; is_over("popular.example"); links++) {
    snprintf(from, sizeof from, "s%u.example", links);
    link_from(from, "www.popular.example");
  }
  assert_in_range(links, 100, 1000);
}

CASE(start_urls_are_exempt)
{
  domain_budget_exempt(b, "www.start.example:8443", 22);
  count("start.example", 1000000);
  assert_false(is_over("other.start.example"));
}

CASE(a_network_of_ipv6_is_a_domain)
{
  count("[2001:db8::1]", BUDGET / 2);
  count("[2001:db8:0:0:ffff::7]:8080", BUDGET / 2);
  assert_true(is_over("[2001:db8::2]"));
  assert_false(is_over("[2001:db8:0:1::1]"));
  count("192.0.2.1", BUDGET);
  assert_true(is_over("192.0.2.1:81"));
  assert_false(is_over("192.0.2.2"));
}

/* The table grows, and forgets nothing. */
CASE(many_domains)
{
  char name[64];
  for (int round = 0; round < BUDGET; round++)
    for (int i = 0; i < 5000; i++) {
      snprintf(name, sizeof name, "www.d%d.example", i);
      assert_false(is_over(name));
      count(name, 1);
    }
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "d%d.example", i);
    assert_true(is_over(name));
  }
}

EACH_CASE(set_up, tear_down)
