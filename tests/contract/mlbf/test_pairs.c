/* The pairs of words that two texts do not share: estimates against counting them. */
#include "mlbf/pairs.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mlbf_pairs pairs_in_pieces(const char *words, size_t piece)
{
  mlbf_shingler *s = mlbf_shingler_create(0);
  mlbf_shingles shingles;
  assert_non_null(s);
  for (size_t at = 0, size = strlen(words); at < size; at += piece)
    mlbf_shingler_feed(s, words + at, size - at < piece ? size - at : piece);
  assert_int_equal(mlbf_shingler_finish(s, &shingles), MLBF_OK);
  mlbf_pairs found = *mlbf_shingler_pairs(s);
  mlbf_shingler_free(s);
  return found;
}

static mlbf_pairs pairs_of(const char *words)
{
  return pairs_in_pieces(words, SIZE_MAX);
}

CASE(each_row_has_its_pairs)
{
  static const struct {
    const char *a, *b;
    double own, other, common;
  } rows[] = {
    {"", "", 0, 0, 0},
    {"one", "one", 0, 0, 1},
    {"one two three", "one two three", 0, 0, 3},
    {"one two three", "One, TWO; three!", 0, 0, 3},
    {"one two three", "one 2 three", 2, 2, 1},               /* in the middle: both pairs that it is in */
    {"one two three", "one two 3", 1, 1, 2},                 /* at the end */
    {"one two three", "three two one", 3, 3, 0},             /* order counts */
    {"one two one two one two", "one two one two", 0, 0, 3}, /* how often does not */
    {"", "one two three", 0, 3, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_pairs a = pairs_of(rows[i].a), b = pairs_of(rows[i].b);
    mlbf_pairs_difference d;
    assert_true(mlbf_pairs_compare(&a, &b, &d));
    print_message("%s | %s: %.2f %.2f %.2f\n", rows[i].a, rows[i].b, d.own, d.other, d.common);
    assert_true(d.own > rows[i].own - 0.1 && d.own < rows[i].own + 0.1);
    assert_true(d.other > rows[i].other - 0.1 && d.other < rows[i].other + 0.1);
    assert_true(d.common > rows[i].common - 0.1 && d.common < rows[i].common + 0.1);
  }
}

CASE(any_pieces_give_the_same)
{
  static const char words[] = "The quick brown fox, 19 times; jumps \xC3\xBC"
                              "ber \xE4\xB8\xAD\xE6\x96\x87 dogs";
  mlbf_pairs whole = pairs_of(words);
  for (size_t piece = 1; piece < sizeof words; piece++) {
    mlbf_pairs found = pairs_in_pieces(words, piece);
    assert_memory_equal(&found, &whole, sizeof whole);
  }
}

enum { WORD_ROOM = 12, WORDS_MOST = MLBF_PAIRS_WORDS_MAX + 2 };

static char texts[2][WORDS_MOST * WORD_ROOM];

/* A template, and words of its own after it. */
static mlbf_pairs page(char *to, uint64_t template, size_t words, uint64_t own, size_t own_words)
{
  size_t size = 0;
  *to = '\0';
  uint64_t state = random_stream(template, 1);
  for (size_t i = 0; i < words; i++)
    size += (size_t)snprintf(to + size, WORD_ROOM, "w%x ", (unsigned)random_below(&state, 1 << 20));
  state = random_stream(own, 2);
  for (size_t i = 0; i < own_words; i++)
    size += (size_t)snprintf(to + size, WORD_ROOM, "o%x ", (unsigned)random_below(&state, 1 << 20));
  return pairs_of(to);
}

/* Each has ten pairs for itself; how far off is the mean, and how far are nine of ten at most? */
static void check_estimates(size_t words, double mean_off, double most_off)
{
  enum { TRIES = 500, OWN = 10 };
  double sum = 0;
  unsigned far_off = 0;
  for (unsigned i = 0; i < TRIES; i++) {
    mlbf_pairs a = page(texts[0], i, words, 2 * i + 1000, OWN), b = page(texts[1], i, words, 2 * i + 1001, OWN);
    mlbf_pairs_difference d;
    assert_true(mlbf_pairs_compare(&a, &b, &d));
    sum += d.own;
    far_off += d.own < OWN - most_off || d.own > OWN + most_off;
  }
  print_message("%zu words and %d of its own: %.2f in the mean, %u of %d are off by more than %.1f\n", words, OWN,
                sum / TRIES, far_off, TRIES, most_off);
  assert_true(sum / TRIES > OWN - mean_off && sum / TRIES < OWN + mean_off);
  assert_true(far_off * 10 < TRIES);
}

CASE(estimates_are_near)
{
  check_estimates(30, 0.1, 1);
  check_estimates(100, 0.2, 1.5);
  check_estimates(400, 0.4, 4);
  check_estimates(1000, 0.8, 8);
}

/* Past the most words nothing is known, and a short text after it is as if it were the first. */
CASE(long_texts_are_not_compared)
{
  mlbf_pairs_difference d;
  mlbf_pairs brief = page(texts[0], 1, 100, 2, 0), full = page(texts[0], 1, 2000, 2, 0);
  mlbf_pairs cut = page(texts[0], 1, MLBF_PAIRS_WORDS_MAX + 1, 2, 0);
  assert_false(mlbf_pairs_compare(&brief, &full, &d));
  assert_false(mlbf_pairs_compare(&full, &brief, &d));
  assert_false(mlbf_pairs_compare(&cut, &cut, &d));
  for (size_t i = 0; i < sizeof cut.bits / sizeof *cut.bits; i++)
    assert_true(cut.bits[i] == UINT64_MAX);
  mlbf_shingler *s = mlbf_shingler_create(0);
  mlbf_shingles shingles;
  mlbf_shingler_feed(s, texts[0], strlen(texts[0]));
  assert_int_equal(mlbf_shingler_finish(s, &shingles), MLBF_OK);
  brief = page(texts[1], 1, 100, 2, 0);
  mlbf_shingler_begin(s);
  mlbf_shingler_feed(s, texts[1], strlen(texts[1]));
  assert_int_equal(mlbf_shingler_finish(s, &shingles), MLBF_OK);
  assert_memory_equal(mlbf_shingler_pairs(s), &brief, sizeof brief);
  mlbf_shingler_free(s);
}
