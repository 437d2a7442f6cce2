/* Directories whose hosts say that more or fewer URLs wait than do: each crawl over one ends, nothing that waits is
 * left out, and the counters are right afterwards; or it is refused in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <lmdb.h>
#include <xxhash.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"

enum { URLS = 600, FETCHED = 200 };

static char root[SCRATCH_PATH], sound[SCRATCH_PATH], half[SCRATCH_PATH], whole[SCRATCH_PATH], work[SCRATCH_PATH];
static uint64_t accepted; /* by the crawl that was ended */

static small_crawl crawl_in(const char *directory, unsigned fetched)
{
  return (small_crawl){.directory = directory, .seed = 3, .urls = URLS, .fetched = fetched};
}

static frontier_stats stats_of(frontier *f)
{
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  return stats;
}

static uint64_t ended(const frontier_stats *s)
{
  return s->done + s->failed + s->skipped;
}

/* One that was stopped, one that was ended; and the one that was stopped with all its hosts in table `hosts`. */
static int begin(void **state)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "sound", sound);
  scratch_join(root, "half", half);
  scratch_join(root, "whole", whole);
  scratch_join(root, "work", work);
  small_crawl c = crawl_in(sound, FETCHED);
  small_crawl_make(&c);
  assert_int_equal(mkdir(half, 0777), 0);
  scratch_copy(sound, half);
  assert_int_equal(frontier_compact(half, &sizes, message), FRONTIER_OK);
  c = crawl_in(whole, URLS);
  frontier *f = small_crawl_open(&c);
  small_crawl_run(&c, f);
  frontier_stats stats = stats_of(f);
  accepted = ended(&stats);
  assert_true(accepted > FETCHED && stats.queued == 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static void copy(const char *from)
{
  scratch_remove(work);
  assert_int_equal(mkdir(work, 0777), 0);
  scratch_copy(from, work);
}

/* To the end, which comes; how many it fetched. All that was accepted has ended then, and is counted once. */
static unsigned go_on(frontier *f)
{
  small_crawl c = crawl_in(work, 10 * URLS);
  unsigned fetched = small_crawl_run(&c, f);
  assert_true(frontier_is_finished(f));
  frontier_stats stats = stats_of(f);
  assert_int_equal(stats.queued + stats.in_flight + stats.deferred, 0);
  assert_int_equal(ended(&stats), accepted);
  return fetched;
}

static frontier *open_work(void)
{
  small_crawl c = crawl_in(work, 0);
  return small_crawl_open(&c);
}

/* All of them: the hosts then say that nothing waits. They do so until something is read. */
CASE(all_endings_are_lost)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  copy(whole);
  static const char *const tables[] = {"ended", "states"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (spoil_value v; (v = spoil_read(work, tables[i], 0)).bytes; spoil_free(&v))
      spoil_delete(work, tables[i], v.key);
  frontier *f = open_work();
  assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_int_equal(frontier_release(f, lease.id, 0), FRONTIER_OK);
  assert_int_equal(go_on(f), accepted);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_work(); /* it is on disk */
  assert_int_equal(go_on(f), 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Some, while others wait; and what was healed in memory counts after a stop too. */
CASE(some_endings_are_lost)
{
  copy(sound);
  spoil_value v = spoil_read(work, "ended", 0);
  assert_non_null(v.bytes);
  spoil_delete(work, "ended", v.key);
  spoil_free(&v);
  frontier *f = open_work();
  frontier_stats before = stats_of(f);
  small_crawl c = crawl_in(work, FETCHED / 2);
  small_crawl_run(&c, f);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = open_work();
  unsigned more = go_on(f);
  assert_true(FETCHED / 2 + more > accepted - ended(&before)); /* beside what waited anyway */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(a_group_of_states_is_lost)
{
  copy(half);
  spoil_delete(work, "states", 0);
  frontier *f = open_work();
  assert_int_equal(go_on(f), accepted);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* ---- hosts ---------------------------------------------------------------------------------------------- */

typedef uint64_t new_count(uint64_t count);

static void forge_host(MDB_txn *txn, MDB_dbi dbi, uint64_t id, const MDB_val *record, new_count *say)
{
  enum { AT = 4, SIZE = 7 };
  uint8_t bytes[512];
  uint64_t count = 0;
  assert_true(record->mv_size <= sizeof bytes);
  memcpy(bytes, record->mv_data, record->mv_size);
  memcpy(&count, bytes + AT, SIZE);
  count = say(count);
  memcpy(bytes + AT, &count, SIZE);
  uint32_t sum = (uint32_t)XXH3_64bits_withSeed(bytes + 4, record->mv_size - 4, id);
  memcpy(bytes, &sum, sizeof sum);
  MDB_val key = {sizeof id, &id}, value = {record->mv_size, bytes};
  assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
}

typedef struct opened {
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi table;
} opened;

static opened open_table(const char *name)
{
  opened o;
  assert_int_equal(mdb_env_create(&o.env), 0);
  assert_int_equal(mdb_env_set_maxdbs(o.env, 32), 0);
  assert_int_equal(mdb_env_open(o.env, work, MDB_NOSYNC, 0600), 0);
  assert_int_equal(mdb_txn_begin(o.env, NULL, 0, &o.txn), 0);
  assert_int_equal(mdb_dbi_open(o.txn, name, MDB_INTEGERKEY, &o.table), 0);
  return o;
}

static void commit(const opened *o)
{
  assert_int_equal(mdb_txn_commit(o->txn), 0);
  mdb_env_close(o->env);
}

/* Every host of the compacted crawl has another number of URLs that wait, with a valid checksum. */
static void forge_hosts(new_count *say)
{
  MDB_stat stat;
  copy(half);
  opened o = open_table("hosts");
  assert_int_equal(mdb_stat(o.txn, o.table, &stat), 0);
  assert_true(stat.ms_entries > 1);
  for (uint64_t id = 0; id < stat.ms_entries; id++) {
    MDB_val key = {sizeof id, &id}, record;
    assert_int_equal(mdb_get(o.txn, o.table, &key, &record), 0);
    forge_host(o.txn, o.table, id, &record, say);
  }
  commit(&o);
}

static uint64_t fewer(uint64_t count)
{
  return count / 2;
}

static uint64_t none(uint64_t count)
{
  return count * 0;
}

static uint64_t one_more(uint64_t count)
{
  return count + 1;
}

static uint64_t most(uint64_t count)
{
  return count | (uint64_t)0xff << 48;
}

/* There are more URLs than the counters have, so none of those that ended is taken for one that waits. */
CASE(hosts_say_too_few)
{
  new_count *const say[] = {fewer, none};
  for (size_t i = 0; i < sizeof say / sizeof *say; i++) {
    forge_hosts(say[i]);
    small_crawl c = crawl_in(work, 10 * URLS);
    frontier *f = small_crawl_open(&c);
    frontier_stats before = stats_of(f);
    frontier_lease lease;
    size_t count;
    int64_t wait_ms;
    assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK);
    assert_int_equal(frontier_release(f, lease.id, 0), FRONTIER_OK);
    assert_int_equal(small_crawl_run(&c, f), accepted - ended(&before));
    frontier_stats after = stats_of(f);
    assert_true(frontier_is_finished(f) && after.queued == 0 && ended(&after) <= accepted);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
}

/* As many as there is room for wait, and then some that are not there. */
CASE(hosts_say_too_many)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  new_count *const say[] = {one_more, most};
  for (size_t i = 0; i < sizeof say / sizeof *say; i++) {
    forge_hosts(say[i]);
    small_crawl c = crawl_in(work, 0);
    frontier_options options = small_crawl_options(&c);
    frontier *f = NULL;
    assert_int_equal(frontier_open(work, &options, &f, message), FRONTIER_DAMAGED);
    assert_null(f);
    if (!strstr(message, "more URLs are counted") || !strstr(message, "strata repair"))
      fail_msg("%s", message);
  }
}

static uint64_t id_of_work(void)
{
  second_view v;
  second_read(work, false, &v);
  uint64_t id = v.id;
  second_free(&v);
  return id;
}

/* The states of the first 1,344 URLs: all are done. */
static void put_all_done(void)
{
  enum { BLOCKS = 7, BLOCK = 260, DONE = 1 << 16 };
  uint8_t value[BLOCKS * BLOCK];
  uint64_t id = id_of_work();
  opened o = open_table("states");
  for (uint64_t group = 0; group < 3; group++) {
    for (unsigned i = 0; i < BLOCKS; i++) {
      uint8_t *block = value + (size_t)i * BLOCK;
      for (unsigned at = 4; at < BLOCK; at += 4)
        memcpy(block + at, &(uint32_t){DONE}, 4);
      uint32_t sum = (uint32_t)XXH3_64bits_withSeed(block + 4, BLOCK - 4, id ^ (BLOCKS * group + i));
      memcpy(block, &sum, sizeof sum);
    }
    MDB_val key = {sizeof group, &group}, all = {sizeof value, value};
    assert_int_equal(mdb_put(o.txn, o.table, &key, &all, 0), 0);
  }
  commit(&o);
}

/* Asked again and again, as a crawl does. */
static bool nothing_is_due(frontier *f)
{
  frontier_lease lease;
  size_t count = 0;
  int64_t wait_ms = 0;
  for (int i = 0; i < 1000 && !count && wait_ms == 0; i++)
    assert_int_equal(frontier_next(f, 0, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  return !count && wait_ms == FRONTIER_WAIT_FOREVER;
}

/* All its rows have ended, and its hosts count many as waiting. */
CASE(what_is_not_there_is_not_waited_for)
{
  copy(half);
  put_all_done();
  small_crawl c = crawl_in(work, 10 * URLS);
  frontier *f = small_crawl_open(&c);
  frontier_stats before = stats_of(f);
  assert_true(before.queued > 0);
  assert_true(nothing_is_due(f));
  frontier_stats after = stats_of(f);
  assert_true(frontier_is_finished(f) && after.queued == 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = small_crawl_open(&c);
  after = stats_of(f);
  assert_int_equal(after.queued, 0);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

EACH_CASE(begin, end)
