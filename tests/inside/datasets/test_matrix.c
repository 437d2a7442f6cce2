/* The pseudo-matrix filter against a list of documents gone through one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/papers/matrix.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

static int begin(void **state)
{
  (void)state;
  dice_begin(random_commit_seed());
  return 0;
}

static const matrix_options small = {.row_shingles = 500, .rate = 0.05, .layout = MATRIX_DISTRIBUTED};

/* Some numbers, ascending, each once. */
static mlbf_shingles numbers(size_t count)
{
  mlbf_shingles s = {.at = malloc((count + 1) * sizeof *s.at), .count = count, .room = count};
  uint64_t number = dice_throw(1000);
  for (size_t i = 0; i < count; i++)
    s.at[i] = number += 1 + dice_throw(UINT32_MAX);
  return s;
}

/* Text is bytes: one in no encoding, and one in UTF-8 cut in the middle of a letter, are found as any other. */
CASE_WITH(text_of_no_encoding_is_text, begin, NULL)
{
  char bytes[3000];
  matrix *m = matrix_create(&matrix_usual);
  matrix_match best;
  size_t count = 1;
  mlbf_shingles s = {0}, cut = {0};
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = dice_throw(6) ? (char)(0x80 + dice_throw(128)) : ' ';
  assert_int_equal(mlbf_shingles_of(bytes, sizeof bytes, &s), MLBF_OK);
  assert_int_equal(mlbf_shingles_of(bytes + 1, sizeof bytes / 2, &cut), MLBF_OK);
  assert_true(matrix_add(m, 5, &s));
  assert_true(matrix_query(m, &cut, 0.5, &best, &count));
  assert_int_equal(count, 1);
  assert_int_equal(best.id, 5);
  matrix_free(m);
  mlbf_shingles_free(&s);
  mlbf_shingles_free(&cut);
}

/* ---- the matrix against a list --------------------------------------------------------------- */

enum { DOCUMENTS = 400 };

typedef struct shelf {
  mlbf_shingles documents[DOCUMENTS]; /* by id; count 0: not there */
  matrix *matrix;
} shelf;

static void shelf_add(shelf *s, uint64_t id)
{
  s->documents[id] = numbers(1 + dice_throw(dice_throw(8) ? 60 : 1500)); /* rows hold 500 */
  const mlbf_shingles *other = &s->documents[dice_throw(DOCUMENTS)];
  if (other->count && other->at != s->documents[id].at) { /* part of another one */
    size_t count = other->count < s->documents[id].count ? other->count : s->documents[id].count;
    memcpy(s->documents[id].at, other->at, count * sizeof *other->at);
    for (size_t i = count; i < s->documents[id].count; i++)
      s->documents[id].at[i] = i ? s->documents[id].at[i - 1] + 1 + dice_throw(UINT32_MAX) : 1;
  }
  assert_true(matrix_add(s->matrix, id, &s->documents[id]));
}

static shelf *shelf_make(void)
{
  shelf *s = calloc(1, sizeof *s);
  s->matrix = matrix_create(&small);
  for (uint64_t id = 0; id < DOCUMENTS; id++)
    shelf_add(s, id);
  return s;
}

static void shelf_free(shelf *s)
{
  for (size_t i = 0; i < DOCUMENTS; i++)
    mlbf_shingles_free(&s->documents[i]);
  matrix_free(s->matrix);
  free(s);
}

/* Every document at or above the share is found with its exact share, best first, and no other. */
static void answers_are_exact(const shelf *s, double least)
{
  for (int round = 0; round < 60; round++) {
    const mlbf_shingles *query = &s->documents[dice_throw(DOCUMENTS)];
    if (query->count == 0)
      continue;
    matrix_match matches[DOCUMENTS];
    size_t count = DOCUMENTS, wanted = 0;
    assert_true(matrix_query(s->matrix, query, least, matches, &count));
    for (size_t id = 0; id < DOCUMENTS; id++) {
      const mlbf_shingles *d = &s->documents[id];
      size_t common = mlbf_shingles_common(query->at, query->count, d->at, d->count);
      if (common == 0 || (double)common < least * (double)query->count)
        continue;
      size_t at = 0;
      while (at < count && matches[at].id != id)
        at++;
      assert_true(at < count);
      assert_true(matches[at].share == (double)common / (double)query->count);
      assert_true(matches[at].back_share == (double)common / (double)d->count);
      wanted++;
    }
    assert_int_equal(count, wanted);
    for (size_t i = 1; i < count; i++)
      assert_true(matches[i].share <= matches[i - 1].share);
    matrix_match best;
    size_t one = 1;
    assert_true(matrix_query(s->matrix, query, least, &best, &one));
    assert_int_equal(best.id, matches[0].id);
  }
}

CASE_WITH(what_is_alike_is_found, begin, NULL)
{
  shelf *s = shelf_make();
  answers_are_exact(s, 0.3);
  answers_are_exact(s, 0.9);
  answers_are_exact(s, 0);
  shelf_free(s);
}

