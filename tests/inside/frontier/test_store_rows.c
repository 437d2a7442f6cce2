/* frontier/store/store_rows.h, in real directories: rows by their numbers, values that are deleted in steps, a table
 * that is not there, and damage. */
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "frontier/store/store_rows.h"
#include "tests/site/random.h"
#include "tests/support/store_case.h"
#include "tests/support/test.h"

enum { ROWS_MAX = 5000 };

static uint64_t dice;

static void commit(store *s)
{
  if (store_commit(s) != FRONTIER_OK)
    fail_msg("%s", store_message(s));
}

/* A row is its number, and some more of it. */
static size_t size_of(uint64_t number)
{
  return 8 + (size_t)(number * 37 % 200);
}

static void put_value(store *s, uint64_t first, uint64_t count)
{
  rows_writer w = {.kind = ROWS_DOUBT, .id = STORE_CASE_ID, .first = first};
  size_t size;
  for (uint64_t number = first; number < first + count; ++number) {
    assert_true(rows_make_room(&w, size_of(number)));
    uint8_t *row = rows_add(&w, size_of(number), 0);
    memset(row, (int)(number % 251), size_of(number));
    memcpy(row, &number, sizeof number);
  }
  const uint8_t *value = rows_finish(&w, &size);
  store_append_raw(s, STORE_UNCONFIRMED, first, value, size);
  rows_free(&w);
}

static void check_row(void *context, const uint8_t *row, size_t size)
{
  uint64_t number = *(const uint64_t *)context, got;
  assert_int_equal(size, size_of(number));
  memcpy(&got, row, sizeof got);
  assert_true(got == number);
  assert_true(size == 8 || row[size - 1] == number % 251);
}

static frontier_status find(store *s, uint64_t number)
{
  return store_find_row(s, STORE_UNCONFIRMED, ROWS_DOUBT, number, check_row, &number);
}

static frontier_status read_span(store *s, uint64_t *first, uint64_t *next)
{
  return store_row_span(s, STORE_UNCONFIRMED, ROWS_DOUBT, first, next);
}

static bool count_rows(void *context, uint64_t key, rows_block *block)
{
  (void)key;
  *(uint64_t *)context += block->count;
  return true;
}

static frontier_status delete_some(store *s, uint64_t before, size_t values, size_t bytes, bool *is_over)
{
  return store_delete_rows(s, STORE_UNCONFIRMED, ROWS_DOUBT, before, values, bytes, is_over);
}

CASE(a_table_that_is_not_there_has_no_rows)
{
  uint64_t first, next, count = 0;
  bool is_over = false;
  for (int read_only = 0; read_only < 2; ++read_only) {
    store *s = store_case_open(read_only);
    assert_null(store_missing_table(s));
    assert_int_equal(store_find_table(s, STORE_UNCONFIRMED, false), FRONTIER_NOT_FOUND);
    assert_int_equal(read_span(s, &first, &next), FRONTIER_OK);
    assert_true(first == 0 && next == 0);
    assert_int_equal(find(s, 1), FRONTIER_NOT_FOUND);
    assert_int_equal(store_each_block(s, STORE_UNCONFIRMED, ROWS_DOUBT, 0, count_rows, &count), FRONTIER_OK);
    assert_true(count == 0);
    assert_int_equal(store_count(s, STORE_UNCONFIRMED, &count), FRONTIER_OK);
    assert_true(count == 0);
    if (!read_only) {
      assert_int_equal(store_begin(s), FRONTIER_OK);
      assert_int_equal(delete_some(s, 10, 10, 10, &is_over), FRONTIER_OK);
      assert_true(is_over);
      commit(s);
    }
    store_close(s);
  }
}

