/* frontier/hosts/host_changes.h: what is said of hosts in two tables is what they are, whenever they are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/hosts/host_changes.h"
#include "frontier/base/record.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

enum { HOSTS = 40, COMMITS = 400, HEAD = 33 };

static char directory[SCRATCH_PATH];

static store *open_store(void)
{
  char message[FRONTIER_MESSAGE_SIZE];
  store *s = NULL;
  if (store_open(directory, false, "identity", 8, &s, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return s;
}

static uint64_t values_of(store *s, store_table table)
{
  uint64_t count;
  assert_int_equal(store_count(s, table, &count), FRONTIER_OK);
  return count;
}

static host *nth_host(hosts *h, unsigned n)
{
  char name[32];
  int size = snprintf(name, sizeof name, "host-%u.example", n);
  host *who = hosts_find(h, name, (size_t)size);
  assert_non_null(who);
  return who;
}

/* Something happens to a host; mostly what happens to most. */
static void happen(hosts *h, host *who)
{
  who->normal.queued += dice_throw(3);
  who->done += dice_throw(1000) ? 1 : UINT32_MAX;
  if (dice_throw(20) == 0) {
    assert_true(host_reserve(who, FRONTIER_LOW));
    host_line(who, FRONTIER_LOW)->queued++;
    who->found += 2;
    who->suspect++;
  }
  if (dice_throw(50) == 0)
    host_control_of(who)->budget = dice_throw(3);
  hosts_touch(h, who);
}

static void commit(host_changes *c, hosts *h, store *s, bool may_fail)
{
  assert_int_equal(store_begin(s), FRONTIER_OK);
  host_changes_put(c, h, s);
  if (may_fail && dice_throw(4) == 0) {
    store_fail(s);
    assert_int_not_equal(store_commit(s), FRONTIER_OK);
    commit(c, h, s, may_fail);
    return;
  }
  assert_int_equal(store_commit(s), FRONTIER_OK);
  host_changes_settle(c, h);
}

static void assert_alike(const hosts *a, const hosts *b)
{
  assert_int_equal(hosts_count(a), hosts_count(b));
  for (uint32_t id = 0; id < hosts_count(a); id++) {
    const host *x = hosts_at(a, id), *y = hosts_at(b, id);
    host_counts of_x = host_counts_of(x), of_y = host_counts_of(y);
    assert_string_equal(x->name, y->name);
    assert_memory_equal(&of_x, &of_y, sizeof of_x);
    assert_int_equal(x->control ? x->control->budget : 0, y->control ? y->control->budget : 0);
  }
}

static frontier_status load(store *s, host_changes *c, hosts **h)
{
  bool of_store;
  *c = (host_changes){0};
  *h = hosts_create(0, 1, test_hasher());
  frontier_status status = host_changes_load(c, *h, s, &of_store);
  assert_false(of_store);
  return status;
}

static int begin(void **state);
static int end(void **state);

/* Commits that fail, new hosts in between, and now and then another that goes on from what was read. */
CASE_WITH(they_are_what_was_committed, begin, end)
{
  store *s = open_store();
  host_changes c = {0}, c_read;
  hosts *h = hosts_create(0, 1, test_hasher()), *read;
  for (unsigned i = 0; i < COMMITS; i++) {
    for (unsigned touched = (unsigned)dice_throw(6); touched; touched--)
      happen(h, nth_host(h, (unsigned)dice_throw(1 + i * HOSTS / COMMITS)));
    commit(&c, h, s, true);
    assert_int_equal(load(s, &c_read, &read), FRONTIER_OK);
    assert_alike(h, read);
    assert_true(c_read.next == c.next && c_read.first == c.first);
    assert_true(c_read.size == c.size && c_read.records == c.records);
    assert_true(values_of(s, STORE_HOST_CHANGES) <= 3 * HOSTS); /* a host a commit: two rounds, and one begun anew */
    if (i % 150 < 149) {
      hosts_free(read);
      continue;
    }
    hosts_free(h);
    host_changes_free(&c);
    h = read;
    c = c_read;
  }
  assert_true(c.first > 0);
  hosts_free(h);
  host_changes_free(&c);
  store_close(s);
}

