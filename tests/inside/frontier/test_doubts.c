/* frontier/late/doubts.h, in real directories and with tiny limits: against a plain model, through commits, crashes,
 * passes that are cut short, damage to the files, and calls that fail. Damage in LMDB: test_doubts_damage.c. */
#include "tests/support/doubts_life.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/site/random.h"
#include "tests/support/each_fault.h"
#include "tests/support/test.h"

/* ---- any life ----------------------------------------------------------------------------------------------- */

static void something(void)
{
  switch (random_below(&life.dice, 12)) {
  case 0:
  case 1: life_add(random_below(&life.dice, random_one_in(&life.dice, 4) ? 150 : 20)); break;
  case 2:
  case 3: life_commit(CUT_NOT); break;
  case 4:
  case 5: life_steps(1 + random_below(&life.dice, 20)); break;
  case 6:
    if (!life.pass_count)
      life_begin_pass();
    break;
  case 7:
  case 8:
    if (life.pass_count)
      life_go_on(1 + random_below(&life.dice, 60));
    break;
  case 9:
    if (random_one_in(&life.dice, 3))
      life_damage_a_file();
    break;
  case 10:
    if (life.pass_count && random_one_in(&life.dice, 5)) {
      doubts_abandon(life.d);
      life.pass_count = 0;
    }
    break;
  default: life_ask(); break;
  }
}

static void live(unsigned lives)
{
  for (unsigned i = 0; i < lives; ++i) {
    life_open(true);
    life_see_all();
    for (int left = 20 + (int)random_below(&life.dice, 200); left; --left) {
      if (random_one_in(&life.dice, 4))
        life_arm();
      something();
      life_check_numbers();
    }
    faults_end();
    if (random_one_in(&life.dice, 3))
      life_see_all();
    if (random_one_in(&life.dice, 2))
      life_commit((life_cut)random_below(&life.dice, 3));
    life_crash();
    if (random_one_in(&life.dice, 3))
      life_damage_a_file();
    if (random_one_in(&life.dice, 3))
      life_be_a_reader(random_one_in(&life.dice, 2));
  }
  life.may_fail = false;
  life_open(true);
  life_settle_all();
  life_close();
}

CASE(any_life)
{
  live(40);
}

CASE(any_life_where_calls_fail)
{
  life.may_fail = true;
  live(40);
}

/* ---- killed at each call that changes a file ---------------------------------------------------------------- */

enum { ACCEPTED = STORE_DUE }; /* number of a row -> nothing: what the caller accepts, in the same transaction */

static unsigned scripted_key(uint64_t number)
{
  return (unsigned)(random_stream(9, number) % 90);
}

static bool note_key(void *context, uint64_t number, const uint8_t *body, size_t size)
{
  (void)body, (void)size;
  bool *is_late = context;
  assert_false(is_late[scripted_key(number)]); /* accepted once */
  is_late[scripted_key(number)] = true;
  return true;
}

static void commit_with(uint64_t *accepted, size_t *count)
{
  store_begin(life.s);
  doubts_put(life.d, life.s);
  for (size_t i = 0; accepted && i < *count; ++i)
    store_put(life.s, (store_table)ACCEPTED, accepted[i], "", 0);
  *count = 0;
  assert_int_equal(store_seal(life.s), FRONTIER_OK);
  doubts_sealed(life.d);
  assert_int_equal(store_make_ready(life.s), FRONTIER_OK);
  store_land(life.s);
  assert_int_equal(store_landed(life.s), FRONTIER_OK);
  doubts_landed(life.d);
}

/* A pass as the frontier does it, with a commit in the middle. */
static void scripted_pass(bool *is_late)
{
  numbered_key items[16];
  uint64_t accepted[100];
  size_t count, accepted_count = 0;
  assert_int_equal(doubts_begin(life.d, life.message), FRONTIER_OK);
  for (int i = 0; doubts_next(life.d, items, 16, &count, life.message) == FRONTIER_OK && count; ++i) {
    for (size_t k = 0; k < count; ++k) {
      unsigned key = scripted_key(items[k].number);
      assert_int_equal(key_compare(items[k].key, life_hash_of(key)), 0);
      if (key % 3 || is_late[key])
        continue;
      is_late[key] = true;
      accepted[accepted_count++] = items[k].number;
      doubts_accepted(life.d);
    }
    if (i % 2)
      commit_with(accepted, &accepted_count);
  }
  doubts_end(life.d);
  commit_with(accepted, &accepted_count);
}

static void scripted_life(uint64_t *next)
{
  bool is_late[KEYS] = {false};
  life_open(true);
  for (int round = 0; round < 9; ++round) {
    for (int i = 0; i < 35; ++i) {
      life_texts t;
      uint64_t number = *next + (uint64_t)i;
      life.rows[number].key = scripted_key(number);
      doubt_row row = life_row_of(number, &t);
      assert_true(doubts_add(life.d, &row));
    }
    commit_with(NULL, &(size_t){0});
    *next += 35;
    while (doubts_can_step(life.d))
      assert_int_equal(doubts_step(life.d, life.message), FRONTIER_OK);
    if (round % 4 == 3)
      scripted_pass(is_late);
  }
  life_close();
}

/* Each new key has been accepted once in the end. */
static void check_what_is_left(uint64_t known)
{
  bool is_late[KEYS] = {false};
  uint8_t *body = NULL;
  size_t size = 0;
  uint64_t first, next;
  life_open_store(true);
  store_get_meta(life.s, "late", &body, &size);
  assert_int_equal(life_try_open(body, size, true), FRONTIER_OK);
  free(body);
  assert_int_equal(store_each(life.s, (store_table)ACCEPTED, 0, note_key, is_late), FRONTIER_OK);
  scripted_pass(is_late);
  for (uint64_t number = 1; number < known; ++number)
    assert_true(scripted_key(number) % 3 || is_late[scripted_key(number)]);
  while (doubts_is_dirty(life.d))
    commit_with(NULL, &(size_t){0});
  assert_int_equal(store_row_span(life.s, STORE_UNCONFIRMED, ROWS_DOUBT, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0 && doubts_waiting(life.d) == 0);
  char path[SCRATCH_PATH];
  assert_int_equal(life_list_files(true, 0, path), 0);
  memset(is_late, 0, sizeof is_late);
  assert_int_equal(store_each(life.s, (store_table)ACCEPTED, 0, note_key, is_late), FRONTIER_OK);
  life_close();
}

CASE(killed_at_each_call)
{
  uint64_t *next = fault_witness(sizeof *next); /* of the rows that the one who is killed knows to be on disk */
  unsigned lives = 0;
  for (fault_class what = FAULT_WRITE; what <= FAULT_SYNC; ++what) {
    fault_loop l = {.what = what, .error = FAULT_DEATH};
    while (fault_next(&l)) {
      *next = 1;
      if (fault_begin(&l)) {
        scripted_life(next);
        fault_end(&l, 0);
      }
      check_what_is_left(*next);
      life_end(state);
      life_begin(state);
    }
    lives += l.number;
  }
  assert_true(lives > 40);
}

static int prepare(void **state)
{
  (void)state;
  life.dice = random_seed();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(life_begin, life_end)
