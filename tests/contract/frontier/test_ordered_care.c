/* Groups, priorities, times and opaque targets in directories that are checked, compacted, copied, repaired and merged:
 * nothing is lost, and what is leased afterwards comes in the order in which it would have come; and the record that
 * says that there may be such URLs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <lmdb.h>

#include "frontier/admin.h"
#include "frontier/host.h"
#include "tests/support/ordered_case.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { PAGES = 1500, LEASES_MAX = 64, BEHIND = 5000 };

static char root[SCRATCH_PATH], work[SCRATCH_PATH], copy[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "work", work);
  scratch_join(root, "copy", copy);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* ---- pages of every kind -------------------------------------------------------------------------------------- */

static void add(frontier *f, const char *prefix, unsigned n)
{
  static const char *const groups[] = {"slot 1", "slot 2"};
  char text[64], payload[16];
  const mlbf_span key = {text, (size_t)snprintf(text, sizeof text, "http://h%u.test/%s%u", n % 3, prefix, n)};
  frontier_link link = {.payload = payload, .priority = n % 4 ? (int32_t)(n * 7 % 11) - 5 : 0};
  link.payload_size = (size_t)snprintf(payload, sizeof payload, "%u", n) + 1;
  link.not_before_ms = n % 13 == 0 ? NOON_MS + 1000 + n : 0;
  if (n % 2) {
    link.group = groups[n / 2 % 2];
    link.group_size = strlen(link.group);
  }
  if (n % 5 == 1) {
    link.opaque = text;
    link.opaque_size = key.size;
    link.key = &key;
    link.key_count = 1;
    link.group = groups[0];
    link.group_size = strlen(link.group);
  } else {
    link.target = parse(text);
  }
  frontier_verdict verdict;
  size_t settled;
  good(f, frontier_add_batch(f, &link, 1, NOON_MS, &verdict, &settled));
}

/* Some have ended, some were released with changes, some are in flight as it is closed. */
static frontier *crawl(const char *directory)
{
  frontier *f = open_with(directory, false);
  frontier_lease leases[LEASES_MAX];
  size_t count;
  int64_t wait_ms;
  for (unsigned n = 0; n < PAGES; n++)
    add(f, "", n);
  for (unsigned round = 0; round < 4; round++) {
    good(f, frontier_next(f, NOON_MS, leases, LEASES_MAX, &count, &wait_ms));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
      const frontier_return with = {.has_payload = true,
                                    .payload = "again",
                                    .payload_size = 5,
                                    .has_priority = true,
                                    .priority = (int32_t)(i % 7) - 3,
                                    .not_before_ms = i % 2 ? 0 : NOON_MS + 100 * i};
      if (i % 3 == 0)
        good(f, frontier_release_with(f, leases[i].id, &with, NOON_MS));
      else if (i % 3 == 1)
        good(f, frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, NOON_MS));
    }
  }
  good(f, frontier_sync(f));
  return f;
}

/* ---- what is leased, in this order ---------------------------------------------------------------------------- */

typedef struct transcript {
  char *text;
  size_t size, room, lines;
} transcript;

static void note(transcript *t, const frontier_lease *l)
{
  if (t->room - t->size < 512) {
    t->room = t->room * 2 + 4096;
    t->text = realloc(t->text, t->room);
    assert_non_null(t->text);
  }
  t->size += (size_t)snprintf(t->text + t->size, t->room - t->size, "%s %s %.*s %d %d %.*s\n",
                              l->is_opaque ? "opaque" : "url", l->url, (int)l->group_size, l->group ? l->group : "",
                              (int)l->priority, (int)l->verdict.outcome, (int)l->payload_size,
                              l->payload ? (const char *)l->payload : "");
  t->lines++;
}

/* One by one, first those that may be leased at noon. */
static transcript drain(const char *directory)
{
  transcript t = {0};
  frontier *f = open_with(directory, false);
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  for (uint64_t now_ms = NOON_MS; !frontier_is_finished(f); now_ms += 500)
    for (count = 1; count;) {
      good(f, frontier_next(f, now_ms, &lease, 1, &count, &wait_ms));
      if (count) {
        note(&t, &lease);
        good(f, frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms));
      }
    }
  good(f, frontier_close(f));
  return t;
}

