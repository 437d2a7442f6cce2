/* Every path this machine has sets the same bits and gives the same answers as the scalar one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlbf/filter/line.h"

enum { LINES = 64, WORDS = LINES * MLBF_LANES, KEYS = 3000 };

static mlbf_hash128 hash_of(unsigned id)
{
  mlbf_span span = {&id, sizeof id};
  return mlbf_hash_bytes(&span, 1, 0);
}

typedef struct lines_table {
  _Alignas(64) uint64_t words[WORDS];
  mlbf_array array;
} lines_table;

static void table_make(lines_table *table, mlbf_layout layout, uint32_t hashes, const mlbf_line_path *path)
{
  memset(table->words, 0, sizeof table->words);
  table->array = (mlbf_array){table->words, (uint64_t)LINES * MLBF_LINE_BITS, hashes, layout, path, NULL, false};
}

/* Key by key, so that lines go from empty to full under both paths. */
static void compare_key_by_key(lines_table *one, lines_table *other)
{
  for (unsigned id = 0; id < KEYS; id++) {
    mlbf_hash128 hash = hash_of(id);
    assert_int_equal(mlbf_line_test(&one->array, hash), mlbf_line_test(&other->array, hash));
    assert_int_equal(mlbf_line_insert(&one->array, hash), mlbf_line_insert(&other->array, hash));
    assert_true(mlbf_line_test(&other->array, hash));
    assert_false(mlbf_line_insert(&other->array, hash));
    if (id % 64 == 0)
      assert_memory_equal(one->words, other->words, sizeof one->words);
  }
}

static void compare_many(lines_table *one, lines_table *other)
{
  mlbf_hash128 hashes[100];
  bool expected[100], found[100];
  for (unsigned round = 0; round < 30; round++) {
    for (unsigned i = 0; i < 100; i++)
      hashes[i] = hash_of(round * 60 + i); /* 40 of them are from the round before; the 99th is the first again */
    hashes[99] = hashes[0];
    one->array.path->test_many(&one->array, hashes, 100, expected);
    other->array.path->test_many(&other->array, hashes, 100, found);
    assert_memory_equal(expected, found, sizeof found);
    one->array.path->insert_many(&one->array, hashes, 100, expected);
    other->array.path->insert_many(&other->array, hashes, 100, found);
    assert_memory_equal(expected, found, sizeof found);
    assert_false(found[99]);
    assert_memory_equal(one->words, other->words, sizeof one->words);
  }
}

static void every_path_sets_the_same_bits(void **state)
{
  (void)state;
  static const struct {
    mlbf_layout layout;
    uint32_t first, last, step;
  } rows[] = {
    {MLBF_LAYOUT_LANES, 8, 8, 1},
    {MLBF_LAYOUT_LINE, 1, 16, 1},
    {MLBF_LAYOUT_TWO_LINES, 2, 32, 2},
  };
  static lines_table one, other;
  for (const mlbf_line_path *const *path = mlbf_line_paths, *const shared[] = {&mlbf_line_shared, NULL}; *path;
       path = path[0] == &mlbf_line_scalar ? shared : path + 1) {
    if (!(*path)->is_usable()) {
      print_message("%s: skipped, not on this machine\n", (*path)->name);
      continue;
    }
    print_message("%s\n", (*path)->name);
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
      for (uint32_t hashes = rows[row].first; hashes <= rows[row].last; hashes += rows[row].step) {
        table_make(&one, rows[row].layout, hashes, &mlbf_line_scalar);
        table_make(&other, rows[row].layout, hashes, *path);
        compare_key_by_key(&one, &other);
        table_make(&one, rows[row].layout, hashes, &mlbf_line_scalar);
        table_make(&other, rows[row].layout, hashes, *path);
        compare_many(&one, &other);
      }
  }
}

/* The positions are spread evenly: no bit of a line is set by far more keys than another. */
static void positions_are_even(void **state)
{
  (void)state;
  enum { SAMPLE = 400000 };
  static lines_table lines;
  static unsigned count[MLBF_LINE_BITS];
  for (unsigned id = 0; id < SAMPLE; id++) {
    table_make(&lines, MLBF_LAYOUT_LINE, 8, &mlbf_line_scalar);
    lines.array.bits = MLBF_LINE_BITS;
    mlbf_line_insert(&lines.array, hash_of(id));
    for (unsigned bit = 0; bit < MLBF_LINE_BITS; bit++)
      count[bit] += lines.words[bit / 64] >> (bit % 64) & 1;
  }
  double expected = SAMPLE * 8.0 / MLBF_LINE_BITS; /* 6250, standard deviation 79; a little fewer for collisions */
  for (unsigned bit = 0; bit < MLBF_LINE_BITS; bit++)
    assert_true(count[bit] > expected * 0.93 && count[bit] < expected * 1.06);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_path_sets_the_same_bits),
    cmocka_unit_test(positions_are_even),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
