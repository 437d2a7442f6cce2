/* Check and repair of a directory with exact keys, where links wait to be confirmed and all keys are in runs. Files of
 * keys are made again from the log and from the links; whatever is done, none is lost, and none is fetched twice. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"
#include "tests/support/waiting_crawl.h"

typedef enum harm { A_KEY, A_HEAD, AN_END, NO_FILE, HARMS } harm;

static void do_harm(const char *path, size_t size, harm what)
{
  char *bytes = scratch_read(path, &size);
  if (what == A_KEY)
    waiting_flip(path, size - WAITING_PAGE + 100);
  else if (what == A_HEAD)
    waiting_flip(path, 20);
  else if (what == AN_END)
    scratch_write(path, bytes, size - WAITING_PAGE);
  else
    unlink(path);
  free(bytes);
}

/* They are made of other things: so they are made again, and nothing is lost. One that is missing is no fault. */
CASE(damaged_files_of_keys_are_made_again)
{
  static const char *const kinds[] = {"keys.", "doubts."};
  for (int i = 0; i < 2 * HARMS; i++) {
    char path[SCRATCH_PATH] = "";
    size_t size;
    waiting_begin(state);
    assert_true(waiting_find_file(waiting_directory, kinds[i / HARMS], path, &size) > 0);
    do_harm(path, size, (harm)(i % HARMS));
    frontier_findings found = waiting_check(waiting_directory);
    assert_int_equal(found.faults, i % HARMS == NO_FILE ? 0 : 1);
    assert_int_equal(found.filter_faults, found.faults);
    assert_int_equal(waiting_second_faults() > 0, found.faults > 0);
    frontier_repairs done = waiting_repair();
    assert_true(!done.was_rebuilt && done.gone == 0 && done.keys_gone == 0);
    if (found.faults)
      waiting_assert_well(waiting_directory);
    else
      waiting_assert_goes_on(waiting_directory);
    waiting_end(state);
  }
}

/* Without a repair, too: what is found to be damaged is left alone, and read again from the log. */
CASE(they_are_found_in_use)
{
  static const char *const kinds[] = {"keys.", "doubts."};
  for (int i = 0; i < 2 * HARMS; i++) {
    small_crawl c = waiting_crawl(waiting_directory, "/");
    char path[SCRATCH_PATH] = "";
    size_t size;
    waiting_begin(state);
    assert_true(waiting_find_file(waiting_directory, kinds[i / HARMS], path, &size) > 0);
    do_harm(path, size, (harm)(i % HARMS));
    waiting_assert_once(&c);
    waiting_assert_sound(waiting_directory);
    waiting_end(state);
  }
}

/* ---- records and rows ------------------------------------------------------------------------------------------ */

typedef void change(void *context, uint8_t *record, size_t size);