static void assert_drains_as(const transcript *expected, const char *directory)
{
  transcript t = drain(directory);
  assert_int_equal(t.lines, expected->lines);
  for (size_t at = 0; at < t.size && at < expected->size; at++)
    if (t.text[at] != expected->text[at])
      fail_msg("the lease \"%.60s\" was \"%.60s\"", t.text + (at > 40 ? at - 40 : 0),
               expected->text + (at > 40 ? at - 40 : 0));
  free(t.text);
}

static void hear_fault(void *context, const char *sentence)
{
  (void)context;
  fail_msg("%s", sentence);
}

static unsigned remarks;
static char last_remark[FRONTIER_MESSAGE_SIZE];

static void hear(void *context, const char *sentence)
{
  (void)context;
  remarks++;
  snprintf(last_remark, sizeof last_remark, "%s", sentence);
}

static void assert_sound(const char *directory)
{
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_findings found;
  assert_int_equal(frontier_check(directory, NULL, hear_fault, NULL, &found, why), FRONTIER_OK);
}

static void repair(void)
{
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  if (frontier_repair(work, NULL, hear, NULL, &done, why) != FRONTIER_OK)
    fail_msg("%s", why);
  assert_int_equal(done.gone, 0);
}

static transcript control(void)
{
  good(NULL, frontier_close(crawl(work)));
  assert_int_equal(mkdir(copy, 0777), 0);
  scratch_copy(work, copy);
  transcript t = drain(copy);
  assert_true(t.lines > PAGES / 2);
  scratch_remove(copy);
  return t;
}

CASE(compacted)
{
  frontier_sizes sizes;
  char why[FRONTIER_MESSAGE_SIZE];
  transcript expected = control();
  assert_int_equal(frontier_compact(work, &sizes, why), FRONTIER_OK);
  assert_sound(work);
  assert_drains_as(&expected, work);
  free(expected.text);
}

CASE(copied_while_it_runs)
{
  char why[FRONTIER_MESSAGE_SIZE];
  transcript expected = control();
  scratch_remove(work);
  frontier *f = crawl(work);
  assert_int_equal(frontier_snapshot(f, copy, NULL, why), FRONTIER_OK);
  good(f, frontier_close(f));
  assert_sound(copy);
  assert_drains_as(&expected, copy);
  free(expected.text);
}

/* Both of LMDB's roots are lost, so each record is found by its own page. Compaction leaves no older ones. */
CASE(repaired_without_any_tree)
{
  frontier_sizes sizes;
  char why[FRONTIER_MESSAGE_SIZE], path[SCRATCH_PATH];
  size_t size;
  transcript expected = control();
  assert_int_equal(frontier_compact(work, &sizes, why), FRONTIER_OK);
  scratch_join(work, "data.mdb", path);
  char *data = scratch_read(path, &size);
  memset(data, 0, 2 * 4096);
  scratch_write(path, data, size);
  free(data);
  repair();
  assert_sound(work);
  assert_drains_as(&expected, work);
  free(expected.text);
}

/* ---- the record that says that there may be some ---------------------------------------------------------------- */

/* The last of many is first. */
static void make_one_behind_many(bool is_of_old)
{
  char text[64];
  frontier *f = open_with(work, false);
  frontier_verdict verdict;
  size_t settled;
  for (unsigned n = 0; n <= BEHIND; n++) {
    snprintf(text, sizeof text, "http://a.test/%u", n);
    frontier_link link = {.target = parse(text), .priority = n == BEHIND ? 9 : 0};
    good(f, frontier_add_batch(f, &link, 1, NOON_MS, &verdict, &settled));
  }
  if (is_of_old)
    good(f, frontier_setting_put(f, "ordered-urls", "1", 1));
  good(f, frontier_close(f));
}

