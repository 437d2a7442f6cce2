/* The care of a directory with exact keys: compact, erase, snapshot and merge, where links wait to be confirmed and all
 * keys are in runs. Whatever is done: no URL is lost, none is fetched twice. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"
#include "tests/support/waiting_crawl.h"

enum { OWN = 5000 };

/* ---- compact --------------------------------------------------------------------------------------------------- */

static void compact(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  if (frontier_compact(waiting_directory, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
}

static uint64_t rows_in(const char *where, second_table table)
{
  second_view v;
  uint64_t count = 0;
  second_read(where, false, &v);
  for (size_t i = 0; i < v.record_count; i++)
    count += v.records[i].table == table;
  second_free(&v);
  return count;
}

/* The runs stay, and the links that wait. */
CASE_WITH(compacted_with_all_that_waits, waiting_begin, waiting_end)
{
  char path[SCRATCH_PATH], after[SCRATCH_PATH];
  size_t size, size_after;
  small_crawl c = waiting_crawl(waiting_directory, "/");
  frontier *f = waiting_open(&c, true);
  uint64_t unconfirmed = waiting_stats(f).unconfirmed;
  frontier_close(f);
  unsigned runs = waiting_find_file(waiting_directory, "keys.", path, &size);
  compact();
  assert_int_equal(waiting_find_file(waiting_directory, "keys.", after, &size_after), runs);
  assert_string_equal(path, after);
  assert_int_equal(rows_in(waiting_directory, SECOND_UNCONFIRMED), 1); /* of few values one */
  f = waiting_open(&c, true);
  assert_int_equal(waiting_stats(f).unconfirmed, unconfirmed);
  frontier_close(f);
  waiting_assert_well(waiting_directory);
  compact();
  assert_int_equal(rows_in(waiting_directory, SECOND_UNCONFIRMED), 0); /* all are settled */
  waiting_assert_sound(waiting_directory);
}

/* The runs have what was erased from the log: they are made again. */
CASE_WITH(what_was_forgotten_is_not_in_the_runs, waiting_begin, waiting_end)
{
  uint64_t forgotten;
  unsigned wanted = 0, again = 0;
  small_crawl c = waiting_crawl(waiting_directory, "/");
  frontier *f = waiting_open(&c, false);
  waiting_fetch_all(f);
  assert_int_equal(frontier_forget_host(f, "h0.test", 7, &forgotten), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  compact();
  assert_int_equal(rows_in(waiting_directory, SECOND_REVOKED), 0);
  waiting_assert_sound(waiting_directory);
  f = waiting_open(&c, true);
  for (unsigned i = 0; i < WAITING_FOUND; i++) {
    again += waiting_is_new(waiting_ask(f, &c, i));
    wanted += memcmp(waiting_url.fetch, "http://h0.test/", 15) == 0;
  }
  assert_int_equal(again, wanted);
  assert_true(forgotten > wanted && wanted > WAITING_FOUND / 3);
  frontier_close(f);
  f = waiting_open(&c, false);
  waiting_add(f, &c, 0, WAITING_FOUND);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, WAITING_FOUND + wanted);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  waiting_assert_sound(waiting_directory);
}

/* ---- an older directory, with a table of its keys ---------------------------------------------------------------- */

static void make_old_table(void)
{
  enum { KEYS = 500 };
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  char bytes[24] = {0};
  MDB_val key = {sizeof bytes, bytes}, value = {4, bytes};
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, SECOND_TABLES);
  mdb_env_set_mapsize(env, (size_t)1 << 32);
  assert_int_equal(mdb_env_open(env, waiting_directory, 0, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, "exact", MDB_CREATE, &dbi), 0);
  for (unsigned i = 0; i < KEYS; i++) {
    memcpy(bytes + 8, &i, sizeof i);
    assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
  }
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static bool has_old_table(void)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, SECOND_TABLES);
  assert_int_equal(mdb_env_open(env, waiting_directory, MDB_RDONLY, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
  int error = mdb_dbi_open(txn, "exact", 0, &dbi);
  mdb_txn_abort(txn);
  mdb_env_close(env);
  assert_true(error == 0 || error == MDB_NOTFOUND);
  return error == 0;
}

/* It is not looked at; a compaction and a repair leave it out. */
CASE(a_table_of_keys_is_left_out)
{
  for (int by_repair = 0; by_repair < 2; by_repair++) {
    waiting_begin(state);
    make_old_table();
    assert_int_equal(waiting_check(waiting_directory).faults, 0);
    small_crawl c = waiting_crawl(waiting_directory, "/");
    waiting_assert_kept(&c);
    if (by_repair) {
      waiting_damage_root();
      assert_true(waiting_repair().was_rebuilt);
    } else {
      compact();
    }
    assert_false(has_old_table());
    waiting_assert_well(waiting_directory);
    waiting_end(state);
  }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void snapshot_to(const char *to, bool read_only)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  small_crawl c = waiting_crawl(waiting_directory, "/");
  frontier *f = waiting_open(&c, read_only);
  if (frontier_snapshot(f, to, NULL, message) != FRONTIER_OK)
    fail_msg("%s", message);
  frontier_close(f);
}

CASE_WITH(a_snapshot_has_its_files, waiting_begin, waiting_end)
{
  char path[SCRATCH_PATH];
  size_t size, size_there;
  for (int read_only = 0; read_only < 2; read_only++) {
    snapshot_to(waiting_made, read_only);
    assert_int_equal(waiting_find_file(waiting_made, "keys.", path, &size_there),
                     waiting_find_file(waiting_directory, "keys.", path, &size));
    assert_int_equal(size_there, size);
    assert_int_equal(waiting_find_file(waiting_made, "doubts.", path, &size_there),
                     waiting_find_file(waiting_directory, "doubts.", path, &size));
    assert_int_equal(size_there, size);
    waiting_assert_well(waiting_made);
    scratch_remove(waiting_made);
  }
}

/* As when the writer has merged it meanwhile. */
CASE_WITH(a_snapshot_without_one_makes_it_again, waiting_begin, waiting_end)
{
  char path[SCRATCH_PATH] = "";
  size_t size;
  assert_true(waiting_find_file(waiting_directory, "keys.", path, &size) > 0);
  unlink(path);
  assert_true(waiting_find_file(waiting_directory, "doubts.", path, &size) > 0);
  unlink(path);
  snapshot_to(waiting_made, true);
  waiting_assert_goes_on(waiting_made);
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

/* Those that were found and are not known. */
static unsigned count_waiting(const small_crawl *c, bool *is_waiting)
{
  unsigned count = 0;
  frontier *f = waiting_open(c, true);
  for (unsigned i = 0; i < WAITING_FOUND; i++) {
    is_waiting[i] = waiting_ask(f, c, i) != FRONTIER_SEEN;
    count += is_waiting[i];
  }
  frontier_close(f);
  return count;
}

static frontier_status merge_both(char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_merged merged;
  return frontier_merge((const char *const[]){waiting_directory, waiting_other}, 2, waiting_made, &merged, message);
}

/* It was fetched, and found again. */
enum { FORGOTTEN = WAITING_KNOWN - 150 };

static void forget(const small_crawl *c, unsigned number)
{
  bool was_seen;
  frontier *f = waiting_open(c, false);
  small_crawl_url(c, number, &waiting_url);
  assert_int_equal(frontier_forget(f, &(frontier_link){.target = &waiting_url}, &was_seen), FRONTIER_OK);
  assert_true(was_seen);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* What waited in one of them waits in the merge, and is fetched by its next crawl, once. */
static void check_merge(const uint8_t *second_secret)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  static bool waits[2][WAITING_FOUND];
  waiting_make(waiting_other, "/other/", second_secret);
  small_crawl c[2] = {waiting_crawl(waiting_directory, "/"), waiting_crawl(waiting_other, "/other/")};
  unsigned waiting = count_waiting(&c[0], waits[0]) + count_waiting(&c[1], waits[1]);
  forget(&c[0], FORGOTTEN);
  forget(&c[1], FORGOTTEN);
  waits[0][FORGOTTEN] = waits[1][FORGOTTEN] = true; /* new, and so not seen */
  if (merge_both(message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(waiting_check(waiting_made).faults, 0); /* the second reader wants URLs */
  c[0].directory = c[1].directory = waiting_made;
  frontier *f = waiting_open(&c[0], false);
  assert_true(frontier_is_exact(f) && waiting > 100);
  for (int j = 0; j < 2; j++)
    for (unsigned i = 0; i < WAITING_FOUND; i++)
      assert_int_equal(waiting_ask(f, &c[j], i) != FRONTIER_SEEN, waits[j][i]);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, waiting);
  assert_int_equal(waiting_stats(f).late, waiting);
  assert_true(waiting_is_new(waiting_ask(f, &c[0], FORGOTTEN)) && waiting_is_new(waiting_ask(f, &c[1], FORGOTTEN)));
  waiting_add(f, &c[0], 0, WAITING_FOUND);
  waiting_add(f, &c[1], 0, WAITING_FOUND);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, waiting + 2);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(waiting_check(waiting_made).faults, 0);
}

CASE_WITH(merged_with_all_that_waits, waiting_begin, waiting_end)
{
  check_merge(test_secret(0));
}

CASE_WITH(merged_with_another_secret, waiting_begin, waiting_end)
{
  check_merge(test_secret(1));
}

/* By keys of the caller's own. */
static void add_own(frontier *f, const small_crawl *c, unsigned number)
{
  frontier_verdict verdict;
  char text[16];
  mlbf_span own = {text, (size_t)snprintf(text, sizeof text, "isbn:%u", number)};
  small_crawl_url(c, OWN + number, &waiting_url);
  const frontier_link link = {.target = &waiting_url, .key = &own, .key_count = 1};
  size_t settled;
  assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
}

/* The key of such a link cannot be made again. */
CASE_WITH(own_keys_that_wait_keep_their_secret, waiting_begin, waiting_end)
{
  enum { LINKS = 40 };
  char message[FRONTIER_MESSAGE_SIZE] = "";
  waiting_make(waiting_other, "/other/", test_secret(1));
  small_crawl c[2] = {waiting_crawl(waiting_directory, "/"), waiting_crawl(waiting_other, "/other/")};
  for (int i = 0; i < 2; i++) {
    frontier *f = waiting_open(&c[i], false);
    waiting_fetch_all(f);
    for (unsigned k = 0; k < LINKS; k++)
      add_own(f, &c[i], k);
    assert_true(waiting_stats(f).unconfirmed > 0 && waiting_stats(f).unconfirmed < LINKS);
    assert_int_equal(frontier_close(f), FRONTIER_OK);
  }
  assert_int_equal(merge_both(message), FRONTIER_MISMATCH);
  scratch_remove(waiting_other);
  waiting_make(waiting_other, "/other/", test_secret(1));
  if (merge_both(message) != FRONTIER_OK)
    fail_msg("%s", message);
  c[0].directory = waiting_made;
  c[0].secret = test_secret(0); /* else another is not opened */
  frontier *f = waiting_open(&c[0], false);
  uint64_t done = waiting_stats(f).done;
  waiting_fetch_all(f);
  assert_true(waiting_stats(f).done > done);
  done = waiting_stats(f).done;
  for (unsigned k = 0; k < LINKS; k++)
    add_own(f, &c[0], k);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, done);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(waiting_check(waiting_made).faults, 0);
}

/* There is nothing that confirms: the filter judges such a link when it is found again. */
CASE_WITH(what_waits_is_left_out_where_keys_are_not_exact, waiting_begin, waiting_end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "", path[SCRATCH_PATH];
  size_t size;
  small_crawl plain = waiting_crawl(waiting_other, "/other/");
  plain.exact = false;
  frontier *f = waiting_open(&plain, false);
  waiting_add(f, &plain, 0, WAITING_KNOWN);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  if (merge_both(message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_int_equal(waiting_check(waiting_made).faults, 0);
  assert_int_equal(waiting_find_file(waiting_made, "keys.", path, &size), 0);
  plain.directory = waiting_made;
  f = waiting_open(&plain, true);
  assert_false(frontier_is_exact(f));
  assert_int_equal(waiting_stats(f).unconfirmed, 0);
  frontier_close(f);
}

ALL_CASES(waiting_begin_all, waiting_end_all)
