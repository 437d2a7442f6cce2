/* Address space is short (ulimit -v), and the map of the frontier's file is full in the middle of a crawl: it pauses,
 * says so and what limits it, and goes on when the limit of the running process is raised, with nothing lost. */
#include "tests/site/pages.h"
#include "tests/site/small.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* 300 kB of new links a page; the map has 64 MiB, or little more. */
enum { LIMIT_MIB = 250, PAGES = 320, LINKS = 150, LINK_BYTES = 2000 };

static small web;
static struct rlimit usual;

/* Links that no other page has. */
static void answer(int fd, const char *target)
{
  static char tail[LINK_BYTES + 1];
  text page = {0};
  unsigned number = (unsigned)strtoul(target + 1, NULL, 10);
  bool is_robots = strcmp(target, "/robots.txt") == 0;
  memset(tail, 'x', LINK_BYTES);
  text_add(&page, is_robots ? "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" : SMALL_HTML);
  for (unsigned i = 1; i <= LINKS && !is_robots; i++)
    text_addf(&page, "<a href=/%u/%s>\n", number * LINKS + i, tail);
  raw_send(fd, page.bytes, page.size);
}

static int serve(void **state)
{
  (void)state;
  web = small_open_with(answer);
  return 0;
}

static int stop(void **state)
{
  (void)state;
  small_close(&web);
  return 0;
}

static bool has_said(const char *what)
{
  char *path = trial_path(web.trial, "strata.err");
  text said = {0};
  bool has = text_add_file(&said, path) && strstr(said.bytes, what);
  text_free(&said);
  free(path);
  return has;
}

/* A soft limit, which the child inherits, and can be raised for it. */
static pid_t start_limited(const char *const words[])
{
  assert_int_equal(getrlimit(RLIMIT_AS, &usual), 0);
  assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)LIMIT_MIB << 20, usual.rlim_max}), 0);
  pid_t pid = trial_strata_start(web.trial, words);
  assert_int_equal(setrlimit(RLIMIT_AS, &usual), 0);
  return pid;
}

static void assert_all_links_are_known(void)
{
  page_log pages = pages_read(web.trial->pages);
  assert_int_equal(pages.bad, 0);
  assert_int_equal(pages_count(&pages), PAGES);
  pages_free(&pages);
  assert_int_equal(small_strata(&web, (const char *const[]){"export", "DIR", "--state", "queued", NULL}, 0), 0);
  size_t lines = 0;
  for (const char *at = web.trial->out.bytes; (at = strchr(at, '\n')); at++)
    lines++;
  assert_int_equal(lines, 1 + PAGES * LINKS - PAGES);
}

CASE(it_goes_on_when_the_limit_is_raised)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  print_message("skipped: sanitizers need more address space\n");
  skip();
#endif
  static const char *const words[] = {"crawl", "--dir",           "DIR",          "--delay",     "0",   "--per-host",
                                      "4",     "--allow-private", "--no-similar", "--max-pages", "320", "URL",
                                      NULL};
  pid_t pid = start_limited(words);
  double end = process_clock() + PROCESS_SECONDS_MAX;
  while (!has_said("paused: ") && !process_has_ended(pid) && process_clock() < end)
    process_sleep(0.01);
  bool is_paused = !process_has_ended(pid) && has_said(" is full, and address space is limited to 250 MiB");
  int raised = prlimit(pid, RLIMIT_AS, &usual, NULL);
  int code = trial_collect(web.trial, pid);
  if (!is_paused || raised || code || !strstr(web.trial->err.bytes, "Going on: "))
    fail_msg("ended with %d:\n%s", code, web.trial->err.bytes);
  assert_all_links_are_known();
}

EACH_CASE(serve, stop)
