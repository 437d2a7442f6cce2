/* The commit thread: calls of several threads go on while it writes, frontier_sync of any of them says what is on disk,
 * and a commit that failed in it is said by a later call, with nothing lost. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "frontier/admin.h"
#include "frontier/frontier.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { ADDERS = 2, URLS = 6000, HOSTS = 500, ALL = ADDERS * URLS, LEASES = 64, COUNTS = 20, BATCH = 24576 };

static const frontier_options threaded = {.filter = MLBF_KIND_MLBF,
                                          .expected_urls = 100000,
                                          .rate = 1e-9,
                                          .per_host = 8,
                                          .depth_cap = 9,
                                          .keep_identity = true,
                                          .commit_thread = true};

static frontier *open_as(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static frontier *open_or_fail(const char *directory)
{
  return open_as(directory, &threaded);
}

static frontier_status add(frontier *f, unsigned adder, unsigned number, frontier_verdict *verdict)
{
  static _Thread_local url u;
  char text[64];
  int size = snprintf(text, sizeof text, "http://h%u.test/%u/%u", number % HOSTS, adder, number);
  if (url_parse(text, (size_t)size, URL_STRICT, &u) != URL_OK)
    abort(); /* not in cmocka's thread */
  return frontier_add(f, &u, (frontier_origin){0}, 0, verdict);
}

/* ---- several threads ---------------------------------------------------------------------------------------- */

typedef struct crew {
  frontier *f;
  atomic_uint adders, added, done;
  atomic_uint said_of_fewer; /* syncs after which fewer URLs were known than had been added before */
} crew;

static void *add_all(void *context)
{
  crew *c = context;
  frontier_verdict verdict = {0};
  unsigned adder = atomic_fetch_add(&c->adders, 1);
  for (unsigned i = 0; i < URLS; i++) {
    if (add(c->f, adder, i, &verdict) != FRONTIER_OK || verdict.outcome == FRONTIER_SEEN)
      abort();
    atomic_fetch_add(&c->added, 1);
  }
  return NULL;
}

static void *fetch_all(void *context)
{
  crew *c = context;
  static frontier_lease leases[LEASES];
  while (atomic_load(&c->done) < ALL) {
    size_t count = 0;
    int64_t wait_ms = 0;
    if (frontier_next(c->f, 0, leases, LEASES, &count, &wait_ms) != FRONTIER_OK)
      abort();
    for (size_t i = 0; i < count; i++)
      if (frontier_done(c->f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, 0) != FRONTIER_OK)
        abort();
    atomic_fetch_add(&c->done, (unsigned)count);
  }
  return NULL;
}

static bool count_one(void *context, const frontier_record *record)
{
  (void)record;
  ++*(unsigned *)context;
  return true;
}

static void *sync_often(void *context)
{
  crew *c = context;
  for (unsigned i = 0; atomic_load(&c->done) < ALL; i++) {
    unsigned added = atomic_load(&c->added), on_disk = 0;
    if (frontier_sync(c->f) != FRONTIER_OK || (i < COUNTS && frontier_each(c->f, count_one, &on_disk) != FRONTIER_OK))
      abort();
    atomic_fetch_add(&c->said_of_fewer, i < COUNTS && on_disk < added);
  }
  return NULL;
}

static void nothing(void *context, const char *sentence)
{
  (void)context;
  print_message("%s\n", sentence);
}

static void assert_sound(const char *directory)
{
  char message[FRONTIER_MESSAGE_SIZE];
  frontier_findings found = {0};
  assert_int_equal(frontier_check(directory, NULL, nothing, NULL, &found, message), FRONTIER_OK);
  assert_int_equal(found.faults, 0);
}

/* A main filter for so few keys is soon full, and takes many new URLs for seen. */
static void note_few(const char *directory, const frontier_options *options)
{
  enum { FEW = 600 };
  static url u;
  frontier *f = open_as(directory, options);
  for (unsigned i = 0; i < FEW; i++) {
    char text[64];
    frontier_verdict verdict;
    int size = snprintf(text, sizeof text, "http://noted.test/%u", i);
    assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &u}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static void work_together(const frontier_options *options)
{
  char directory[SCRATCH_PATH];
  scratch_make(directory);
  if (options->exact)
    note_few(directory, options);
  crew c = {.f = open_as(directory, options)};
  void *(*const jobs[])(void *) = {add_all, add_all, fetch_all, sync_often};
  pthread_t threads[sizeof jobs / sizeof *jobs];
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, jobs[i], &c), 0);
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_true(options->exact || c.said_of_fewer == 0); /* what is unconfirmed is in no queue yet */
  frontier_stats stats = {0};
  assert_int_equal(frontier_stats_read(c.f, &stats), FRONTIER_OK);
  assert_int_equal(stats.done, ALL);
  assert_true(options->exact ? stats.late > 0 && stats.unconfirmed == 0 : stats.late == 0);
  assert_int_equal(frontier_close(c.f), FRONTIER_OK);
  assert_sound(directory);
  scratch_remove(directory);
}

CASE(threads_add_fetch_and_sync)
{
  work_together(&threaded);
}

/* Of a filter that is often wrong: passes go on in whichever thread calls. */
CASE(also_where_urls_come_late)
{
  frontier_options options = threaded;
  options.filter = MLBF_KIND_BLOOM;
  options.expected_urls = 10;
  options.rate = 0.5;
  options.exact = true;
  work_together(&options);
}

/* ---- a disk that is full ------------------------------------------------------------------------------------ */

static void limit_files(rlim_t size)
{
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = size;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

CASE(a_failed_commit_is_said_later)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  struct stat file;
  frontier_verdict verdict = {0};
  frontier_status status = FRONTIER_OK;
  unsigned accepted = 0;
  signal(SIGXFSZ, SIG_IGN);
  scratch_make(directory);
  scratch_join(directory, "data.mdb", path);
  frontier *f = open_or_fail(directory);
  assert_int_equal(stat(path, &file), 0);
  limit_files((rlim_t)file.st_size);
  while (status == FRONTIER_OK && accepted < 10 * BATCH && (status = add(f, 0, accepted, &verdict)) == FRONTIER_OK)
    accepted++;
  assert_int_equal(status, FRONTIER_NO_SPACE);
  assert_true(accepted > BATCH); /* one batch fails, and the next one is gathered meanwhile */
  assert_int_equal(frontier_sync(f), FRONTIER_NO_SPACE);
  limit_files(RLIM_INFINITY);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(add(f, 0, accepted, &verdict), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_or_fail(directory);
  unsigned on_disk = 0;
  assert_int_equal(frontier_each(f, count_one, &on_disk), FRONTIER_OK);
  assert_int_equal(on_disk, accepted + 1);
  assert_int_equal(add(f, 0, 0, &verdict), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_SEEN);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_sound(directory);
  scratch_remove(directory);
}
