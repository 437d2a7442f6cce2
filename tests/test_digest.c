/* Similarity digests against a slow model of sdhash's rules, against its own output where that is at hand, and for what
 * they are for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "mlbf/digest.h"
#include "mlbf/digest_features.h"
#include "mlbf/digest_sha1.h"
#include "tests/dice.h"

static int begin(void **state)
{
  (void)state;
  dice_begin((uint64_t)time(NULL));
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

/* ---- SHA-1 ---------------------------------------------------------------------------------------------- */

/* FIPS 180-4, word for word. */
static void slow_sha1(const uint8_t message[64], digest_sha1 hash)
{
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  uint8_t blocks[128] = {0};
  memcpy(blocks, message, 64);
  blocks[64] = 0x80;
  blocks[126] = 2; /* 512 bits */
  for (int block = 0; block < 2; block++) {
    uint32_t w[80], v[5];
    for (int t = 0; t < 80; t++)
      if (t < 16) {
        const uint8_t *at = blocks + 64 * block + 4 * t;
        w[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
      } else {
        uint32_t x = w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16];
        w[t] = x << 1 | x >> 31;
      }
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 80; t++) {
      uint32_t f = t < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                   : t < 40 ? v[1] ^ v[2] ^ v[3]
                   : t < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                            : v[1] ^ v[2] ^ v[3];
      static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      uint32_t next = (v[0] << 5 | v[0] >> 27) + f + v[4] + k[t / 20] + w[t];
      v[4] = v[3], v[3] = v[2], v[2] = v[1] << 30 | v[1] >> 2, v[1] = v[0], v[0] = next;
    }
    for (int i = 0; i < 5; i++)
      h[i] += v[i];
  }
  memcpy(hash, h, sizeof h);
}

/* printf 'x%.0s' $(seq 64) | sha1sum */
static void the_slow_sha1_is_sha1(void **state)
{
  (void)state;
  static const digest_sha1 wanted = {0xbb2fa3ee, 0x7afb9f54, 0xc6dfb5d0, 0x21f14b1f, 0xfe40c163};
  uint8_t message[64];
  digest_sha1 hash;
  memset(message, 'x', sizeof message);
  slow_sha1(message, hash);
  assert_memory_equal(hash, wanted, sizeof hash);
}

static void every_path_hashes_alike(void **state)
{
  (void)state;
  unsigned paths = 0;
  for (const digest_sha1_path *const *path = digest_sha1_paths; *path; path++) {
    if (!(*path)->is_usable())
      continue;
    for (int round = 0; round < 50; round++) {
      uint8_t bytes[1024];
      const uint8_t *messages[DIGEST_SHA1_MANY];
      digest_sha1 hashes[DIGEST_SHA1_MANY], wanted;
      fill(bytes, sizeof bytes);
      for (int i = 0; i < DIGEST_SHA1_MANY; i++)
        messages[i] = bytes + dice_throw(sizeof bytes - 64);
      (*path)->hash(messages, hashes);
      for (int i = 0; i < DIGEST_SHA1_MANY; i++) {
        slow_sha1(messages[i], wanted);
        assert_memory_equal(hashes[i], wanted, sizeof wanted);
      }
    }
    paths++;
  }
  printf("%u paths on this machine\n", paths);
  assert_true(paths > 0);
}

/* ---- features ------------------------------------------------------------------------------------------- */

/* The scores as sdhash's rules tell it, a rank at a time, from one array over all. */
static void slow_scores(const uint16_t *ranks, size_t windows, uint8_t *scores)
{
  size_t best = 0;
  uint16_t rank = 0;
  memset(scores, 0, windows + DIGEST_WINDOW + 1);
  for (size_t begin = 0; begin < windows; begin++) {
    uint16_t coming = ranks[begin + DIGEST_WINDOW];
    bool is_sliding = rank > 0 && begin < best && coming >= rank;
    if (is_sliding && coming == rank)
      best = begin + DIGEST_WINDOW;
    if (!is_sliding) {
      best = begin;
      rank = ranks[begin];
      for (size_t i = begin + 1; i < begin + DIGEST_WINDOW && rank; i++)
        if ((ranks[i] && ranks[i] < rank) || (ranks[i] == rank && best == i - 1)) {
          rank = ranks[i];
          best = i;
        }
    }
    scores[best] += rank > 0;
  }
}

