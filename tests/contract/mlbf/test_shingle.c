/* A text as a set of numbers: the same whatever pieces it comes in, and of a long text the least ones. */
#include "mlbf/shingle.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static mlbf_shingles of(const char *text)
{
  mlbf_shingles s = {0};
  assert_int_equal(mlbf_shingles_of(text, strlen(text), &s), MLBF_OK);
  return s;
}

static void assert_same(const mlbf_shingles *a, const mlbf_shingles *b, size_t count)
{
  assert_int_equal(a->count, count);
  assert_true(b->count >= count);
  assert_memory_equal(a->at, b->at, count * sizeof *a->at);
}

/* Words, blanks, marks, umlauts, Chinese. */
static char *random_text(size_t size)
{
  static const char *const parts[] = {" ",  "\n",           "a",           "B", "word", "stra\xC3\x9F", "42",
                                      ", ", "\xE4\xB8\xAD", "\xE3\x80\x82"};
  char *text = malloc(size + 8);
  assert_non_null(text);
  size_t at = 0;
  *text = '\0';
  while (at < size)
    at += strlen(strcpy(text + at, parts[dice_throw(sizeof parts / sizeof *parts)]));
  return text;
}

CASE(any_cut_of_a_text_gives_the_same)
{
  mlbf_shingler *s = mlbf_shingler_create(0);
  assert_non_null(s);
  for (int round = 0; round < 200; round++) {
    char *text = random_text(dice_throw(2000));
    mlbf_shingles whole = of(text), pieces;
    mlbf_shingler_begin(s);
    for (size_t at = 0, size = strlen(text); at < size;) {
      size_t piece = 1 + dice_throw(size - at < 50 ? size - at : 50);
      mlbf_shingler_feed(s, text + at, piece);
      at += piece;
    }
    assert_int_equal(mlbf_shingler_finish(s, &pieces), MLBF_OK);
    assert_int_equal(pieces.count, whole.count);
    assert_true(pieces.text == whole.text && whole.text);
    assert_same(&pieces, &whole, whole.count);
    mlbf_shingles_free(&whole);
    free(text);
  }
  mlbf_shingler_free(s);
}

/* Eight bytes at once, where there are eight: the same words as byte by byte. */
CASE(all_bytes_count_the_same_alone)
{
  mlbf_shingler *s = mlbf_shingler_create(0);
  assert_non_null(s);
  for (int round = 0; round < 300; round++) {
    char text[600];
    mlbf_shingles whole = {0}, pieces;
    for (size_t i = 0; i < sizeof text; i++)
      text[i] = (char)(round % 2 ? dice_throw(128) : dice_throw(3) ? 'a' + dice_throw(26) : dice_throw(256));
    assert_int_equal(mlbf_shingles_of(text, sizeof text, &whole), MLBF_OK);
    mlbf_shingler_begin(s);
    for (size_t i = 0; i < sizeof text; i++)
      mlbf_shingler_feed(s, text + i, 1);
    assert_int_equal(mlbf_shingler_finish(s, &pieces), MLBF_OK);
    assert_true(pieces.text == whole.text && pieces.count == whole.count);
    assert_same(&pieces, &whole, whole.count);
    mlbf_shingles_free(&whole);
  }
  mlbf_shingler_free(s);
}

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

CASE(of_a_long_text_the_least_are_kept)
{
  enum { MOST = 100 };
  mlbf_shingler *s = mlbf_shingler_create(MOST);
  assert_non_null(s);
  for (size_t size = 100; size < 100000; size = 3 * size + dice_throw(size)) {
    char *text = random_text(size);
    mlbf_shingles all = of(text), least;
    mlbf_shingler_begin(s);
    mlbf_shingler_feed(s, text, strlen(text));
    assert_int_equal(mlbf_shingler_finish(s, &least), MLBF_OK);
    assert_same(&least, &all, all.count < MOST ? all.count : MOST);
    mlbf_shingles_free(&all);
    free(text);
  }
  mlbf_shingler_free(s);
}

static size_t sort_once(uint64_t *at, size_t count)
{
  size_t different = 0;
  qsort(at, count, sizeof *at, ascending);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || at[i] != at[i - 1])
      at[different++] = at[i];
  return different;
}

