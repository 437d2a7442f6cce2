/* frontier_find, frontier_find_id, frontier_leases: what became of a URL, wherever it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/host.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 5000, .rate = 1e-9, .per_host = 1000, .depth_cap = UINT16_MAX};

static frontier *open_or_fail(const char *directory, const frontier_options *options)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  if (frontier_open(directory, options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return f;
}

static void parse(unsigned number, url *u)
{
  char text[64];
  int size = snprintf(text, sizeof text, "http://h%u.test/%u", number % 3, number);
  assert_int_equal(url_parse(text, (size_t)size, URL_STRICT, u), URL_OK);
}

static const char payload[] = "the payload";

/* Number `n` gets id n; every fifth has an own key, every seventh a payload. */
static frontier_link link_of(unsigned number, url *u, mlbf_span *own, char text[32])
{
  parse(number, u);
  *own = (mlbf_span){text, (size_t)snprintf(text, 32, "own %u", number)};
  frontier_link link = {.target = u, .origin = {.via = number / 2, .depth = 3}};
  if (number % 5 == 0) {
    link.key = own;
    link.key_count = 1;
  }
  if (number % 7 == 0) {
    link.payload = payload;
    link.payload_size = sizeof payload;
  }
  return link;
}

static void add(frontier *f, unsigned number)
{
  static url u;
  mlbf_span own;
  char text[32];
  frontier_verdict verdict;
  size_t settled;
  frontier_link link = link_of(number, &u, &own, text);
  assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

typedef enum where { WAITS, FLIES, ENDED } where;

/* By its id and by its key. */
static void expect(frontier *f, unsigned number, where place, frontier_state state)
{
  static url u;
  mlbf_span own;
  char text[32];
  frontier_link link = link_of(number, &u, &own, text);
  for (int by_key = 0; by_key < 2; by_key++) {
    frontier_record r;
    frontier_status status = by_key ? frontier_find(f, &link, &r) : frontier_find_id(f, number, &r);
    if (status != FRONTIER_OK)
      fail_msg("%u by %s: %s", number, by_key ? "key" : "id", frontier_message(f));
    assert_int_equal(r.id, number);
    assert_int_equal(r.url_size, u.fetch_size);
    assert_string_equal(r.url, u.fetch);
    assert_int_equal(r.is_queued, place != ENDED);
    assert_int_equal(r.is_in_flight, place == FLIES);
    assert_int_equal(r.origin.via, number / 2);
    assert_int_equal(r.origin.depth, 3);
    assert_int_equal(r.priority, FRONTIER_NORMAL);
    assert_int_not_equal(r.verdict.outcome, FRONTIER_SEEN);
    if (place == ENDED) {
      assert_int_equal(r.state, state);
      assert_int_equal(r.code, number + 1);
    } else {
      assert_int_equal(r.payload_size, number % 7 ? 0 : sizeof payload);
      assert_true(number % 7 || memcmp(r.payload, payload, sizeof payload) == 0);
    }
  }
}

static void expect_none(frontier *f, unsigned number)
{
  static url u;
  mlbf_span own;
  char text[32];
  frontier_record r;
  frontier_link link = link_of(number, &u, &own, text);
  assert_int_equal(frontier_find(f, &link, &r), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_find_id(f, number, &r), FRONTIER_NOT_FOUND);
}

enum { URLS = 2500 }; /* with tiny limits more than memory holds */

static frontier_state state_of(unsigned number)
{
  return number % 3 == 0 ? FRONTIER_DONE : number % 3 == 1 ? FRONTIER_FAILED : FRONTIER_SKIPPED;
}

static void end(frontier *f, unsigned number)
{
  assert_int_equal(frontier_done(f, number, state_of(number), (uint16_t)(number + 1), NULL, 0, 0), FRONTIER_OK);
}

CASE(wherever_it_is)
{
  static frontier_lease leases[60];
  char directory[SCRATCH_PATH];
  frontier_options reader = plain;
  size_t count;
  int64_t wait_ms;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory, &plain);
  for (unsigned i = 1; i <= URLS; i++)
    add(f, i);
  expect(f, 7, WAITS, 0); /* in the open batch */
  expect(f, 35, WAITS, 0);
  expect_none(f, URLS + 1);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  for (unsigned i = 1; i <= URLS; i += 97)
    expect(f, i, WAITS, 0);
  assert_int_equal(frontier_next(f, 0, leases, 60, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 60);
  for (size_t i = 0; i < 60; i++)
    expect(f, (unsigned)leases[i].id, FLIES, 0);
  for (size_t i = 0; i < 30; i++)
    end(f, (unsigned)leases[i].id);
  for (size_t i = 0; i < 60; i += 7)
    expect(f, (unsigned)leases[i].id, i < 30 ? ENDED : FLIES, state_of((unsigned)leases[i].id));
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  for (size_t i = 0; i < 60; i += 7)
    expect(f, (unsigned)leases[i].id, i < 30 ? ENDED : FLIES, state_of((unsigned)leases[i].id));
  assert_int_equal(frontier_close(f), FRONTIER_OK);

  reader.read_only = true;
  f = open_or_fail(directory, &reader);
  expect(f, (unsigned)leases[0].id, ENDED, state_of((unsigned)leases[0].id));
  expect(f, (unsigned)leases[59].id, WAITS, 0);
  expect(f, URLS, WAITS, 0);
  expect_none(f, URLS + 1);
  frontier_close(f);
  scratch_remove(directory);
}

/* Forced, a key has two records, and the newer one counts; noted and forgotten ones have theirs, too. */
CASE(the_last_of_several)
{
  static url u;
  char directory[SCRATCH_PATH];
  frontier_verdict verdict;
  frontier_record r;
  bool was_seen;
  scratch_make_fast(directory);
  frontier *f = open_or_fail(directory, &plain);
  add(f, 1);
  parse(1, &u);
  const frontier_link again = {.target = &u};
  assert_int_equal(frontier_force(f, &again, 0, &verdict), FRONTIER_OK);
  for (int is_committed = 0; is_committed < 2; is_committed++) {
    assert_int_equal(frontier_find(f, &again, &r), FRONTIER_OK);
    assert_int_equal(r.id, 2);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
  static url v;
  parse(2, &v);
  const frontier_link noted = {.target = &v};
  assert_int_equal(frontier_note(f, &noted, 0, &verdict), FRONTIER_OK);
  for (int is_committed = 0; is_committed < 2; is_committed++) {
    assert_int_equal(frontier_find(f, &noted, &r), FRONTIER_OK);
    assert_int_equal(r.state, FRONTIER_NOTED);
    assert_false(r.is_queued);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
  assert_int_equal(frontier_forget(f, &noted, &was_seen), FRONTIER_OK);
  assert_int_equal(frontier_find(f, &noted, &r), FRONTIER_OK);
  assert_int_equal(r.id, 3);
  assert_int_equal(frontier_find_id(f, 0, &r), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_find_id(f, UINT64_MAX, &r), FRONTIER_NOT_FOUND);
  frontier_close(f);
  scratch_remove(directory);
}

CASE(without_a_directory)
{
  frontier_lease leases[2];
  size_t count;
  int64_t wait_ms;
  frontier *f = open_or_fail(NULL, &plain);
  for (unsigned i = 1; i <= 20; i++)
    add(f, i);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_next(f, 0, leases, 2, &count, &wait_ms), FRONTIER_OK);
  for (unsigned i = 1; i <= 20; i++)
    expect(f, i, i == leases[0].id || i == leases[1].id ? FLIES : WAITS, 0);
  end(f, (unsigned)leases[0].id);
  expect_none(f, (unsigned)leases[0].id); /* it keeps no history */
  frontier_close(f);
}

/* ---- leases --------------------------------------------------------------------------------------------- */

typedef struct listed {
  unsigned count, enough;
  uint64_t ids[8], taken_ms[8], deadline_ms[8];
} listed;

static bool list(void *context, const frontier_in_flight *lease)
{
  listed *l = context;
  assert_int_equal(lease->url_size, strlen(lease->url));
  assert_non_null(strstr(lease->url, lease->host));
  l->ids[l->count] = lease->id;
  l->taken_ms[l->count] = lease->taken_ms;
  l->deadline_ms[l->count] = lease->deadline_ms;
  return ++l->count < l->enough;
}

CASE(leases_are_listed)
{
  frontier_options options = plain;
  frontier_lease leases[3];
  size_t count;
  int64_t wait_ms;
  options.lease_ms = 500;
  for (int has_end = 0; has_end < 2; has_end++) {
    frontier *f = open_or_fail(NULL, has_end ? &options : &plain);
    listed all = {.enough = 8}, one = {.enough = 1};
    for (unsigned i = 1; i <= 3; i++) {
      add(f, i);
      assert_int_equal(frontier_next(f, 10000 + 100 * i, &leases[i - 1], 1, &count, &wait_ms), FRONTIER_OK);
      assert_int_equal(count, 1);
    }
    assert_int_equal(frontier_done(f, leases[1].id, FRONTIER_DONE, 200, NULL, 0, 10400), FRONTIER_OK);
    assert_int_equal(frontier_leases(f, list, &all), FRONTIER_OK);
    assert_int_equal(all.count, 2);
    for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(all.ids[i], leases[2 * i].id);
      assert_int_equal(all.taken_ms[i], 10100 + 200 * i);
      assert_true(all.deadline_ms[i] == (has_end ? all.taken_ms[i] + 500 : UINT64_MAX));
    }
    assert_int_equal(frontier_leases(f, list, &one), FRONTIER_OK);
    assert_int_equal(one.count, 1);
    frontier_close(f);
  }
}
