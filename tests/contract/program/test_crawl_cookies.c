/* Cookies that servers set, in whole crawls: walls that want one are passed, and no number of them slows a crawl. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 400, COOKIES = 50, WALLS = 16 };

#define HERE "HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: "

static small s;

/* When each request for a wall came; shared with the server's processes. */
static struct asked {
  atomic_uint count;
  double at[WALLS];
} * asked;

static void note(void)
{
  unsigned nth = atomic_fetch_add(&asked->count, 1);
  if (nth < WALLS)
    asked->at[nth] = process_clock();
}

static void send_wall(int fd)
{
  note();
  if (strstr(raw_head(), "\r\nCookie: in=yes\r\n"))
    raw_send_string(fd, SMALL_HTML "you are in");
  else
    raw_send_string(fd, HERE "/wall\r\nSet-Cookie: in=yes; Path=/wall\r\n\r\n");
}

/* Never content. */
static void send_endless_wall(int fd)
{
  char answer[256];
  note();
  snprintf(answer, sizeof answer, HERE "/endless\r\nSet-Cookie: in=%u; Path=/endless\r\n\r\n",
           atomic_load(&asked->count));
  raw_send_string(fd, answer);
}

static void send_index(int fd)
{
  text body = {0};
  text_add(&body, SMALL_HTML);
  for (unsigned i = 0; i < PAGES; i++)
    text_addf(&body, "<a href=/page/%u>x</a>", i);
  raw_send(fd, body.bytes, body.size);
}

static void send_page(int fd, const char *target)
{
  text answer = {0};
  text_add(&answer, SMALL_HEAD "text/html\r\n");
  for (unsigned i = 0; i < COOKIES; i++)
    text_addf(&answer, "Set-Cookie: n%s-%u=%u; Path=/\r\n", target + strlen("/page/"), i, i);
  text_add(&answer, "\r\nleaf");
  raw_send(fd, answer.bytes, answer.size);
}

static void answer(int fd, const char *target)
{
  if (strcmp(target, "/wall") == 0)
    send_wall(fd);
  else if (strcmp(target, "/endless") == 0)
    send_endless_wall(fd);
  else if (strcmp(target, "/loop") == 0)
    raw_send_string(fd, HERE "/loop\r\n\r\n");
  else if (strcmp(target, "/") == 0)
    send_index(fd);
  else if (strncmp(target, "/page/", 6) == 0)
    send_page(fd, target);
  else
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

static int set_up(void **state)
{
  (void)state;
  asked = mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  s = small_open_with(answer);
  return 0;
}

static int clean_up(void **state)
{
  (void)state;
  small_close(&s);
  munmap(asked, sizeof *asked);
  return 0;
}

/* With an empty file of cookies, if it is to send any. */
static page_log crawl(const char *target, const char *delay, bool sends_cookies, int code)
{
  char url[64], *file = trial_path(s.trial, "cookies.txt");
  snprintf(url, sizeof url, "http://127.0.0.1:%u%s", small_port, target);
  fclose(fopen(file, "w"));
  const char *const words[] = {"crawl",
                               "--dir",
                               "DIR",
                               "--allow-private",
                               "--ignore-robots",
                               "--per-host",
                               "8",
                               "--delay",
                               delay,
                               url,
                               sends_cookies ? "--cookies" : NULL,
                               file,
                               NULL};
  assert_int_equal(small_strata(&s, words, code), code);
  free(file);
  return pages_read(s.trial->pages);
}

static void assert_one(page_log log, long long status, long long tries)
{
  assert_int_equal(pages_count(&log), 1);
  assert_int_equal(pages_number(&log, 0, "status"), status);
  assert_int_equal(pages_number(&log, 0, "tries"), tries);
  pages_free(&log);
}

CASE(a_wall_is_passed)
{
  assert_one(crawl("/wall", "0.4", true, 0), 200, 2);
  assert_int_equal(asked->count, 2);
  assert_true(asked->at[1] - asked->at[0] > 0.35); /* as politely as any URL */
}

CASE(without_cookies_it_is_not)
{
  assert_one(crawl("/wall", "0", false, 1), 302, 2);
}

CASE(an_endless_wall_is_left)
{
  assert_one(crawl("/endless", "0", true, 1), 302, 21);
  assert_int_equal(asked->count, 21);
}

CASE(a_loop_without_cookies_is_no_wall)
{
  assert_one(crawl("/loop", "0", true, 1), 302, 2);
}

/* It took 9 s where the time for each cookie grew with all those before. */
CASE(cookies_without_end_do_not_slow_it)
{
  page_log log = crawl("/", "0", true, 0);
  assert_int_equal(pages_count(&log), 1 + PAGES);
  pages_free(&log);
  double cpu = (double)s.trial->end.usage.ru_utime.tv_sec + (double)s.trial->end.usage.ru_utime.tv_usec / 1e6;
  print_message("%.2f s\n", cpu);
  assert_true(cpu < 3);
}

EACH_CASE(set_up, clean_up)
