/* A crawl is killed (SIGKILL) at random moments, again and again, by an auditor outside, who knows what it was told:
 *
 *     accepted, then synced      must be on disk after any crash, and ended when the crawl is finished
 *     done, then synced          must never be leased again
 *     a line in the journal      is final: never taken back, there once, and its page never leased again
 *     leased or done, not synced may be leased again, once for each crash
 *
 * After each death the second reader goes over the directory.  test_frontier_kill 1000 kills so often; default 100. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/crash/small_web.h"
#include "tests/scratch.h"
#include "tests/second_reader.h"

static unsigned kills_wanted = 100;

typedef struct page {
  bool is_accepted, is_accepted_for_good; /* told; told and synced */
  bool is_done, is_done_for_good;
  bool is_leased;     /* in this life */
  bool may_return;    /* was leased or done when its life ended, and not for good */
  bool was_leased;    /* in any life */
} page;

typedef struct audit {
  char root[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH];
  page pages[WEB_PAGES];
  char *lines;        /* of the journal, when last seen: whole lines only */
  size_t lines_size;
  bool is_finished, has_failed;
  bool is_lied_to;    /* by a driver that says "synced" when it is not */
  uint64_t dice;
  /* figures */
  unsigned crawls, lives, kills, again, may_be_again, broken;
} audit;

static uint64_t roll(audit *a, uint64_t sides)
{
  a->dice = a->dice * 6364136223846793005u + 1442695040888963407u;
  return (a->dice >> 33) % sides;
}

static void broken(audit *a, const char *promise, uint32_t number)
{
  if (!a->is_lied_to)
    fprintf(stderr, "crawl %u, life %u, page %u: %s\n", a->crawls, a->lives, (unsigned)number, promise);
  a->broken++;
}

/* ---- what the driver says -------------------------------------------------------------------------------- */

static void hear_lease(audit *a, uint32_t number)
{
  page *p = &a->pages[number];
  if (p->is_done_for_good)
    broken(a, "leased again after it was done and committed", number);
  if (p->is_leased)
    broken(a, "leased twice at once", number);
  if (p->is_done)
    broken(a, "leased again after it was done in this life", number);
  if (p->was_leased && p->may_return)
    a->again++;
  p->may_return = false;
  p->is_leased = p->was_leased = true;
}

static void hear_sync(audit *a)
{
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    a->pages[i].is_accepted_for_good |= a->pages[i].is_accepted;
    a->pages[i].is_done_for_good |= a->pages[i].is_done;
  }
}

static void hear(audit *a, report r)
{
  page *p = &a->pages[r.page % WEB_PAGES];
  switch ((report_kind)r.kind) {
  case REPORT_ACCEPTED:
    if (p->is_accepted_for_good)
      broken(a, "accepted again after it was committed", r.page);
    p->is_accepted = true;
    break;
  case REPORT_LEASED: hear_lease(a, r.page); break;
  case REPORT_RELEASED: p->is_leased = false; break;
  case REPORT_DONE:
    p->is_leased = false;
    p->is_done = true;
    break;
  case REPORT_SYNCED: hear_sync(a); break;
  case REPORT_FINISHED: a->is_finished = true; break;
  case REPORT_FAILED: a->has_failed = true; break;
  }
}

/* ---- one life --------------------------------------------------------------------------------------------- */

/* Every second crawl keeps its keys exactly. */
static const char *mode_of(const audit *a)
{
  return a->is_lied_to ? "lie" : a->crawls % 2 ? NULL : "exact";
}

static pid_t start(audit *a, unsigned steps, int *from)
{
  char seed[32], limit[32];
  int ends[2];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)roll(a, UINT32_MAX));
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

/* Listens until the pipe ends or the time has come. */
static bool listen_until(audit *a, int from, int64_t until_us)
{
  report reports[512];
  size_t held = 0;
  for (;;) {
    int64_t left_us = until_us - now_us();
    struct pollfd ready = {.fd = from, .events = POLLIN};
    if (left_us <= 0 || poll(&ready, 1, (int)(left_us / 1000)) == 0)
      return true;
    ssize_t got = read(from, (char *)reports + held, sizeof reports - held);
    if (got <= 0)
      return false;
    held += (size_t)got;
    size_t whole = held / sizeof *reports;
    for (size_t i = 0; i < whole; i++)
      hear(a, reports[i]);
    held -= whole * sizeof *reports;
    memmove(reports, (char *)reports + whole * sizeof *reports, held);
  }
}

/* What was in flight, or done and not committed as far as we know, may come back. */
static void note_death(audit *a)
{
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    page *p = &a->pages[i];
    p->may_return = p->was_leased && !p->is_done_for_good;
    a->may_be_again += p->is_leased || (p->is_done && !p->is_done_for_good);
    p->is_leased = false;
    p->is_done = p->is_done_for_good;
    p->is_accepted = p->is_accepted_for_good;
  }
}

static void live(audit *a, int64_t life_us, unsigned steps)
{
  int from, status;
  a->lives++;
  pid_t child = start(a, steps, &from);
  if (listen_until(a, from, now_us() + life_us)) {
    kill(child, SIGKILL);
    a->kills++;
    listen_until(a, from, INT64_MAX); /* what it said before */
  }
  close(from);
  waitpid(child, &status, 0);
  if (a->has_failed || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) ||
      (WIFEXITED(status) && WEXITSTATUS(status) != 0))
    broken(a, "the driver failed", 0);
  note_death(a);
}

/* ---- after it --------------------------------------------------------------------------------------------- */

