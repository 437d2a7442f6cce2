/* frontier_wake_fd: readable when a thread that waits should ask again, and else not. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "frontier/host.h"
#include "frontier/promote.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 1000, .rate = 1e-9, .per_host = 1, .delay_ms = 1000, .depth_cap = 9};

static frontier *open_or_fail(const char *directory)
{
  return must_open(directory, &plain);
}

static void add(frontier *f, const char *text, uint64_t now_ms)
{
  url *u = malloc(sizeof *u);
  frontier_verdict verdict;
  if (!u || url_parse(text, strlen(text), URL_STRICT, u) != URL_OK ||
      frontier_add(f, u, (frontier_origin){0}, now_ms, &verdict) != FRONTIER_OK)
    abort(); /* not in cmocka's thread */
  free(u);
}

static bool is_readable(frontier *f)
{
  struct pollfd one = {.fd = frontier_wake_fd(f), .events = POLLIN};
  return poll(&one, 1, 0) == 1;
}

static frontier_lease lease;

/* One URL, or none. */
static size_t next(frontier *f, uint64_t now_ms, int64_t *wait_ms)
{
  size_t count;
  assert_int_equal(frontier_next(f, now_ms, &lease, 1, &count, wait_ms), FRONTIER_OK);
  assert_int_equal(is_readable(f), count > 0);
  return count;
}

static bool is_wanted(void *context, const char *text, size_t size)
{
  (void)context, (void)text;
  return size > 0;
}

CASE(each_change_that_was_not_foreseen)
{
  frontier *f = open_or_fail(NULL);
  frontier_host_control control = {.delay_ms = 60000};
  int64_t wait_ms;
  size_t promoted;
  uint64_t from = 0;
  assert_true(is_readable(f)); /* nothing is known yet of what was said before */
  assert_int_equal(next(f, 0, &wait_ms), 0);
  add(f, "http://a.test/1", 0);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 0, &wait_ms), 1);
  assert_int_equal(next(f, 0, &wait_ms), 0);
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);

  add(f, "http://a.test/2", 0); /* its host has all it may have */
  assert_false(is_readable(f));
  add(f, "http://a.test/1", 0); /* seen */
  assert_false(is_readable(f));
  assert_int_equal(frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, 10), FRONTIER_OK);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 10, &wait_ms), 0);
  assert_int_equal(wait_ms, 990);
  add(f, "http://a.test/3", 10); /* no sooner than that */
  assert_false(is_readable(f));
  add(f, "http://b.test/1", 10);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 10, &wait_ms), 1);
  uint64_t of_b = lease.id;
  assert_int_equal(next(f, 1000, &wait_ms), 1);
  assert_int_equal(next(f, 1000, &wait_ms), 0);

  assert_int_equal(frontier_host_delay(f, of_b, 5000), FRONTIER_OK); /* its host waits for its lease */
  assert_false(is_readable(f));
  assert_int_equal(frontier_release(f, lease.id, 1000), FRONTIER_OK);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 1000, &wait_ms), 0);
  assert_int_equal(wait_ms, 1000);
  assert_int_equal(frontier_host_block(f, "a.test"), FRONTIER_OK);
  assert_int_equal(next(f, 3000, &wait_ms), 0);
  assert_int_equal(wait_ms, FRONTIER_WAIT_FOREVER);
  assert_int_equal(frontier_host_unblock(f, "a.test"), FRONTIER_OK);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 3000, &wait_ms), 1);
  uint64_t of_a = lease.id;
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK);
  assert_int_equal(next(f, 3000, &wait_ms), 0);
  assert_int_equal(frontier_done(f, of_a, FRONTIER_DONE, 200, NULL, 0, 3000), FRONTIER_OK);
  assert_int_equal(next(f, 3000, &wait_ms), 0);
  assert_int_equal(wait_ms, 60000);
  control.delay_ms = 0;
  assert_int_equal(frontier_host_set(f, "a.test", &control), FRONTIER_OK);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 3000, &wait_ms), 0);
  assert_int_equal(wait_ms, 1000);
  assert_int_equal(frontier_promote(f, is_wanted, NULL, 10, &from, &promoted), FRONTIER_OK);
  assert_int_equal(promoted > 0, is_readable(f));
  assert_int_equal(next(f, 3000, &wait_ms), 0);
  assert_int_equal(frontier_done(f, of_b, FRONTIER_DONE, 200, NULL, 0, 3000), FRONTIER_OK);
  assert_true(is_readable(f)); /* the last lease of all */
  frontier_close(f);
}