/* Its record of table meta: gone, or with a flipped bit. */
static void spoil_mark(bool flips)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  char name[] = "ordered";
  MDB_val key = {strlen(name), name}, value;
  uint8_t bytes[16];
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, 32);
  assert_int_equal(mdb_env_open(env, work, MDB_NOSYNC, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, "meta", 0, &dbi), 0);
  assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
  assert_in_range(value.mv_size, 1, sizeof bytes);
  memcpy(bytes, value.mv_data, value.mv_size);
  bytes[value.mv_size - 1] ^= 2;
  value.mv_data = bytes;
  assert_int_equal(flips ? mdb_put(txn, dbi, &key, &value, 0) : mdb_del(txn, dbi, &key, NULL), 0);
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static void expect_first(void)
{
  frontier *f = open_with(work, false);
  frontier_lease lease;
  size_t count = 0;
  int64_t wait_ms = 0;
  for (unsigned calls = 0; !count && calls < 10; calls++)
    good(f, frontier_next(f, NOON_MS, &lease, 1, &count, &wait_ms));
  assert_int_equal(count, 1);
  assert_int_equal(lease.priority, 9);
  good(f, frontier_close(f));
}

static void expect_faults(unsigned least, const char *names)
{
  char why[FRONTIER_MESSAGE_SIZE];
  frontier_findings found;
  remarks = 0;
  assert_int_equal(frontier_check(work, NULL, hear, NULL, &found, why), FRONTIER_OK);
  assert_true(found.faults >= least);
  if (names && !strstr(last_remark, names))
    fail_msg("%s", last_remark);
}

CASE(a_directory_of_an_older_version)
{
  make_one_behind_many(true);
  spoil_mark(false);
  assert_sound(work);
  expect_first();
}

CASE(a_setting_of_that_name_is_the_callers)
{
  const void *value;
  size_t size;
  make_one_behind_many(false);
  frontier *f = open_with(work, false);
  assert_int_equal(frontier_setting_get(f, "ordered-urls", &value, &size), FRONTIER_NOT_FOUND);
  good(f, frontier_setting_put(f, "ordered-urls", "mine", 4));
  good(f, frontier_close(f));
  expect_first();
  f = open_with(work, false);
  good(f, frontier_setting_get(f, "ordered-urls", &value, &size));
  assert_int_equal(size, 4);
  assert_memory_equal(value, "mine", 4);
  good(f, frontier_close(f));
}

CASE(a_lost_mark_is_found_and_made_anew)
{
  make_one_behind_many(false);
  spoil_mark(false);
  expect_faults(1, "\"ordered\"");
  repair();
  assert_sound(work);
  expect_first();
}

CASE(a_damaged_mark_is_refused_and_made_anew)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 10000, .rate = 1e-9, .per_host = 1, .keep_identity = true};
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier *f = NULL;
  make_one_behind_many(false);
  spoil_mark(true);
  assert_int_equal(frontier_open(work, &options, &f, why), FRONTIER_DAMAGED);
  if (!strstr(why, "ordered"))
    fail_msg("%s", why);
  expect_faults(1, NULL);
  repair();
  assert_sound(work);
  expect_first();
}

/* ---- merged ------------------------------------------------------------------------------------------------------ */

static bool is_seen(frontier *f, const char *prefix, unsigned n)
{
  char text[64];
  const mlbf_span key = {text, (size_t)snprintf(text, sizeof text, "http://h%u.test/%s%u", n % 3, prefix, n)};
  frontier_link link = {0};
  if (n % 5 == 1)
    link = (frontier_link){
      .key = &key, .key_count = 1, .group = "g", .group_size = 1, .opaque = text, .opaque_size = 1};
  else
    link.target = parse(text);
  frontier_verdict verdict;
  good(f, frontier_lookup_batch(f, &link, 1, &verdict));
  return verdict.outcome == FRONTIER_SEEN;
}

