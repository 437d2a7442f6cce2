/* Similarity digests, for what they are for. test_digest_sdhash.c holds them against sdhash itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/digest.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

static int begin(void **state)
{
  (void)state;
  dice_begin(random_commit_seed());
  return 0;
}

/* Bytes of many kinds: noise, words, runs of one byte, a piece again that was there before. */
static void fill(uint8_t *bytes, size_t size)
{
  static const char *const words[] = {"the ", "frontier ", "of ", "a ", "crawl ", "remembers ", "<p>", "</p>\n"};
  for (size_t at = 0; at < size;) {
    size_t length = 1 + dice_throw(3000), end = at + length < size ? at + length : size, kind = dice_throw(4);
    if (kind == 3 && at > 0) {
      for (size_t from = dice_throw(at); at < end; at++)
        bytes[at] = bytes[from++];
    } else if (kind == 2) {
      memset(bytes + at, (int)dice_throw(256), end - at);
      at = end;
    } else if (kind == 1) {
      while (at < end)
        for (const char *word = words[dice_throw(8)]; *word && at < end; word++)
          bytes[at++] = (uint8_t)*word;
    } else
      for (; at < end; at++)
        bytes[at] = (uint8_t)dice_throw(256);
  }
}

/* ---- what digests are for ------------------------------------------------------------------------------- */

static mlbf_digest *digest_of(const uint8_t *bytes, size_t size, bool blocks, unsigned threads)
{
  mlbf_digest *d = NULL;
  mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .blocks = blocks, .threads = threads};
  assert_int_equal(mlbf_digest_create(&options, bytes, size, &d), MLBF_OK);
  return d;
}

static int score_of(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, bool blocks)
{
  mlbf_digest *x = digest_of(a, a_size, blocks, 1), *y = digest_of(b, b_size, blocks, 1);
  int score = mlbf_digest_score(x, y, MLBF_DIGEST_RULE_CURRENT);
  mlbf_digest_free(x);
  mlbf_digest_free(y);
  return score;
}

/* Means of some rounds: where filters begin elsewhere, single scores have a standard deviation of 6. */
CASE_WITH(a_part_is_found_in_the_whole, begin, NULL)
{
  enum { SIZE = 200000, ROUNDS = 16 };
  uint8_t *a = malloc(SIZE), *b = malloc(SIZE);
  int part = 0, half = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < SIZE; i++) {
      a[i] = (uint8_t)dice_throw(256);
      b[i] = (uint8_t)dice_throw(256);
    }
    assert_int_equal(score_of(a, SIZE, a, SIZE, false), 100);
    assert_true(score_of(a, SIZE, b, SIZE, false) <= 1);
    part += score_of(a, SIZE, a + 60000, 50000, false); /* its filters begin elsewhere than the whole's */
    memcpy(b + 100000, a + 100000, 100000);             /* one half in common */
    half += score_of(a, SIZE, b, SIZE, false);
    int in_blocks = score_of(a, SIZE, b, SIZE, true);
    assert_true(in_blocks > 45 && in_blocks < 61);
  }
  free(a);
  free(b);
  assert_true(part > 50 * ROUNDS);
  assert_true(half > 30 * ROUNDS && half < 70 * ROUNDS);
}

/* sdhash 4.0 cuts by the features of both filters together: more than all bits of a short piece. The papers do not. */
CASE_WITH(a_short_piece_is_found_by_the_papers_rule_alone, begin, NULL)
{
  enum { PIECE = 1200, PIECES = 2000, EACH_BLOCK = 100 };
  static uint8_t block[MLBF_DIGEST_BLOCK];
  int found = 0;
  mlbf_digest *whole = NULL;
  for (int i = 0; i < PIECES; i++) {
    if (i % EACH_BLOCK == 0) {
      mlbf_digest_free(whole);
      for (size_t at = 0; at < sizeof block; at++)
        block[at] = (uint8_t)dice_throw(256);
      whole = digest_of(block, sizeof block, true, 1);
    }
    mlbf_digest *piece = digest_of(block + dice_throw(sizeof block - PIECE), PIECE, false, 1);
    assert_int_equal(mlbf_digest_score(piece, whole, MLBF_DIGEST_RULE_CURRENT), 0);
    found += mlbf_digest_score(piece, whole, MLBF_DIGEST_RULE_PAPER) > 0;
    mlbf_digest_free(piece);
  }
  mlbf_digest_free(whole);
  assert_in_range(found, PIECES * 9 / 10, PIECES);
}

CASE_WITH(threads_change_no_bit, begin, NULL)
{
  enum { SIZE = 300000 };
  uint8_t *bytes = malloc(SIZE);
  fill(bytes, SIZE);
  mlbf_digest *one = digest_of(bytes, SIZE, true, 1);
  char *wanted = mlbf_digest_text(one, "x");
  for (unsigned threads = 2; threads <= 64; threads *= 2) {
    mlbf_digest *many = digest_of(bytes, SIZE, true, threads);
    char *text = mlbf_digest_text(many, "x");
    assert_string_equal(text, wanted);
    free(text);
    mlbf_digest_free(many);
  }
  assert_int_equal(mlbf_digest_filters(one), 19); /* 18 blocks of 16 KiB, and what is left */
  free(wanted);
  mlbf_digest_free(one);
  free(bytes);
}

