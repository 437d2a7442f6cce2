/* frontier/admin/check_child.c: the process that reads a directory for a check may be slow, stand still or never end; a
 * disk that is slow is no damage, and nothing is repaired for it. Built with tiny limits. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

static char directory[SCRATCH_PATH], data[SCRATCH_PATH];
static enum { AS_EVER, SLOW, SILENT, ENDLESS, CROWDED } child;
static char said[FRONTIER_MESSAGE_SIZE];

// NOLINTBEGIN(bugprone-signal-handler,cert-sig30-c): both are plain system calls
static void look_again(void)
{
  const struct itimerval moment = {.it_value = {.tv_usec = 200}};
  setitimer(ITIMER_REAL, &moment, NULL);
}

/* Once it has its limit. CROWDED: as where many other processes want the cores. */
static void compute_without_end(int number)
{
  struct rlimit limit;
  (void)number;
  if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    for (;;) {
      for (volatile int i = 0; i < 1000000; i = i + 1)
        ;
      if (child == CROWDED)
        poll(NULL, 0, 4);
    }
  look_again();
}

// NOLINTEND(bugprone-signal-handler,cert-sig30-c)

static void begin_child(void)
{
  if (child == SLOW)
    usleep(1200000);
  if (child == SILENT)
    for (;;)
      pause();
  if (child == ENDLESS || child == CROWDED) {
    signal(SIGALRM, compute_without_end);
    look_again();
  }
}

static void note(void *context, const char *sentence)
{
  (void)context;
  snprintf(said, sizeof said, "%s", sentence);
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "data.mdb", data);
  small_crawl c = {.directory = directory, .seed = 3, .urls = 3000, .fetched = 1000};
  small_crawl_make(&c);
  return pthread_atfork(NULL, NULL, begin_child);
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static frontier_status check(uint64_t *faults, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_findings found = {0};
  *said = *message = '\0';
  frontier_status status = frontier_check(directory, NULL, note, NULL, &found, message);
  *faults = found.faults;
  return status;
}

CASE(a_slow_disk_is_no_damage)
{
  char message[FRONTIER_MESSAGE_SIZE];
  uint64_t faults;
  child = SLOW;
  assert_int_equal(check(&faults, message), FRONTIER_OK);
  assert_int_equal(faults, 0);
}

CASE(a_disk_that_is_gone_is_repaired_by_nobody)
{
  char message[FRONTIER_MESSAGE_SIZE];
  size_t size, size_after;
  frontier_repairs done;
  char *before = scratch_read(data, &size);
  child = SILENT;
  assert_int_equal(frontier_repair(directory, NULL, note, NULL, &done, message), FRONTIER_IO);
  assert_non_null(strstr(message, "disk is slow"));
  assert_false(done.was_rebuilt);
  char *after = scratch_read(data, &size_after);
  assert_int_equal(size, size_after);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
}

static void assert_comes_to_no_end(void)
{
  char message[FRONTIER_MESSAGE_SIZE];
  uint64_t faults;
  assert_int_equal(check(&faults, message), FRONTIER_OK);
  assert_int_equal(faults, 1);
  assert_non_null(strstr(said, "comes to no end"));
  child = AS_EVER;
  assert_int_equal(check(&faults, message), FRONTIER_OK);
  assert_int_equal(faults, 0);
}

CASE(reading_without_end_is_a_fault)
{
  child = ENDLESS;
  assert_comes_to_no_end();
}

CASE(a_busy_machine_is_no_slow_disk)
{
  child = CROWDED;
  assert_comes_to_no_end();
}

EACH_CASE(begin, end)
