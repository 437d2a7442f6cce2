/* crawler/robots/robots_cache.h: a robots.txt that finds no memory forbids everything for now; it does not allow it.
 * And memory is bounded, whatever robots.txt files are like; rules that had to go are obeyed all the same. */
#include "crawler/robots/robots_cache.h"
#include "frontier/base/machine.h"
#include "frontier/url.h"
#include "tests/site/raw.h"
#include "tests/site/small.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_without_memory; /* of an allocation that fails; 0: none does */
static bool is_base_out;           /* url_base_create finds none */
static bool has_come;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
url_base *__real_url_base_create(void);
url_base *__wrap_url_base_create(void);

/* In their place by --wrap. */
void *__wrap_malloc(size_t size)
{
  return size && size == size_without_memory ? NULL : __real_malloc(size);
}

url_base *__wrap_url_base_create(void)
{
  return is_base_out ? NULL : __real_url_base_create();
}

/* robots.txt leads to /other, which forbids everything. */
static void answer(int fd, const char *target)
{
  text page = {0};
  if (strcmp(target, "/robots.txt") == 0)
    text_add(&page, "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /other\r\n\r\n");
  else
    text_add(&page, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /\n");
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void come(void *visit)
{
  (void)visit;
  has_come = true;
}

static origin_answer ask(void)
{
  fetcher *f = fetcher_create(&(fetch_options){
    .user_agent = "test", .connections = 1, .timeout_ms = 5000, .max_body = 1 << 20, .allow_private = true});
  robots_cache_options options = {
    .agent = "test", .patience = {.tries = 1, .first_rest_ms = 1000}, .memory_bytes = 1 << 20};
  robots_cache *o = f ? robots_cache_create(f, &options, come) : NULL;
  char address[64];
  int visit = 0;
  assert_non_null(o);
  int path = snprintf(address, sizeof address, "http://127.0.0.1:%u", small_port);
  snprintf(address + path, sizeof address - (size_t)path, "/page");
  origin_ruling said;
  do { /* once more for where it leads */
    has_come = false;
    said = robots_cache_ask(o, address, (size_t)path, &visit, machine_monotonic_ms(), 0);
    while (said.answer == ORIGIN_WAIT && !has_come)
      fetch_poll(f, 100);
  } while (said.answer == ORIGIN_WAIT);
  robots_cache_free(o);
  fetcher_free(f);
  return said.answer;
}

CASE(without_memory_nothing_is_allowed)
{
  small s = small_open_with(answer);
  assert_int_equal(ask(), ORIGIN_DENIED);
  size_without_memory = ROBOTS_SIZE_MAX; /* for the body */
  assert_int_equal(ask(), ORIGIN_UNAVAILABLE);
  size_without_memory = 0;
  is_base_out = true; /* for following the redirect */
  assert_int_equal(ask(), ORIGIN_UNAVAILABLE);
  is_base_out = false;
  small_close(&s);
}

/* ---- bounded memory --------------------------------------------------------------------------------------- */

enum { HOSTS = 120, MEMORY = 1 << 20 };

/* Some 20 KB that forbid /only/HOST; of every fourth host 400 KB. */
static void answer_long(int fd, const char *target)
{
  text page = {0};
  const char *host = strstr(raw_head(), "Host: h");
  unsigned number = host ? (unsigned)atoi(host + strlen("Host: h")) : 0;
  (void)target;
  text_addf(&page, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /only/%u$\n", number);
  for (int i = 0; i < (number % 4 ? 400 : 12000); i++)
    text_addf(&page, "Disallow: /some/other/path/%d\n", i);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static origin_answer ask_until_known(robots_cache *o, fetcher *f, unsigned host, unsigned path)
{
  char address[80];
  int visit = 0, begin = snprintf(address, sizeof address, "http://h%u.localhost:%u", host, small_port);
  origin_ruling said;
  snprintf(address + begin, sizeof address - (size_t)begin, "/only/%u", path);
  for (;;) {
    has_come = false;
    said = robots_cache_ask(o, address, (size_t)begin, &visit, machine_monotonic_ms(), 0);
    if (said.answer != ORIGIN_WAIT)
      return said.answer;
    while (!has_come)
      fetch_poll(f, 100);
  }
}

static uint64_t requests_of_two_rounds(const char *directory)
{
  fetcher *f = fetcher_create(&(fetch_options){
    .user_agent = "test", .connections = 1, .timeout_ms = 5000, .max_body = 1 << 20, .allow_private = true});
  robots_cache_options options = {.agent = "test",
                                  .patience = {.tries = 1, .first_rest_ms = 1000},
                                  .memory_bytes = MEMORY,
                                  .directory = directory,
                                  .secret = test_secret(0)};
  robots_cache *o = f ? robots_cache_create(f, &options, come) : NULL;
  assert_non_null(o);
  for (unsigned round = 0; round < 2; round++)
    for (unsigned host = 0; host < HOSTS; host++) {
      assert_int_equal(ask_until_known(o, f, host, host), ORIGIN_DENIED);
      assert_int_equal(ask_until_known(o, f, host, host + 1), ORIGIN_ALLOWED);
      assert_true(robots_cache_memory(o) <= MEMORY || host % 4 == 0); /* one alone may have more */
    }
  uint64_t requests = robots_cache_requests(o);
  robots_cache_free(o);
  fetcher_free(f);
  return requests;
}

CASE(what_is_forgotten_is_asked_for_again)
{
  small s = small_open_with(answer_long);
  assert_in_range(requests_of_two_rounds(NULL), 2 * HOSTS - 10, 2 * HOSTS);
  assert_in_range(requests_of_two_rounds("/tmp"), HOSTS + HOSTS / 4 - 1, HOSTS + HOSTS / 4); /* the long ones */
  small_close(&s);
}

/* ---- rules of an origin that another one reads --------------------------------------------------------------- */

enum { LINES = 2000, HOURS_25 = 25 * 3600 * 1000 };

/* That of "new" leads to that of "old", which is long. */
static void answer_for_both(int fd, const char *target)
{
  text page = {0};
  const char *host = strstr(raw_head(), "Host: new.localhost:");
  (void)target;
  if (host) {
    text_addf(&page,
              "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n"
              "Location: http://old.localhost:%d/robots.txt\r\n\r\n",
              atoi(host + strlen("Host: new.localhost:")));
  } else {
    text_add(&page, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nUser-agent: *\nDisallow: /only\n");
    for (int i = 0; i < LINES; i++)
      text_addf(&page, "Disallow: /some/other/path/%d\n", i);
  }
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static origin_answer ask_after(robots_cache *o, fetcher *f, const char *name, uint64_t later_ms)
{
  char address[80];
  int visit = 0, begin = snprintf(address, sizeof address, "http://%s.localhost:%u", name, small_port);
  origin_ruling said;
  snprintf(address + begin, sizeof address - (size_t)begin, "/only");
  do {
    has_come = false;
    said = robots_cache_ask(o, address, (size_t)begin, &visit, machine_monotonic_ms() + later_ms, 0);
    while (said.answer == ORIGIN_WAIT && !has_come)
      fetch_poll(f, 100);
  } while (said.answer == ORIGIN_WAIT);
  return said.answer;
}

/* The old one's rules went stale, no memory was left to ask for them, and then the new one reads them for both. */
static void read_for_both(void)
{
  fetcher *f = fetcher_create(&(fetch_options){
    .user_agent = "test", .connections = 1, .timeout_ms = 5000, .max_body = 1 << 20, .allow_private = true});
  robots_cache_options options = {
    .agent = "test", .patience = {.tries = 1, .first_rest_ms = 1000}, .memory_bytes = MEMORY};
  robots_cache *o = f ? robots_cache_create(f, &options, come) : NULL;
  char address[80];
  assert_non_null(o);
  assert_int_equal(ask_after(o, f, "old", 0), ORIGIN_DENIED);
  int size = snprintf(address, sizeof address, "http://old.localhost:%u/robots.txt", small_port);
  size_without_memory = (size_t)size + 1;
  assert_int_equal(ask_after(o, f, "old", HOURS_25), ORIGIN_NO_MEMORY);
  size_without_memory = 0;
  assert_int_equal(ask_after(o, f, "new", 0), ORIGIN_DENIED);
  uint64_t requests = robots_cache_requests(o);
  assert_int_equal(requests, 3);
  assert_int_equal(ask_after(o, f, "old", 0), ORIGIN_DENIED);
  assert_int_equal(robots_cache_requests(o), requests);
  robots_cache_free(o);
  fetcher_free(f);
}

/* Under the sanitizers mallinfo2 says nothing, but they do. */
CASE(rules_that_went_stale_are_freed)
{
  enum { TIMES = 5, RULES_SIZE_MIN = 20 * LINES };
  small s = small_open_with(answer_for_both);
  read_for_both(); /* what is allocated once */
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < TIMES; i++)
    read_for_both();
  size_t after = mallinfo2().uordblks;
  assert_true(after < before + TIMES * RULES_SIZE_MIN);
  small_close(&s);
}