CASE(the_table_is_made_once)
{
  uint64_t first, next;
  store *s = store_case_open(false);
  assert_int_equal(store_find_table(s, STORE_UNCONFIRMED, true), FRONTIER_OK);
  assert_int_equal(read_span(s, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0);
  assert_int_equal(find(s, 1), FRONTIER_NOT_FOUND);
  store_begin(s);
  put_value(s, 1, 3);
  commit(s);
  assert_int_equal(store_find_table(s, STORE_UNCONFIRMED, true), FRONTIER_OK);
  store_close(s);
  s = store_case_open(true);
  assert_int_equal(store_find_table(s, STORE_UNCONFIRMED, false), FRONTIER_OK);
  assert_int_equal(find(s, 3), FRONTIER_OK);
  store_close(s);
}

/* With gaps before, between and behind values. */
CASE(each_row_is_found)
{
  static bool is_there[ROWS_MAX];
  uint64_t next = 1 + random_below(&dice, 100), first = next, end_row = 0, count = 0, found = 0, got_first, got_next;
  memset(is_there, 0, sizeof is_there);
  store *s = store_case_open(false);
  store_find_table(s, STORE_UNCONFIRMED, true);
  for (uint64_t rows; next < ROWS_MAX; next += rows) {
    rows = 1 + random_below(&dice, random_one_in(&dice, 3) ? 1000 : 70);
    rows = rows < ROWS_MAX - next ? rows : ROWS_MAX - next;
    store_begin(s);
    put_value(s, next, rows);
    commit(s);
    memset(is_there + next, true, rows);
    count += rows;
    end_row = next + rows;
    if (random_one_in(&dice, 3) && next + rows < ROWS_MAX)
      next += random_below(&dice, 100);
  }
  for (uint64_t number = 0; number < ROWS_MAX + 200; ++number) {
    bool is_wanted = number < ROWS_MAX && is_there[number];
    assert_int_equal(find(s, number), is_wanted ? FRONTIER_OK : FRONTIER_NOT_FOUND);
  }
  assert_int_equal(read_span(s, &got_first, &got_next), FRONTIER_OK);
  assert_true(got_first == first && got_next == end_row);
  assert_int_equal(store_each_block(s, STORE_UNCONFIRMED, ROWS_DOUBT, 0, count_rows, &found), FRONTIER_OK);
  assert_true(found == count);
  store_close(s);
}

CASE(values_are_deleted_in_steps)
{
  enum { VALUES = 60, EACH = 30, ALL = VALUES * EACH + 1 };
  uint64_t first, next, gone = 0;
  store *s = store_case_open(false);
  store_find_table(s, STORE_UNCONFIRMED, true);
  store_begin(s);
  for (uint64_t i = 0; i < VALUES; ++i)
    put_value(s, 1 + i * EACH, EACH);
  commit(s);
  for (uint64_t before = 1; gone < VALUES; before += random_below(&dice, 4 * EACH)) {
    bool is_over = false;
    before = before < ALL ? before : ALL;
    while (!is_over) {
      size_t values = 1 + random_below(&dice, 3), bytes = random_one_in(&dice, 2) ? 1 : 100000;
      uint64_t before_step = gone;
      store_begin(s);
      assert_int_equal(delete_some(s, before, values, bytes, &is_over), FRONTIER_OK);
      commit(s);
      assert_int_equal(read_span(s, &first, &next), FRONTIER_OK);
      gone = first ? (first - 1) / EACH : VALUES;
      assert_true(is_over || gone > before_step);
      assert_true(gone - before_step <= (bytes == 1 ? 1 : values));
    }
    assert_true(gone == (before - 1) / EACH);
    assert_int_equal(find(s, before), before < ALL ? FRONTIER_OK : FRONTIER_NOT_FOUND);
  }
  store_close(s);
}

/* Flips a bit of what is behind the value's byte `at`; from the end if it is negative. */
static void flip(store *s, uint64_t number, long at)
{
  MDB_txn *txn;
  MDB_val key = {sizeof number, &number}, value;
  assert_int_equal(mdb_txn_begin(s->env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_get(txn, s->table[STORE_UNCONFIRMED], &key, &value), 0);
  uint8_t *copy = malloc(value.mv_size);
  memcpy(copy, value.mv_data, value.mv_size);
  copy[at < 0 ? (size_t)((long)value.mv_size + at) : (size_t)at] ^= 1;
  value.mv_data = copy;
  assert_int_equal(mdb_put(txn, s->table[STORE_UNCONFIRMED], &key, &value, 0), 0);
  assert_int_equal(mdb_txn_commit(txn), 0);
  free(copy);
}

CASE(damage_is_said_and_can_be_deleted)
{
  uint64_t first, next;
  bool is_over = false;
  store *s = store_case_open(false);
  store_find_table(s, STORE_UNCONFIRMED, true);
  store_begin(s);
  put_value(s, 1, 200);
  put_value(s, 201, 10);
  commit(s);
  flip(s, 1, ROWS_HEAD + ROWS_BLOCK_HEAD + 3); /* its first block */
  assert_int_equal(find(s, 64), FRONTIER_DAMAGED);
  assert_non_null(strstr(store_message(s), "table unconfirmed is damaged"));
  assert_int_equal(find(s, 65), FRONTIER_OK);
  flip(s, 1, 9); /* its head */
  assert_int_equal(find(s, 65), FRONTIER_DAMAGED);
  assert_int_equal(find(s, 201), FRONTIER_OK);
  assert_int_equal(read_span(s, &first, &next), FRONTIER_OK);
  assert_true(first == 1 && next == 211);
  store_begin(s);
  assert_int_equal(delete_some(s, 201, 10, 1000000, &is_over), FRONTIER_OK);
  commit(s);
  assert_true(is_over);
  assert_int_equal(read_span(s, &first, &next), FRONTIER_OK);
  assert_true(first == 201);
  flip(s, 201, 9);
  assert_int_equal(read_span(s, &first, &next), FRONTIER_DAMAGED);
  is_over = false;
  store_begin(s);
  assert_int_equal(delete_some(s, 1000, 10, 1000000, &is_over), FRONTIER_OK); /* how far it reaches is not known */
  commit(s);
  assert_true(is_over);
  assert_int_equal(find(s, 201), FRONTIER_DAMAGED);
  store_close(s);
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(store_case_begin, store_case_end)