CASE_WITH(what_was_removed_is_gone_and_nothing_else, begin, NULL)
{
  shelf *s = shelf_make();
  matrix_stats before, after, packed;
  uint64_t ids[DOCUMENTS];
  size_t count = 0;
  for (uint64_t id = 0; id < DOCUMENTS; id++)
    if (dice_throw(3) == 0) {
      ids[count++] = id;
      mlbf_shingles_free(&s->documents[id]);
    }
  before = matrix_stats_read(s->matrix);
  ids[count] = DOCUMENTS; /* one that is not there: nothing is removed */
  assert_false(matrix_remove(s->matrix, ids, count + 1));
  after = matrix_stats_read(s->matrix);
  assert_int_equal(after.documents, before.documents);
  ids[count] = ids[0]; /* named twice is no fault */
  assert_true(matrix_remove(s->matrix, ids, count + 1));
  after = matrix_stats_read(s->matrix);
  assert_int_equal(after.documents, before.documents - count);
  answers_are_exact(s, 0.3);
  assert_true(matrix_compact(s->matrix));
  packed = matrix_stats_read(s->matrix);
  assert_int_equal(packed.shingles, after.shingles);
  assert_true(packed.rows < after.rows);
  answers_are_exact(s, 0.3);
  for (size_t i = 0; i < count; i++)
    shelf_add(s, ids[i]);
  answers_are_exact(s, 0.3);
  shelf_free(s);
}

/* A row that was rebuilt has exactly the bits of what is in it. */
CASE_WITH(removal_leaves_no_bits, begin, NULL)
{
  matrix *m = matrix_create(&small);
  mlbf_shingles a = numbers(200), b = numbers(200);
  assert_true(matrix_add(m, 1, &a));
  matrix_score with = matrix_row_score(m, 0, &a);
  assert_true(with.share == 1 && with.beyond == 1);
  assert_true(matrix_add(m, 2, &b));
  assert_true(matrix_remove(m, &(uint64_t){2}, 1));
  assert_true(matrix_row_has(m, 0, 1) && !matrix_row_has(m, 0, 2));
  assert_true(matrix_row_score(m, 0, &a).fill == with.fill);
  double stranger = matrix_row_score(m, 0, &b).beyond;
  assert_true(stranger < 0.2 && stranger > -0.2);
  matrix_free(m);
  mlbf_shingles_free(&a);
  mlbf_shingles_free(&b);
}

/* ---- the paper ------------------------------------------------------------------------------- */

CASE(row_bits_are_those_of_table_1)
{
  assert_int_equal(matrix_row_bits(123000, 0.05), 766933);
  assert_int_equal(matrix_row_bits(20000, 0.05), 124704); /* of a corpus (FORMAT.md) */
  assert_int_equal(matrix_row_bits(0, 0.05), 0);
  assert_int_equal(matrix_row_bits(1000, 0), 0);
  assert_int_equal(matrix_row_bits(1000, 1), 0);
  assert_int_equal(matrix_row_bits(UINT64_MAX, 0.05), 0);
}

/* A full row knows a strange shingle about as often as it was made to. */
CASE_WITH(a_full_row_keeps_its_rate, begin, NULL)
{
  matrix *m = matrix_create(&matrix_usual);
  mlbf_shingles full = numbers(20000), strange = numbers(20000);
  assert_true(matrix_add(m, 1, &full));
  matrix_score row = matrix_row_score(m, 0, &strange);
  printf("fill %.3f, %.4f known\n", row.fill, row.share);
  assert_true(row.share > 0.04 && row.share < 0.065);
  assert_true(row.beyond > -0.02 && row.beyond < 0.02);
  matrix_free(m);
  mlbf_shingles_free(&full);
  mlbf_shingles_free(&strange);
}

/* What is longer than a row is split, or overfills a row of its own. */
CASE_WITH(layouts_are_the_papers, begin, NULL)
{
  mlbf_shingles documents[] = {numbers(100), numbers(1100), numbers(300), numbers(400)};
  enum { DOCUMENTS_FEW = sizeof documents / sizeof *documents };
  static const uint64_t rows[MATRIX_LAYOUTS] = {[MATRIX_ROW_EACH] = 4, [MATRIX_DISTRIBUTED] = 4};
  static const bool is_in[MATRIX_LAYOUTS][4][4] = {
    [MATRIX_ROW_EACH] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}},
    [MATRIX_DISTRIBUTED] = {{1, 1, 1}, {0, 1}, {0, 1}, {0, 0, 0, 1}}, /* by row */
  };
  for (int l = 0; l < MATRIX_LAYOUTS; l++) {
    matrix *m = matrix_create(&(matrix_options){.row_shingles = 500, .rate = 0.05, .layout = (matrix_layout)l});
    for (uint64_t id = 0; id < DOCUMENTS_FEW; id++)
      assert_true(matrix_add(m, id, &documents[id]));
    assert_int_equal(matrix_stats_read(m).rows, rows[l]);
    for (size_t row = 0; row < rows[l]; row++)
      for (uint64_t id = 0; id < DOCUMENTS_FEW; id++)
        assert_int_equal(matrix_row_has(m, row, id), is_in[l][row][id]);
    matrix_free(m);
  }
  for (size_t i = 0; i < DOCUMENTS_FEW; i++)
    mlbf_shingles_free(&documents[i]);
}

CASE_WITH(nonsense_is_refused, begin, NULL)
{
  static const matrix_options bad[] = {{.row_shingles = 500, .rate = 2},
                                       {.row_shingles = 500, .rate = -1},
                                       {.row_shingles = UINT64_MAX, .rate = 0.05},
                                       {.row_shingles = 500, .rate = 1e-300}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_null(matrix_create(&bad[i]));
  matrix *m = matrix_create(&matrix_usual);
  mlbf_shingles none = {0};
  matrix_match match;
  size_t count = 1;
  assert_true(matrix_query(m, &none, 0, &match, &count));
  assert_int_equal(count, 0);
  matrix_free(m);
  matrix_free(NULL);
}
