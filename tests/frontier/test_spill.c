/* frontier/core/spill.c: a host with a long queue holds nobody up, memory stays bounded, and every URL comes out once.
 * */
#include "frontier/core/state.h"
#include "tests/support/second_reader.h"
#include "tests/support/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 150000, SHORT = 50, OTHERS = 20 };

static url u;
static uint8_t *times; /* each URL of the long host was handed out, by its number */

static frontier *open_it(uint32_t per_host)
{
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 200000, .rate = 1e-9, .per_host = per_host, .depth_cap = UINT16_MAX};
  frontier *f;
  if (frontier_open(story_directory, &options, &f, why) != FRONTIER_OK)
    fail_msg("%s", why);
  return f;
}

static void add(frontier *f, const char *name, unsigned number)
{
  char text[128];
  frontier_verdict verdict;
  snprintf(text, sizeof text, "http://%s.example/%u", name, number);
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

static bool is_long(const frontier_lease *lease)
{
  return strncmp(lease->url, "http://long.", 12) == 0;
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

/* How many URLs of other hosts come while the long host's one lease never ends. */
static unsigned others_beside_a_stuck_host(frontier *f)
{
  frontier_lease leases[64], stuck = {0};
  unsigned others = 0;
  for (int idle = 0; idle < 100;) {
    size_t count = next(f, leases, 64);
    idle = count ? 0 : idle + 1;
    for (size_t i = 0; i < count; i++)
      if (is_long(&leases[i])) {
        assert_int_equal(stuck.id, 0);
        stuck = leases[i];
      } else {
        others++;
        done(f, &leases[i]);
      }
  }
  assert_int_not_equal(stuck.id, 0);
  assert_int_equal(frontier_release(f, stuck.id, 0), FRONTIER_OK);
  return others;
}

/* Everything that is left, with the frontier closed and opened again now and then. */
static unsigned drain(frontier **f, unsigned reopen_every)
{
  frontier_lease leases[64];
  unsigned drained = 0, since_open = 0;
  for (size_t count; (count = next(*f, leases, 64));) {
    for (size_t i = 0; i < count; i++, drained++, since_open++) {
      assert_true(is_long(&leases[i]));
      times[atoi(strrchr(leases[i].url, '/') + 1)]++;
      done(*f, &leases[i]);
    }
    if (since_open >= reopen_every) {
      since_open = 0;
      assert_int_equal(frontier_close(*f), FRONTIER_OK);
      *f = open_it(1000);
    }
  }
  return drained;
}

static void a_stuck_host_holds_nobody_up(void **state)
{
  (void)state;
  frontier *f = open_it(1);
  for (unsigned i = 0; i < LONG; i++)
    add(f, "long", i);
  for (unsigned i = 0; i < SHORT * OTHERS; i++) {
    char name[16];
    snprintf(name, sizeof name, "h%u", i % OTHERS);
    add(f, name, i);
  }
  assert_int_equal(others_beside_a_stuck_host(f), SHORT * OTHERS);
  uint64_t chunks;
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(store_count(f->store, STORE_CHUNKS, &chunks), FRONTIER_OK);
  assert_true(chunks > LONG / 128 / 2);
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, LONG);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static void and_loses_nothing(void **state)
{
  (void)state;
  frontier *f = open_it(1000);
  frontier_stats stats;
  uint64_t left;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(stats.queued, LONG);
  times = calloc(LONG, 1);
  assert_int_equal(drain(&f, 40000), LONG);
  for (unsigned i = 0; i < LONG; i++)
    assert_int_equal(times[i], 1);
  free(times);
  assert_true(frontier_is_finished(f));
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(store_count(f->store, STORE_CHUNKS, &left), FRONTIER_OK);
  assert_int_equal(left, 0);
  assert_int_equal(store_count(f->store, STORE_QUEUE, &left), FRONTIER_OK);
  assert_int_equal(left, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static void chunks_are_what_format_md_says(void **state)
{
  (void)state;
  second_view view;
  second_read(story_directory, false, &view);
  assert_int_equal(view.faults, 0);
  assert_true(view.chunks > LONG / 128 / 2);
  second_free(&view);
}

/* Every URL is met once, wherever it stands: ended, in the queue, in a chunk. */
typedef struct tally {
  unsigned ended, queued, again;
  uint8_t *met;
} tally;

static bool count_record(void *context, const frontier_record *record)
{
  tally *t = context;
  assert_in_range(record->id, 1, LONG + SHORT * OTHERS);
  t->again += t->met[record->id]++;
  t->queued += record->is_queued;
  if (record->is_queued) {
    assert_memory_equal(record->url, "http://long.example/", 20);
  } else {
    t->ended++;
    assert_int_equal(record->state, FRONTIER_DONE);
    assert_int_equal(record->code, 200);
    assert_memory_equal(record->url, "http://h", 8);
  }
  return true;
}

static bool stop_at_once(void *context, const frontier_record *record)
{
  (void)record;
  ++*(unsigned *)context;
  return false;
}

static void each_url_is_met_once(void **state)
{
  (void)state;
  frontier *f = open_it(1);
  tally t = {.met = calloc(LONG + SHORT * OTHERS + 1, 1)};
  unsigned calls = 0;
  assert_int_equal(frontier_each(f, count_record, &t), FRONTIER_OK);
  assert_int_equal(t.again, 0);
  assert_int_equal(t.ended, SHORT * OTHERS);
  assert_int_equal(t.queued, LONG);
  assert_int_equal(frontier_each(f, stop_at_once, &calls), FRONTIER_OK);
  assert_int_equal(calls, 1);
  free(t.met);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stuck_host_holds_nobody_up),
    cmocka_unit_test(chunks_are_what_format_md_says),
    cmocka_unit_test(each_url_is_met_once),
    cmocka_unit_test(and_loses_nothing),
  };
  return cmocka_run_group_tests(tests, story_begin, story_end);
}
