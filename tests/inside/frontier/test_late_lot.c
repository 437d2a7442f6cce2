/* frontier/core/late_pass.c: the open batch gets full amid a lot of keys, between two links with one key. The first was
 * accepted, and is in a commit when the lot goes on: the second must not be accepted again. Built with tiny limits. */
#include "frontier/core/state.h"
#include "tests/support/full_filter.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

enum { NEW = 4000, HOUR_MS = 3600000, BUDGET_MS = 5 };

static char directory[SCRATCH_PATH];

/* All are new; some of them must wait to be confirmed. */
static void add_all(void)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  frontier *f = full_filter_open(directory);
  for (unsigned i = 0; i < NEW; i++) {
    int size = snprintf(text, sizeof text, "http://h%u.test/new/%u", i % 16, i);
    assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, &u), URL_OK);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static frontier_stats look(frontier *f)
{
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  return stats;
}

static void go_on(frontier *f, uint64_t hour)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, hour * HOUR_MS, &lease, 0, &count, &wait_ms), FRONTIER_OK);
}

CASE(each_key_is_accepted_once)
{
  bool is_more;
  unsigned cut = 0;
  scratch_make_fast(directory);
  full_filter_make(directory, MLBF_KIND_BLOOM);
  add_all();
  frontier *f = full_filter_open(directory);
  uint64_t in_doubt = look(f).unconfirmed;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_true(in_doubt > BATCH_FULL);
  add_all(); /* those that wait are not remembered by a new handle: each waits twice */
  f = full_filter_open(directory);
  assert_true(look(f).unconfirmed > in_doubt + BATCH_FULL);
  for (uint64_t hour = 1; look(f).unconfirmed; hour++) {
    go_on(f, hour);
    do
      assert_int_equal(frontier_maintain(f, BUDGET_MS, &is_more), FRONTIER_OK);
    while (is_more && !batch_is_full(&f->batch) && look(f).unconfirmed);
    cut += batch_is_full(&f->batch);
    assert_true(hour < 1000);
  }
  assert_true(cut > 0);
  assert_int_equal(look(f).queued, NEW);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
