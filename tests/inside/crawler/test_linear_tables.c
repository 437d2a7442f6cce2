/* Tables whose keys others choose: names that fall into one place of a table with a known hash take no more steps than
 * any others, as the hashes are keyed. */
#include "crawler/http/cookies.h"
#include "crawler/loop/retry.h"
#include "tests/support/steps.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static uint64_t fnv_1a(const char *name)
{
  uint64_t hash = 0xCBF29CE484222325U;
  for (; *name; name++)
    hash = (hash ^ (uint8_t)*name) * 0x100000001B3U;
  return hash;
}

static void assert_no_dearer(uint64_t chosen, uint64_t any)
{
  print_message("%.2f times the steps for chosen names\n", (double)chosen / (double)any);
  assert_true((double)chosen < 2 * (double)any);
}

/* ---- cookies ------------------------------------------------------------------------------------------------- */

/* As many cookies as there may be, of domains that collide or of any; then one more, and one request for each. */
static uint64_t steps_of_domains(bool collide)
{
  enum { DOMAINS = COOKIES_MAX / COOKIES_DOMAIN_MAX };
  cookies *jar = cookies_create();
  char domain[32], address[64], field[32];
  assert_non_null(jar);
  uint64_t before = steps_taken(), searching = 0;
  for (unsigned number = 0, met = 0; met < DOMAINS; number++) {
    uint64_t from = steps_taken();
    snprintf(domain, sizeof domain, "d%u.com", number);
    bool is_chosen = !collide || ((fnv_1a(domain) ^ fnv_1a(domain) >> 32) % 1024) == 0;
    searching += steps_taken() - from;
    if (!is_chosen)
      continue;
    snprintf(address, sizeof address, "http://%s/", domain);
    for (unsigned i = 0; i <= COOKIES_DOMAIN_MAX; i++) {
      snprintf(field, sizeof field, "n%u=x", i);
      assert_true(cookies_take(jar, address, field, 1));
      cookies_for(jar, address, false, 1);
    }
    met++;
  }
  uint64_t taken = steps_taken() - before - searching;
  cookies_free(jar);
  return taken;
}

CASE(domains_cannot_be_chosen_to_share_a_list_of_cookies)
{
  uint64_t any = steps_of_domains(false), chosen = steps_of_domains(true);
  assert_no_dearer(chosen, any);
}

/* ---- hosts that do not answer -------------------------------------------------------------------------------- */

/* By a hash of old: (FNV-1a | bit 63) * the golden ratio, and its upper half's lowest bits. */
static bool is_first_of_table(const char *host)
{
  enum { TABLE = 4096 };
  return ((fnv_1a(host) | (uint64_t)1 << 63) * 0x9E3779B97F4A7C15U >> 32) % TABLE == 0;
}

/* So many hosts that do not answer, each asked for a second time. */
static uint64_t steps_of_hosts(bool collide)
{
  enum { HOSTS = 1000, TRIES = 2 };
  char address[64], host[32];
  uint64_t taken = 0, wait_ms;
  retries *r = retries_create(TRIES, 1000);
  assert_non_null(r);
  for (unsigned number = 0, met = 0; met < HOSTS; number++) {
    snprintf(host, sizeof host, "h%u.test", number);
    if (collide && !is_first_of_table(host))
      continue;
    int size = snprintf(address, sizeof address, "http://%s/", host);
    frontier_lease lease = {
      .id = ++met, .url = address, .url_size = (uint32_t)size, .host_begin = 7, .host_end = (uint32_t)size - 1};
    uint64_t before = steps_taken();
    for (unsigned i = 0; i < TRIES; i++)
      retries_again(r, &lease, &(fetch_response){.error = FETCH_CONNECT}, &wait_ms);
    retries_end(r, &lease, false);
    taken += steps_taken() - before;
  }
  retries_free(r);
  return taken;
}

CASE(hosts_cannot_be_chosen_to_share_a_place_among_those_that_fail)
{
  uint64_t any = steps_of_hosts(false), chosen = steps_of_hosts(true);
  assert_no_dearer(chosen, any);
}
