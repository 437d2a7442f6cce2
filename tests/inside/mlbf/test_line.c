/* Every path this machine has sets the same bits and gives the same answers as the scalar one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "mlbf/filter/line.h"
#include "tests/support/test.h"

enum { LINES = 64, PAGED_LINES = 300, WORDS = PAGED_LINES * MLBF_LINE_WORDS, KEYS = 3000 };

static const mlbf_layout layouts[] = {MLBF_LAYOUT_LINE, MLBF_LAYOUT_TWO_LINES};

static mlbf_hash128 hash_of(unsigned id)
{
  XXH128_hash_t hash = XXH3_128bits(&id, sizeof id);
  return (mlbf_hash128){hash.low64, hash.high64};
}

typedef struct lines_table {
  _Alignas(64) uint64_t words[WORDS];
  mlbf_array_plan plan;
  mlbf_array array;
} lines_table;

static void table_make(lines_table *table, mlbf_layout layout, uint32_t hashes, unsigned lines,
                       const mlbf_line_path *path)
{
  memset(table->words, 0, sizeof table->words);
  table->plan = (mlbf_array_plan){layout, hashes, (uint64_t)lines * MLBF_LINE_BITS};
  table->array = mlbf_array_over(&table->plan, table->words, path);
}

/* Key by key, so that lines go from empty to full under both paths. */
static void compare_key_by_key(lines_table *one, lines_table *other)
{
  for (unsigned id = 0; id < KEYS; id++) {
    mlbf_hash128 hash = hash_of(id);
    assert_int_equal(one->array.path->test(&one->array, &hash, 1), other->array.path->test(&other->array, &hash, 1));
    assert_int_equal(one->array.path->insert(&one->array, &hash, 1),
                     other->array.path->insert(&other->array, &hash, 1));
    assert_true(other->array.path->test(&other->array, &hash, 1));
    assert_false(other->array.path->insert(&other->array, &hash, 1));
    if (id % 64 == 0)
      assert_memory_equal(one->words, other->words, sizeof one->words);
  }
}

static void compare_many(lines_table *one, lines_table *other)
{
  enum { MANY = MLBF_KEYS_AT_ONCE };
  mlbf_hash128 hashes[MANY];
  for (unsigned round = 0; round < 30; round++) {
    for (unsigned i = 0; i < MANY; i++)
      hashes[i] = hash_of(round * 40 + i); /* 24 of them are from the round before; the last is the first again */
    hashes[MANY - 1] = hashes[0];
    assert_int_equal(one->array.path->test(&one->array, hashes, MANY),
                     other->array.path->test(&other->array, hashes, MANY));
    uint64_t were_new = other->array.path->insert(&other->array, hashes, MANY);
    assert_int_equal(one->array.path->insert(&one->array, hashes, MANY), were_new);
    assert_false(were_new >> (MANY - 1) & 1);
    assert_memory_equal(one->words, other->words, sizeof one->words);
  }
}

CASE(every_path_sets_the_same_bits)
{
  static const unsigned line_counts[] = {1, 2, LINES, PAGED_LINES};
  static lines_table one, other;
  for (const mlbf_line_path *const *path = mlbf_line_paths; *path; path++) {
    if (!(*path)->cpu.is_usable()) {
      print_message("%s: skipped, not on this machine\n", (*path)->cpu.name);
      continue;
    }
    print_message("%s\n", (*path)->cpu.name);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
      for (uint32_t k = 0; (k = mlbf_layout_next_hashes(layouts[i], k)) != 0;)
        for (size_t l = 0; l < sizeof line_counts / sizeof *line_counts; l++) {
          table_make(&one, layouts[i], k, line_counts[l], &mlbf_line_scalar);
          table_make(&other, layouts[i], k, line_counts[l], *path);
          compare_key_by_key(&one, &other);
          table_make(&one, layouts[i], k, line_counts[l], &mlbf_line_scalar);
          table_make(&other, layouts[i], k, line_counts[l], *path);
          compare_many(&one, &other);
        }
  }
}

static unsigned bits_set(const lines_table *table, unsigned line)
{
  unsigned set = 0;
  for (unsigned w = 0; w < MLBF_LINE_WORDS; w++)
    set += (unsigned)__builtin_popcountll(table->words[line * MLBF_LINE_WORDS + w]);
  return set;
}

/* A key has its k bits, and they are spread evenly: no bit of a line is set by far more keys than another. */
static void check_positions(mlbf_layout layout, uint32_t k)
{
  enum { SAMPLE = 100000 };
  static lines_table table;
  unsigned count[2 * MLBF_LINE_BITS] = {0}, lines = layout == MLBF_LAYOUT_TWO_LINES ? 2 : 1, in_line = k / lines;
  bool is_over = in_line == 12; /* the four that lie over eight meet one of these with chance 1/64 */
  for (unsigned id = 0; id < SAMPLE; id++) {
    table_make(&table, layout, k, lines, &mlbf_line_scalar);
    table.array.path->insert(&table.array, &(mlbf_hash128[]){hash_of(id)}[0], 1);
    for (unsigned line = 0; line < lines; line++)
      assert_in_range(bits_set(&table, line), is_over ? 8 : in_line, in_line);
    for (unsigned bit = 0; bit < lines * MLBF_LINE_BITS; bit++)
      count[bit] += table.words[bit / 64] >> (bit % 64) & 1;
  }
  double mean = SAMPLE * (is_over ? 8 + 4 * 63 / 64.0 : in_line) / MLBF_LINE_BITS;
  for (unsigned bit = 0; bit < lines * MLBF_LINE_BITS; bit++)
    assert_true(fabs(count[bit] - mean) < 6 * sqrt(mean));
}

