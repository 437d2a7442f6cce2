/* No host and no address sees more than its share, whatever links lead there and whatever is asked for: pages,
 * robots.txt, where a robots.txt redirects, sitemaps, retries. Names below localhost are 127.0.0.1, by libcurl
 * itself. The server notes when it reads each request. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 3, REQUESTS_MAX = 4000, SLACK_MS = 270 };

/* Shared with the server. */
static struct log {
  atomic_uint count;
  atomic_uint denied; /* requests for what robots.txt denies */
  struct {
    long long ms;
    char host[32];
  } request[REQUESTS_MAX];
} * asked;

static long long now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The first label of the host that was asked. */
static void note(char host[32])
{
  const char *name = strstr(raw_head(), "Host: ");
  unsigned nth = atomic_fetch_add(&asked->count, 1);
  snprintf(host, 32, "%.*s", name ? (int)strcspn(name + 6, ".:\r") : 0, name ? name + 6 : "");
  if (nth >= REQUESTS_MAX)
    return;
  asked->request[nth].ms = now_ms();
  memcpy(asked->request[nth].host, host, 32);
}

static int compare(const void *a, const void *b)
{
  long long left = *(const long long *)a, right = *(const long long *)b;
  return left < right ? -1 : left > right;
}

/* In any t milliseconds at most `share` * (1 + t / delay) of them, as late as the server may have read some. Returns
 * how many there are. */
static size_t assert_share(const char *host, unsigned share, long long delay_ms)
{
  static long long times[REQUESTS_MAX];
  size_t count = 0;
  unsigned most = 0;
  for (unsigned i = 0; i < asked->count && i < REQUESTS_MAX; i++)
    if (!host || strcmp(asked->request[i].host, host) == 0)
      times[count++] = asked->request[i].ms;
  qsort(times, count, sizeof *times, compare);
  for (size_t first = 0; first < count; first++)
    for (size_t last = first; last < count; last++) {
      long long t = times[last] - times[first] + SLACK_MS;
      unsigned within = (unsigned)(last - first + 1);
      most = t < 1000 && within > most ? within : most;
      if (within > share + share * (unsigned long long)t / (unsigned long long)delay_ms) {
        print_error("%s: %u requests within %lld ms\n", host ? host : "the address", within, t - SLACK_MS);
        fail();
      }
    }
  print_message("%s: %zu requests, %u within a second\n", host ? host : "the address", count, most);
  return count;
}

/* `hosts`: first labels, each with the path of a start URL unless that is "/". */
static void run(raw_answer *answer, const char *const hosts[], const char *delay, const char *per_address)
{
  asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(asked != MAP_FAILED);
  small s = small_open_with(answer);
  char *seeds = trial_path(s.trial, "seeds");
  FILE *file = fopen(seeds, "w");
  assert_non_null(file);
  for (; *hosts; hosts++) {
    const char *path = strchrnul(*hosts, '/');
    fprintf(file, "http://%.*s.localhost:%u%s\n", (int)(path - *hosts), *hosts, small_port, *path ? path : "/");
  }
  assert_int_equal(fclose(file), 0);
  const char *const words[] = {
    "crawl", "--dir",   "DIR", "--delay",   delay, "--scope",       "any", "--per-address",   per_address, "--seeds",
    seeds,   "--tries", "2",   "--timeout", "10",  "--max-seconds", "60",  "--allow-private", NULL};
  assert_int_equal(small_strata(&s, words, 0), 0);
  free(seeds);
  small_close(&s);
}

static int forget(void **state)
{
  (void)state;
  munmap(asked, sizeof *asked);
  return 0;
}

#define MOVED "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: http://"

/* ---- names without number, whose robots.txt all lead to one host ------------------------------------------- */