static void scores_are_the_same_in_any_pieces(void **state)
{
  (void)state;
  enum { WINDOWS = 5000, ALL = WINDOWS + DIGEST_WINDOW + 1 };
  static uint16_t ranks[ALL];
  static uint8_t wanted[ALL], scores[ALL];
  for (int round = 0; round < 60; round++) {
    uint64_t variety = 1 + dice_throw(round % 2 ? 5 : 1001); /* few ranks: many ties and runs */
    memset(ranks, 0, sizeof ranks);
    for (size_t i = 0; i < WINDOWS; i++)
      ranks[i] = (uint16_t)(dice_throw(10) ? dice_throw(variety) : 0);
    slow_scores(ranks, WINDOWS, wanted);
    memset(scores, 0, sizeof scores);
    digest_scorer scorer = {0};
    size_t base = 0;
    for (size_t end = 0; end < WINDOWS;) {
      end = end + 1 + dice_throw(700) < WINDOWS ? end + 1 + dice_throw(700) : WINDOWS;
      end = end < WINDOWS ? end : WINDOWS;
      digest_score_windows(&scorer, ranks + base, end - base, scores + base);
      if (dice_throw(2)) {
        digest_scorer_shift(&scorer, end - base);
        base = end;
      }
    }
    assert_memory_equal(scores, wanted, WINDOWS);
  }
}

