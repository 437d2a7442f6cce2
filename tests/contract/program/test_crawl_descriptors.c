/* File descriptors run out in the middle of a crawl: the limit of the running program is lowered. No page is called
 * unreachable for it. */
#include "tests/site/judge.h"
#include "tests/site/trial.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* --tries 1: whatever is tried again here is tried by the fetcher */
#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--per-host", "32", "--tries", "1", "--allow-private"

static trial *t;

static int serve_at(const char *host)
{
  t = trial_open(&(trial_options){.seed = 41, .entries = 200, .host = host, .latency_ms = 30, .close_after = 2});
  return 0;
}

static int serve(void **state)
{
  (void)state;
  return serve_at(NULL);
}

/* Each connection looks a name up, for which the resolver opens files of its own. */
static int serve_by_name(void **state)
{
  (void)state;
  return serve_at("localhost");
}

static int stop(void **state)
{
  (void)state;
  trial_close(t);
  return 0;
}

/* 32 connections and a wake-up can be waited for (a poll(2) for more than the limit fails, and libcurl 7.88 then leaks
 * its list), but with the crawl's own files there are not so many; or there are none. */
enum { TOO_FEW = 36, NONE = 4 };

/* A crawl that after some requests may have so many descriptors; its exit code. */
static int crawl_with(rlim_t descriptors)
{
  const struct rlimit limit = {descriptors, descriptors};
  pid_t pid = trial_strata_start(t, (const char *const[]){CRAWL, "URL", NULL});
  assert_true(trial_wait_requests(t, 40, pid));
  assert_int_equal(prlimit(pid, RLIMIT_NOFILE, &limit, NULL), 0);
  return trial_collect(t, pid);
}

static void assert_complete(void)
{
  page_log log = pages_read(t->pages);
  verdict v = judge_pages(&log, t->made, &judge_everything);
  for (size_t i = 0; i < pages_count(&log); i++) {
    const json_t *line = json_array_get(log.list, i);
    if (json_object_get(line, "error"))
      fail_msg("%s: %s", pages_url(&log, i), json_string_value(json_object_get(line, "reason")));
  }
  assert_int_equal(log.bad + v.missed + v.again + v.forbidden + v.unknown, 0);
  pages_free(&log);
}

static unsigned times_said(const char *what)
{
  unsigned count = 0;
  for (const char *at = t->err.bytes; (at = strstr(at, what)); at++)
    count++;
  return count;
}

static void ask_with_fewer_connections(void)
{
  int code = crawl_with(TOO_FEW);
  if (code != 0 || times_said("(ulimit -n)") != 1)
    fail_msg("exit %d: %s", code, t->err.bytes);
  assert_complete();
}

CASE(fewer_connections)
{
  ask_with_fewer_connections();
}

CASE_WITH(fewer_connections_by_name, serve_by_name, stop)
{
  ask_with_fewer_connections();
}

CASE(none_at_all)
{
  assert_int_equal(crawl_with(NONE), 1);
  assert_non_null(strstr(t->err.bytes, "goes on once this is mended"));
  assert_int_equal(trial_strata(t, (const char *const[]){CRAWL, NULL}), 0);
  assert_complete();
}

EACH_CASE(serve, stop)
