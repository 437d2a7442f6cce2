/* --recrawl-after: a second run fetches what is old enough and nothing else, asks for changes only where the server
 * said how, and loses no page for a failure. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CLOSE "Content-Type: text/html\r\nConnection: close\r\n"
#define OK "HTTP/1.1 200 OK\r\n" CLOSE
#define UNCHANGED "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"

static const char *const targets[] = {"/", "/etag", "/weak", "/date", "/plain", "/moves", "/fails-twice"};
enum { TARGETS = sizeof targets / sizeof *targets, ROOT = 0, ETAG, WEAK, DATE, PLAIN, MOVES, FAILS_TWICE };

typedef struct tally {
  int requests, conditional; /* of this run */
} tally;
static tally *tallies; /* shared with the server's processes */
static int *phase;

static void answer_page(int fd, unsigned which)
{
  static const char etag[] = "If-None-Match: \"version-1\"", weak[] = "If-None-Match: W/\"1\"",
                    date[] = "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT";
  const char *condition = which == ETAG ? etag : which == WEAK ? weak : which == DATE ? date : "Never: sent";
  if (raw_request_has(condition)) {
    tallies[which].conditional++;
    raw_send_string(fd, UNCHANGED);
    return;
  }
  if (which == FAILS_TWICE && *phase == 2) {
    raw_send_string(fd, "HTTP/1.1 404 Gone for now\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  if (which == MOVES) {
    raw_send_string(fd, "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: /plain\r\nConnection: close\r\n\r\n");
    return;
  }
  raw_send_string(fd, OK);
  if (which == ETAG || which == WEAK)
    raw_send_string(fd, which == ETAG ? "ETag: \"version-1\"\r\n" : "ETag: W/\"1\"\r\n");
  if (which == DATE)
    raw_send_string(fd, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  raw_send_string(fd, "\r\n");
  for (unsigned i = 1; which == ROOT && i < TARGETS; i++) {
    raw_send_string(fd, "<a href=");
    raw_send_string(fd, targets[i]);
    raw_send_string(fd, ">x</a>");
  }
  raw_send_string(fd, "a page");
}

static void answer(int fd, const char *target)
{
  for (unsigned i = 0; i < TARGETS; i++)
    if (strcmp(target, targets[i]) == 0) {
      tallies[i].requests++;
      answer_page(fd, i);
      return;
    }
  raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

/* ---- runs ----------------------------------------------------------------------------------------------- */

static trial *served;
static pid_t server;
static char start[64];

static void crawl(const char *age)
{
  const char *const plain[] = {"crawl", "--dir", "DIR", "--delay", "0", "--allow-private", start, NULL};
  const char *const with_age[] = {"crawl",           "--dir",           "DIR", "--delay", "0",
                                  "--allow-private", "--recrawl-after", age,   NULL};
  memset(tallies, 0, TARGETS * sizeof *tallies);
  int code = trial_strata(served, age ? with_age : plain);
  if (code != 0)
    print_error("%s", served->err.bytes);
  assert_int_equal(code, 0);
  ++*phase;
}

static int requests(void)
{
  int all = 0;
  for (unsigned i = 0; i < TARGETS; i++)
    all += tallies[i].requests;
  return all;
}

/* So that what was fetched is a second old by the clock. */
static void wait_a_second(void)
{
  time_t begin = time(NULL);
  while (time(NULL) <= begin)
    usleep(10000);
}

static json_t *counters(void)
{
  const char *const words[] = {"stat", "DIR", "--json", NULL};
  assert_int_equal(trial_strata(served, words), 0);
  return json_loads(served->out.bytes, 0, NULL);
}

static int serve(void **state)
{
  unsigned port;
  (void)state;
  served = trial_open(&(trial_options){.entries = 1}); /* for its directory */
  tallies = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(tallies, MAP_FAILED);
  phase = (int *)(tallies + TARGETS);
  server = raw_start(answer, &port);
  snprintf(start, sizeof start, "http://127.0.0.1:%u/", port);
  return 0;
}

CASE(only_what_is_old_and_only_changes)
{
  crawl(NULL);
  assert_int_equal(requests(), TARGETS);
  wait_a_second();
  crawl("1h"); /* nothing is so old */
  assert_int_equal(requests(), 0);
  crawl("1s");
  assert_int_equal(requests(), TARGETS);
  assert_int_equal(tallies[ETAG].conditional + tallies[WEAK].conditional + tallies[DATE].conditional, 3);
  json_t *all = counters();
  assert_int_equal(json_integer_value(json_object_get(json_object_get(all, "counters"), "unchanged")), 3);
  assert_int_equal(json_integer_value(json_object_get(all, "done")), TARGETS - 1);
  assert_int_equal(json_integer_value(json_object_get(all, "failed")), 1);
  assert_int_equal(json_integer_value(json_object_get(all, "queued")), 0);
  json_decref(all);
  wait_a_second();
  crawl("1s..2d"); /* what failed is asked for again, and heals */
  assert_int_equal(tallies[FAILS_TWICE].requests, 1);
  assert_int_equal(tallies[ETAG].conditional, 1); /* the validators of the first answer, kept */
  all = counters();
  assert_int_equal(json_integer_value(json_object_get(all, "done")), TARGETS);
  assert_int_equal(json_integer_value(json_object_get(all, "failed")), 0);
  json_decref(all);

  unsigned unchanged = 0;
  page_log log = pages_read(served->pages);
  assert_int_equal(log.bad, 0);
  for (size_t i = 0; i < pages_count(&log); i++)
    unchanged += pages_number(&log, i, "status") == 304;
  assert_int_equal(unchanged, 6);
  assert_int_equal(pages_count(&log), 3 * TARGETS);
  pages_free(&log);
}

CASE(an_age_that_is_none_is_refused)
{
  static const char *const ages[] = {"", "1", "1s..", "..1d", "2d..1d", "0s", "1d..2d..3d", "forever"};
  for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
    const char *const words[] = {"crawl", "--dir", "DIR", "--recrawl-after", ages[i], start, NULL};
    assert_int_equal(trial_strata(served, words), 2);
    assert_non_null(strstr(served->err.bytes, "--recrawl-after"));
  }
  const char *const nothing_kept[] = {"crawl", "--no-store", "--recrawl-after", "1d", start, NULL};
  assert_int_equal(trial_strata(served, nothing_kept), 2);
}

static int clean_up(void **state)
{
  (void)state;
  process_kill(server);
  trial_close(served);
  return 0;
}

EACH_CASE(serve, clean_up)