static void classes_are_those_of_each_window_alone(void **state)
{
  (void)state;
  enum { SIZE = 4000, MOST = SIZE - DIGEST_WINDOW + 1 };
  static uint8_t bytes[SIZE];
  static uint16_t classes[MOST], itself[MLBF_ENTROPY_CLASSES];
  size_t windows = MOST - dice_throw(2); /* odd and even */
  fill(bytes, SIZE);
  for (size_t i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    itself[i] = (uint16_t)i;
  digest_classes(bytes, windows, itself, classes);
  for (size_t i = 0; i < windows; i++) {
    uint16_t alone;
    digest_classes(bytes + i, 1, itself, &alone);
    assert_int_equal(classes[i], alone);
  }
  memset(bytes, 7, DIGEST_WINDOW);
  digest_classes(bytes, 1, itself, classes);
  assert_int_equal(classes[0], 0);
  for (int i = 0; i < DIGEST_WINDOW; i++)
    bytes[i] = (uint8_t)i;
  digest_classes(bytes, 1, itself, classes);
  assert_int_equal(classes[0], 1000);
}

/* ---- what digests are for ------------------------------------------------------------------------------- */

static mlbf_digest *digest_of(const uint8_t *bytes, size_t size, bool blocks, unsigned threads)
{
  mlbf_digest *d = NULL;
  mlbf_digest_options options = {.blocks = blocks, .threads = threads};
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

static void a_part_is_found_in_the_whole(void **state)
{
  (void)state;
  enum { SIZE = 200000 };
  uint8_t *a = malloc(SIZE), *b = malloc(SIZE);
  for (size_t i = 0; i < SIZE; i++) {
    a[i] = (uint8_t)dice_throw(256);
    b[i] = (uint8_t)dice_throw(256);
  }
  assert_int_equal(score_of(a, SIZE, a, SIZE, false), 100);
  assert_true(score_of(a, SIZE, b, SIZE, false) <= 1);
  assert_true(score_of(a, SIZE, a + 60000, 50000, false) > 50); /* its filters begin elsewhere than the whole's */
  memcpy(b + 100000, a + 100000, 100000); /* one half in common */
  int half = score_of(a, SIZE, b, SIZE, false);
  assert_true(half > 30 && half < 70);
  half = score_of(a, SIZE, b, SIZE, true);
  assert_true(half > 30 && half < 70);
  free(a);
  free(b);
}

/* sdhash 4.0 cuts by the features of both filters together: more than all bits of a short piece. The papers do not. */
static void a_short_piece_is_found_by_the_papers_rule_alone(void **state)
{
  (void)state;
  enum { PIECE = 1200, PIECES = 100 };
  static uint8_t block[MLBF_DIGEST_BLOCK];
  int found = 0;
  for (size_t i = 0; i < sizeof block; i++)
    block[i] = (uint8_t)dice_throw(256);
  mlbf_digest *whole = digest_of(block, sizeof block, true, 1);
  for (int i = 0; i < PIECES; i++) {
    mlbf_digest *piece = digest_of(block + dice_throw(sizeof block - PIECE), PIECE, false, 1);
    assert_int_equal(mlbf_digest_score(piece, whole, MLBF_DIGEST_RULE_CURRENT), 0);
    found += mlbf_digest_score(piece, whole, MLBF_DIGEST_RULE_PAPER) > 0;
    mlbf_digest_free(piece);
  }
  mlbf_digest_free(whole);
  assert_in_range(found, PIECES * 9 / 10, PIECES);
}

static void threads_change_no_bit(void **state)
{
  (void)state;
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

static void too_little_is_refused(void **state)
{
  (void)state;
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

static void text_and_back(void **state)
{
  (void)state;
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
    assert_int_equal(mlbf_digest_input_size(back), size);
    assert_int_equal(mlbf_digest_is_blocks(back), round % 2);
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

static void bad_lines_are_refused_with_a_reason(void **state)
{
  (void)state;
  static const struct { const char *line, *why; } rows[] = {
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

static void names_cannot_break_lines(void **state)
{
  (void)state;
  uint8_t bytes[600];
  fill(bytes, sizeof bytes);
  mlbf_digest *d = digest_of(bytes, sizeof bytes, false, 1);
  char *text = mlbf_digest_text(d, "a:b\nc\x1b[2J");
  assert_memory_equal(text, "sdbf:03:9:a?b?c?[2J:600:", 24);
  free(text);
  mlbf_digest_free(d);
}

static void tables_of_ranks(void **state)
{
  (void)state;
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

/* ---- the tool itself ------------------------------------------------------------------------------------ */

static char *shared_file(const char *name, size_t *size)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/sdhash/%s", SHARED_DATA, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, (1 << 20) - 1, file);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

/* Each line of `expected`, made anew from the file it names. */
static unsigned lines_made_anew(const char *expected, const mlbf_digest_ranks *ranks, bool blocks)
{
  size_t size = 0, bytes_size = 0;
  char *lines = shared_file(expected, &size), *rest = NULL;
  unsigned count = 0;
  assert_non_null(lines);
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const char *why;
    mlbf_digest *theirs = NULL, *ours = NULL;
    assert_int_equal(mlbf_digest_parse(line, strlen(line), &theirs, &why), MLBF_OK);
    char *bytes = shared_file(mlbf_digest_name(theirs), &bytes_size);
    assert_non_null(bytes);
    mlbf_digest_options options = {.ranks = ranks, .blocks = blocks};
    assert_int_equal(mlbf_digest_create(&options, bytes, bytes_size, &ours), MLBF_OK);
    char *text = mlbf_digest_text(ours, mlbf_digest_name(theirs));
    assert_string_equal(text, line);
    free(text);
    free(bytes);
    mlbf_digest_free(ours);
    mlbf_digest_free(theirs);
    count++;
  }
  free(lines);
  return count;
}

static void digests_are_those_of_sdhash(void **state)
{
  (void)state;
  size_t size = 0, line = 0;
  char *table = shared_file("entr64_ranks.csv", &size);
  mlbf_digest_ranks ranks;
  if (!table) {
    printf("skipped: no shared data\n");
    skip();
  }
  assert_int_equal(mlbf_digest_ranks_parse(table, size, &ranks, &line), MLBF_OK);
  free(table);
  assert_int_equal(lines_made_anew("expected.sdbf", &ranks, false), 6);
  assert_int_equal(lines_made_anew("expected-dd.sdbf", &ranks, true), 5);
}

static mlbf_digest *named(const char *digests, const char *name)
{
  size_t size;
  char *lines = shared_file(digests, &size), *rest = NULL;
  mlbf_digest *found = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
    const char *why;
    assert_int_equal(mlbf_digest_parse(line, strlen(line), &found, &why), MLBF_OK);
    if (strcmp(mlbf_digest_name(found), name) != 0) {
      mlbf_digest_free(found);
      found = NULL;
    }
  }
  free(lines);
  assert_non_null(found);
  return found;
}

static unsigned scores_agree(const char *digests, const char *scores)
{
  size_t size;
  char *lines = shared_file(scores, &size), *rest = NULL, a[64], b[64];
  unsigned count = 0;
  int wanted;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), count++) {
    assert_int_equal(sscanf(line, "%63[^|]|%63[^|]|%d", a, b, &wanted), 3);
    mlbf_digest *x = named(digests, a), *y = named(digests, b);
    int score = mlbf_digest_score(x, y, MLBF_DIGEST_RULE_CURRENT);
    if (score != wanted)
      printf("%s: %d\n", line, score);
    assert_in_range(score, wanted > 3 ? wanted - 3 : 0, wanted + 3);
    mlbf_digest_free(x);
    mlbf_digest_free(y);
  }
  free(lines);
  return count;
}

static void scores_are_those_of_sdhash(void **state)
{
  (void)state;
  size_t size;
  char *there = shared_file("expected-scores.txt", &size);
  if (!there) {
    printf("skipped: no shared data\n");
    skip();
  }
  free(there);
  assert_int_equal(scores_agree("expected.sdbf", "expected-scores.txt"), 15);
  assert_int_equal(scores_agree("expected-dd.sdbf", "expected-dd-scores.txt"), 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_slow_sha1_is_sha1),
    cmocka_unit_test_setup(every_path_hashes_alike, begin),
    cmocka_unit_test_setup(scores_are_the_same_in_any_pieces, begin),
    cmocka_unit_test_setup(classes_are_those_of_each_window_alone, begin),
    cmocka_unit_test_setup(a_part_is_found_in_the_whole, begin),
    cmocka_unit_test_setup(a_short_piece_is_found_by_the_papers_rule_alone, begin),
    cmocka_unit_test_setup(threads_change_no_bit, begin),
    cmocka_unit_test(too_little_is_refused),
    cmocka_unit_test_setup(text_and_back, begin),
    cmocka_unit_test(bad_lines_are_refused_with_a_reason),
    cmocka_unit_test_setup(names_cannot_break_lines, begin),
    cmocka_unit_test(tables_of_ranks),
    cmocka_unit_test(digests_are_those_of_sdhash),
    cmocka_unit_test(scores_are_those_of_sdhash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