/* By their definition: hashes of four words' hashes, and the least of each eight. */
CASE(they_are_what_their_definition_says)
{
  enum { MOST = 6000, SHINGLE = MLBF_SHINGLE_WORDS, WINDOW = MLBF_SHINGLE_WINDOW };
  static char text[8 * MOST];
  static uint64_t words[MOST], all[MOST], least[MOST];
  for (size_t count = SHINGLE + WINDOW; count < MOST; count += 1 + dice_throw(count / 2)) {
    size_t size = 0, shingles = count - SHINGLE + 1, windows = shingles - WINDOW + 1;
    for (size_t i = 0; i < count; i++) {
      int letters = snprintf(text + size, 8, "%u", (unsigned)dice_throw(count < 1000 ? 5 : 2000));
      words[i] = XXH3_64bits(text + size, (size_t)letters);
      size += (size_t)letters;
      text[size++] = ' ';
    }
    for (size_t i = 0; i < shingles; i++)
      all[i] = XXH3_64bits(words + i, SHINGLE * sizeof *words);
    for (size_t i = 0; i < windows; i++) {
      least[i] = all[i];
      for (size_t k = 1; k < WINDOW; k++)
        least[i] = all[i + k] < least[i] ? all[i + k] : least[i];
    }
    mlbf_shingles found = {0};
    assert_int_equal(mlbf_shingles_of(text, size, &found), MLBF_OK);
    assert_int_equal(found.count, sort_once(least, windows));
    assert_memory_equal(found.at, least, found.count * sizeof *least);
    size_t different = sort_once(all, shingles);
    assert_int_equal(found.whole_count, different < MLBF_SHINGLES_WHOLE ? different : MLBF_SHINGLES_WHOLE);
    assert_memory_equal(found.whole, all, found.whole_count * sizeof *all);
    mlbf_shingles_free(&found);
  }
}

/* Sixty characters from U+4E00 on, and the same behind one more: as words without blanks they would be one. */
CASE(each_chinese_character_is_a_word)
{
  enum { CHARACTERS = 60 };
  char text[3 * CHARACTERS + 4] = "\xE4\xBB\x8A";
  for (size_t i = 1; i <= CHARACTERS; i++)
    snprintf(text + 3 * i, 4, "\xE5%c%c", 0x80 + (int)dice_throw(64), 0x80 + (int)dice_throw(64));
  mlbf_shingles a = of(text + 3), b = of(text);
  assert_true(a.count > 5);
  assert_true(mlbf_shingles_common(a.at, a.count, b.at, b.count) >= a.count - 1);
  mlbf_shingles_free(&a);
  mlbf_shingles_free(&b);
}

static void assert_equal_text(const char *a, const char *b, bool is_equal)
{
  mlbf_shingles x = of(a), y = of(b);
  if ((x.text == y.text) != is_equal)
    fail_msg("\"%s\" and \"%s\" are%s the same text", a, b, is_equal ? "" : " not");
  mlbf_shingles_free(&x);
  mlbf_shingles_free(&y);
}

CASE(equal_words_are_an_equal_text)
{
  assert_equal_text("one two three", " One, TWO\nthree!", true);
  assert_equal_text("one two three", "one two four", false);
  assert_equal_text("one two three", "one three two", false);
  assert_equal_text("one two three", "one two", false);
  assert_equal_text("one two three", "one two three three", false);
  assert_equal_text("onetwo", "one two", false);
}

CASE(words_are_what_counts)
{
  static const char *const alike[] = {"The quick brown fox", "the QUICK  brown fox.", "\nthe-quick,brown\t(fox)"};
  mlbf_shingles first = of(alike[0]);
  assert_int_equal(first.count, 1);
  for (size_t i = 1; i < sizeof alike / sizeof *alike; i++) {
    mlbf_shingles other = of(alike[i]);
    assert_int_equal(mlbf_shingles_common(first.at, first.count, other.at, other.count), 1);
    mlbf_shingles_free(&other);
  }
  mlbf_shingles other = of("the quick fox brown");
  assert_int_equal(mlbf_shingles_common(first.at, first.count, other.at, other.count), 0);
  mlbf_shingles_free(&other);
  mlbf_shingles_free(&first);
  static const struct {
    const char *text;
    size_t count;
  } few[] = {{" \t.,;\xc2", 1}, {"", 0}, {"...", 0}, {"one two", 1}}; /* bytes above 127 are letters */
  for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
    other = of(few[i].text);
    assert_int_equal(other.count, few[i].count);
    mlbf_shingles_free(&other);
  }
}

/* `words` words of a vocabulary of 5,000, to be freed. */
static char *text_of(size_t words)
{
  char *text = malloc(words * 8 + 1), *to = text;
  *to = '\0';
  for (size_t i = 0; i < words; i++)
    to += sprintf(to, "w%u ", (unsigned)dice_throw(5000));
  return text;
}

/* Eleven words in common are eight shingles in a row: winnowing keeps one of them in both texts. */
CASE(a_passage_of_eleven_words_is_found)
{
  for (int round = 0; round < 200; round++) {
    char *a = text_of(20 + dice_throw(200)), *b = text_of(20 + dice_throw(200)), *passage = text_of(11);
    size_t room = strlen(a) + strlen(b) + strlen(passage) + 1;
    char *left = malloc(room), *right = malloc(room);
    sprintf(left, "%s%s", a, passage);
    sprintf(right, "%s%s", passage, b);
    mlbf_shingles x = of(left), y = of(right);
    assert_true(mlbf_shingles_common(x.at, x.count, y.at, y.count) > 0);
    for (size_t i = 1; i < x.count; i++)
      assert_true(x.at[i] > x.at[i - 1]);
    mlbf_shingles_free(&x);
    mlbf_shingles_free(&y);
    free(a);
    free(b);
    free(passage);
    free(left);
    free(right);
  }
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(8);
  return 0;
}

EACH_CASE(prepare, NULL)
