/* Ctrl-C and SIGTERM: the crawl stops, says how to continue, and what it says is true. */
#include "tests/contract/crash/promises.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trial *served;
static promises noted;

static int clean_up(void **state)
{
  (void)state;
  promises_free(&noted);
  trial_close(served);
  served = NULL;
  return 0;
}

static trial *serve(const trial_options *options)
{
  served = trial_open(options);
  noted = promises_open(served);
  return served;
}

static pid_t start(trial *t)
{
  const char *const words[] = {"crawl",           "--dir",      "DIR", "--delay", "0",
                               "--allow-private", "--per-host", "4",   "URL",     NULL};
  return trial_strata_start(t, words);
}

/* The command the program printed, run by a shell as a person would, `strata` being the one under test. */
static int run_printed_command(trial *t)
{
  const char *begin = strstr(t->err.bytes, "strata crawl ");
  if (!begin) {
    print_error("no command in:\n%s\n", t->err.bytes);
    return -1;
  }
  text script = {0};
  text_addf(&script, "PATH=%s:$PATH; exec %.*s", STRATA_DIRECTORY, (int)strcspn(begin, "\n"), begin);
  char *err = trial_path(t, "strata.err");
  const char *const argv[] = {"/bin/sh", "-c", script.bytes, NULL};
  pid_t pid = process_start(argv, &(process_files){.err = err});
  int code = trial_collect(t, pid);
  if (code != 0)
    print_error("%s\nended with %d:\n%s\n", script.bytes, code, t->err.bytes);
  text_free(&script);
  free(err);
  return code;
}

static void assert_all_done(trial *t)
{
  request_log log = requests_read(t->log);
  verdict seen = judge_requests(&log, t->made, &judge_after_a_crash);
  requests_free(&log);
  assert_int_equal(seen.missed, 0);
  assert_int_equal(seen.forbidden, 0);
  assert_int_equal(seen.unknown, 0);
  page_log pages = pages_read(t->pages);
  verdict reported = judge_pages(&pages, t->made, &judge_everything);
  assert_int_equal(pages.bad, 0);
  pages_free(&pages);
  assert_int_equal(reported.missed, 0);
  assert_int_equal(reported.again, 0);
  assert_int_equal(promises_count_broken(&noted), 0);
}

static void assert_stopped(trial *t, int code)
{
  if (code != 3)
    print_error("ended with %d (signal %d), not 3:\n%s\n", code, t->end.signal, t->err.bytes);
  assert_int_equal(code, 3);
}

static void stopped_by(int signal_number, uint64_t seed)
{
  trial *t = serve(&(trial_options){.seed = seed, .entries = 400, .jitter_ms = 4});
  pid_t pid = start(t);
  assert_true(trial_wait_requests(t, 60, pid));
  kill(pid, signal_number);
  assert_stopped(t, trial_collect(t, pid));
  promises_note(&noted);
  unsigned made = promises_made(&noted);
  print_message("stopped with %u pages done\n", made);
  assert_in_range(made, 30, 390);
  assert_int_equal(run_printed_command(t), 0);
  promises_note(&noted);
  assert_all_done(t);
}

CASE(stopped_by_ctrl_c)
{
  stopped_by(SIGINT, 21);
}

CASE(stopped_by_sigterm)
{
  stopped_by(SIGTERM, 22);
}

/* Going on means the same crawl: what it was told not to do, it still does not do. */
CASE(the_printed_command_keeps_its_limits)
{
  trial *t = serve(&(trial_options){.seed = 25, .entries = 400, .jitter_ms = 4});
  const char *const words[] = {"crawl",           "--dir",       "DIR", "--delay", "0",
                               "--allow-private", "--max-depth", "3",   "URL",     NULL};
  pid_t pid = trial_strata_start(t, words);
  assert_true(trial_wait_requests(t, 40, pid));
  kill(pid, SIGINT);
  assert_stopped(t, trial_collect(t, pid));
  assert_int_equal(run_printed_command(t), 0);
  judge_rules rules = judge_after_a_crash;
  rules.max_depth = 3;
  request_log log = requests_read(t->log);
  verdict seen = judge_requests(&log, t->made, &rules);
  requests_free(&log);
  assert_int_equal(seen.missed + seen.forbidden + seen.unknown, 0);
}

/* Responses take a second here: a stop that waited for those under way would have them, too. */
CASE(a_second_ctrl_c_stops_at_once)
{
  trial *t = serve(&(trial_options){.seed = 23, .entries = 8, .latency_ms = 1000});
  pid_t pid = start(t);
  assert_true(trial_wait_requests(t, 2, pid)); /* robots.txt and the first page: more are on their way */
  process_sleep(0.1);
  kill(pid, SIGINT);
  process_sleep(0.02);
  kill(pid, SIGINT);
  assert_stopped(t, trial_collect(t, pid));
  page_log log = pages_read(t->pages);
  assert_in_range(pages_count(&log), 0, 2);
  pages_free(&log);
  promises_note(&noted);
  assert_int_equal(trial_collect(t, start(t)), 0);
  promises_note(&noted);
  assert_all_done(t);
}

/* Two signals with nothing between them, at ten random moments. */
CASE(two_signals_right_after_each_other)
{
  uint64_t random = 24;
  trial *t = serve(&(trial_options){.seed = 24, .entries = 400, .jitter_ms = 4});
  for (unsigned i = 0; i < 10; i++) {
    pid_t pid = start(t);
    if (trial_wait_requests(t, trial_requests(t) + 1 + random_below(&random, 20), pid))
      process_sleep(random_below(&random, 2000) / 1e6);
    kill(pid, SIGINT);
    kill(pid, SIGINT);
    assert_stopped(t, trial_collect(t, pid));
    promises_note(&noted);
  }
  assert_int_equal(trial_collect(t, start(t)), 0);
  promises_note(&noted);
  assert_all_done(t);
}

EACH_CASE(NULL, clean_up)
