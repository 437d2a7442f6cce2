/* A start URL that redirects to another host takes that host into the scope for all runs; another redirect does not. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <string.h>

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private"
#define MOVED "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: "

static small s;

/* The start is on 127.0.0.1, the site on localhost; names below localhost are 127.0.0.1, by libcurl itself. */
static void answer(int fd, const char *target)
{
  text page = {0};
  if (strcmp(target, "/") == 0)
    text_addf(&page, MOVED "http://localhost:%u/home\r\n\r\n", small_port);
  else if (strcmp(target, "/leads-away") == 0)
    text_addf(&page, MOVED "http://other.localhost:%u/never\r\n\r\n", small_port);
  else if (strcmp(target, "/home") == 0)
    text_addf(&page, SMALL_HTML "<a href=/next>1<a href=/leads-away>2<a href=http://other.localhost:%u/never>3",
              small_port);
  else
    text_add(&page, strcmp(target, "/robots.txt") == 0 ? "HTTP/1.1 404 No\r\nConnection: close\r\n\r\n" : SMALL_LEAF);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static void assert_fetched(const char *const words[], const char *wanted)
{
  assert_int_equal(small_strata(&s, words, 0), 0);
  text fetched = small_fetched(&s);
  assert_string_equal(fetched.bytes, wanted);
  text_free(&fetched);
}

CASE(its_host_joins_the_scope_for_good)
{
  assert_fetched((const char *const[]){CRAWL, "--max-pages", "1", "URL", NULL}, "/ /home ");
  assert_fetched((const char *const[]){CRAWL, NULL}, "/ /home /leads-away /next ");
}

static int serve(void **state)
{
  (void)state;
  s = small_open_with(answer);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  small_close(&s);
  return 0;
}

EACH_CASE(serve, stop)
