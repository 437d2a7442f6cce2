/* URL spaces without end on one host with an ordinary site, no cap given: the crawl ends by itself, the site is
 * complete, and what was left waiting is said and shown. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  PAGES = 120,
  BUDGET = 100,
  LEAK = 4 * (64 + 40), /* of each trap until it is known: 64 URLs found, and what a page gives at once */
  LEAK_AGAIN = 4 * 40,  /* what waits says which directories are traps */
};

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"

static void link_to(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void link_to(int fd, const char *format, ...)
{
  char target[4200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(target, sizeof target, format, arguments);
  va_end(arguments);
  raw_send_string(fd, "<a href=\"");
  raw_send_string(fd, target);
  raw_send_string(fd, "\">x</a>\n");
}

static void answer_page(int fd, unsigned page)
{
  for (unsigned next = 3 * page + 1; next <= 3 * page + 3 && next < PAGES; next++)
    link_to(fd, "/docs/chapter-%u/page-%u.html", next % 7, next);
  link_to(fd, "/calendar/2026/11/20");
  link_to(fd, "/shop/item0?sid=0123456789abcdef");
  link_to(fd, "/wiki/");
  link_to(fd, "/list?color=0&size=0");
}

static void answer_session(int fd, const char *target)
{
  unsigned hash = 2166136261u;
  for (const char *at = target; *at; at++)
    hash = (hash ^ (unsigned char)*at) * 16777619u;
  for (unsigned item = 0; item < 20; item++)
    link_to(fd, "/shop/item%u?sid=%08x%08x", item, hash, hash * 31);
}

static void answer(int fd, const char *target)
{
  unsigned a = 0, b = 0, c = 0;
  if (strcmp(target, "/robots.txt") == 0) {
    raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  raw_send_string(fd, OK);
  if (sscanf(target, "/calendar/%u/%u/%u", &a, &b, &c) == 3) {
    link_to(fd, "/calendar/%u/%u/%u", a, b, c % 28 + 1);
    link_to(fd, "/calendar/%u/%u/%u", a, b % 12 + 1, c);
    link_to(fd, "/calendar/%u/%u/%u", a + 1, b, c);
  } else if (strncmp(target, "/shop/", 6) == 0) {
    answer_session(fd, target);
  } else if (strncmp(target, "/wiki/", 6) == 0 && strlen(target) < 4000) {
    link_to(fd, "news/");
    link_to(fd, "images/");
  } else if (sscanf(target, "/list?color=%u&size=%u", &a, &b) == 2) {
    link_to(fd, "/list?color=%u&size=%u", (a + 1) % 90, b);
    link_to(fd, "/list?color=%u&size=%u", a, (b + 1) % 90);
  } else {
    sscanf(target, "/docs/chapter-%*u/page-%u.html", &a);
    answer_page(fd, a);
  }
}

/* ---- what the crawl made of it --------------------------------------------------------------------------- */

static trial *served;
static pid_t server;
static char start[64];

static int crawl(const char *budget)
{
  const char *const words[] = {"crawl",      "--dir", "DIR",           "--delay", "0",   "--allow-private",
                               "--per-host", "8",     "--trap-budget", budget,    start, NULL};
  return trial_strata(served, words);
}

static void count_pages(unsigned *pages, unsigned *others)
{
  page_log log = pages_read(served->pages);
  *pages = *others = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const char *path = strchr(pages_url(&log, i) + strlen("http://"), '/');
    bool is_page = strncmp(path, "/docs/", 6) == 0 || strcmp(path, "/") == 0;
    *pages += is_page;
    *others += !is_page;
  }
  pages_free(&log);
}

/* Three of the four traps, the most first, and not more than wait. */
static void check_directories(const json_t *host)
{
  const json_t *list = json_object_get(host, "directories");
  json_int_t all = json_integer_value(json_object_get(host, "waiting")), last = all, sum = 0;
  assert_int_equal(json_array_size(list), 3);
  for (size_t i = 0; i < 3; i++) {
    const char *name = json_string_value(json_object_get(json_array_get(list, i), "directory"));
    json_int_t waiting = json_integer_value(json_object_get(json_array_get(list, i), "waiting"));
    if (strcmp(name, "/calendar/") != 0 && strcmp(name, "/shop/") != 0 && strcmp(name, "/wiki/") != 0 &&
        strcmp(name, "/list?") != 0)
      fail_msg("%s", name);
    assert_in_range(waiting, 1, last);
    last = waiting;
    sum += waiting;
  }
  assert_in_range(sum, all / 2, all);
}

static void check_shown(void)
{
  const char *const words[] = {"stat", "DIR", "--traps", NULL};
  assert_int_equal(trial_strata(served, words), 0);
  assert_non_null(strstr(served->out.bytes, "traps      1 host; 100 URLs"));
  assert_non_null(strstr(served->out.bytes, "  127.0.0.1:"));
  assert_non_null(strstr(served->out.bytes, "    http://127.0.0.1:"));
  assert_non_null(strstr(served->out.bytes, " below /"));
  assert_null(strstr(served->out.bytes, "/docs/"));
  const char *const json_words[] = {"stat", "DIR", "--traps", "--json", NULL};
  assert_int_equal(trial_strata(served, json_words), 0);
  json_t *all = json_loads(served->out.bytes, 0, NULL), *traps = json_object_get(all, "traps");
  const json_t *first = json_array_get(json_object_get(traps, "list"), 0);
  assert_int_equal(json_integer_value(json_object_get(traps, "hosts")), 1);
  assert_int_equal(json_integer_value(json_object_get(traps, "taken")), BUDGET);
  assert_true(json_integer_value(json_object_get(traps, "waiting")) > BUDGET);
  assert_int_equal(json_array_size(json_object_get(first, "examples")), 5);
  assert_int_equal(json_integer_value(json_object_get(first, "taken")), BUDGET);
  check_directories(first);
  json_decref(all);
}

CASE(traps_are_bounded_and_the_site_is_complete)
{
  unsigned pages, others, more, port;
  served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  server = raw_start(answer, &port);
  snprintf(start, sizeof start, "http://127.0.0.1:%u/", port);
  assert_int_equal(crawl("100"), 0);
  print_message("%s", served->err.bytes);
  assert_non_null(strstr(served->err.bytes, "Done: every page in scope was fetched, but what looks like a trap.\n"));
  assert_non_null(strstr(served->err.bytes, "  Held back: "));
  count_pages(&pages, &others);
  assert_int_equal(pages, PAGES);
  assert_in_range(others, BUDGET, BUDGET + LEAK);
  check_shown();
  assert_int_equal(crawl("150"), 0);
  count_pages(&pages, &more);
  assert_int_equal(pages, PAGES);
  assert_in_range(more - others, 50, 50 + LEAK_AGAIN);
}

static int clean_up(void **state)
{
  (void)state;
  process_kill(server);
  trial_close(served);
  return 0;
}

EACH_CASE(NULL, clean_up)
