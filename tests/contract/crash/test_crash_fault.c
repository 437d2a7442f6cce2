/* Death and error at every single call that changes a file, one after the other: fault.c makes the N-th call of a crawl
 * kill the process or fail, for every N there is. Whatever N was, the next run finishes the work, nothing is lost, and
 * nothing is asked for again that was reported done. An error may keep a crawl from beginning, with a sentence; once it
 * has begun, it pauses, and goes on when the error is gone. */
#include "tests/contract/crash/promises.h"
#include "tests/contract/crash/said.h"
#include "tests/site/archive.h"
#include "tests/support/share.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small, since it is crawled some hundred times. */
enum { ENTRIES = 24, SEED = 41, CALLS_MAX = 300 };

static trial *served;
static promises noted;
static bool keeps_all; /* the crawl writes all the files it can: a WARC, its index, digests */

static int clean_up(void **state)
{
  (void)state;
  promises_free(&noted);
  trial_close(served);
  served = NULL;
  return 0;
}

static void open_trial(void)
{
  clean_up(NULL);
  served = trial_open(&(trial_options){.seed = SEED, .entries = ENTRIES});
  noted = promises_open(served);
}

static pid_t start(const char *fault, const char *report, const char *max_pages)
{
  static const char usual[] = "--allow-private"; /* twice is fine */
  const char *const words[] = {"crawl",
                               "--dir",
                               "DIR",
                               "--delay",
                               "0",
                               usual,
                               "--expect",
                               "1000",
                               "URL",
                               keeps_all ? "--warc" : usual,
                               keeps_all ? "--digests" : usual,
                               max_pages ? "--max-pages" : NULL,
                               max_pages,
                               NULL};
  if (fault) {
    setenv("LD_PRELOAD", FAULT_LIBRARY, 1);
    setenv("STRATA_FAULT", fault, 1);
  }
  if (report)
    setenv("STRATA_FAULT_REPORT", report, 1);
  pid_t pid = trial_strata_start(served, words);
  unsetenv("LD_PRELOAD");
  unsetenv("STRATA_FAULT");
  unsetenv("STRATA_FAULT_REPORT");
  return pid;
}

/* Runs the crawl with a fault, or with none if `fault` is NULL; its exit code, -1 if it was killed. */
static int crawl(const char *fault, const char *report, const char *max_pages)
{
  return trial_collect(served, start(fault, report, max_pages));
}

/* The same, and Ctrl-C in its first pause. */
static int crawl_until_it_pauses(const char *fault)
{
  pid_t pid = start(fault, NULL, NULL);
  char *path = trial_path(served, "strata.err");
  text said = {0};
  while (!process_has_ended(pid)) {
    text_clear(&said);
    if (text_add_file(&said, path) && strstr(said.bytes, "paused: "))
      break;
    process_sleep(0.005);
  }
  kill(pid, SIGINT);
  text_free(&said);
  free(path);
  return trial_collect(served, pid);
}

/* How many calls there are when nothing goes wrong. */
static long count_calls(bool is_resumed)
{
  open_trial();
  char *report = trial_path(served, "calls");
  text number = {0};
  if (is_resumed)
    assert_int_equal(crawl(NULL, NULL, "8"), 0);
  assert_int_equal(crawl("none:-1", report, NULL), 0);
  assert_true(text_add_file(&number, report));
  long calls = strtol(number.bytes, NULL, 10);
  text_free(&number);
  free(report);
  print_message("%ld calls\n", calls);
  assert_in_range(calls, 8, CALLS_MAX);
  return calls;
}

/* What each page came as, and what it said. */
static void assert_all_is_kept(const char *fault)
{
  unsigned pages, missing = said_missing(served, &pages);
  archive_verdict v = archive_judge(served);
  if (missing || v.bad + v.missed + v.again + v.strangers)
    fail_msg("after %s: %u of %u pages not among the contents; in the WARC %u bad, %u missed, %u twice, %u strangers",
             fault, missing, pages, v.bad, v.missed, v.again, v.strangers);
}

