/* kill -9 at random moments of a crawl, again and again: each time what pages say can be opened, and in
 * the end no page is missing. The seed is printed; with STRATA_SEED=N that one is taken. */
#include "tests/crash/said.h"
#include "tests/site/random.h"
#include "tests/site/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KILLS = 8, ENTRIES = 1000, JITTER_MS = 30, REQUESTS_MAX = 150 };

static trial *served;

static int clean_up(void **state)
{
  (void)state;
  trial_close(served);
  served = NULL;
  return 0;
}

static pid_t start(trial *t)
{
  return trial_strata_start(t, (const char *const[]){"crawl", "--dir", "DIR", "--delay", "0", "--allow-private",
                                                     "--per-host", "16", "URL", NULL});
}

static void crawl_to_the_end(trial *t)
{
  if (trial_collect(t, start(t)) != 0)
    fail_msg("the last run failed:\n%s", t->err.bytes);
}

static trial *serve(uint64_t seed)
{
  return served = trial_open(&(trial_options){.seed = seed, .entries = ENTRIES, .jitter_ms = JITTER_MS});
}

/* Some pages of a generated site are all head, and say nothing: as many as a crawl misses that nobody disturbs. */
static unsigned count_silent(uint64_t seed)
{
  unsigned pages;
  trial *t = serve(seed);
  crawl_to_the_end(t);
  unsigned silent = said_missing(t, &pages);
  assert_true(pages > ENTRIES / 4 && silent < pages / 50);
  clean_up(NULL);
  return silent;
}

static void killed_again_and_again(void **state)
{
  (void)state;
  uint64_t random = random_seed();
  unsigned pages, silent = count_silent(random);
  trial *t = serve(random);
  for (int i = 0; i < KILLS; i++) {
    pid_t pid = start(t);
    trial_wait_requests(t, trial_requests(t) + 1 + random_below(&random, REQUESTS_MAX), pid);
    process_sleep((double)random_below(&random, 3000) / 1e6);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
    assert_in_range(said_missing(t, &pages), 0, silent);
  }
  crawl_to_the_end(t);
  assert_int_equal(said_missing(t, &pages), silent);
  assert_true(pages > ENTRIES / 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(killed_again_and_again, clean_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