static void merge(const char *a, const char *b)
{
  char why[FRONTIER_MESSAGE_SIZE] = "";
  frontier_merged merged;
  if (frontier_merge((const char *const[]){a, b}, 2, work, &merged, why) != FRONTIER_OK)
    fail_msg("%s", why);
  assert_sound(work);
}

CASE(merged_keys_are_seen)
{
  char a[SCRATCH_PATH], b[SCRATCH_PATH];
  scratch_join(root, "a", a);
  scratch_join(root, "b", b);
  for (unsigned of_b = 0; of_b < 2; of_b++) {
    frontier *f = open_with(of_b ? b : a, false);
    for (unsigned n = 0; n < PAGES; n++)
      add(f, of_b ? "b" : "a", n);
    good(f, frontier_close(f));
  }
  merge(a, b);
  frontier *f = open_with(work, false);
  for (unsigned n = 0; n < PAGES; n++) {
    assert_true(is_seen(f, "a", n) && is_seen(f, "b", n));
    assert_false(is_seen(f, "c", n));
  }
  assert_true(frontier_is_finished(f));
  good(f, frontier_close(f));
}

static uint64_t unconfirmed(frontier *f)
{
  frontier_stats stats;
  good(f, frontier_stats_read(f, &stats));
  return stats.unconfirmed;
}

static uint64_t leave_doubts(const char *directory, const char *prefix)
{
  frontier *f = open_with(directory, true);
  for (unsigned n = 0; n < PAGES; n++) {
    add(f, prefix, n);
    if (n % 8 == 0) /* then the filter says that it was seen, and not the open batch */
      good(f, frontier_sync(f));
  }
  good(f, frontier_sync(f));
  uint64_t left = unconfirmed(f);
  good(f, frontier_close(f));
  return left;
}

static void block_all(frontier *f, bool is_blocked)
{
  static const char *const names[] = {"/slot 1", "/slot 2", "h0.test", "h1.test", "h2.test"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    good(f, frontier_host_set(f, names[i], &(frontier_host_control){.is_blocked = is_blocked}));
}

/* All of them are confirmed before the first is leased: then their order is known. */
CASE(links_in_doubt_keep_all_they_have)
{
  char a[SCRATCH_PATH], b[SCRATCH_PATH];
  frontier_lease lease;
  size_t count, leased = 0;
  int64_t wait_ms;
  scratch_join(root, "a", a);
  scratch_join(root, "b", b);
  uint64_t left = leave_doubts(a, "a") + leave_doubts(b, "b"), now_ms = NOON_MS;
  assert_true(left > 10);
  merge(a, b);
  frontier *f = open_with(work, true);
  assert_int_equal(unconfirmed(f), left);
  block_all(f, true);
  for (; unconfirmed(f); now_ms += 1000) {
    good(f, frontier_next(f, now_ms, &lease, 1, &count, &wait_ms));
    assert_int_equal(count, 0);
  }
  good(f, frontier_close(f));
  f = open_with(work, true); /* it reads the queue: what it accepted is ordered on disk, too */
  block_all(f, false);
  int32_t last[5] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  for (; !frontier_is_finished(f); now_ms += 500)
    for (count = 1; count;) {
      good(f, frontier_next(f, now_ms, &lease, 1, &count, &wait_ms));
      if (!count)
        continue;
      unsigned n = (unsigned)strtoul(lease.url + strlen("http://h0.test/a"), NULL, 10);
      unsigned queue = lease.group ? (unsigned)(lease.group[5] - '1') : 2 + n % 3;
      assert_int_equal(lease.is_opaque, n % 5 == 1);
      assert_int_equal(lease.priority, n % 4 ? (int32_t)(n * 7 % 11) - 5 : 0);
      assert_int_equal(strtoul(lease.payload, NULL, 10), n);
      assert_true(lease.priority <= last[queue]);
      last[queue] = lease.priority;
      good(f, frontier_done(f, lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms));
      leased++;
    }
  assert_true(leased > 10 && leased <= left);
  good(f, frontier_close(f));
}

EACH_CASE(begin, end)
