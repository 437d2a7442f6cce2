/* crawler/loop/retry.c: what is tried again, how often, and how long its host is left in peace. */
#include "crawler/loop/retry.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static frontier_lease lease_of(uint64_t id, const char *address)
{
  const char *host = strstr(address, "//") + 2;
  return (frontier_lease){.id = id,
                          .url = address,
                          .url_size = (uint32_t)strlen(address),
                          .host_begin = (uint32_t)(host - address),
                          .host_end = (uint32_t)(host - address + strcspn(host, "/"))};
}

static const fetch_response no_answer = {.error = FETCH_CONNECT};
static const fetch_response overload = {.status = 503};
static const fetch_response server_error = {.status = 500};

CASE(what_may_heal)
{
  static const struct {
    fetch_error error;
    long status;
    bool may_heal;
  } rows[] = {
    {FETCH_NAME, 0, true},     {FETCH_CONNECT, 0, true}, {FETCH_TIMEOUT, 0, true},     {FETCH_BROKEN, 200, true},
    {FETCH_PRIVATE, 0, false}, {FETCH_TLS, 0, false},    {FETCH_ENCODING, 200, false}, {FETCH_OTHER, 0, false},
    {FETCH_OK, 429, true},     {FETCH_OK, 500, true},    {FETCH_OK, 502, true},        {FETCH_OK, 503, true},
    {FETCH_OK, 504, true},     {FETCH_OK, 408, true},    {FETCH_OK, 425, true},        {FETCH_OK, 519, false},
    {FETCH_OK, 520, true},     {FETCH_OK, 522, true},    {FETCH_OK, 527, true},        {FETCH_OK, 528, false},
    {FETCH_OK, 501, false},    {FETCH_OK, 505, false},   {FETCH_OK, 404, false},       {FETCH_OK, 403, false},
    {FETCH_OK, 410, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    retries *r = retries_create(3, 1000);
    frontier_lease lease = lease_of(1, "http://h/");
    uint64_t wait_ms;
    if (retries_again(r, &lease, &(fetch_response){.error = rows[i].error, .status = rows[i].status}, &wait_ms) !=
        rows[i].may_heal)
      fail_msg("error %d, status %ld", rows[i].error, rows[i].status);
    retries_free(r);
  }
}

/* The waits of one URL until it is given up, as text. */
static const char *waits(unsigned tries, uint64_t delay_ms, fetch_response response)
{
  static char text[256];
  retries *r = retries_create(tries, delay_ms);
  frontier_lease lease = lease_of(7, "http://h/x");
  uint64_t wait_ms;
  size_t used = 0;
  text[0] = '\0';
  while (used < sizeof text && retries_again(r, &lease, &response, &wait_ms))
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu", used ? " " : "", (unsigned long long)wait_ms);
  assert_int_equal(retries_end(r, &lease, false), tries);
  assert_int_equal(retries_failed(r, &lease), 0);
  retries_free(r);
  return text;
}

CASE(how_long)
{
  assert_string_equal(waits(1, 1000, no_answer), "");
  assert_string_equal(waits(3, 1000, no_answer), "1000 4000");
  assert_string_equal(waits(4, 0, no_answer), "100 400 1600");
  assert_string_equal(waits(3, 5000, overload), "1000 4000");
  assert_string_equal(waits(4, 1000, server_error), "1000 2000 3000");
  assert_string_equal(waits(3, 0, server_error), "100 200"); /* not at once */
  assert_string_equal(waits(3, 0, (fetch_response){.status = 408}), "100 200");
  assert_string_equal(waits(3, 1000, (fetch_response){.status = 522, .retry_after_s = 2}), "2000 2000");
  assert_string_equal(waits(3, 1000, (fetch_response){.status = 429, .retry_after_s = 2}), "2000 4000");
  assert_string_equal(waits(2, 1000, (fetch_response){.status = 503, .retry_after_s = UINT64_MAX}), "3600000");
  assert_string_equal(waits(9, 1000, overload), "1000 4000 16000 64000 256000 1024000 3600000 3600000");
}

/* Also when the URL has had all its tries: the host's others are to wait. */
CASE(what_a_host_asks_for)
{
  assert_int_equal(retries_asked_ms(&(fetch_response){.status = 503, .retry_after_s = 7}), 7000);
  assert_int_equal(retries_asked_ms(&(fetch_response){.status = 429, .retry_after_s = UINT64_MAX}), 3600000);
  assert_int_equal(retries_asked_ms(&(fetch_response){.status = 503}), 0);
  assert_int_equal(retries_asked_ms(&(fetch_response){.status = 404, .retry_after_s = 7}), 0);
  assert_int_equal(retries_asked_ms(&(fetch_response){.error = FETCH_BROKEN, .status = 503, .retry_after_s = 7}), 0);
}

CASE(a_host_that_is_down_is_asked_once_for_each_url)
{
  uint64_t wait_ms;
  retries *r = retries_create(2, 1000);
  frontier_lease first = lease_of(1, "http://down/1"), second = lease_of(2, "http://down/2"),
                 other = lease_of(3, "http://up/");
  assert_true(retries_again(r, &first, &no_answer, &wait_ms));
  assert_false(retries_again(r, &first, &no_answer, &wait_ms));
  assert_int_equal(retries_end(r, &first, false), 2);
  assert_false(retries_again(r, &second, &no_answer, &wait_ms));
  assert_int_equal(retries_end(r, &second, false), 1);
  assert_true(retries_again(r, &other, &no_answer, &wait_ms));
  assert_true(retries_again(r, &second, &server_error, &wait_ms)); /* that was an answer */
  assert_int_equal(retries_end(r, &second, true), 2);
  assert_true(retries_again(r, &first, &no_answer, &wait_ms)); /* up again */
  retries_free(r);
}

/* Its last try had no answer, but others had: the host is not down for that. */
CASE(a_host_that_answered_once_is_not_down)
{
  uint64_t wait_ms;
  retries *r = retries_create(3, 1000);
  frontier_lease first = lease_of(1, "http://h/1"), second = lease_of(2, "http://h/2");
  assert_true(retries_again(r, &first, &no_answer, &wait_ms));
  assert_true(retries_again(r, &first, &server_error, &wait_ms));
  assert_false(retries_again(r, &first, &no_answer, &wait_ms));
  assert_int_equal(retries_end(r, &first, false), 3);
  assert_true(retries_again(r, &second, &no_answer, &wait_ms));
  retries_free(r);
}

/* Many at once, ended in another order: every count its own. */
CASE(many)
{
  enum { MANY = 5000 };
  uint64_t wait_ms;
  retries *r = retries_create(4, 0);
  for (unsigned round = 0; round < 3; round++)
    for (uint64_t id = 1; id <= MANY; id++)
      if (id % 4 > round) {
        frontier_lease lease = lease_of(id, "http://h/");
        assert_true(retries_again(r, &lease, &overload, &wait_ms));
      }
  for (uint64_t k = 1; k <= MANY; k++) {
    uint64_t id = (k * 1237) % MANY + 1;
    frontier_lease lease = lease_of(id, "http://h/");
    assert_int_equal(retries_failed(r, &lease), id % 4);
    assert_int_equal(retries_end(r, &lease, true), id % 4 + 1);
    assert_int_equal(retries_failed(r, &lease), 0);
  }
  retries_free(r);
}
