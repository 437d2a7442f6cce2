/* A process that adds URLs and never asks for one: what is older than a commit's time is on disk, whatever ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/exchange.h"
#include "frontier/text.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { URLS = 300, STEP_MS = 7, COMMIT_MS = 100, YOUNG = COMMIT_MS / STEP_MS + 2 };

static char directory[SCRATCH_PATH];

static frontier *open_it(bool is_exact, uint64_t commit_after_ms)
{
  const frontier_options options = {.filter = MLBF_KIND_MLBF,
                                    .expected_urls = 1000,
                                    .rate = 1e-9,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .exact = is_exact,
                                    .commit_after_ms = commit_after_ms};
  return must_open(directory, &options);
}

static bool add_url(frontier *f, unsigned number, uint64_t now_ms)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  snprintf(text, sizeof text, "http://h%u.test/%u", number % 5, number);
  return url_parse(text, strlen(text), URL_STRICT, &u) == URL_OK &&
         frontier_add(f, &u, (frontier_origin){0}, now_ms, &verdict) == FRONTIER_OK;
}

static bool add_text(frontier *f, unsigned number, uint64_t now_ms)
{
  char text[64];
  frontier_answer answer;
  size_t settled;
  snprintf(text, sizeof text, "http://h%u.test/%u", number % 5, number);
  const frontier_text one = {.href = text, .href_size = strlen(text)};
  return frontier_add_texts(f, NULL, &one, 1, now_ms, &answer, &settled) == FRONTIER_OK && settled == 1;
}

typedef bool adder(frontier *f, unsigned number, uint64_t now_ms);

/* Adds, and is gone. */
_Noreturn static void run_child(adder *add, bool is_exact, uint64_t commit_after_ms)
{
  frontier *f = open_it(is_exact, commit_after_ms);
  for (unsigned i = 0; i < URLS; i++)
    if (!add(f, i, 1000 + (uint64_t)i * STEP_MS))
      _exit(1);
  _exit(0);
}

static uint64_t count_after(adder *add, bool is_exact, uint64_t commit_after_ms)
{
  int status = 0;
  frontier_stats stats;
  scratch_make_fast(directory);
  pid_t child = fork();
  if (child == 0)
    run_child(add, is_exact, commit_after_ms);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  frontier *f = open_it(is_exact, commit_after_ms);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
  return stats.queued;
}

CASE(what_is_old_is_on_disk)
{
  static adder *const adders[] = {add_url, add_text};
  for (int i = 0; i < 4; i++) {
    uint64_t kept = count_after(adders[i % 2], i / 2, 0);
    assert_in_range(kept, URLS - YOUNG, URLS);
  }
  assert_in_range(count_after(add_url, false, 50 * STEP_MS), URLS - 52, URLS - 1);
}

/* Threads add, each by a look at the clock of its own: one that looked earlier makes nothing due. */
CASE(who_looked_earlier_commits_nothing)
{
  scratch_make_fast(directory);
  frontier *f = open_it(false, 0);
  for (unsigned i = 0; i < 60; i++)
    assert_true(add_url(f, i, i % 2 ? 5000 : 5000 + COMMIT_MS - 1));
  assert_int_equal(frontier_committed(f), 0);
  assert_true(add_url(f, 60, 5000 + 2 * COMMIT_MS));
  assert_int_equal(frontier_committed(f), 1);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
