/* frontier/store/write_set.h: what was gathered is written in its order, all of it or nothing, and again if wanted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/store/write_set.h"
#include "tests/site/random.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { KEYS = 50, VALUE_MAX = 6000 };

static char directory[SCRATCH_PATH];
static MDB_env *env;
static MDB_dbi table[2];
static uint64_t dice;

static int begin(void **state)
{
  (void)state;
  MDB_txn *txn;
  scratch_make_fast(directory);
  assert_int_equal(mdb_env_create(&env), 0);
  mdb_env_set_maxdbs(env, 2);
  mdb_env_set_mapsize(env, 64 << 20);
  assert_int_equal(mdb_env_open(env, directory, MDB_NOSYNC, 0600), 0);
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_dbi_open(txn, "numbers", MDB_CREATE | MDB_INTEGERKEY, &table[0]), 0);
  assert_int_equal(mdb_dbi_open(txn, "names", MDB_CREATE, &table[1]), 0);
  return mdb_txn_commit(txn);
}

static int end(void **state)
{
  (void)state;
  mdb_env_close(env);
  scratch_remove(directory);
  return 0;
}

static int apply(const write_set *w)
{
  MDB_txn *txn;
  assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
  int error = write_set_apply(w, txn);
  if (!error)
    return mdb_txn_commit(txn);
  mdb_txn_abort(txn);
  return error;
}

/* The value, as text; "" if there is no such key. */
static const char *value_at(int of, uint64_t number, char text[VALUE_MAX + 1])
{
  MDB_txn *txn;
  MDB_val key = {sizeof number, &number}, value;
  assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
  int error = mdb_get(txn, table[of], &key, &value);
  assert_true(error == 0 || error == MDB_NOTFOUND);
  size_t size = error ? 0 : value.mv_size;
  assert_true(size <= VALUE_MAX);
  if (size)
    memcpy(text, value.mv_data, size);
  text[size] = '\0';
  mdb_txn_abort(txn);
  return text;
}

static void put(write_set *w, int of, write_what what, uint64_t key, const char *text)
{
  uint8_t *at = write_set_put(w, &table[of], what, &key, sizeof key, strlen(text));
  assert_non_null(at);
  memcpy(at, text, strlen(text));
}

/* ---- each kind ------------------------------------------------------------------------------------------------ */

CASE(each_kind_does_what_it_says)
{
  char text[VALUE_MAX + 1];
  write_set w = {0};
  assert_true(write_set_is_empty(&w));
  assert_int_equal(apply(&w), 0);
  put(&w, 0, WRITE_PUT, 5, "five");
  put(&w, 0, WRITE_PUT, 6, "six");
  put(&w, 0, WRITE_APPEND, 7, "seven");
  put(&w, 0, WRITE_APPEND, 9, "nine");
  put(&w, 0, WRITE_PUT, 7, "seven again");
  put(&w, 0, WRITE_DELETE, 6, "");
  put(&w, 0, WRITE_DELETE, 8, ""); /* is not there */
  put(&w, 1, WRITE_PUT, 5, "of the other table");
  assert_false(write_set_is_empty(&w));
  assert_int_equal(w.weight, strlen("fivesixsevennineseven againof the other table"));
  assert_int_equal(apply(&w), 0);
  assert_string_equal(value_at(0, 5, text), "five");
  assert_string_equal(value_at(0, 6, text), "");
  assert_string_equal(value_at(0, 7, text), "seven again");
  assert_string_equal(value_at(0, 9, text), "nine");
  assert_string_equal(value_at(1, 5, text), "of the other table");
  write_set_clear(&w);
  assert_true(write_set_is_empty(&w) && w.weight == 0);
  write_set_free(&w);
}

CASE(an_error_is_the_sets)
{
  char text[VALUE_MAX + 1];
  write_set w = {0};
  put(&w, 0, WRITE_APPEND, 9, "nine");
  put(&w, 0, WRITE_APPEND, 3, "below the last");
  assert_int_equal(apply(&w), MDB_KEYEXIST);
  assert_string_equal(value_at(0, 9, text), "");
  write_set_clear(&w);
  put(&w, 0, WRITE_PUT, 1, "one");
  w.has_failed = true; /* as if memory had run out */
  assert_false(write_set_is_empty(&w));
  assert_int_not_equal(apply(&w), 0);
  assert_string_equal(value_at(0, 1, text), "");
  write_set_clear(&w);
  assert_true(write_set_is_empty(&w));
  assert_int_equal(apply(&w), 0);
  write_set_free(&w);
}

/* ---- any of them ---------------------------------------------------------------------------------------------- */

static char model[2][KEYS][VALUE_MAX + 1];

static void change(write_set *w)
{
  char text[VALUE_MAX + 1];
  int of = (int)random_below(&dice, 2);
  unsigned key = random_below(&dice, KEYS), what = random_below(&dice, 3);
  size_t size = random_below(&dice, 4) ? random_below(&dice, 30) + 1 : random_below(&dice, VALUE_MAX) + 1;
  memset(text, 'a' + (int)random_below(&dice, 26), size);
  text[size] = '\0';
  if (what == WRITE_APPEND)
    what = WRITE_PUT;
  if (what == WRITE_DELETE)
    put(w, of, WRITE_DELETE, key, "");
  else
    put(w, of, (write_what)what, key, text);
  if (what == WRITE_DELETE)
    model[of][key][0] = '\0';
  else
    memcpy(model[of][key], text, size + 1);
}

static void compare(void)
{
  static char text[VALUE_MAX + 1];
  for (int of = 0; of < 2; ++of)
    for (uint64_t key = 0; key < KEYS; key++)
      assert_string_equal(value_at(of, key, text), model[of][key]);
}

/* Sets of many sizes in the same memory; each is written a second time now and then, as after a failure. */
CASE(any_changes_in_their_order)
{
  write_set w = {0};
  memset(model, 0, sizeof model);
  for (int i = 0; i < 200; i++) {
    for (unsigned k = random_below(&dice, i % 20 ? 60 : 3000); k > 0; k--)
      change(&w);
    MDB_txn *txn;
    assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
    assert_int_equal(write_set_apply(&w, txn), 0);
    mdb_txn_abort(txn); /* nothing of it is there: */
    assert_int_equal(apply(&w), 0);
    write_set_clear(&w);
    if (i % 10 == 9)
      compare();
  }
  compare();
  write_set_free(&w);
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
