/* frontier/late/doubts.h where its records in LMDB are damaged: each is refused in words, or was not needed. */
#include "tests/support/doubts_life.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/site/random.h"
#include "tests/support/spoil.h"
#include "tests/support/test.h"

CASE(any_record)
{
  uint8_t *body, bytes[200];
  size_t size, refused = 0;
  life_open(true);
  for (int i = 0; i < 4; ++i) {
    life_add(50);
    life_commit(CUT_NOT);
    life_steps(SIZE_MAX);
  }
  while (doubts_is_dirty(life.d))
    life_commit(CUT_NOT);
  assert_int_equal(store_get_meta(life.s, "late", &body, &size), FRONTIER_OK);
  assert_true(size > 48 && size < sizeof bytes);
  doubts_free(life.d);
  for (int i = 0; i < 3000; ++i) {
    size_t given = random_one_in(&life.dice, 4) ? random_below(&life.dice, (unsigned)size + 1) : size;
    memcpy(bytes, body, size);
    for (unsigned k = random_below(&life.dice, 4); k; --k)
      bytes[random_below(&life.dice, (unsigned)size)] = (uint8_t)(random_next(&life.dice) >>
                                                                  random_below(&life.dice, 8));
    uint8_t *copy = malloc(given + 1);
    memcpy(copy, bytes, given);
    frontier_status status = life_try_open(copy, given, false);
    if (status == FRONTIER_OK) {
      bool has;
      assert_int_equal(doubts_has(life.d, life_hash_of(0), &has, life.message), FRONTIER_OK);
    } else {
      assert_int_equal(status, FRONTIER_DAMAGED);
      ++refused;
    }
    doubts_free(status == FRONTIER_OK ? life.d : NULL);
    free(copy);
  }
  assert_true(refused > 100);
  /* without the record every row is a doubt again */
  assert_int_equal(life_try_open(NULL, 0, true), FRONTIER_OK);
  life_see_all();
  assert_true(doubts_waiting(life.d) == life.now.next - 1);
  doubts_free(life.d);
  free(body);
  store_close(life.s);
}

static spoil_value first_value;

static void flip(size_t at)
{
  life_close();
  assert_int_not_equal(spoil_flip(life.directory, &first_value, at), 0);
  first_value.bytes[at] ^= 1;
  life_open(true);
}

/* Its file has the keys, but the row of a late URL is lost; without its file, the keys, too. */
CASE(a_damaged_row)
{
  doubt_row row;
  bool has;
  char path[SCRATCH_PATH];
  life_open(true);
  life_add(100);
  life_commit(CUT_NOT);
  life_steps(SIZE_MAX);
  while (doubts_is_dirty(life.d))
    life_commit(CUT_NOT);
  uint64_t settled = life.now.next;
  life_close();
  first_value = spoil_read(life.directory, "unconfirmed", 0);
  life_open(true);
  flip(spoil_block(&first_value, 1) + 30);
  assert_int_equal(doubts_row(life.d, life.s, 64, &row, life.message), FRONTIER_OK);
  assert_int_equal(doubts_row(life.d, life.s, 65, &row, life.message), FRONTIER_DAMAGED);
  assert_non_null(strstr(life.message, "table unconfirmed is damaged"));
  assert_int_equal(doubts_row(life.d, life.s, settled, &row, life.message), FRONTIER_DAMAGED);
  assert_non_null(strstr(life.message, "missing"));
  life_begin_pass();
  while (life.pass_count && !life.now.late) { /* all keys are there */
    numbered_key item;
    size_t count;
    assert_int_equal(doubts_next(life.d, &item, 1, &count, life.message), FRONTIER_OK);
    assert_int_equal(count, life.pass_at < life.pass_count);
    if (count == 0)
      break;
    assert_true(item.number == life.pass[life.pass_at++].number);
  }
  doubts_abandon(life.d);
  life.pass_count = 0;
  assert_int_equal(life_list_files(true, 0, path), 1);
  life_close();
  assert_int_equal(unlink(path), 0);
  life_open(true);
  assert_true(doubts_can_step(life.d));
  assert_int_equal(doubts_step(life.d, life.message), FRONTIER_DAMAGED);
  assert_int_equal(doubts_begin(life.d, life.message), FRONTIER_DAMAGED);
  assert_false(doubts_is_passing(life.d));
  assert_int_equal(doubts_has(life.d, life_hash_of(0), &has, life.message), FRONTIER_DAMAGED);
  flip(spoil_block(&first_value, 1) + 30); /* it is mended */
  life_settle_all();
  life_close();
  spoil_free(&first_value);
}

static int prepare(void **state)
{
  (void)state;
  life.dice = random_seed();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(life_begin, life_end)
