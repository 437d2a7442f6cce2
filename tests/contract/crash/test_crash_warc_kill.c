/* kill -9 at random moments of a crawl with --warc, again and again: in the end every record is whole, and each page
 * that was reported has its response, once. The seed is printed; with STRATA_SEED=N that one is taken. */
#include "tests/site/archive.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Sixteen connections to a server that takes 0 to 40 ms: a run is killed before or after its first commits. */
enum { KILLS = 10, ENTRIES = 1500, JITTER_MS = 40, REQUESTS_MAX = 200 };

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
  /* files so small that some kills come while one ends and the next begins */
  const char *const words[] = {"crawl",  "--dir",       "DIR",   "--delay", "0", "--allow-private", "--per-host", "16",
                               "--warc", "--warc-size", "50000", "URL",     NULL};
  return trial_strata_start(t, words);
}

CASE(killed_again_and_again)
{
  uint64_t random = random_seed();
  trial *t = served = trial_open(&(trial_options){.seed = random, .entries = ENTRIES, .jitter_ms = JITTER_MS});
  for (int i = 0; i < KILLS; i++) {
    pid_t pid = start(t);
    trial_wait_requests(t, trial_requests(t) + 1 + random_below(&random, REQUESTS_MAX), pid);
    process_sleep(random_below(&random, 3000) / 1e6);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
  }
  int code = trial_collect(t, start(t));
  if (code != 0)
    print_error("the last run ended with %d:\n%s\n", code, t->err.bytes);
  assert_int_equal(code, 0);
  archive_verdict v = archive_judge(t);
  print_message("%u files, %u responses\n", v.files, v.captures);
  assert_int_equal(v.bad, 0);
  assert_int_equal(v.missed, 0);
  assert_int_equal(v.again, 0);
  assert_int_equal(v.strangers, 0);
  for (unsigned number = 1; number <= v.files; number++) { /* and every index is sorted */
    char *path = archive_path(t, number, ".cdxj.part");
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
  }
}

EACH_CASE(NULL, clean_up)
