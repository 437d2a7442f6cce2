/* A server in trouble: what heals is fetched, what does not is given up, and the server is left in peace meanwhile. */
#include "tests/site/pages.h"
#include "tests/site/raw.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
#define EMPTY "Content-Length: 0\r\nConnection: close\r\n\r\n"

typedef enum trouble { BY_STATUS, BY_RESET, BY_HALF, BY_SILENCE } trouble;

static const struct row {
  const char *target;
  trouble trouble;
  const char *answer; /* of a try that fails */
  int failures;       /* before it heals; a hundred: never */
  int status;         /* in pages.jsonl; 0: none */
  int tries;
} rows[] = {
  {"/fine", BY_STATUS, "", 0, 200, 1},
  {"/once-500", BY_STATUS, "HTTP/1.1 500 Oops\r\n" EMPTY, 1, 200, 2},
  {"/twice-502", BY_STATUS, "HTTP/1.1 502 Bad\r\n" EMPTY, 2, 200, 3},
  {"/always-500", BY_STATUS, "HTTP/1.1 500 Oops\r\n" EMPTY, 100, 500, 3},
  {"/once-503", BY_STATUS, "HTTP/1.1 503 Busy\r\n" EMPTY, 1, 200, 2},
  {"/once-429", BY_STATUS, "HTTP/1.1 429 Slow down\r\nRetry-After: 1\r\n" EMPTY, 1, 200, 2},
  {"/robots.txt", BY_STATUS, "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\n" EMPTY, 2, 200, 3}, /* a page if ignored */
  {"/once-504", BY_STATUS, "HTTP/1.1 504 Late\r\n" EMPTY, 1, 200, 2},
  {"/always-501", BY_STATUS, "HTTP/1.1 501 Never\r\n" EMPTY, 100, 501, 1},
  {"/reset", BY_RESET, NULL, 1, 200, 2},
  {"/half", BY_HALF, NULL, 2, 200, 3},
  {"/silent", BY_SILENCE, NULL, 1, 200, 2},
  {"/always-half", BY_HALF, NULL, 100, 200, 3}, /* as far as it came */
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Shared by the server's processes: requests so far, and when the one before came, in milliseconds. */
typedef struct seen {
  int count;
  long long last_ms, gap_ms; /* the shortest pause between two requests of this row */
} seen;
static seen *seen_of;

static long long now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void make_trouble(int fd, const struct row *row)
{
  const struct linger none = {.l_onoff = 1};
  switch (row->trouble) {
  case BY_STATUS: raw_send_string(fd, row->answer); break;
  case BY_RESET: setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none); break;
  case BY_HALF: raw_send_string(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"); break;
  case BY_SILENCE: usleep(3000000); break;
  }
}

static void answer(int fd, const char *target)
{
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].target, target) == 0) {
      seen *s = &seen_of[i];
      long long now = now_ms();
      if (s->count && (s->gap_ms == 0 || now - s->last_ms < s->gap_ms))
        s->gap_ms = now - s->last_ms;
      s->last_ms = now;
      if (s->count++ < rows[i].failures)
        make_trouble(fd, &rows[i]);
      else
        raw_send_string(fd, OK "fine");
      return;
    }
  raw_send_string(fd, OK);
  for (size_t i = 0; i < ROWS; i++) {
    raw_send_string(fd, "<a href=");
    raw_send_string(fd, rows[i].target);
    raw_send_string(fd, ">x</a>");
  }
}

static const json_t *line_of(const page_log *log, const char *target)
{
  for (size_t i = 0; i < pages_count(log); i++) {
    const char *path = strchr(pages_url(log, i) + strlen("http://"), '/');
    if (path && strcmp(path, target) == 0)
      return json_array_get(log->list, i);
  }
  return NULL;
}

static long long number(const json_t *line, const char *name, long long missing)
{
  const json_t *value = json_object_get(line, name);
  return json_is_integer(value) ? json_integer_value(value) : missing;
}

typedef struct served {
  trial *trial;
  pid_t server;
  text url;
} served;

