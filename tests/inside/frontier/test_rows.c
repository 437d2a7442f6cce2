/* frontier/rows/rows.h: what was put in comes back, and of damaged bytes nothing but rows that were put in. */
#include <stdlib.h>
#include <string.h>

#include "frontier/rows/rows.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { ROWS = 200, ROW_MAX = 9000, ID = 0x1d };

static uint64_t dice;

/* ---- rows that are known by their number ------------------------------------------------------------------- */

static size_t sizes[ROWS];

static void choose_sizes(const size_t *of, size_t count)
{
  for (size_t i = 0; i < ROWS; i++)
    sizes[i] = of[random_below(&dice, (unsigned)count)];
}

static uint8_t byte_of(size_t row, size_t at)
{
  return (uint8_t)(37 * row + at);
}

static void add(rows_writer *w, size_t row)
{
  assert_true(rows_make_room(w, sizes[row]));
  uint8_t *at = rows_add(w, sizes[row], (unsigned)row / 7 % 4);
  for (size_t i = 0; i < sizes[row]; i++)
    at[i] = byte_of(row, i);
}

static void check_row(size_t row, const uint8_t *bytes, size_t size)
{
  assert_int_equal(size, sizes[row]);
  for (size_t i = 0; i < size; i++)
    assert_int_equal(bytes[i], byte_of(row, i));
}

/* Each row of the block, or none from a damaged one on. */
static void check_block(rows_block b, uint64_t first)
{
  size_t size, read = 0;
  uint64_t row = b.first - first;
  assert_true(row + b.count <= ROWS);
  for (const uint8_t *bytes; (bytes = rows_next(&b, &size)); read++)
    check_row(row + read, bytes, size);
  assert_int_equal(read, b.count);
  assert_null(rows_next(&b, &size));
}

static void check_value(rows_kind kind, uint64_t first, size_t count, const uint8_t *bytes, size_t size)
{
  rows_value v;
  rows_block b;
  assert_true(rows_open(&v, kind, ID, first, bytes, size));
  assert_int_equal(v.count, count);
  assert_int_equal(v.blocks, (count + ROWS_IN_BLOCK - 1) / ROWS_IN_BLOCK);
  for (size_t i = 0; i < v.blocks; i++) {
    unsigned marks = 0;
    assert_true(rows_block_open(&v, i, &b));
    assert_int_equal(b.first, first + i * ROWS_IN_BLOCK);
    for (size_t k = 0; k < b.count; k++)
      marks |= 1u << (i * ROWS_IN_BLOCK + k) / 7 % 4;
    assert_int_equal(rows_marks(&v, i), marks);
    check_block(b, first);
  }
}

/* A copy that ends where its bytes end, so that a sanitizer sees who reads on. */
static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
  uint8_t *copy = malloc(size ? size : 1);
  assert_non_null(copy);
  return size ? memcpy(copy, bytes, size) : copy;
}

/* A finished value of rows 0 to count - 1. */
static uint8_t *value_of(rows_kind kind, uint64_t first, size_t count, size_t *size)
{
  rows_writer w = {.kind = kind, .id = ID, .first = first};
  for (size_t i = 0; i < count; i++)
    add(&w, i);
  const uint8_t *finished = rows_finish(&w, size);
  uint8_t *value = copy_of(finished, *size);
  rows_free(&w);
  return value;
}

/* ---- numbers ------------------------------------------------------------------------------------------------ */

CASE(numbers_come_back)
{
  uint8_t bytes[ROWS_NUMBER_MAX];
  uint64_t read;
  for (unsigned bit = 0; bit <= 64; bit++)
    for (int more = -1; more <= 1; ++more) {
      uint64_t number = (bit < 64 ? UINT64_C(1) << bit : 0) + (uint64_t)more;
      size_t size = (size_t)(rows_put_number(bytes, number) - bytes), wanted = 1;
      for (uint64_t rest = number; rest >>= 7;)
        ++wanted;
      assert_int_equal(size, wanted);
      assert_ptr_equal(rows_get_number(bytes, bytes + size, &read), bytes + size);
      assert_true(read == number);
      for (size_t cut = 0; cut < size; cut++)
        assert_null(rows_get_number(bytes, bytes + cut, &read));
    }
  assert_null(rows_get_number(NULL, NULL, &read));
}

CASE(numbers_beyond_64_bits_are_refused)
{
  static const uint8_t too_large[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 2},
                       too_long[] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0};
  uint64_t read;
  assert_null(rows_get_number(too_large, too_large + sizeof too_large, &read));
  assert_null(rows_get_number(too_long, too_long + sizeof too_long, &read));
}

/* ---- values ------------------------------------------------------------------------------------------------- */

CASE(any_number_of_rows)
{
  static const size_t many[] = {0, 1, 2, 20, 126, 127, 128, 129, 300}, large[] = {0, 16383, 16384, ROW_MAX};
  for (size_t count = 1; count <= ROWS; count++) {
    size_t size;
    uint64_t first = random_next(&dice) >> random_below(&dice, 64);
    choose_sizes(count % 40 ? many : large, count % 40 ? sizeof many / sizeof *many : sizeof large / sizeof *large);
    uint8_t *value = value_of(ROWS_TEXT, first, count, &size);
    check_value(ROWS_TEXT, first, count, value, size);
    free(value);
  }
}

CASE(rows_of_one_size_have_none_written)
{
  static const size_t eight = 8;
  choose_sizes(&eight, 1);
  for (size_t count = 1; count <= ROWS; count++) {
    size_t size, blocks = (count + ROWS_IN_BLOCK - 1) / ROWS_IN_BLOCK;
    uint8_t *value = value_of(ROWS_ENDED, 0, count, &size);
    assert_int_equal(size, ROWS_HEAD + blocks * (ROWS_BLOCK_HEAD + ROWS_FOOT) + 8 * count + ROWS_FOOT);
    check_value(ROWS_ENDED, 0, count, value, size);
    free(value);
  }
}