static void assert_all_is_well(const char *fault)
{
  int code = crawl(NULL, NULL, NULL);
  promises_note(&noted);
  request_log log = requests_read(served->log);
  verdict seen = judge_requests(&log, served->made, &judge_after_a_crash);
  requests_free(&log);
  page_log pages = pages_read(served->pages);
  verdict reported = judge_pages(&pages, served->made, &judge_everything);
  bool is_whole = pages.bad == 0 && !pages.torn;
  pages_free(&pages);
  unsigned broken = promises_count_broken(&noted);
  if (code || broken || !is_whole || seen.missed || reported.missed || reported.again)
    print_error("after %s: ended with %d, %u missed, %u not reported, %u reported twice, %u promises broken\n%s\n",
                fault, code, seen.missed, reported.missed, reported.again, broken, served->err.bytes);
  assert_int_equal(code, 0);
  assert_true(is_whole);
  assert_int_equal(seen.missed + seen.forbidden + seen.unknown, 0);
  assert_int_equal(reported.missed + reported.again + reported.unknown, 0);
  assert_int_equal(broken, 0);
  if (keeps_all)
    assert_all_is_kept(fault);
}

/* One complaint, and it says something. */
static bool complains_once(const char *err)
{
  static const char name[] = "strata crawl: ";
  const char *first = strstr(err, name);
  return first && first[sizeof name - 1] != ';' && !strstr(first + 1, name);
}

/* Is this how a crawl ends whose call number N met the fault? */
static bool is_expected(const char *mode, int code)
{
  const char *err = served->err.bytes;
  bool has_begun = strstr(err, "Crawling into ") || strstr(err, "Going on with the crawl in ");
  if (strcmp(mode, "kill") == 0)
    return code == 0 || served->end.signal == SIGKILL;
  if (!has_begun)
    return code == 1 && complains_once(err);
  return code == 0 || (strcmp(mode, "full") == 0 && code == 3 && strstr(err, "paused: "));
}

static void strike_each(const char *mode, bool is_resumed, bool keeps)
{
  keeps_all = keeps;
  long calls = count_calls(is_resumed);
  bool is_full = strcmp(mode, "full") == 0;
  unsigned struck = 0, ended = 0, paused = 0;
  for (long nth = share_first(4); nth <= calls; nth += share_step(4)) {
    text fault = {0};
    text_addf(&fault, "%s:%ld", mode, nth);
    open_trial();
    if (is_resumed)
      assert_int_equal(crawl(NULL, NULL, "8"), 0);
    int code = is_full ? crawl_until_it_pauses(fault.bytes) : crawl(fault.bytes, NULL, NULL);
    if (!is_expected(mode, code))
      fail_msg("%s: ended with %d (signal %d):\n%s\n", fault.bytes, code, served->end.signal, served->err.bytes);
    struck++;
    ended += code != 0;
    paused += strstr(served->err.bytes, "paused: ") != NULL;
    promises_note(&noted);
    assert_all_is_well(fault.bytes);
    text_free(&fault);
  }
  print_message("%s: %u of %u calls ended the crawl, in %u it paused\n", mode, ended, struck, paused);
  /* else the faults did not reach it; in-link counts and checkpoints may fail and end nothing, and of every fourth call
   * more may be such than of all */
  assert_true(ended + (is_full ? 0 : paused) > struck / (share_step(4) == 1 ? 4 : 8));
}

CASE(killed_at_every_call)
{
  strike_each("kill", false, false);
}

CASE(killed_at_every_call_of_a_second_run)
{
  strike_each("kill", true, false);
}

CASE(no_room_once_at_every_call)
{
  strike_each("ENOSPC", true, true);
}

CASE(no_room_from_every_call_on)
{
  strike_each("full", false, true);
}

CASE(a_bad_disk_once_at_every_call)
{
  strike_each("EIO", false, true);
}

EACH_CASE(NULL, clean_up)
