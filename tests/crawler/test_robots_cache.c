/* crawler/robots/robots_cache.h: a robots.txt that finds no memory forbids everything for now; it does not allow it. */
#include "crawler/robots/robots_cache.h"
#include "frontier/base/machine.h"
#include "frontier/url.h"
#include "tests/site/raw.h"
#include "tests/site/small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
  robots_cache *o = f ? robots_cache_create(f, "test", (robots_patience){.tries = 1, .first_rest_ms = 1000}, come)
                      : NULL;
  char address[64];
  int visit = 0;
  assert_non_null(o);
  int path = snprintf(address, sizeof address, "http://127.0.0.1:%u", small_port);
  snprintf(address + path, sizeof address - (size_t)path, "/page");
  has_come = false;
  origin_ruling said = robots_cache_ask(o, address, (size_t)path, &visit, machine_monotonic_ms(), 0);
  assert_int_equal(said.answer, ORIGIN_WAIT);
  while (!has_come)
    fetch_poll(f, 100);
  said = robots_cache_ask(o, address, (size_t)path, &visit, machine_monotonic_ms(), 0);
  robots_cache_free(o);
  fetcher_free(f);
  return said.answer;
}

static void without_memory_nothing_is_allowed(void **state)
{
  (void)state;
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_memory_nothing_is_allowed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