CASE(positions_are_even)
{
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    for (uint32_t k = 0; (k = mlbf_layout_next_hashes(layouts[i], k)) != 0;)
      check_positions(layouts[i], k);
}

/* Wrong answers of many small arrays, each with its own keys, at 2 % by the model; in units of its standard deviation,
 * estimated from the arrays' differences. */
static void check_rate(mlbf_layout layout, uint32_t k, unsigned lines)
{
  static lines_table table;
  enum { ASKED = 4000 };
  const unsigned arrays = 2 + 20000 / lines / (layout == MLBF_LAYOUT_LINE ? 2 : 1);
  double keys = floor(lines * MLBF_LINE_BITS / mlbf_layout_bits_per_key(layout, k, 0.02));
  double expected = mlbf_layout_rate(layout, k, lines * MLBF_LINE_BITS, keys), sum = 0, squares = 0;
  for (unsigned a = 0, id = 0; a < arrays; a++) {
    table_make(&table, layout, k, lines, mlbf_line_path_best());
    for (unsigned i = 0; i < (unsigned)keys; i++)
      table.array.path->insert(&table.array, &(mlbf_hash128[]){hash_of(id++)}[0], 1);
    double wrong = 0;
    for (unsigned i = 0; i < ASKED; i++)
      wrong += (double)table.array.path->test(&table.array, &(mlbf_hash128[]){hash_of(id++)}[0], 1);
    sum += wrong / ASKED;
    squares += wrong / ASKED * wrong / ASKED;
  }
  double mean = sum / arrays, deviation = sqrt((squares / arrays - mean * mean) / arrays);
  print_message("layout %d, k = %2u, %3u lines: %.4f of the model, %+.1f deviations\n", layout, k, lines,
                mean / expected, (mean - expected) / deviation);
  assert_true(fabs(mean - expected) < 4.5 * deviation + 0.005 * expected);
}

CASE(rates_are_those_of_the_model)
{
  static const unsigned line_counts[] = {LINES, MLBF_PAGE_LINES, PAGED_LINES};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    for (uint32_t k = 0; (k = mlbf_layout_next_hashes(layouts[i], k)) != 0;)
      for (size_t l = 0; l < sizeof line_counts / sizeof *line_counts; l++)
        if (k > 1) /* one bit of 512 needs more bits than a table has for 2 % of one key */
          check_rate(layouts[i], k, line_counts[l]);
}

/* A key's two lines are two, in one page, and every pair of a page is as likely as another. */
CASE(two_lines_are_anywhere_in_one_page)
{
  enum { SAMPLE = 400000 };
  static const unsigned line_counts[] = {2, 3, 7, 64, 256, PAGED_LINES};
  static lines_table lines;
  for (size_t l = 0; l < sizeof line_counts / sizeof *line_counts; l++) {
    static unsigned pairs[PAGED_LINES][PAGED_LINES];
    memset(pairs, 0, sizeof pairs);
    table_make(&lines, MLBF_LAYOUT_TWO_LINES, 8, line_counts[l], &mlbf_line_scalar);
    size_t n = lines.array.page_lines;
    assert_int_equal(lines.array.places * n, line_counts[l]);
    for (unsigned id = 0; id < SAMPLE; id++) {
      mlbf_two_lines two = mlbf_two_lines_of(&lines.array, hash_of(id));
      size_t first = (size_t)(two.first - lines.words) / MLBF_LINE_WORDS;
      size_t second = (size_t)(two.second - lines.words) / MLBF_LINE_WORDS;
      assert_true(first < line_counts[l] && second < line_counts[l] && first != second && first / n == second / n);
      pairs[first][second]++;
    }
    double count = (double)line_counts[l] * (double)(n - 1), mean = SAMPLE / count, chi = 0;
    for (unsigned i = 0; i < line_counts[l]; i++)
      for (unsigned j = 0; j < line_counts[l]; j++)
        if (i != j && i / n == j / n)
          chi += (pairs[i][j] - mean) * (pairs[i][j] - mean) / mean;
    print_message("%u lines: chi2 %.0f of %.0f pairs\n", line_counts[l], chi, count);
    assert_true(fabs(chi - count) < 6 * sqrt(2 * count) + 1);
  }
}

/* In the largest filter there is, 2^31 pages, the lower bits of `low` alone choose lines: all of them are used. */
CASE(lines_stay_uniform_in_the_largest_filter)
{
  enum { SAMPLE = 1 << 20, PAGE = MLBF_PAGE_LINES };
  static unsigned first[PAGE], second[PAGE];
  mlbf_array_plan plan = {MLBF_LAYOUT_TWO_LINES, 16, UINT64_C(1) << 48};
  mlbf_array array = mlbf_array_over(&plan, NULL, &mlbf_line_scalar);
  assert_int_equal(array.places, UINT64_C(1) << 31);
  for (unsigned id = 0; id < SAMPLE; id++) {
    mlbf_two_lines two = mlbf_two_lines_of(&array, hash_of(id));
    first[(uintptr_t)two.first / 64 % PAGE]++;
    second[((uintptr_t)two.second - (uintptr_t)two.first) / 64 % PAGE]++;
  }
  double mean = (double)SAMPLE / PAGE;
  assert_int_equal(second[0], 0);
  for (unsigned i = 0; i < PAGE; i++) {
    assert_true(fabs(first[i] - mean) < 6 * sqrt(mean));
    assert_true(i == 0 || fabs(second[i] - SAMPLE / (PAGE - 1.0)) < 6 * sqrt(mean));
  }
}