/* Another meta record, whose checksum is right. */
static void forge(const char *name, change *make_change, void *context)
{
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  union {
    const char *in;
    void *out;
  } bytes = {.in = name};
  MDB_val key = {strlen(name), bytes.out}, value;
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, SECOND_TABLES);
  mdb_env_set_mapsize(env, (size_t)1 << 32);
  assert_int_equal(mdb_env_open(env, waiting_directory, 0, 0666), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, "meta", 0, &dbi), 0);
  assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
  uint8_t *copy = malloc(value.mv_size);
  assert_non_null(copy);
  memcpy(copy, value.mv_data, value.mv_size);
  make_change(context, copy, value.mv_size);
  uint32_t sum = (uint32_t)XXH3_64bits_withSeed(copy + 4, value.mv_size - 4, XXH3_64bits(name, strlen(name)));
  memcpy(copy, &sum, sizeof sum);
  value.mv_data = copy;
  assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
  free(copy);
  assert_int_equal(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

static void add_one(void *context, uint8_t *record, size_t size)
{
  const size_t *at = context;
  assert_true(*at < size);
  record[*at]++;
}

/* One key of a file is another, and the page has its checksum: only what the file is made of tells. */
static void forge_key(const char *path)
{
  second_view v;
  size_t size;
  char *bytes = scratch_read(path, &size), *page = bytes + size - WAITING_PAGE;
  second_read(waiting_directory, true, &v);
  const uint64_t place[2] = {strtoull(strrchr(path, '.') + 1, NULL, 10), size / WAITING_PAGE - 1};
  page[16] = (char)(page[16] ^ 1);
  uint64_t sum = XXH3_64bits_withSeed(page + 8, WAITING_PAGE - 8, XXH3_64bits_withSeed(place, sizeof place, v.id));
  memcpy(page, &sum, sizeof sum);
  scratch_write(path, bytes, size);
  second_free(&v);
  free(bytes);
}

CASE(files_with_other_keys_are_found)
{
  static const char *const kinds[] = {"keys.", "doubts."};
  for (int i = 0; i < 2; i++) {
    char path[SCRATCH_PATH] = "";
    size_t size;
    waiting_begin(state);
    assert_true(waiting_find_file(waiting_directory, kinds[i], path, &size) > 0);
    forge_key(path);
    frontier_findings found = waiting_check(waiting_directory);
    assert_true(found.faults == 1 && found.filter_faults == 1);
    assert_true(waiting_second_faults() > 0);
    assert_false(waiting_repair().was_rebuilt);
    waiting_assert_well(waiting_directory);
    waiting_end(state);
  }
}

CASE(forged_records_are_found_and_repaired)
{
  enum { VERSION = 4, FIRST_MARK = 16, FROM = 8, SETTLED = 12, NEXT = 20, FILES = 44 };
  static struct row {
    const char *name;
    size_t at;
  } rows[] = {{"run_marks", VERSION},
              {"run_marks", FIRST_MARK + 7},
              {"run_marks", FIRST_MARK + FROM + 3},
              {"late", SETTLED + 7},
              {"late", NEXT},
              {"late", FILES}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    waiting_begin(state);
    forge(rows[i].name, add_one, &rows[i].at);
    frontier_findings found = waiting_check(waiting_directory);
    assert_true(found.faults > found.filter_faults);
    assert_true(waiting_second_faults() > 0);
    assert_true(waiting_repair().was_rebuilt);
    waiting_assert_well(waiting_directory);
    waiting_end(state);
  }
}

CASE_WITH(a_rebuilt_one_keeps_all, waiting_begin, waiting_end)
{
  small_crawl c = waiting_crawl(waiting_directory, "/");
  frontier *f = waiting_open(&c, true);
  frontier_stats before = waiting_stats(f);
  frontier_close(f);
  waiting_damage_root();
  frontier_repairs done = waiting_repair();
  assert_true(done.was_rebuilt && done.gone == 0 && done.keys_gone == 0);
  f = waiting_open(&c, true);
  assert_int_equal(waiting_stats(f).unconfirmed, before.unconfirmed);
  assert_int_equal(waiting_stats(f).late, before.late);
  frontier_close(f);
  waiting_assert_well(waiting_directory);
}

/* Nothing leads to any page: the blocks of their rows are found. */
CASE_WITH(links_are_found_without_a_tree, waiting_begin, waiting_end)
{
  char data[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE] = "";
  size_t size;
  frontier_sizes sizes;
  small_crawl c = waiting_crawl(waiting_directory, "/");
  if (frontier_compact(waiting_directory, &sizes, message) != FRONTIER_OK)
    fail_msg("%s", message);
  frontier *f = waiting_open(&c, true);
  uint64_t unconfirmed = waiting_stats(f).unconfirmed;
  frontier_close(f);
  scratch_join(waiting_directory, "data.mdb", data);
  char *bytes = scratch_read(data, &size);
  memset(bytes, 0, (size_t)2 * WAITING_PAGE);
  scratch_write(data, bytes, size);
  free(bytes);
  frontier_repairs done = waiting_repair();
  assert_true(done.was_rebuilt && done.gone == 0 && done.found_again == done.kept);
  f = waiting_open(&c, true);
  assert_int_equal(waiting_stats(f).unconfirmed, unconfirmed);
  frontier_close(f);
  waiting_assert_well(waiting_directory);
}

static void count_gone(void *context, const char *sentence)
{
  unsigned *gone = context;
  sscanf(sentence, "gone: %u unconfirmed links", gone);
  print_message("%s\n", sentence);
}

/* Of a block that is damaged the rows are gone, and the repair says so; they are new when they are found again. */
CASE_WITH(a_lost_block_loses_its_links, waiting_begin, waiting_end)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  unsigned gone = 0, lost = 0;
  small_crawl c = waiting_crawl(waiting_directory, "/");
  spoil_value v = {0}, next; /* the last, as the first may be settled */
  for (size_t i = 0; (next = spoil_read(waiting_directory, "unconfirmed", i)).bytes; i++) {
    spoil_free(&v);
    v = next;
  }
  assert_non_null(v.bytes);
  assert_true(spoil_flip(waiting_directory, &v, spoil_block(&v, 0) + 40) > 0);
  spoil_free(&v);
  frontier_findings found = waiting_check(waiting_directory);
  assert_true(found.faults > found.filter_faults);
  if (frontier_repair(waiting_directory, NULL, count_gone, &gone, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  assert_true(done.was_rebuilt && done.gone == 0);
  waiting_assert_sound(waiting_directory);
  frontier *f = waiting_open(&c, false);
  waiting_fetch_all(f);
  for (unsigned i = 0; i < WAITING_FOUND; i++)
    lost += waiting_is_new(waiting_ask(f, &c, i));
  print_message("%u links gone, %u of them new\n", gone, lost);
  assert_true(gone > 0 && lost <= gone);
  waiting_add(f, &c, 0, WAITING_FOUND);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, WAITING_FOUND);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  waiting_assert_sound(waiting_directory);
}

ALL_CASES(waiting_begin_all, waiting_end_all)
