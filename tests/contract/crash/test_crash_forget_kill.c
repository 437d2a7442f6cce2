/* kill -9 at any moment of a program that remembers and forgets, and compacts its directory in between, which erases
 * what it forgot: what is seen afterwards is exactly what was after the last step it reported, or after the one it was
 * about to report. STRATA_SEED=N kills at other moments. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/site/random.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { STEPS = 300, GROUP = 10, COMPACTION = 4, KILLS = 50 };

static const frontier_options plain = {.filter = MLBF_KIND_MLBF, .expected_urls = 20, .rate = 1e-9, .per_host = 1};

static void parse(unsigned number, url *u)
{
  char text[64];
  int size = snprintf(text, sizeof text, "http://h.test/%u/%u", number / GROUP, number);
  if (url_parse(text, (size_t)size, URL_STRICT, u) != URL_OK)
    abort();
}

static unsigned half(unsigned n)
{
  return n / 2;
}

/* ---- the program that is killed --------------------------------------------------------------------------- */

static void must(frontier_status status)
{
  if (status != FRONTIER_OK)
    _exit(3);
}

/* Step n remembers page n; every third forgets page n/2, every tenth the whole group of page n/2. */
static void step(frontier *f, unsigned n)
{
  static url u;
  char prefix[64];
  frontier_verdict verdict;
  bool was_seen;
  uint64_t forgotten;
  if (n % GROUP == GROUP - 1) { /* first, as it commits: the step is one transaction with what follows */
    int size = snprintf(prefix, sizeof prefix, "http://h.test/%u/", half(n) / GROUP);
    must(frontier_forget_prefix(f, prefix, (size_t)size, &forgotten));
  }
  parse(n, &u);
  must(frontier_note(f, &(frontier_link){.target = &u}, n, &verdict));
  parse(half(n), &u);
  if (n % 3 == 0)
    must(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen));
  must(frontier_sync(f));
}

static frontier *open_it(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier *f;
  must(frontier_open(directory, &plain, &f, message));
  return f;
}

static frontier *compact(const char *directory, frontier *f)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_sizes sizes;
  must(frontier_close(f));
  must(frontier_compact(directory, &sizes, message));
  return open_it(directory);
}

static void run(const char *directory, unsigned from, int reports)
{
  frontier *f = open_it(directory);
  for (unsigned n = from; n < STEPS; n++) {
    if (n % COMPACTION == 0)
      f = compact(directory, f);
    step(f, n);
    if (write(reports, &n, sizeof n) != sizeof n)
      _exit(3);
  }
  _exit(0); /* without closing */
}

/* ---- what it must have left -------------------------------------------------------------------------------- */

static void expect_step(bool seen[STEPS], unsigned n)
{
  if (n % GROUP == GROUP - 1)
    memset(seen + half(n) / GROUP * GROUP, 0, GROUP * sizeof *seen);
  seen[n] = true;
  if (n % 3 == 0)
    seen[half(n)] = false;
}

/* Steps that count: `reported`, or one more. */
static unsigned steps_left(const char *directory, unsigned reported)
{
  static url u;
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  bool before[STEPS] = {false}, after[STEPS], fits_before = true, fits_after = reported < STEPS;
  for (unsigned n = 0; n < reported; n++)
    expect_step(before, n);
  memcpy(after, before, sizeof after);
  if (reported < STEPS)
    expect_step(after, reported);
  if (frontier_open(directory, &plain, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  for (unsigned n = 0; n < STEPS; n++) {
    frontier_verdict verdict;
    parse(n, &u);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    bool is_seen = verdict.outcome == FRONTIER_SEEN;
    fits_before &= is_seen == before[n];
    fits_after &= is_seen == after[n];
  }
  frontier_close(f);
  if (!fits_before && !fits_after)
    fail_msg("after %u reported steps, what is seen is neither theirs nor that of one more", reported);
  return reported + (fits_after && !fits_before);
}

/* Starts the program at step `from` and kills it `wait` reports later; how many steps it reported in all. */
static unsigned kill_after(const char *directory, unsigned from, unsigned wait, unsigned delay_us)
{
  int pipe_ends[2];
  unsigned reported = from, n;
  assert_int_equal(pipe(pipe_ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(pipe_ends[0]);
    run(directory, from, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  while (reported < from + wait && read(pipe_ends[0], &n, sizeof n) == sizeof n)
    reported = n + 1;
  usleep(delay_us);
  kill(child, SIGKILL);
  while (read(pipe_ends[0], &n, sizeof n) == sizeof n)
    reported = n + 1;
  close(pipe_ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return reported;
}

CASE(what_was_forgotten_stays_forgotten)
{
  unsigned done = 0;
  char directory[SCRATCH_PATH];
  srand((unsigned)random_seed());
  scratch_make_fast(directory);
  for (int kills = 0; kills < KILLS && done < STEPS; kills++) {
    unsigned wait = (unsigned)rand() % (2 * STEPS / KILLS), delay_us = (unsigned)rand() % 3000;
    done = steps_left(directory, kill_after(directory, done, wait, delay_us));
  }
  while (done < STEPS) /* to the end */
    done = steps_left(directory, kill_after(directory, done, STEPS, 0));
  scratch_remove(directory);
}
