/* A crawl is killed (SIGKILL) at random moments, again and again, by an auditor outside (audit.h).
 *
 * After each death the second reader goes over the directory. STRATA_TIMES=1000 kills so often; default 100. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/contract/crash/audit.h"
#include "tests/support/test.h"

static unsigned kills_wanted = 100;

/* ---- one life --------------------------------------------------------------------------------------------- */

/* Of three crawls one confirms its keys, the first of all among them, and one has priorities. */
static const char *mode_of(const audit *a)
{
  static const char *const modes[] = {NULL, "exact", "ordered"};
  return a->is_lied_to ? "lie" : modes[a->crawls % 3];
}

static pid_t start(audit *a, unsigned steps, int *from)
{
  char seed[32], limit[32];
  int ends[2];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)audit_roll(a, UINT32_MAX));
  snprintf(limit, sizeof limit, "%u", steps);
  if (pipe(ends) != 0)
    abort();
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(FRONTIER_DRIVER, FRONTIER_DRIVER, a->directory, a->journal, seed, limit, mode_of(a), (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  *from = ends[0];
  return child;
}

static int64_t now_us(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Listens until the pipe ends or the time has come, or until "synced" is said. */
static bool listen_until(audit *a, int from, int64_t until_us, bool or_synced)
{
  report reports[512];
  size_t held = 0;
  for (bool was_synced = false; !(or_synced && was_synced);) {
    int64_t left_us = until_us - now_us();
    struct pollfd ready = {.fd = from, .events = POLLIN};
    if (left_us <= 0 || poll(&ready, 1, (int)(left_us / 1000)) == 0)
      return true;
    ssize_t got = read(from, (char *)reports + held, sizeof reports - held);
    if (got <= 0)
      return false;
    held += (size_t)got;
    size_t whole = held / sizeof *reports;
    for (size_t i = 0; i < whole; i++) {
      audit_hear(a, reports[i]);
      was_synced |= reports[i].kind == REPORT_SYNCED;
    }
    held -= whole * sizeof *reports;
    memmove(reports, (char *)reports + whole * sizeof *reports, held);
  }
  return true;
}

static void live(audit *a, int64_t life_us, unsigned steps)
{
  int from, status;
  a->lives++;
  pid_t child = start(a, steps, &from);
  if (listen_until(a, from, now_us() + life_us, a->is_lied_to)) {
    kill(child, SIGKILL);
    a->kills++;
    listen_until(a, from, INT64_MAX, false); /* what it said before */
  }
  close(from);
  waitpid(child, &status, 0);
  if (a->has_failed || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) ||
      (WIFEXITED(status) && WEXITSTATUS(status) != 0))
    audit_break(a, "the driver failed", 0);
  audit_note_death(a);
}

/* ---- many lives ------------------------------------------------------------------------------------------- */

/* A third die young, while opening; one in eight leaves by itself, closing. Once there were enough kills, none does. A
 * liar is killed at its word, however slow the machine is. */
static void next_life(audit *a)
{
  bool is_last = a->kills >= kills_wanted;
  int64_t life_us = (int64_t)(audit_roll(a, 3) ? audit_roll(a, 150000) : audit_roll(a, 8000));
  if (is_last || a->is_lied_to)
    life_us = 600000000;
  live(a, life_us, is_last || audit_roll(a, 8) ? 0 : 1 + (unsigned)audit_roll(a, 500));
  audit_look_at_journal(a);
  audit_look_at_directory(a);
}

CASE(promises_hold_through_kills)
{
  audit *a = audit_begin();
  do {
    audit_begin_crawl(a);
    while (!a->is_finished && !a->broken)
      next_life(a);
    if (a->broken)
      fail_msg("%u promises broken; the directory is %s", a->broken, a->root);
    audit_end_crawl(a);
  } while (audit_goes_on(a, kills_wanted));
  printf(
    "%u kills in %u lives of %u crawls: %u promises broken, %u of %u that might be were leased again, up to %u URLs "
    "came late in a crawl\n",
    a->kills, a->lives, a->crawls, a->broken, a->again, a->may_be_again, a->late);
  assert_int_equal(a->broken, 0);
  assert_true(a->again <= a->may_be_again);
  assert_true(a->again > 0); /* else no kill hit anything */
  assert_true(a->late > 0);  /* else the filter made no mistakes */
  free(a);
}

/* The auditor is worth something: a frontier that says "synced" too early does not get past it. A kill may come when
 * the deed has followed after all; a hundred never all do. */
CASE(a_broken_promise_is_noticed)
{
  audit *a = audit_begin();
  a->is_lied_to = true;
  do {
    audit_begin_crawl(a);
    while (!a->is_finished && !a->broken && a->kills < kills_wanted)
      next_life(a);
    free(a->lines);
    scratch_remove(a->root);
  } while (!a->broken && a->kills < kills_wanted);
  printf("noticed after %u kills in %u crawls\n", a->kills, a->crawls);
  assert_true(a->broken > 0);
  free(a);
}

static int prepare(void **state)
{
  (void)state;
  kills_wanted = test_times(kills_wanted);
  return 0;
}

EACH_CASE(prepare, NULL)