/* Killed before its round ends, time after time, it does not leave more and more. */
CASE_WITH(what_crashes_leave_goes, begin, end)
{
  enum { MANY = 20000, LIVES = 9, COMMITS_EACH = 3, MOST = 4 * 32 * MANY };
  store *s = open_store();
  host_changes c = {0};
  hosts *h = hosts_create(0, 1, test_hasher());
  bool was_met = false;
  for (unsigned life = 0; life < LIVES; life++) {
    for (unsigned i = 0; i < COMMITS_EACH; i++) {
      for (unsigned n = 0; n < MANY; n++) {
        nth_host(h, n)->done++;
        hosts_touch(h, nth_host(h, n));
      }
      uint64_t before = c.size;
      commit(&c, h, s, false);
      was_met |= before > MOST;
      if (before > MOST) /* all of it, at once */
        assert_true(c.size < before);
    }
    hosts_free(h);
    host_changes_free(&c);
    assert_int_equal(load(s, &c, &h), FRONTIER_OK);
  }
  assert_true(was_met);
  hosts_free(h);
  host_changes_free(&c);
  store_close(s);
}

/* ---- bytes that cannot be -------------------------------------------------------------------------------- */

static bool count_change(void *context, const host_change *change)
{
  (void)change;
  ++*(unsigned *)context;
  return true;
}

static bool are_changes(const uint8_t *body, size_t size)
{
  unsigned count = 0;
  uint8_t *copy = malloc(size + 1); /* so that a byte too many is noticed */
  assert_non_null(copy);
  memcpy(copy, body, size);
  bool is_so = host_changes_each(copy, size, count_change, &count);
  free(copy);
  return is_so;
}

CASE_WITH(values_are_read_whole_or_not, begin, end)
{
  store *s = open_store();
  host_changes c = {0};
  hosts *h = hosts_create(0, 1, test_hasher());
  for (unsigned n = 0; n < 4; n++)
    happen(h, nth_host(h, n));
  commit(&c, h, s, false);
  for (unsigned n = 0; n < 4; n++)
    hosts_touch(h, nth_host(h, n));
  nth_host(h, 1)->done = UINT64_MAX;
  nth_host(h, 2)->suspect = UINT32_MAX;
  nth_host(h, 4);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  host_changes_put(&c, h, s);
  assert_int_equal(store_commit(s), FRONTIER_OK);
  assert_true(are_changes(c.value, c.value_size));
  for (size_t size = 0; size < c.value_size; size++)
    assert_false(are_changes(c.value, size));
  c.value[16] = 16; /* as a chunk of the hash log may have it */
  assert_false(are_changes(c.value, c.value_size));
  hosts_free(h);
  host_changes_free(&c);
  store_close(s);
}

CASE(numbers_have_64_bits)
{
  static const struct row {
    uint8_t change[16];
    size_t size;
    bool is_one;
  } rows[] = {
    {{0, 0, 1, 2, 3, 4}, 6, true},
    {{0x80, 0, 0, 1, 2, 3, 4}, 7, true},                                                  /* longer than need be */
    {{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 15, true}, /* 2^64 - 1 */
    {{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 2, 3, 4}, 15, false},
    {{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0, 2, 3, 4}, 16, false},
    {{0, 3, 1, 2, 3, 4}, 6, false},    /* no such kind */
    {{0, 2, 5, 2, 3, 4}, 6, false},    /* a record beyond the end */
    {{0, 0, 1, 2, 3, 4, 5}, 7, false}, /* a byte too many */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t body[HEAD + 16] = {[8] = 1, [16] = 0xff};
    memcpy(body + HEAD, rows[i].change, rows[i].size);
    if (are_changes(body, HEAD + rows[i].size) != rows[i].is_one)
      fail_msg("row %zu", i);
  }
}

/* One value, or one record, gone: it is noticed, as the last value says what is there. */
CASE_WITH(what_is_missing_is_noticed, begin, end)
{
  for (unsigned gone = 0; gone < 6; gone++) {
    store *s = open_store();
    host_changes c = {0}, c_read;
    hosts *h = hosts_create(0, 1, test_hasher()), *read;
    for (unsigned i = 0; i < 3; i++) {
      for (unsigned n = 0; n <= 3 + i; n++)
        happen(h, nth_host(h, n));
      commit(&c, h, s, false);
    }
    assert_int_equal(values_of(s, STORE_HOSTS), 3);
    assert_int_equal(values_of(s, STORE_HOST_CHANGES), 3);
    assert_int_equal(store_begin(s), FRONTIER_OK);
    store_delete(s, gone < 3 ? STORE_HOSTS : STORE_HOST_CHANGES, gone % 3);
    assert_int_equal(store_commit(s), FRONTIER_OK);
    assert_int_equal(load(s, &c_read, &read), FRONTIER_DAMAGED);
    hosts_free(h);
    hosts_free(read);
    host_changes_free(&c);
    store_close(s);
    scratch_remove(directory);
    scratch_make_fast(directory);
  }
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(5);
  return 0;
}

ALL_CASES(prepare, NULL)
