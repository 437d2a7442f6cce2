/* frontier/core/workbench.c: its window and its refs, where a host has a long queue, or rests. That neither holds
 * anybody up: test_resting.c. */
#include "frontier/core/state.h"
#include "frontier/promote.h"
#include "tests/support/must.h"
#include "tests/support/story.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 150000, HOUR_MS = 3600000 };

static url u;

static frontier *open_it(void)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 200000, .rate = 1e-9, .per_host = 1, .depth_cap = UINT16_MAX};
  return must_open(story_directory, &options);
}

static void add(frontier *f, const char *name, unsigned number)
{
  frontier_verdict verdict;
  must_parse(&u, "http://%s.example/%u", name, number);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

static uint64_t now_ms; /* passes as frontier_next asks for */

static size_t next(frontier *f, frontier_lease *leases, size_t max)
{
  size_t count;
  int64_t wait_ms;
  if (frontier_next(f, now_ms, leases, max, &count, &wait_ms) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  if (!count && wait_ms > 0)
    now_ms += (uint64_t)wait_ms;
  assert_true(f->hosts->waiting[FRONTIER_NORMAL] <= WINDOW_MAX + 128); /* what is leased and released comes on top */
  return count;
}

static void done(frontier *f, const frontier_lease *lease)
{
  assert_int_equal(frontier_done(f, lease->id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
}

/* A host's long queue takes little memory, and room in the window for some of its URLs alone. */
CASE(a_long_queue_takes_little_memory)
{
  frontier_lease leases[64];
  frontier *f = open_it();
  for (unsigned i = 0; i < LONG; i++)
    add(f, "long", i);
  assert_int_equal(frontier_sync(f), FRONTIER_OK); /* the clock stands, so no commit is due by itself */
  unsigned leased = 0;
  for (int call = 0; call < 1000; call++) /* each reads some 600 rows */
    leased += (unsigned)next(f, leases, 64);
  assert_int_equal(leased, 1);
  assert_true(refs_bytes(&f->hosts->refs) < 2 * LONG); /* its URLs are neighbours: one byte each, and blocks */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- refs that are moved -------------------------------------------------------------------------------- */

static bool is_third(void *context, const char *fetch, size_t size)
{
  (void)context;
  return fetch[size - 1] == '3';
}

/* A URL of a host that rests is put first: it comes first and once, and the others in their order. */
CASE(what_is_put_first_comes_once)
{
  static const char order[] = "31245";
  frontier_lease leases[8];
  uint64_t from = 0;
  size_t promoted;
  scratch_remove(story_directory);
  now_ms = 0;
  frontier *f = open_it();
  add(f, "r", 0);
  assert_int_equal(next(f, leases, 8), 1);
  assert_int_equal(frontier_host_back_off(f, leases[0].id, now_ms, HOUR_MS), FRONTIER_OK);
  done(f, &leases[0]);
  for (unsigned i = 1; i <= 5; i++)
    add(f, "r", i);
  assert_int_equal(f->hosts->waiting[FRONTIER_NORMAL], 0); /* refs, all of them */
  assert_int_equal(frontier_promote(f, is_third, NULL, 1000, &from, &promoted), FRONTIER_OK);
  assert_int_equal(promoted, 1);
  now_ms += HOUR_MS;
  for (size_t i = 0; i < strlen(order); i++) {
    assert_int_equal(next(f, leases, 8), 1);
    assert_int_equal(leases[0].url[leases[0].url_size - 1], order[i]);
    done(f, &leases[0]);
  }
  assert_int_equal(next(f, leases, 8), 0);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* In one batch, not committed before its host may be asked again. */
CASE(a_ref_that_is_on_no_disk_yet)
{
  frontier_lease leases[8];
  frontier_host_control control = {0};
  scratch_remove(story_directory);
  now_ms = 0;
  frontier *f = open_it();
  add(f, "r", 0);
  assert_int_equal(next(f, leases, 8), 1);
  done(f, &leases[0]);
  assert_int_equal(frontier_host_block(f, "r.example"), FRONTIER_OK);
  for (unsigned i = 1; i <= 5; i++)
    add(f, "r", i);
  assert_int_equal(f->hosts->waiting[FRONTIER_NORMAL], 0);
  assert_int_equal(frontier_host_set(f, "r.example", &control), FRONTIER_OK);
  for (int i = 1; i <= 5; i++) {
    assert_int_equal(next(f, leases, 8), 1);
    assert_int_equal(leases[0].url[leases[0].url_size - 1], '0' + i);
    done(f, &leases[0]);
  }
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

EACH_CASE(story_begin, story_end)
