/* Hosts whose robots.txt gives a server error, beside healthy ones. A broken host rests as a whole: its robots.txt is
 * requested a few times, however many URLs it has. Names below localhost are 127.0.0.1, by libcurl itself. */
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BROKEN = 3, HEALTHY = 5, URLS = 20, TRIES = 3, GAPS_MAX = 8 };

/* Shared by the server's processes, each for one connection. */
static struct seen {
  unsigned robots[BROKEN], pages_of_broken, pages_of_healthy;
  long long last_ms[BROKEN], gap_ms[BROKEN][GAPS_MAX]; /* between requests for a robots.txt, the first ones */
  long long healthy_ms;                                /* the last page of a healthy host */
  unsigned heals_after;                                /* failures; UINT_MAX: it does not */
  const char *retry_after;                             /* a line of the header, or "" */
} * seen;

static long long now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void answer_robots(int fd, unsigned host)
{
  char head[200];
  unsigned nth = __atomic_fetch_add(&seen->robots[host], 1, __ATOMIC_SEQ_CST);
  if (nth && nth <= GAPS_MAX)
    seen->gap_ms[host][nth - 1] = now_ms() - seen->last_ms[host];
  seen->last_ms[host] = now_ms();
  snprintf(head, sizeof head, "HTTP/1.1 500 Oops\r\n%sContent-Length: 0\r\nConnection: close\r\n\r\n",
           seen->retry_after);
  raw_send_string(fd, nth < seen->heals_after ? head : SMALL_HEAD "text/plain\r\n\r\n");
}

static void answer(int fd, const char *target)
{
  const char *broken = strstr(raw_head(), "Host: r");
  bool is_robots = strcmp(target, "/robots.txt") == 0;
  if (broken && is_robots) {
    answer_robots(fd, (unsigned)(broken[strlen("Host: r")] - '0') % BROKEN);
    return;
  }
  if (!is_robots) {
    __atomic_fetch_add(broken ? &seen->pages_of_broken : &seen->pages_of_healthy, 1, __ATOMIC_SEQ_CST);
    if (!broken)
      seen->healthy_ms = now_ms();
  }
  raw_send_string(fd, is_robots ? SMALL_HEAD "text/plain\r\n\r\n" : SMALL_HTML "fine");
}

static void crawl(unsigned heals_after, const char *retry_after, const char *per_host)
{
  small s;
  seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(seen != MAP_FAILED);
  seen->heals_after = heals_after;
  seen->retry_after = retry_after;
  s = small_open_with(answer);
  char *seeds = trial_path(s.trial, "seeds");
  FILE *file = fopen(seeds, "w");
  assert_non_null(file);
  for (int i = 0; i < BROKEN * URLS; i++)
    fprintf(file, "http://r%d.localhost:%u/%d\n", i % BROKEN, small_port, i / BROKEN);
  for (int i = 0; i < HEALTHY * URLS; i++)
    fprintf(file, "http://h%d.localhost:%u/%d\n", i % HEALTHY, small_port, i / HEALTHY);
  assert_int_equal(fclose(file), 0);
  const char *const words[] = {"crawl",         "--dir", "DIR",           "--delay", "0",
                               "--per-address", "0",     "--connections", "16",      "--allow-private",
                               "--tries",       "3",     "--per-host",    per_host,  "--seeds",
                               seeds,           NULL};
  assert_int_equal(small_strata(&s, words, 0), 0);
  free(seeds);
  small_close(&s);
}

static void forget(void)
{
  munmap(seen, sizeof *seen);
}

/* Three requests a host, with a rest of 0.1 and one of 1.6 s between them, which hold up no other host. */
CASE(a_broken_one_is_given_up_for_all_urls)
{
  crawl(UINT32_MAX, "", "1");
  for (unsigned i = 0; i < BROKEN; i++) {
    assert_int_equal(seen->robots[i], TRIES);
    assert_true(seen->gap_ms[i][0] >= 95 && seen->gap_ms[i][1] >= 1595);
  }
  assert_int_equal(seen->pages_of_broken, 0);
  assert_int_equal(seen->pages_of_healthy, HEALTHY * URLS);
  assert_true(seen->healthy_ms < seen->last_ms[0]);
  forget();
}

/* All URLs of the host waited, those too that were leased together. */
CASE(one_that_heals_costs_no_page)
{
  crawl(TRIES - 1, "", "8");
  for (unsigned i = 0; i < BROKEN; i++)
    assert_int_equal(seen->robots[i], TRIES);
  assert_int_equal(seen->pages_of_broken, BROKEN * URLS);
  assert_int_equal(seen->pages_of_healthy, HEALTHY * URLS);
  forget();
}

/* The host rests once more when its robots.txt is given up; its URLs are then skipped without another request. */
CASE(retry_after_is_obeyed_once_for_all_urls)
{
  crawl(UINT32_MAX, "Retry-After: 2\r\n", "1");
  for (unsigned i = 0; i < BROKEN; i++) {
    assert_int_equal(seen->robots[i], TRIES);
    assert_true(seen->gap_ms[i][0] >= 1995 && seen->gap_ms[i][1] >= 1995);
  }
  assert_int_equal(seen->pages_of_broken, 0);
  forget();
}
