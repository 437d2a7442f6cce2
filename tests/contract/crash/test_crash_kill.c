/* kill -9, at random moments, again and again: the crawl that follows must finish the work, lose nothing, and ask for
 * nothing again that was reported done. The seed is printed; with STRATA_SEED=N that one is taken. */
#include "tests/contract/crash/promises.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Sixteen connections to a server that takes 0 to 40 ms for a page: about 800 pages/s. A run is killed within 250 ms,
 * that is, before or after its first commits (one each 100 ms), and the site is too large for twenty such runs. */
enum { KILLS = 20, ENTRIES = 2500, JITTER_MS = 40, REQUESTS_MAX = 200 };

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

/* Those that confirm what a filter calls seen may have a bad one. Runs take turns: all cores and readers, no reader,
 * one core. */
static pid_t start(trial *t, const char *filter, const char *expect)
{
  static unsigned runs;
  unsigned turn = runs++ % 3;
  cpu_set_t ours, one;
  CPU_ZERO(&one);
  assert_int_equal(sched_getaffinity(0, sizeof ours, &ours), 0);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &ours))
      CPU_SET(i, &one);
  const char *rate = strncmp(filter, "exact", 5) == 0 ? "0.5" : "1e-6", *readers = turn == 1 ? "0" : "8";
  const char *const words[] = {
    "crawl", "--dir",      "DIR", "--delay",  "0",    "--allow-private", "--fp", rate,        "--filter", filter,
    "URL",   "--per-host", "16",  "--expect", expect, "--connections",   "16",   "--readers", readers,    NULL};
  if (turn == 2)
    sched_setaffinity(0, sizeof one, &one);
  pid_t pid = trial_strata_start(t, words);
  sched_setaffinity(0, sizeof ours, &ours);
  return pid;
}

/* A quarter of the kills come by the clock, while the program opens its files; the others in the midst of work. */
static void wait_for_a_bad_moment(trial *t, pid_t pid, uint64_t *random)
{
  if (random_one_in(random, 4)) {
    process_sleep(random_below(random, 40) / 1e3);
    return;
  }
  trial_wait_requests(t, trial_requests(t) + 1 + random_below(random, REQUESTS_MAX), pid);
  process_sleep(random_below(random, 3000) / 1e6);
}

static void finish(trial *t, const char *filter, const char *expect)
{
  int code = trial_collect(t, start(t, filter, expect));
  if (code != 0)
    print_error("the last run ended with %d:\n%s\n", code, t->err.bytes);
  assert_int_equal(code, 0);
  promises_note(&noted);
}

/* Everything was fetched, nothing that was promised was asked for again, and each page is reported once. */
static verdict assert_nothing_lost(trial *t)
{
  request_log log = requests_read(t->log);
  verdict seen = judge_requests(&log, t->made, &judge_after_a_crash);
  requests_free(&log);
  assert_int_equal(seen.missed, 0);
  assert_int_equal(seen.forbidden, 0);
  assert_int_equal(seen.unknown, 0);
  assert_int_equal(promises_count_broken(&noted), 0);
  page_log pages = pages_read(t->pages);
  assert_int_equal(pages.bad, 0);
  assert_false(pages.torn);
  verdict reported = judge_pages(&pages, t->made, &judge_everything);
  pages_free(&pages);
  assert_int_equal(reported.missed, 0);
  assert_int_equal(reported.again, 0);
  assert_int_equal(reported.unknown, 0);
  return seen;
}

static void kill_and_continue(uint64_t seed, const char *filter, const char *expect)
{
  uint64_t random = seed;
  trial *t = served = trial_open(&(trial_options){.seed = seed, .entries = ENTRIES, .jitter_ms = JITTER_MS});
  noted = promises_open(t);
  unsigned struck = 0;
  for (unsigned i = 0; i < KILLS; i++) {
    pid_t pid = start(t, filter, expect);
    wait_for_a_bad_moment(t, pid, &random);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
    struck += t->end.signal == SIGKILL;
    promises_note(&noted);
  }
  unsigned made = promises_made(&noted);
  finish(t, filter, expect);
  verdict seen = assert_nothing_lost(t);
  print_message("%s: %u kills, %u pages, %u done before the last run, %u asked again (none of them done), %u a kill\n",
                filter, struck, seen.pages, made, seen.again, seen.again / struck);
  assert_int_equal(struck, KILLS); /* else the site was too small to prove anything */
  assert_true(made > 0);
}