/* Whole lines stay for ever, and what they say is final. A torn one at the end may be there until the next open. */
static void look_at_journal(audit *a)
{
  size_t size = 0;
  char *text = scratch_read(a->journal, &size);
  while (size && text[size - 1] != '\n')
    size--;
  if (size < a->lines_size || (a->lines_size && memcmp(text, a->lines, a->lines_size) != 0))
    broken(a, "the journal took lines back", 0);
  for (char *at = text ? text + a->lines_size : NULL; at && at < text + size; at = strchr(at, '\n') + 1) {
    uint32_t number = (uint32_t)strtoul(at, NULL, 10) % WEB_PAGES;
    static const page unknown;
    if (memcmp(&a->pages[number], &unknown, sizeof unknown) == 0)
      broken(a, "a line of a page that was never leased", number);
    a->pages[number].is_done_for_good = true;
    a->pages[number].is_done = true;
    a->pages[number].may_return = false;
  }
  free(a->lines);
  a->lines = text;
  a->lines_size = size;
}

static void look_at_directory(audit *a)
{
  bool is_there[WEB_PAGES] = {false}, is_ended[WEB_PAGES] = {false};
  second_view v = {0};
  if (!second_is_unborn(a->directory))
    second_read(a->directory, false, &v);
  if (v.faults)
    broken(a, "the second reader finds faults", v.faults);
  for (uint64_t s = 1; s < v.url_room; s++) {
    uint32_t number = (uint32_t)strtoul(strrchr(v.urls[s].text, '/') + 1, NULL, 10) % WEB_PAGES;
    is_there[number] = true;
    is_ended[number] = v.urls[s].state != 0;
  }
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    if (a->pages[i].is_accepted_for_good && !is_there[i])
      broken(a, "accepted and committed, and lost", i);
    if (a->pages[i].is_done_for_good && !is_ended[i])
      broken(a, "done and committed, and not in the history", i);
  }
  second_free(&v);
}

/* Every page was ended, and has one line. */
static void look_at_the_end(audit *a)
{
  unsigned lines[WEB_PAGES] = {0};
  for (char *at = a->lines; at && at < a->lines + a->lines_size; at = strchr(at, '\n') + 1)
    lines[strtoul(at, NULL, 10) % WEB_PAGES]++;
  for (uint32_t i = 0; i < WEB_PAGES; i++) {
    if (!a->pages[i].is_done_for_good)
      broken(a, "never ended, and the crawl is finished", i);
    if (lines[i] != 1)
      broken(a, "not exactly one line in the journal", i);
  }
}

/* ---- many lives ------------------------------------------------------------------------------------------- */

static void begin_crawl(audit *a)
{
  a->crawls++;
  memset(a->pages, 0, sizeof a->pages);
  a->is_finished = false;
  a->lines = NULL;
  a->lines_size = 0;
  scratch_make(a->root);
  scratch_join(a->root, "frontier", a->directory);
  scratch_join(a->root, "journal", a->journal);
}

static void end_crawl(audit *a)
{
  look_at_the_end(a);
  free(a->lines);
  scratch_remove(a->root);
}

/* A third die young, while opening; one in eight leaves by itself, closing. Once there were enough kills, none does. */
static void next_life(audit *a)
{
  bool is_last = a->kills >= kills_wanted;
  int64_t life_us = is_last ? 600000000 : (int64_t)(roll(a, 3) ? roll(a, 150000) : roll(a, 8000));
  live(a, life_us, is_last || roll(a, 8) ? 0 : 1 + (unsigned)roll(a, 500));
  look_at_journal(a);
  look_at_directory(a);
}

static audit *begin_audit(void)
{
  audit *a = calloc(1, sizeof *a);
  const char *seed = getenv("STRATA_SEED");
  assert_non_null(a);
  a->dice = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
  printf("seed %llu\n", (unsigned long long)a->dice);
  return a;
}

static void promises_hold_through_kills(void **state)
{
  (void)state;
  audit *a = begin_audit();
  do {
    begin_crawl(a);
    while (!a->is_finished && !a->broken)
      next_life(a);
    if (a->broken)
      fail_msg("%u promises broken; the directory is %s", a->broken, a->root);
    end_crawl(a);
  } while (a->kills < kills_wanted && !a->broken);
  printf("%u kills in %u lives of %u crawls: %u promises broken, %u of %u that might be were leased again\n", a->kills,
         a->lives, a->crawls, a->broken, a->again, a->may_be_again);
  assert_int_equal(a->broken, 0);
  assert_true(a->again <= a->may_be_again);
  assert_true(a->again > 0); /* else no kill hit anything */
  free(a);
}

/* The auditor is worth something: a frontier that says "synced" too early does not get past it. One crawl may end before
 * a kill falls between the word and the deed; a hundred kills never all miss. */
static void a_broken_promise_is_noticed(void **state)
{
  (void)state;
  audit *a = begin_audit();
  a->is_lied_to = true;
  do {
    begin_crawl(a);
    while (!a->is_finished && !a->broken && a->kills < kills_wanted)
      next_life(a);
    free(a->lines);
    scratch_remove(a->root);
  } while (!a->broken && a->kills < kills_wanted);
  printf("noticed after %u kills in %u crawls\n", a->kills, a->crawls);
  assert_true(a->broken > 0);
  free(a);
}

int main(int argc, char **argv)
{
  if (argc > 1)
    kills_wanted = (unsigned)strtoul(argv[1], NULL, 10);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(promises_hold_through_kills),
    cmocka_unit_test(a_broken_promise_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