static served serve(void)
{
  served s = {.trial = trial_open(&(trial_options){.entries = 1})}; /* for its directory */
  unsigned port;
  seen_of = mmap(NULL, ROWS * sizeof *seen_of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(seen_of != MAP_FAILED);
  s.server = raw_start(answer, &port);
  text_addf(&s.url, "http://127.0.0.1:%u/", port);
  return s;
}

static void stop(served *s)
{
  process_kill(s->server);
  munmap(seen_of, ROWS * sizeof *seen_of);
  text_free(&s->url);
  trial_close(s->trial);
}

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--allow-private", "--ignore-robots"

CASE(what_heals_is_fetched)
{
  served s = serve();
  const char *const words[] = {CRAWL, "--timeout", "5", s.url.bytes, NULL};
  assert_int_equal(trial_strata(s.trial, words), 0);
  page_log log = pages_read(s.trial->pages);
  assert_int_equal(pages_count(&log), ROWS + 1); /* one line each, however many tries */
  for (size_t i = 0; i < ROWS; i++) {
    const json_t *line = line_of(&log, rows[i].target);
    long long status = number(line, "status", 0), tries = number(line, "tries", 1);
    if (!line || status != rows[i].status || tries != rows[i].tries || seen_of[i].count != tries)
      fail_msg("%s: status %lld after %lld tries, %d requests", rows[i].target, status, tries, seen_of[i].count);
    if (strcmp(rows[i].target, "/once-429") == 0)
      assert_true(seen_of[i].gap_ms >= 990); /* Retry-After */
    if (strcmp(rows[i].target, "/once-503") == 0)
      assert_true(seen_of[i].gap_ms >= 90);
  }
  pages_free(&log);
  stop(&s);
}

CASE(once_if_told_so)
{
  served s = serve();
  const char *const words[] = {CRAWL, "--timeout", "5", "--tries", "1", s.url.bytes, NULL};
  assert_int_equal(trial_strata(s.trial, words), 0);
  for (size_t i = 0; i < ROWS; i++)
    assert_int_equal(seen_of[i].count, 1);
  stop(&s);
}

/* A stop in the middle of a wait: the URL waits on disk, and the next run fetches it. */
/* A robots.txt that is to be asked for later is; until then the host is left in peace, and no page is given up. */
CASE(robots_may_rest)
{
  served s = serve();
  text_addf(&s.url, "fine");
  const char *const words[] = {"crawl", "--dir", "DIR", "--delay", "0", "--allow-private", s.url.bytes, NULL};
  assert_int_equal(trial_strata(s.trial, words), 0);
  page_log log = pages_read(s.trial->pages);
  assert_int_equal(pages_count(&log), 1);
  assert_int_equal(number(line_of(&log, "/fine"), "status", 0), 200);
  pages_free(&log);
  for (size_t i = 0; i < ROWS; i++)
    if (strcmp(rows[i].target, "/robots.txt") == 0) {
      assert_int_equal(seen_of[i].count, 3);
      assert_true(seen_of[i].gap_ms >= 990);
    }
  stop(&s);
}

CASE(a_stop_while_waiting_loses_nothing)
{
  served s = serve();
  text url = {0};
  text_addf(&url, "%sonce-429", s.url.bytes);
  pid_t pid = trial_strata_start(s.trial, (const char *const[]){CRAWL, url.bytes, NULL});
  while (!seen_of[5].count && !process_has_ended(pid))
    process_sleep(0.005);
  process_sleep(0.2); /* until it knows that it is to wait for a second */
  kill(pid, SIGTERM);
  assert_int_equal(trial_collect(s.trial, pid), 3);
  assert_int_equal(seen_of[5].count, 1);
  const char *const resumed[] = {CRAWL, NULL};
  assert_int_equal(trial_strata(s.trial, resumed), 0);
  assert_int_equal(seen_of[5].count, 2);
  page_log log = pages_read(s.trial->pages);
  assert_int_equal(pages_count(&log), 1);
  assert_int_equal(pages_number(&log, 0, "status"), 200);
  pages_free(&log);
  text_free(&url);
  stop(&s);
}

/* Only what failed, once each time it is asked for, and no more once it has healed. What was cut has not failed. */
CASE(failed_for_good_and_queued_again)
{
  served s = serve();
  const char *const words[] = {CRAWL, "--timeout", "5", "--tries", "1", s.url.bytes, NULL};
  const char *const again[] = {CRAWL, "--timeout", "5", "--tries", "1", "--retry-failed", NULL};
  assert_int_equal(trial_strata(s.trial, words), 0);
  for (int run = 2; run <= 4; run++) {
    assert_int_equal(trial_strata(s.trial, again), 0);
    for (size_t i = 0; i < ROWS; i++) {
      int failures = rows[i].trouble == BY_HALF ? 0 : rows[i].failures,
          wanted = run < failures + 1 ? run : failures + 1;
      if (seen_of[i].count != wanted)
        fail_msg("run %d: %s was asked for %d times, not %d", run, rows[i].target, seen_of[i].count, wanted);
    }
  }
  const char *const plain[] = {CRAWL, NULL};
  assert_int_equal(trial_strata(s.trial, plain), 0);
  assert_int_equal(seen_of[3].count, 4); /* always-500 */
  stop(&s);
}