CASE(killed_twenty_times_with_the_layered_filter)
{
  kill_and_continue(random_seed(), "mlbf", "1000000");
}

/* A filter for 64 pages on a site of 700: it grows several times, and some kills fall into that. */
CASE(killed_twenty_times_while_the_filter_grows)
{
  kill_and_continue(random_seed(), "bloom", "64");
}

static unsigned long count_late(void)
{
  const char *const words[] = {"stat", "DIR", "--json", NULL};
  assert_int_equal(trial_strata(served, words), 0);
  const char *late = strstr(served->out.bytes, "\"late\":");
  assert_non_null(late);
  return strtoul(late + strlen("\"late\":"), NULL, 10);
}

/* Up to every second URL is taken for seen, and waits to be confirmed when the kill comes. How many are depends on when
 * the filter grows, which each commit may begin: a crawl may have none, so there are more. */
CASE(killed_twenty_times_while_links_wait)
{
  unsigned long late = 0;
  for (int crawls = 0; crawls < 6 && !late; crawls++) {
    clean_up(state);
    kill_and_continue(random_seed() + (unsigned)crawls, "exact:bloom", "64");
    late = count_late();
  }
  print_message("%lu URLs came late\n", late);
  assert_true(late > 0);
}

/* The end of a crawl has its own writes: last commit, checkpoint, closing line. */
CASE(killed_near_the_end)
{
  uint64_t seed = random_seed(), random = seed;
  enum { ROUNDS = 10, FEW = 40 };
  for (unsigned round = 0; round < ROUNDS; round++) {
    trial *t = served = trial_open(&(trial_options){.seed = seed + round, .entries = FEW});
    noted = promises_open(t);
    unsigned wanted = 1; /* robots.txt */
    for (uint32_t i = 0; i < site_size(t->made); i++)
      wanted += site_entry_is_wanted(site_entry_at(t->made, i), false);
    pid_t pid = start(t, "mlbf", "1000");
    trial_wait_requests(t, wanted - random_below(&random, 3), pid);
    process_sleep(random_below(&random, 20000) / 1e6);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
    promises_note(&noted);
    finish(t, "mlbf", "1000");
    assert_nothing_lost(t);
    clean_up(NULL);
  }
}

#ifdef SLOW_SYNC
/* Each sync takes so long that hundreds of pages could come meanwhile: what ends is bounded, too. At most 47 visits
 * have ended that are not on disk when 16 others, the connections, are under way; nothing else is leased until some
 * are. A visit follows its redirects, so it may make several requests: those in between are not counted. */
CASE(killed_while_a_slow_disk_writes)
{
  enum { SLOW_KILLS = 5, AGAIN_MOST = 47 + 16 };
  uint64_t seed = random_seed(), random = seed;
  trial *t = served = trial_open(&(trial_options){.seed = seed, .entries = ENTRIES, .jitter_ms = JITTER_MS});
  noted = promises_open(t);
  setenv("SLOW_SYNC_MS", "100", 1);
  for (unsigned i = 0; i < SLOW_KILLS; i++) {
    setenv("LD_PRELOAD", SLOW_SYNC, 1);
    pid_t pid = start(t, "mlbf", "1000000");
    unsetenv("LD_PRELOAD");
    trial_wait_requests(t, trial_requests(t) + REQUESTS_MAX + random_below(&random, REQUESTS_MAX), pid);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
    assert_int_equal(t->end.signal, SIGKILL);
    promises_note(&noted);
  }
  finish(t, "mlbf", "1000000");
  verdict seen = assert_nothing_lost(t);
  unsigned visits = seen.again - seen.again_hops;
  print_message("a slow disk: %u asked again in %d kills, %u redirects\n", seen.again, SLOW_KILLS, seen.again_hops);
  assert_in_range(visits, 1, SLOW_KILLS * AGAIN_MOST);
}
#endif

EACH_CASE(NULL, clean_up)