/* A host that was to be asked much later, after its robots.txt, is asked now. */
CASE(a_pause_that_is_cut_short)
{
  frontier *f = open_or_fail(NULL);
  frontier_host_control two = {.per_host = 2};
  int64_t wait_ms;
  add(f, "http://a.test/1", 0);
  add(f, "http://a.test/2", 0);
  assert_int_equal(frontier_host_set(f, "a.test", &two), FRONTIER_OK);
  assert_int_equal(next(f, 0, &wait_ms), 1);
  assert_int_equal(frontier_host_next(f, lease.id, 0, 1000000), FRONTIER_OK);
  assert_int_equal(next(f, 5, &wait_ms), 0);
  assert_int_equal(wait_ms, 999995);
  assert_int_equal(frontier_host_next(f, lease.id, 5, FRONTIER_ITS_DELAY), FRONTIER_OK);
  assert_true(is_readable(f));
  assert_int_equal(next(f, 5, &wait_ms), 0);
  assert_int_equal(wait_ms, 1000);
  frontier_close(f);
}

/* However much happens between two calls of frontier_next, it is written once. */
CASE(it_is_cheap)
{
  char directory[SCRATCH_PATH], text[64];
  int64_t wait_ms = 0;
  uint64_t written;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory);
  assert_int_equal(read(frontier_wake_fd(f), &written, sizeof written), sizeof written);
  assert_int_equal(frontier_next(f, 0, &lease, 1, &(size_t){0}, &wait_ms), FRONTIER_OK);
  for (int i = 0; i < 200; i++) {
    snprintf(text, sizeof text, "http://h%d.test/", i);
    add(f, text, 0);
  }
  assert_true(is_readable(f));
  assert_int_equal(read(frontier_wake_fd(f), &written, sizeof written), sizeof written);
  assert_int_equal(written, 1);
  frontier_close(f);
  scratch_remove(directory);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

enum { PAGES = 300, WAITERS = 3, WAIT_MOST_MS = 20000 };

typedef struct waiting {
  frontier *f;
  int over; /* an eventfd: readable once all is fetched */
  atomic_uint fetched, late;
} waiting;

/* Of those that wait at the end one at least is woken, and tells the others. */
static void end_all(const waiting *w)
{
  const uint64_t one = 1;
  if (write(w->over, &one, sizeof one) != sizeof one)
    abort();
}

/* Own time stands still, so nothing but the descriptor can tell that there is something to do. */
static void *wait_and_fetch(void *context)
{
  waiting *w = context;
  while (atomic_load(&w->fetched) < PAGES) {
    frontier_lease one;
    size_t count;
    int64_t wait_ms;
    struct pollfd events[] = {{.fd = frontier_wake_fd(w->f), .events = POLLIN}, {.fd = w->over, .events = POLLIN}};
    if (frontier_next(w->f, 0, &one, 1, &count, &wait_ms) != FRONTIER_OK)
      abort();
    if (count) {
      if (frontier_done(w->f, one.id, FRONTIER_DONE, 200, NULL, 0, 0) != FRONTIER_OK)
        abort();
      atomic_fetch_add(&w->fetched, 1);
    } else if (atomic_load(&w->fetched) < PAGES && poll(events, 2, WAIT_MOST_MS) == 0) {
      atomic_fetch_add(&w->late, 1);
    }
  }
  end_all(w);
  return NULL;
}

CASE(threads_that_wait_are_woken)
{
  char directory[SCRATCH_PATH], text[64];
  pthread_t threads[WAITERS];
  scratch_make_fast(directory);
  waiting w = {.f = open_or_fail(directory), .over = eventfd(0, EFD_CLOEXEC)};
  assert_true(w.over >= 0);
  for (int i = 0; i < WAITERS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, wait_and_fetch, &w), 0);
  for (int i = 0; i < PAGES; i++) {
    snprintf(text, sizeof text, "http://h%d.test/", i);
    add(w.f, text, 0);
    if (i % 10 == 0)
      usleep(1000); /* they have fetched it all, and wait */
  }
  for (int i = 0; i < WAITERS; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(atomic_load(&w.fetched), PAGES);
  assert_int_equal(atomic_load(&w.late), 0);
  assert_true(frontier_is_finished(w.f));
  close(w.over);
  frontier_close(w.f);
  scratch_remove(directory);
}
