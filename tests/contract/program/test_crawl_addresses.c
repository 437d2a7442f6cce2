/* Many names, one server: how much of it a crawl asks at once. Names below localhost are 127.0.0.1, by libcurl itself.
 * The server counts what it is busy with: from a request it has read until just before its answer goes out. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HOSTS = 24, PAGES = 4, LIMIT = 3 };
#define LIMIT_TEXT "3"

/* Shared with the server. */
static struct busy {
  atomic_int now, most;             /* requests of any kind */
  atomic_int now_later, most_later; /* for a page behind a host's first */
} * busy;

static const char *domain; /* of the hosts: "" each its own */

static void note(atomic_int *now, atomic_int *most)
{
  int count = atomic_fetch_add(now, 1) + 1, before = atomic_load(most);
  while (count > before && !atomic_compare_exchange_weak(most, &before, count))
    continue;
}

/* "/" on 127.0.0.1 leads to every host; "/1" of a host to its "/2", "/3", ... */
static void add_links(text *page, const char *target)
{
  if (strcmp(target, "/") == 0)
    for (int i = 0; i < HOSTS; i++)
      text_addf(page, "<a href=http://h%d%s.localhost:%u/1>", i, domain, small_port);
  for (int i = 2; strcmp(target, "/1") == 0 && i <= PAGES; i++)
    text_addf(page, "<a href=/%d>", i);
}

static void answer(int fd, const char *target)
{
  bool is_page = target[1] >= '1' && target[1] <= '9', is_later = target[1] >= '2' && target[1] <= '9';
  text page = {0};
  text_add(&page, strcmp(target, "/") == 0 || is_page ? SMALL_HTML : "HTTP/1.1 404 No\r\nConnection: close\r\n\r\n");
  add_links(&page, target);
  note(&busy->now, &busy->most);
  if (is_later)
    note(&busy->now_later, &busy->most_later);
  process_sleep(0.03);
  atomic_fetch_sub(&busy->now, 1);
  if (is_later)
    atomic_fetch_sub(&busy->now_later, 1);
  raw_send(fd, page.bytes, page.size);
}

/* Crawls all of it, and each page once. */
static void crawl(const char *below, const char *per_address)
{
  busy = mmap(NULL, sizeof *busy, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(busy != MAP_FAILED);
  domain = below;
  small s = small_open_with(answer);
  const char *const words[] = {"crawl",     "--dir",
                               "DIR",       "--delay",
                               "0",         "--scope",
                               "any",       "--allow-private",
                               "URL",       per_address ? "--per-address" : NULL,
                               per_address, NULL};
  assert_int_equal(small_strata(&s, words, 0), 0);
  text fetched = small_fetched(&s);
  size_t pages = 0;
  for (const char *at = fetched.bytes; (at = strchr(at, ' ')); at++)
    pages++;
  assert_int_equal(pages, 1 + HOSTS * PAGES);
  print_message("at once: %d, behind the first pages %d\n", busy->most, busy->most_later);
  text_free(&fetched);
  small_close(&s);
}

static int forget(void **state)
{
  (void)state;
  munmap(busy, sizeof *busy);
  return 0;
}

/* The first to answer tells where all of its domain are. */
CASE(names_of_a_wildcard)
{
  crawl(".wild", LIMIT_TEXT);
  assert_in_range(busy->most, 1, 2 * LIMIT); /* some began when nothing was known but the domain */
  assert_in_range(busy->most_later, 1, LIMIT);
}

CASE(hosts_of_different_owners)
{
  crawl("", LIMIT_TEXT);
  assert_in_range(busy->most_later, 1, LIMIT);
}

/* Else the others would prove nothing. */
CASE(no_limit)
{
  crawl("", "0");
  assert_true(busy->most > 2 * LIMIT && busy->most_later > LIMIT);
}

/* Eight, for one request to a host at once. */
CASE(by_default)
{
  crawl("", NULL);
  assert_in_range(busy->most_later, LIMIT + 1, 8);
}

EACH_CASE(NULL, forget)
