/* kill -9 at random moments of a crawl, again and again: each time what pages say can be opened, and in
 * the end no page is missing. The same of a corpus alone, which finds the near-duplicates of all that was flushed. The
 * seed is printed; with STRATA_SEED=N that one is taken. */
#include "mlbf/corpus.h"
#include "tests/contract/crash/said.h"
#include "tests/site/random.h"
#include "tests/site/trial.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

CASE_WITH(killed_again_and_again, NULL, clean_up)
{
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

/* ---- a corpus alone -------------------------------------------------------------------------------------- */

enum { CORPUS_KILLS = 25, SHINGLES = 2000, FLUSH_EACH = 8, CLOSE_ONE_IN = 6, ASKED = 150 };

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];

static int remove_root(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static mlbf_corpus *open_corpus(void)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE];
  mlbf_corpus *c = NULL;
  if (mlbf_corpus_open(directory, false, &c, message) != MLBF_OK)
    fail_msg("%s", message);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_OK);
  return c;
}

/* The document of that number; some 640 fill a volume. */
static mlbf_status add(mlbf_corpus *c, const char *prefix, uint64_t number, char **near)
{
  static uint64_t shingles[SHINGLES];
  char name[64];
  double share;
  for (uint64_t i = 0; i < SHINGLES; i++)
    shingles[i] = (i + 1) * (UINT64_MAX / (SHINGLES + 1)) + number * UINT64_C(0x9e3779b97f4a7);
  mlbf_span span = {name, (size_t)snprintf(name, sizeof name, "%s%llu", prefix, (unsigned long long)number)};
  return mlbf_corpus_add(c, span, &(mlbf_shingles){.at = shingles, .count = SHINGLES, .text = number + 1}, near,
                         &share);
}

/* Adds from `number` on, and says what is flushed, until it is killed, or has added `count`. */
static void live(int said, uint64_t number, uint64_t count)
{
  mlbf_corpus *c = NULL;
  char *near = NULL, message[MLBF_CORPUS_MESSAGE_SIZE];
  bool is_sound = mlbf_corpus_open(directory, false, &c, message) == MLBF_OK && mlbf_corpus_near_open(c) == MLBF_OK;
  for (uint64_t end = number + count; is_sound && number < end; number++) {
    is_sound = add(c, "", number, &near) == MLBF_OK && !near;
    uint64_t flushed = number + 1;
    if (is_sound && flushed % FLUSH_EACH == 0)
      is_sound = mlbf_corpus_flush(c) == MLBF_OK && write(said, &flushed, sizeof flushed) == sizeof flushed;
  }
  mlbf_corpus_close(c);
  _exit(!is_sound);
}

/* How many documents a process that was killed, or ended well, had flushed. */
static uint64_t live_and_die(uint64_t *random, uint64_t number)
{
  int said[2], how;
  uint64_t flushed = number, heard;
  bool ends_well = random_below(random, CLOSE_ONE_IN) == 0;
  assert_int_equal(pipe(said), 0);
  pid_t pid = fork();
  if (pid == 0)
    live(said[1], number, ends_well ? 200 : UINT64_MAX / 2);
  close(said[1]);
  uint64_t steps = random_below(random, 60);
  while (read(said[0], &heard, sizeof heard) == sizeof heard) {
    flushed = heard;
    if (!ends_well && steps-- == 0) {
      process_sleep((double)random_below(random, 2000) / 1e6);
      kill(pid, SIGKILL);
      steps = UINT64_MAX;
    }
  }
  close(said[0]);
  assert_int_equal(waitpid(pid, &how, 0), pid);
  assert_true(ends_well ? WIFEXITED(how) && WEXITSTATUS(how) == 0 : WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  return flushed;
}

CASE_WITH(what_was_flushed_is_near_to_its_copies, NULL, remove_root)
{
  uint64_t random = random_seed(), flushed = 0;
  mlbf_corpus_stats stats;
  scratch_make(root);
  scratch_join(root, "corpus", directory);
  for (int i = 0; i < CORPUS_KILLS; i++) {
    flushed = live_and_die(&random, flushed);
    mlbf_corpus *c = open_corpus();
    mlbf_corpus_stats_read(c, &stats);
    assert_in_range(stats.documents, flushed, flushed + 2000);
    flushed = stats.documents; /* others may be there, too */
    mlbf_corpus_close(c);
  }
  assert_true(stats.volumes > 2);
  mlbf_corpus *c = open_corpus();
  for (int i = 0; i < ASKED; i++) {
    uint64_t number = random_below(&random, flushed);
    char *near = NULL;
    assert_int_equal(add(c, "copy of ", number, &near), MLBF_OK);
    assert_true(near && (strtoull(near, NULL, 10) == number || strncmp(near, "copy", 4) == 0));
    free(near);
  }
  mlbf_corpus_close(c);
}