CASE(too_little_is_refused)
{
  uint8_t bytes[MLBF_DIGEST_SIZE_MIN] = {0};
  mlbf_digest *d = NULL;
  for (size_t size = 0; size < sizeof bytes; size += 73)
    assert_int_equal(mlbf_digest_create(NULL, bytes, size, &d), MLBF_BAD_ARGUMENT);
  assert_null(d);
  assert_int_equal(mlbf_digest_create(NULL, bytes, sizeof bytes, &d), MLBF_OK); /* all zeros: nothing to remember */
  assert_int_equal(mlbf_digest_features(d), 0);
  assert_int_equal(mlbf_digest_score(d, d, MLBF_DIGEST_RULE_CURRENT), 0);
  mlbf_digest_free(d);
}

/* ---- text ----------------------------------------------------------------------------------------------- */

CASE_WITH(text_and_back, begin, NULL)
{
  for (int round = 0; round < 20; round++) {
    size_t size = MLBF_DIGEST_SIZE_MIN + dice_throw(100000);
    uint8_t *bytes = malloc(size);
    const char *why = NULL;
    mlbf_digest *back = NULL;
    fill(bytes, size);
    mlbf_digest *d = digest_of(bytes, size, round % 2, 1);
    char *text = mlbf_digest_text(d, "a name");
    assert_int_equal(mlbf_digest_parse(text, strlen(text), &back, &why), MLBF_OK);
    assert_string_equal(mlbf_digest_name(back), "a name");
    char *again = mlbf_digest_text(back, "a name");
    assert_string_equal(again, text);
    for (size_t cut = 0; cut < strlen(text); cut += 1 + dice_throw(97)) {
      mlbf_digest *none = NULL;
      assert_int_equal(mlbf_digest_parse(text, cut, &none, &why), MLBF_BAD_ARGUMENT);
      assert_non_null(why);
      assert_null(none);
    }
    free(again);
    free(text);
    mlbf_digest_free(d);
    mlbf_digest_free(back);
    free(bytes);
  }
}

CASE(bad_lines_are_refused_with_a_reason)
{
  static const struct {
    const char *line, *why;
  } rows[] = {
    {"", "begins with neither"},
    {"sdbf", "version"},
    {"sdhash:03:1:x:600:sha1:256:5:7ff:160:1:12:AAAA", "begins with neither"},
    {"sdbf:04:1:x:600:sha1:256:5:7ff:160:1:12:AAAA", "version"},
    {"sdbf:03:9:x:600:sha1:256:5:7ff:160:1:12:AAAA", "name"},
    {"sdbf:03:99999999999999999999:x:600:sha1", "length of the name"},
    {"sdbf:03:1:x:-5:sha1:256:5:7ff:160:1:12:AAAA", "size is no number"},
    {"sdbf:03:1:x:600:md5:256:5:7ff:160:1:12:AAAA", "sha1"},
    {"sdbf:03:1:x:600:sha1:128:5:7ff:160:1:12:AAAA", "256"},
    {"sdbf:03:1:x:600:sha1:256:5:7ff:160:4000000000:12:AAAA", "as many filters"},
    {"sdbf:03:1:x:600:sha1:256:5:7ff:160:0:12:AAAA", "as many filters"},
    {"sdbf-dd:03:1:x:600:sha1:256:5:7ff:160:1:16384:0c:AAAA", "capacity"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *why = NULL;
    mlbf_digest *d = NULL;
    assert_int_equal(mlbf_digest_parse(rows[i].line, strlen(rows[i].line), &d, &why), MLBF_BAD_ARGUMENT);
    if (!strstr(why, rows[i].why))
      fail_msg("%s: \"%s\" does not say \"%s\"", rows[i].line, why, rows[i].why);
  }
}

CASE_WITH(names_cannot_break_lines, begin, NULL)
{
  uint8_t bytes[600];
  fill(bytes, sizeof bytes);
  mlbf_digest *d = digest_of(bytes, sizeof bytes, false, 1);
  char *text = mlbf_digest_text(d, "a:b\nc\x1b[2J");
  assert_memory_equal(text, "sdbf:03:9:a?b?c?[2J:600:", 24);
  free(text);
  mlbf_digest_free(d);
}

CASE(tables_of_ranks)
{
  mlbf_digest_ranks ranks, again;
  uint64_t counts[MLBF_ENTROPY_CLASSES] = {0};
  char text[8000] = "# a comment\r\n", *to = text + strlen(text);
  size_t line = 0;
  for (int i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    counts[i] = i == 500 ? 3 : i == 600 ? 9 : 100; /* 500 is the rarest, then 600, then all others alike */
  mlbf_digest_ranks_from_counts(counts, &ranks);
  assert_int_equal(ranks.rank[500], 1);
  assert_int_equal(ranks.rank[600], 2);
  assert_int_equal(ranks.rank[700], 3);
  assert_int_equal(ranks.rank[99], 0);
  for (int i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    to += sprintf(to, "%u\n", (unsigned)ranks.rank[i]);
  assert_int_equal(mlbf_digest_ranks_parse(text, strlen(text), &again, &line), MLBF_OK);
  assert_memory_equal(&again, &ranks, sizeof ranks);
  static const char *const bad[] = {"", "1\n2\n", "1\nx\n", "70000\n", "1 2\n", "1\n\n2\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(mlbf_digest_ranks_parse(bad[i], strlen(bad[i]), &again, &line), MLBF_BAD_ARGUMENT);
  strcpy(to, "5\n");
  assert_int_equal(mlbf_digest_ranks_parse(text, strlen(text), &again, &line), MLBF_BAD_ARGUMENT);
  assert_int_equal(line, 1 + MLBF_ENTROPY_CLASSES + 1);
}
