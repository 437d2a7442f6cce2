/* crawler/http/name_limit.c: the threads of the process count, and names that are refused come one after the other.
 * dead_names_do_not_pile_up_threads (tests/contract/web/test_web_crawl.c) has a whole crawl. */
#include "crawler/http/fetch.h"
#include "crawler/http/name_limit.h"
#include "tests/site/process.h"
#include "tests/site/raw.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *context)
{
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  return context;
}

CASE(threads_count_while_they_run)
{
  name_limit l = {.threads = 2};
  uint64_t wait_ms;
  pthread_t thread;
  pthread_mutex_lock(&gate);
  assert_true(name_limit_take(&l, 0, &wait_ms));
  assert_int_equal(pthread_create(&thread, NULL, wait_at_gate, NULL), 0);
  assert_false(name_limit_take(&l, 0, &wait_ms));
  assert_false(name_limit_wait(&l, 0, &wait_ms)); /* those would be the crawl's own */
  pthread_mutex_unlock(&gate);
  pthread_join(thread, NULL);
  while (!name_limit_take(&l, 0, &wait_ms)) /* the kernel takes a moment longer */
    sched_yield();
}

CASE(the_more_the_later)
{
  name_limit l = {.threads = 1};
  uint64_t wait_ms, before_ms = 0;
  for (int i = 0; i < 5900; i++) {
    assert_false(name_limit_take(&l, 5000, &wait_ms));
    assert_in_range(wait_ms, 1000, 60000);
    assert_true(wait_ms > before_ms);
    before_ms = wait_ms;
  }
  for (int i = 0; i < 1000; i++)
    assert_false(name_limit_take(&l, 5000, &wait_ms));
  assert_int_equal(wait_ms, 60000); /* and no later than that */
  assert_false(name_limit_take(&l, 80000, &wait_ms));
  assert_int_equal(wait_ms, 1000); /* those before have had their turn */
}

static void answer(int fd, const char *target)
{
  static const char page[] = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  (void)target;
  raw_send(fd, page, sizeof page - 1);
}

static void take_body(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  (void)context, (void)response, (void)bytes, (void)size;
}

static void take_response(void *context, const fetch_response *response)
{
  *(fetch_response *)context = *response;
}

static fetch_response fetch(const char *proxy, const char *host, unsigned port)
{
  fetch_response response = {0};
  char address[64];
  fetcher *f = fetcher_create(&(fetch_options){
    .user_agent = "test", .connections = 1, .timeout_ms = 60000, .max_body = 1, .allow_private = true, .proxy = proxy});
  assert_non_null(f);
  snprintf(address, sizeof address, "http://%s:%u/", host, port);
  assert_true(fetch_start(f, address,
                          (fetch_receiver){.body = take_body, .finished = take_response, .context = &response}));
  while (fetch_active(f))
    fetch_poll(f, 100);
  fetcher_free(f);
  return response;
}

/* An address is no name: it needs no thread, and waits for none. */
CASE(names_alone_are_put_off)
{
  enum { THREADS = 1 + NAME_LIMIT_GIVEN_UP };
  pthread_t threads[THREADS];
  unsigned port;
  pid_t server = raw_start(answer, &port);
  pthread_mutex_lock(&gate);
  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, wait_at_gate, NULL), 0);
  assert_int_equal(fetch(NULL, "127.0.0.1", port).status, 200);
  assert_int_equal(fetch(NULL, "[::1]", port).put_off_ms, 0);
  assert_int_equal(fetch(NULL, "127.0.0.invalid", port).put_off_ms, 1000);
  assert_int_equal(fetch("http://proxy.invalid:3128", "127.0.0.1", port).put_off_ms, 1000);
  pthread_mutex_unlock(&gate);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  process_kill(server);
}