/* As after a commit that failed: it is finished, more rows come, and it is finished again. */
CASE(a_finished_value_goes_on)
{
  static const size_t few[] = {0, 1, 40, 200};
  rows_writer w = {.kind = ROWS_TEXT, .id = ID, .first = 7};
  size_t size;
  choose_sizes(few, sizeof few / sizeof *few);
  for (size_t i = 0; i < ROWS; i++) {
    add(&w, i);
    const uint8_t *value = rows_finish(&w, &size);
    check_value(ROWS_TEXT, 7, i + 1, value, size);
  }
  rows_clear(&w);
  assert_int_equal(w.first, 7 + ROWS);
  add(&w, 0);
  const uint8_t *next = rows_finish(&w, &size);
  check_value(ROWS_TEXT, 7 + ROWS, 1, next, size);
  rows_free(&w);
}

CASE(a_value_has_a_largest_size)
{
  rows_writer w = {.kind = ROWS_TEXT, .id = ID, .first = 1};
  size_t size;
  sizes[0] = 3;
  add(&w, 0);
  assert_false(rows_make_room(&w, ROWS_SIZE_MAX));
  const uint8_t *value = rows_finish(&w, &size);
  check_value(ROWS_TEXT, 1, 1, value, size);
  rows_free(&w);
}

/* ---- bytes that are not as they should be ------------------------------------------------------------------- */

/* How many blocks can be read. No row of another kind, or of wrong bytes, is. */
static size_t blocks_read(const uint8_t *bytes, size_t size, uint64_t first)
{
  rows_value v;
  rows_block b;
  size_t read = 0;
  if (!rows_open(&v, ROWS_TEXT, ID, first, bytes, size))
    return 0;
  for (size_t i = 0; i < v.blocks; i++)
    if (rows_block_open(&v, i, &b)) {
      check_block(b, first);
      read++;
    }
  return read;
}

CASE(no_flipped_bit_makes_a_wrong_row)
{
  static const size_t few[] = {0, 1, 5};
  static const struct {
    size_t rows, blocks;
  } values[] = {{1, 1}, {3, 1}, {64, 1}, {130, 3}};
  choose_sizes(few, sizeof few / sizeof *few);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    size_t size, noticed = 0, partly = 0;
    uint8_t *value = value_of(ROWS_TEXT, 5, values[i].rows, &size);
    assert_int_equal(blocks_read(value, size, 5), values[i].blocks);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      value[bit / 8] ^= (uint8_t)(1 << bit % 8);
      size_t read = blocks_read(value, size, 5);
      noticed += read < values[i].blocks;
      partly += read == values[i].blocks - 1;
      value[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(noticed, 8 * size);
    size_t around = ROWS_HEAD + (values[i].blocks + 1) * ROWS_FOOT; /* head and foot */
    assert_true(values[i].blocks == 1 || partly == 8 * (size - around));
    free(value);
  }
}

CASE(a_value_that_is_cut_short_is_refused)
{
  static const size_t few[] = {0, 1, 30};
  size_t size;
  choose_sizes(few, sizeof few / sizeof *few);
  uint8_t *value = value_of(ROWS_TEXT, 5, 130, &size);
  for (size_t left = 0; left < size; left++) {
    uint8_t *cut = copy_of(value, left);
    assert_int_equal(blocks_read(cut, left, 5), 0);
    free(cut);
  }
  free(value);
}

CASE(what_is_of_another_place_is_refused)
{
  static const size_t eight = 8;
  rows_value v;
  rows_block b;
  size_t size, block_size;
  choose_sizes(&eight, 1);
  uint8_t *value = value_of(ROWS_TEXT, 5, 100, &size);
  assert_true(rows_open(&v, ROWS_TEXT, ID, 5, value, size));
  assert_false(rows_open(&v, ROWS_TEXT, ID + 1, 5, value, size));
  assert_false(rows_open(&v, ROWS_ENDED, ID, 5, value, size));
  assert_false(rows_open(&v, ROWS_TEXT, ID, 6, value, size));
  assert_true(rows_block_find(ROWS_TEXT, ID, value + ROWS_HEAD, size - ROWS_HEAD, &b, &block_size));
  assert_false(rows_block_find(ROWS_TEXT, ID + 1, value + ROWS_HEAD, size - ROWS_HEAD, &b, &block_size));
  assert_false(rows_block_find(ROWS_ENDED, ID, value + ROWS_HEAD, size - ROWS_HEAD, &b, &block_size));
  free(value);
}

/* Whatever became of the value around them, and wherever its pieces lie. */
CASE(blocks_are_found_without_their_value)
{
  static const size_t few[] = {0, 1, 30};
  size_t size, block_size, found = 0;
  choose_sizes(few, sizeof few / sizeof *few);
  uint8_t *value = value_of(ROWS_TEXT, 5, ROWS, &size);
  memset(value, 255, ROWS_HEAD);
  for (size_t at = 0; at <= size; at++) {
    rows_block b;
    uint8_t *rest = copy_of(value + at, size - at);
    if (rows_block_find(ROWS_TEXT, ID, rest, size - at, &b, &block_size)) {
      check_block(b, 5);
      assert_false(rows_block_find(ROWS_TEXT, ID, rest, block_size - 1, &b, &block_size));
      found += b.count;
    }
    free(rest);
  }
  assert_int_equal(found, ROWS);
  free(value);
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

EACH_CASE(prepare, NULL)
