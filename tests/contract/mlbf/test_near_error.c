/* How often two texts are called near, by the share of their shingles that they truly have in common: nine tenths are
 * asked for. mlbf/corpus.h and crawler/loop/PAGES.md say what is measured here. */
#include "mlbf/corpus.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 4000, SHINGLE = MLBF_SHINGLE_WORDS, ROUNDS = 400 };

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make(root);
  scratch_join(root, "corpus", directory);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

typedef struct text {
  uint64_t words[WORDS_MAX];
  size_t count;
} text;

static uint64_t new_word(void)
{
  return dice_throw(UINT64_MAX);
}

/* All its words are others, so that each shingle is there once. */
static text make_text(size_t count)
{
  text t = {.count = count};
  for (size_t i = 0; i < count; i++)
    t.words[i] = new_word();
  return t;
}

/* So many shingles of it are others: words here and there, or a passage. */
static text edit(const text *t, size_t others, bool is_passage)
{
  text edited = *t;
  bool is_other[WORDS_MAX] = {false};
  size_t shingles = t->count - SHINGLE + 1, at = SHINGLE + dice_throw(shingles - others - 2 * SHINGLE);
  for (size_t left = others; left > 0;) {
    size_t word = is_passage ? at++ : SHINGLE + dice_throw(shingles - SHINGLE);
    edited.words[word] = new_word();
    for (size_t i = word - SHINGLE + 1; i <= word && left > 0; i++)
      if (!is_other[i]) {
        is_other[i] = true;
        left--;
      }
  }
  return edited;
}

static mlbf_shingles shingles_of(const text *t)
{
  static char letters[WORDS_MAX * 18];
  size_t size = 0;
  for (size_t i = 0; i < t->count; i++)
    size += (size_t)snprintf(letters + size, sizeof letters - size, "%llx ", (unsigned long long)t->words[i]);
  mlbf_shingles s = {0};
  assert_int_equal(mlbf_shingles_of(letters, size, &s), MLBF_OK);
  return s;
}

static bool add(mlbf_corpus *c, const text *t)
{
  static unsigned number;
  char name[32], *near = NULL;
  double share;
  mlbf_shingles s = shingles_of(t);
  int size = snprintf(name, sizeof name, "%u", number++);
  assert_int_equal(mlbf_corpus_add(c, (mlbf_span){name, (size_t)size}, &s, &near, &share), MLBF_OK);
  bool is_near = near != NULL;
  free(near);
  mlbf_shingles_free(&s);
  return is_near;
}

/* How many in 1,000 pairs of such texts are near. */
static unsigned near_in_1000(mlbf_corpus *c, size_t words, double share, bool is_passage)
{
  unsigned near = 0;
  size_t shingles = words - SHINGLE + 1;
  for (int i = 0; i < ROUNDS; i++) {
    text one = make_text(words), other = edit(&one, (size_t)((1 - share) * (double)shingles + 0.5), is_passage);
    assert_false(add(c, &one));
    near += add(c, &other);
  }
  return near * 1000 / ROUNDS;
}

/* Texts of up to 256 shingles are compared whole; what is left is that their keys do not meet, one time in 100. */
CASE(errors_by_length_and_share)
{
  static const struct {
    size_t words;
    double share;
    unsigned least, most; /* in 1,000 */
  } rows[] = {
    {200, 0.88, 0, 0},      {200, 0.92, 980, 1000}, {200, 0.93, 985, 1000},  {250, 0.89, 0, 0},
    {250, 0.92, 975, 1000}, {500, 0.88, 0, 15},     {500, 0.93, 950, 1000},  {1000, 0.87, 0, 10},
    {1000, 0.88, 0, 40},    {1000, 0.93, 920, 990}, {1000, 0.95, 985, 1000}, {4000, 0.87, 0, 15},
    {4000, 0.88, 10, 70},   {4000, 0.92, 700, 860}, {4000, 0.93, 910, 985},  {4000, 0.95, 985, 1000},
  };
  char message[MLBF_CORPUS_MESSAGE_SIZE];
  mlbf_corpus *c = NULL;
  assert_int_equal(mlbf_corpus_open(directory, false, &c, message), MLBF_OK);
  assert_int_equal(mlbf_corpus_near_open(c), MLBF_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int passage = 0; passage < 2; passage++) {
      unsigned near = near_in_1000(c, rows[i].words, rows[i].share, passage);
      print_message("%zu words, share %.2f, %s: %u of 1,000 near\n", rows[i].words, rows[i].share,
                    passage ? "a passage" : "words", near);
      assert_in_range(near, rows[i].least, rows[i].most);
    }
  mlbf_corpus_close(c);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(31);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