static void answer_for_victim(int fd, const char *target)
{
  char host[32], to[200];
  unsigned nth = 0, hop = 0;
  note(host);
  bool is_victim = strcmp(host, "victim") == 0;
  if (!is_victim)
    nth = (unsigned)atoi(host + 1);
  if (is_victim && sscanf(target, "/hop/%u/%u", &nth, &hop) == 2)
    hop++;
  bool is_robots = strcmp(target, "/robots.txt") == 0;
  snprintf(to, sizeof to, MOVED "victim.localhost:%u/hop/%u/%u\r\n\r\n", small_port, nth, hop);
  if ((is_robots && !is_victim) || (hop && hop < 5))
    raw_send_string(fd, to);
  else if (strcmp(target, "/") == 0)
    raw_send_string(fd, SMALL_HTML "<a href=/1>x</a><a href=/2>x</a>");
  else if (is_robots && is_victim)
    raw_send_string(fd, SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nSitemap: /map\n");
  else if (strcmp(target, "/map") == 0)
    raw_send_string(fd, SMALL_HEAD "text/plain\r\n\r\n"); /* HTML would be asked for as a page, too */
  else
    raw_send_string(fd, SMALL_LEAF);
}

CASE(redirects_of_robots_txt_take_their_turns)
{
  static const char *const hosts[] = {"r0", "r1", "r2", "victim", NULL};
  run(answer_for_victim, hosts, "0.3", "0");
  for (size_t i = 0; i < NAMES; i++)
    assert_int_equal(assert_share(hosts[i], 1, 300), 1 + 3); /* robots.txt, "/", "/1", "/2" */
  assert_int_equal(assert_share("victim", 1, 300), 1 + 4 + NAMES * 5);
}

/* ---- two whose robots.txt wait for each other --------------------------------------------------------------- */

static void answer_each_other(int fd, const char *target)
{
  char host[32], to[200];
  note(host);
  snprintf(to, sizeof to, MOVED "%s.localhost:%u/robots.txt\r\n\r\n", strcmp(host, "a") == 0 ? "b" : "a", small_port);
  raw_send_string(fd, strcmp(target, "/robots.txt") == 0 ? to : SMALL_LEAF);
}

CASE(two_that_wait_for_each_other_end)
{
  static const char *const hosts[] = {"a", "b", NULL};
  run(answer_each_other, hosts, "0.3", "1");
  size_t a = assert_share("a", 1, 300), b = assert_share("b", 1, 300);
  assert_in_range(a + b, 2 + 2, 2 * (1 + 5) + 2); /* five redirects in a row lead nowhere: all is allowed */
}

/* ---- many names at one address ------------------------------------------------------------------------------- */

static void answer_leaf(int fd, const char *target)
{
  char host[32];
  note(host);
  raw_send_string(fd, strcmp(target, "/robots.txt") == 0 ? SMALL_HEAD "text/plain\r\n\r\n" : SMALL_LEAF);
}

/* Each is a domain of its own, and nothing is known of any before it answers. */
CASE(an_address_gets_no_more_than_so_many_hosts)
{
  enum { HOSTS = 24 };
  static char names[HOSTS][8];
  const char *hosts[HOSTS + 1] = {NULL};
  for (unsigned i = 0; i < HOSTS; i++) {
    snprintf(names[i], sizeof names[i], "h%u", i);
    hosts[i] = names[i];
  }
  run(answer_leaf, hosts, "0.5", "3");
  assert_int_equal(assert_share(NULL, 3, 500), 2 * HOSTS);
}

/* ---- connections that break ------------------------------------------------------------------------------------ */

/* The next request's head, of which nothing is wanted; false: the other side has closed. */
static bool skip_request(int fd)
{
  char last[4] = {0};
  while (memcmp(last, "\r\n\r\n", 4) != 0) {
    memmove(last, last + 1, 3);
    if (read(fd, last + 3, 1) != 1)
      return false;
  }
  return true;
}

/* Each connection gives one answer, and closes when it is asked for another. */
static void answer_once(int fd, const char *target)
{
  char host[32];
  text page = {0}, body = {0};
  note(host);
  for (int i = 1; strcmp(target, "/") == 0 && i <= 4; i++)
    text_addf(&body, "<a href=/%d>x</a>", i);
  text_addf(&page, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\n\r\n%s", body.size,
            body.size ? body.bytes : "");
  raw_send(fd, page.bytes, page.size);
  if (skip_request(fd))
    note(host);
  text_free(&page);
  text_free(&body);
}

CASE(what_breaks_is_asked_for_again_in_turn)
{
  static const char *const hosts[] = {"k", NULL};
  run(answer_once, hosts, "0.3", "8");
  assert_in_range(assert_share("k", 1, 300), 1 + 5, 2 * (1 + 5)); /* robots.txt and five pages */
}

/* ---- a robots.txt that fails once ----------------------------------------------------------------------------- */

#define FAILED(status) "HTTP/1.1 " status "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/* By the host's name: a server error, too busy, or no answer at all. Each process of the server answers once. */
static void fail_robots(int fd, const char *host)
{
  if (strcmp(host, "e500") == 0)
    raw_send_string(fd, FAILED("500 Oops"));
  else if (strcmp(host, "e503") == 0)
    raw_send_string(fd, FAILED("503 Later"));
}

static unsigned requests_of(const char *host)
{
  unsigned count = 0;
  for (unsigned i = 0; i < asked->count && i < REQUESTS_MAX; i++)
    count += strcmp(asked->request[i].host, host) == 0;
  return count;
}

static void answer_after_a_failure(int fd, const char *target)
{
  char host[32];
  note(host);
  if (strcmp(target, "/robots.txt") == 0 && requests_of(host) == 1)
    fail_robots(fd, host);
  else if (strcmp(target, "/robots.txt") == 0)
    raw_send_string(fd, SMALL_HEAD "text/plain\r\n\r\nUser-agent: *\nDisallow: /no\n");
  else if (strcmp(target, "/") == 0)
    raw_send_string(fd, SMALL_HTML "<a href=/no>x</a><a href=/1>x</a><a href=/no/2>x</a><a href=/3>x</a>");
  else
    raw_send_string(fd, SMALL_LEAF);
  asked->denied += strncmp(target, "/no", 3) == 0;
}

CASE(what_robots_txt_says_at_its_second_try_is_obeyed)
{
  static const char *const hosts[] = {"e500", "e503", "silent", NULL};
  run(answer_after_a_failure, hosts, "0.3", "8");
  for (size_t i = 0; hosts[i]; i++)
    assert_int_equal(assert_share(hosts[i], 1, 300), 2 + 3); /* robots.txt twice, "/", "/1", "/3" */
  assert_int_equal(asked->denied, 0);
}

/* ---- a Crawl-delay, and URLs that robots.txt denies -------------------------------------------------------------- */

static void answer_slowly(int fd, const char *target)
{
  char host[32];
  note(host);
  asked->denied += strncmp(target, "/no", 3) == 0;
  raw_send_string(fd, strcmp(target, "/robots.txt") == 0 ? SMALL_HEAD
                        "text/plain\r\n\r\nUser-agent: *\nCrawl-delay: 1\nDisallow: /no\n"
                                                         : SMALL_LEAF);
}

/* The URL for which robots.txt was requested is denied, or later ones are. */
CASE(a_denied_url_does_not_shorten_a_crawl_delay)
{
  static const char *const hosts[] = {"first/no",   "first/1", "first/2",    "later/1", "later/no/1",
                                      "later/no/2", "later/2", "later/no/3", NULL};
  run(answer_slowly, hosts, "0.1", "8");
  assert_int_equal(asked->denied, 0);
  assert_int_equal(assert_share("first", 1, 1000), 1 + 2);
  assert_int_equal(assert_share("later", 1, 1000), 1 + 2);
}

EACH_CASE(NULL, forget)
