/* frontier/store/url_states.h, rows/url_state.h, base/radix.h: what became of URLs, in order, and in its blocks. */
#include <stdlib.h>
#include <string.h>

#include "frontier/base/radix.h"
#include "frontier/store/url_states.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { NUMBERS = 5000, ID = 77, GROUP = 5 };

static uint64_t dice;

static bool is_same(url_state a, url_state b)
{
  return a.what == b.what && a.was_trap == b.was_trap && a.code == b.code;
}

static url_state any_state(void)
{
  return (url_state){.what = (uint8_t)random_below(&dice, URL_STATES),
                     .was_trap = random_below(&dice, 2) != 0,
                     .code = (uint16_t)random_next(&dice)};
}

/* ---- order ---------------------------------------------------------------------------------------------------- */

static uint64_t any_number(unsigned kind)
{
  switch (kind) {
  case 0: return random_next(&dice);
  case 1: return random_next(&dice) >> random_below(&dice, 64);
  case 2: return (uint64_t)random_below(&dice, 20) << 20 | random_below(&dice, 1 << 20);
  default: return UINT64_MAX - random_below(&dice, 3);
  }
}

/* Insertion keeps equal ones in their order: slow, and obvious. */
static void sort_slowly(uint64_t *numbers, size_t count, unsigned low_bit)
{
  for (size_t i = 1; i < count; i++)
    for (size_t k = i; k > 0 && numbers[k] >> low_bit < numbers[k - 1] >> low_bit; k--) {
      uint64_t swap = numbers[k];
      numbers[k] = numbers[k - 1];
      numbers[k - 1] = swap;
    }
}

CASE(equal_ones_stay_in_their_order)
{
  static uint64_t numbers[600], wanted[600];
  static const unsigned low_bits[] = {0, 1, 7, 8, 20, 44, 56, 63};
  for (unsigned i = 0; i < 800; i++) {
    size_t count = random_below(&dice, i % 8 ? 40 : 601);
    unsigned low_bit = low_bits[i % 7 ? random_below(&dice, 8) : 4];
    for (size_t k = 0; k < count; k++)
      numbers[k] = wanted[k] = any_number(i % 4);
    sort_slowly(wanted, count, low_bit);
    for (int again = 0; again < 2; ++again) { /* what is in order stays */
      assert_true(radix_sort(numbers, count, low_bit));
      assert_memory_equal(numbers, wanted, count * sizeof *numbers);
    }
  }
}

/* ---- the tail -------------------------------------------------------------------------------------------------- */

CASE(of_several_rows_the_last_counts)
{
  for (unsigned most = 1; most <= NUMBERS; most *= 3) {
    static url_state last[NUMBERS + 2];
    static bool is_there[NUMBERS + 2];
    ended_tail t = {0};
    memset(is_there, 0, sizeof is_there);
    for (unsigned i = 0; i < NUMBERS; i++) {
      uint64_t sequence = 1 + random_below(&dice, most);
      last[sequence] = any_state();
      is_there[sequence] = true;
      assert_true(tail_add(&t, url_ended_pack(sequence, last[sequence])));
    }
    assert_false(t.is_loaded);
    assert_true(tail_sort(&t) && t.is_loaded);
    size_t at = 0;
    for (uint64_t sequence = 0; sequence <= most + 1; sequence++) {
      assert_int_equal(tail_find(&t, sequence), at);
      if (sequence == 0 || sequence > most || !is_there[sequence])
        continue;
      assert_int_equal(url_ended_sequence(t.rows[at]), sequence);
      assert_true(is_same(url_ended_state(t.rows[at++]), last[sequence]));
    }
    assert_int_equal(at, t.count);
    tail_free(&t);
  }
  ended_tail none = {0};
  assert_true(tail_sort(&none) && none.is_loaded);
  assert_int_equal(tail_find(&none, 1), 0);
  tail_free(&none);
}

CASE(a_row_has_44_bits_of_sequence)
{
  static const uint64_t sequences[] = {0, 1, 447, 448, UINT32_MAX, (UINT64_C(1) << 44) - 1};
  for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
    for (unsigned bits = 0; bits < URL_STATES * 2; bits++) {
      url_state s = {.what = (uint8_t)(bits / 2), .was_trap = bits & 1, .code = (uint16_t)(0xffff >> bits)};
      uint64_t row = url_ended_pack(sequences[i], s);
      assert_true(url_ended_sequence(row) == sequences[i]);
      assert_true(is_same(url_ended_state(row), s));
      assert_true(url_state_is_ended(s) == (s.what >= 1 && s.what <= 4));
    }
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static unsigned whole_blocks(const uint8_t value[STATES_SIZE], uint64_t id, uint64_t group)
{
  unsigned whole = 0;
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    whole += states_block_is_whole(value, id, group, i);
  return whole;
}

CASE(each_state_has_its_place)
{
  uint8_t value[STATES_SIZE];
  url_state wanted[STATES_GROUP] = {{0}};
  states_init(value, ID, GROUP);
  assert_int_equal(whole_blocks(value, ID, GROUP), STATES_BLOCKS);
  for (unsigned i = 0; i < 5000; i++) {
    unsigned place = random_below(&dice, STATES_GROUP);
    wanted[place] = any_state();
    states_set(value, place, wanted[place]);
    if (i % 500)
      continue;
    for (unsigned k = 0; k < STATES_GROUP; k++)
      assert_true(is_same(states_get(value, k), wanted[k]));
    for (unsigned k = 0; k < STATES_BLOCKS; k++)
      states_block_seal(value, ID, GROUP, k);
    assert_int_equal(whole_blocks(value, ID, GROUP), STATES_BLOCKS);
  }
}

CASE(a_flipped_bit_costs_one_block)
{
  uint8_t value[STATES_SIZE];
  states_init(value, ID, GROUP);
  for (unsigned i = 0; i < STATES_GROUP; i++)
    states_set(value, i, any_state());
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    states_block_seal(value, ID, GROUP, i);
  for (size_t bit = 0; bit < 8 * STATES_SIZE; bit++) {
    value[bit / 8] ^= (uint8_t)(1 << bit % 8);
    assert_false(states_block_is_whole(value, ID, GROUP, (unsigned)(bit / 8 / STATES_BLOCK_SIZE)));
    assert_int_equal(whole_blocks(value, ID, GROUP), STATES_BLOCKS - 1);
    value[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
}

CASE(a_block_is_of_one_place)
{
  uint8_t value[STATES_SIZE];
  states_init(value, ID, GROUP);
  assert_int_equal(whole_blocks(value, ID + 1, GROUP), 0);
  assert_int_equal(whole_blocks(value, ID, GROUP + 1), 0);
  uint8_t block[STATES_BLOCK_SIZE];
  memcpy(block, value, sizeof block);
  memcpy(value, value + STATES_BLOCK_SIZE, sizeof block);
  memcpy(value + STATES_BLOCK_SIZE, block, sizeof block);
  assert_int_equal(whole_blocks(value, ID, GROUP), STATES_BLOCKS - 2);
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

EACH_CASE(prepare, NULL)
