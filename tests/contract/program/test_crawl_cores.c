/* A crawl into a directory has a thread for the network and readers, fewer than there are cores; on one core, and where
 * nothing is kept, it has one thread, and fetches as much. */
#include "tests/support/crawl_case.h"
#include "tests/support/test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 300, LOOK_EVERY = 40 };

static cpu_set_t cores;

/* 0: it has ended. */
static unsigned threads_of(pid_t pid)
{
  char path[64], line[256];
  unsigned threads = 0;
  snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "Threads:", 8) == 0)
      threads = (unsigned)strtoul(line + 8, NULL, 10);
  if (file)
    fclose(file);
  return threads;
}

/* The most threads that were seen of a crawl which may run on these cores, and fetched all there is. */
static unsigned crawl_on(const cpu_set_t *allowed, const char *readers, const char *where, const char *directory)
{
  trial *t = case_serve(&(trial_options){.seed = 51, .entries = ENTRIES, .jitter_ms = 4});
  unsigned most = 0, looks = 0;
  assert_int_equal(sched_setaffinity(0, sizeof *allowed, allowed), 0);
  pid_t pid = trial_strata_start(t, (const char *const[]){"crawl", "--delay", "0", "--allow-private", "--per-host", "8",
                                                          "--readers", readers, "URL", where, directory, NULL});
  assert_int_equal(sched_setaffinity(0, sizeof cores, &cores), 0);
  for (size_t requests = 1; trial_wait_requests(t, requests, pid); requests += LOOK_EVERY, looks++) {
    unsigned threads = threads_of(pid);
    most = threads > most ? threads : most;
  }
  case_assert_code(t, trial_collect(t, pid), 0);
  case_assert_perfect(case_requests(t, &judge_everything));
  assert_true(looks > 3);
  return most;
}

#ifdef __SANITIZE_THREAD__
enum { WATCHING = 1 }; /* a thread of the sanitizer's, once there is a second one */
#else
enum { WATCHING = 0 };
#endif
enum { COMMITTING = 1 + WATCHING }; /* a thread of the frontier's, which waits for the disk */

/* The first so many of ours. */
static cpu_set_t some_cores(int count)
{
  cpu_set_t some;
  CPU_ZERO(&some);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; i++)
    if (CPU_ISSET(i, &cores))
      CPU_SET(i, &some);
  return some;
}

CASE(one_core_is_enough)
{
  cpu_set_t one = some_cores(1);
  assert_int_equal(crawl_on(&one, "7", "--dir", "DIR"), 1 + COMMITTING);
}

CASE(what_keeps_nothing_has_one_thread)
{
  assert_int_equal(crawl_on(&cores, "7", "--no-store", NULL), 1);
}

/* Else the others would prove nothing. */
CASE(two_cores_have_a_network_and_a_reader)
{
  cpu_set_t two = some_cores(2);
  if (CPU_COUNT(&two) < 2) {
    print_message("skipped: there is one core here\n");
    skip();
  }
  assert_int_equal(crawl_on(&two, "7", "--dir", "DIR"), 3 + COMMITTING);
  case_end(state);
  assert_int_equal(crawl_on(&two, "0", "--dir", "DIR"), 2 + COMMITTING);
}

static int prepare(void **state)
{
  (void)state;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    return 1;
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(NULL, case_end)
