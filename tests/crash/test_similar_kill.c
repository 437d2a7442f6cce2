/* kill -9 at random moments of a crawl with --similar, again and again: each time what pages say can be opened, and in the
 * end no page is missing. The seed is printed; with STRATA_SEED=N that one is taken. */
#include "mlbf/corpus.h"
#include "tests/site/pages.h"
#include "tests/site/random.h"
#include "tests/site/trial.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static uint64_t choose_seed(void)
{
  const char *given = getenv("STRATA_SEED");
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)now.tv_nsec;
  print_message("STRATA_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}

static pid_t start(trial *t)
{
  return trial_strata_start(t, (const char *const[]){"crawl", "--dir", "DIR", "--delay", "0", "--allow-private",
                                                     "--per-host", "16", "--similar", "URL", NULL});
}

static mlbf_corpus *open_corpus(const trial *t)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE], *path = trial_path(t, "crawl/contents");
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(path, true, &c, message) != MLBF_OK)
    fail_msg("%s", message);
  free(path);
  return c;
}

/* An HTML page that was done; all that the generated site makes say something. */
static bool is_page(const json_t *line)
{
  const char *type = json_string_value(json_object_get(line, "type"));
  return json_integer_value(json_object_get(line, "status")) == 200 && type && strncmp(type, "text/html", 9) == 0 &&
         json_integer_value(json_object_get(line, "body_bytes")) > 0;
}

static unsigned count_missing(const trial *t, unsigned *pages)
{
  unsigned missing = 0;
  mlbf_corpus *c = open_corpus(t);
  page_log log = pages_read(t->pages);
  *pages = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    mlbf_shingles found = {0};
    if (!is_page(json_array_get(log.list, i)))
      continue;
    const char *name = pages_url(&log, i);
    assert_int_equal(mlbf_corpus_find(c, (mlbf_span){name, strlen(name)}, &found), MLBF_OK);
    missing += found.count == 0;
    ++*pages;
    mlbf_shingles_free(&found);
  }
  pages_free(&log);
  mlbf_corpus_close(c);
  return missing;
}

static void killed_again_and_again(void **state)
{
  (void)state;
  uint64_t random = choose_seed();
  unsigned pages;
  trial *t = served = trial_open(&(trial_options){.seed = random, .entries = ENTRIES, .jitter_ms = JITTER_MS});
  for (int i = 0; i < KILLS; i++) {
    pid_t pid = start(t);
    trial_wait_requests(t, trial_requests(t) + 1 + random_below(&random, REQUESTS_MAX), pid);
    process_sleep((double)random_below(&random, 3000) / 1e6);
    kill(pid, SIGKILL);
    trial_collect(t, pid);
    assert_int_equal(count_missing(t, &pages), 0);
  }
  assert_int_equal(trial_collect(t, start(t)), 0);
  assert_int_equal(count_missing(t, &pages), 0);
  assert_true(pages > ENTRIES / 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(killed_again_and_again, clean_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
