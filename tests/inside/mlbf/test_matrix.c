/* The pseudo-matrix filter against a list of documents gone through one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/papers/matrix.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static int begin(void **state)
{
  (void)state;
  dice_begin(random_commit_seed());
  return 0;
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

static mlbf_shingles shingles_of(const char *text)
{
  mlbf_shingles s = {0};
  assert_int_equal(mlbf_shingles_of(text, strlen(text), &s), MLBF_OK);
  return s;
}

/* Some numbers, ascending, each once. */
static mlbf_shingles numbers(size_t count)
{
  mlbf_shingles s = {.at = malloc((count + 1) * sizeof *s.at), .count = count, .room = count};
  uint64_t number = dice_throw(1000);
  for (size_t i = 0; i < count; i++)
    s.at[i] = number += 1 + dice_throw(UINT32_MAX);
  return s;
}

/* ---- shingles ------------------------------------------------------------------------------------------- */

CASE(words_are_what_counts)
{
  static const char *const alike[] = {"The quick brown fox", "the QUICK  brown fox.", "\nthe-quick,brown\t(fox)"};
  mlbf_shingles first = shingles_of(alike[0]);
  assert_int_equal(first.count, 1);
  for (size_t i = 1; i < sizeof alike / sizeof *alike; i++) {
    mlbf_shingles other = shingles_of(alike[i]);
    assert_int_equal(mlbf_shingles_common(first.at, first.count, other.at, other.count), 1);
    mlbf_shingles_free(&other);
  }
  mlbf_shingles other = shingles_of("the quick fox brown");
  assert_int_equal(mlbf_shingles_common(first.at, first.count, other.at, other.count), 0);
  mlbf_shingles_free(&other);
  mlbf_shingles_free(&first);
  static const struct {
    const char *text;
    size_t count;
  } few[] = {{" \t.,;\xc2", 1}, {"", 0}, {"...", 0}, {"one two", 1}}; /* bytes above 127 are letters */
  for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
    other = shingles_of(few[i].text);
    assert_int_equal(other.count, few[i].count);
    mlbf_shingles_free(&other);
  }
}

/* Eleven words in common are eight shingles in a row: winnowing keeps one of them in both texts. */
CASE_WITH(a_passage_of_eleven_words_is_found, begin, NULL)
{
  for (int round = 0; round < 200; round++) {
    char *a = text_of(20 + dice_throw(200)), *b = text_of(20 + dice_throw(200)), *passage = text_of(11);
    size_t room = strlen(a) + strlen(b) + strlen(passage) + 1;
    char *left = malloc(room), *right = malloc(room);
    sprintf(left, "%s%s", a, passage);
    sprintf(right, "%s%s", passage, b);
    mlbf_shingles x = shingles_of(left), y = shingles_of(right);
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

/* Text is bytes: one in no encoding, and one in UTF-8 cut in the middle of a letter, are found as any other. */
CASE_WITH(text_of_no_encoding_is_text, begin, NULL)
{
  char bytes[3000];
  mlbf_matrix *m;
  mlbf_matrix_match best;
  size_t count = 1;
  mlbf_shingles s = {0}, cut = {0};
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = dice_throw(6) ? (char)(0x80 + dice_throw(128)) : ' ';
  assert_int_equal(mlbf_shingles_of(bytes, sizeof bytes, &s), MLBF_OK);
  assert_int_equal(mlbf_shingles_of(bytes + 1, sizeof bytes / 2, &cut), MLBF_OK);
  assert_int_equal(mlbf_matrix_create(NULL, &m), MLBF_OK);
  assert_int_equal(mlbf_matrix_add(m, 5, &s), MLBF_OK);
  assert_int_equal(mlbf_matrix_query(m, &cut, 0.5, &best, &count), MLBF_OK);
  assert_int_equal(count, 1);
  assert_int_equal(best.id, 5);
  mlbf_matrix_free(m);
  mlbf_shingles_free(&s);
  mlbf_shingles_free(&cut);
}

/* ---- the matrix against a list -------------------------------------------------------------------------- */

enum { DOCUMENTS = 400 };

typedef struct shelf {
  mlbf_shingles documents[DOCUMENTS]; /* by id; count 0: not there */
  mlbf_matrix *matrix;
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
  assert_int_equal(mlbf_matrix_add(s->matrix, id, &s->documents[id]), MLBF_OK);
}

static shelf *shelf_make(void)
{
  shelf *s = calloc(1, sizeof *s);
  assert_int_equal(mlbf_matrix_create(&(mlbf_matrix_options){.row_shingles = 500}, &s->matrix), MLBF_OK);
  for (uint64_t id = 0; id < DOCUMENTS; id++)
    shelf_add(s, id);
  return s;
}

static void shelf_free(shelf *s)
{
  for (size_t i = 0; i < DOCUMENTS; i++)
    mlbf_shingles_free(&s->documents[i]);
  mlbf_matrix_free(s->matrix);
  free(s);
}

/* Every document at or above the share is found with its exact share, best first, and no other. */
static void answers_are_exact(const shelf *s, double least)
{
  for (int round = 0; round < 60; round++) {
    const mlbf_shingles *query = &s->documents[dice_throw(DOCUMENTS)];
    if (query->count == 0)
      continue;
    mlbf_matrix_match matches[DOCUMENTS];
    size_t count = DOCUMENTS, wanted = 0;
    assert_int_equal(mlbf_matrix_query(s->matrix, query, least, matches, &count), MLBF_OK);
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
    mlbf_matrix_match best;
    size_t one = 1;
    assert_int_equal(mlbf_matrix_query(s->matrix, query, least, &best, &one), MLBF_OK);
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
  mlbf_matrix_stats before, after, packed;
  uint64_t ids[DOCUMENTS];
  size_t count = 0;
  for (uint64_t id = 0; id < DOCUMENTS; id++)
    if (dice_throw(3) == 0) {
      ids[count++] = id;
      mlbf_shingles_free(&s->documents[id]);
    }
  mlbf_matrix_stats_read(s->matrix, &before);
  ids[count] = DOCUMENTS; /* one that is not there: nothing is removed */
  assert_int_equal(mlbf_matrix_remove(s->matrix, ids, count + 1), MLBF_BAD_ARGUMENT);
  mlbf_matrix_stats_read(s->matrix, &after);
  assert_int_equal(after.documents, before.documents);
  ids[count] = ids[0]; /* named twice is no fault */
  assert_int_equal(mlbf_matrix_remove(s->matrix, ids, count + 1), MLBF_OK);
  mlbf_matrix_stats_read(s->matrix, &after);
  assert_int_equal(after.documents, before.documents - count);
  answers_are_exact(s, 0.3);
  assert_int_equal(mlbf_matrix_compact(s->matrix), MLBF_OK);
  mlbf_matrix_stats_read(s->matrix, &packed);
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
  mlbf_matrix *m;
  mlbf_matrix_row with, without;
  mlbf_shingles a = numbers(200), b = numbers(200);
  assert_int_equal(mlbf_matrix_create(&(mlbf_matrix_options){.row_shingles = 500}, &m), MLBF_OK);
  assert_int_equal(mlbf_matrix_add(m, 1, &a), MLBF_OK);
  assert_int_equal(mlbf_matrix_row_score(m, &a, 0, &with), MLBF_OK);
  assert_int_equal(with.common, 200);
  assert_true(with.score == 1);
  assert_int_equal(mlbf_matrix_add(m, 2, &b), MLBF_OK);
  assert_int_equal(mlbf_matrix_remove(m, &(uint64_t){2}, 1), MLBF_OK);
  assert_int_equal(mlbf_matrix_row_score(m, &a, 0, &without), MLBF_OK);
  assert_true(without.fill == with.fill);
  assert_int_equal(without.shingles, 200);
  assert_int_equal(mlbf_matrix_row_score(m, &b, 0, &without), MLBF_OK);
  assert_true(without.score < 0.2 && without.score > -0.2);
  assert_int_equal(mlbf_matrix_row_score(m, &a, 1, &without), MLBF_BAD_ARGUMENT);
  mlbf_matrix_free(m);
  mlbf_shingles_free(&a);
  mlbf_shingles_free(&b);
}

/* ---- the paper ------------------------------------------------------------------------------------------ */

CASE(row_bits_are_those_of_table_1)
{
  assert_int_equal(mlbf_matrix_row_bits(123000, 0.05), 766933);
  assert_int_equal(mlbf_matrix_row_bits(20000, 0.05), 124704); /* of a corpus (FORMAT.md) */
  assert_int_equal(mlbf_matrix_row_bits(0, 0.05), 0);
  assert_int_equal(mlbf_matrix_row_bits(1000, 0), 0);
  assert_int_equal(mlbf_matrix_row_bits(1000, 1), 0);
  assert_int_equal(mlbf_matrix_row_bits(UINT64_MAX, 0.05), 0);
}

/* A full row knows a strange shingle about as often as it was made to. */
CASE_WITH(a_full_row_keeps_its_rate, begin, NULL)
{
  mlbf_matrix *m;
  mlbf_matrix_row row;
  mlbf_shingles full = numbers(20000), strange = numbers(20000);
  assert_int_equal(mlbf_matrix_create(NULL, &m), MLBF_OK);
  assert_int_equal(mlbf_matrix_add(m, 1, &full), MLBF_OK);
  assert_int_equal(mlbf_matrix_row_score(m, &strange, 0, &row), MLBF_OK);
  printf("fill %.3f, %llu of 20000 known\n", row.fill, (unsigned long long)row.common);
  assert_in_range(row.common, 800, 1300);
  assert_true(row.score > -0.02 && row.score < 0.02);
  mlbf_matrix_free(m);
  mlbf_shingles_free(&full);
  mlbf_shingles_free(&strange);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

CASE_WITH(saved_and_loaded, begin, NULL)
{
  char root[SCRATCH_PATH], path[SCRATCH_PATH];
  mlbf_matrix *loaded;
  mlbf_matrix_stats before, after;
  shelf *s = shelf_make();
  scratch_make(root);
  scratch_join(root, "matrix", path);
  assert_int_equal(mlbf_matrix_save(s->matrix, path), MLBF_OK);
  assert_int_equal(mlbf_matrix_load(path, &loaded), MLBF_OK);
  mlbf_matrix_stats_read(s->matrix, &before);
  mlbf_matrix_stats_read(loaded, &after);
  assert_int_equal(after.documents, before.documents);
  assert_int_equal(after.shingles, before.shingles);
  mlbf_matrix_free(s->matrix);
  s->matrix = loaded;
  answers_are_exact(s, 0.5);
  size_t size;
  char *bytes = scratch_read(path, &size);
  for (int round = 0; round < 60; round++) { /* any one bit */
    size_t at = round < 30 ? dice_throw(4096) : dice_throw(size);
    bytes[at] ^= (char)(1 << dice_throw(8));
    char kept = bytes[at];
    scratch_write(path, bytes, size);
    mlbf_matrix *none = NULL;
    assert_int_not_equal(mlbf_matrix_load(path, &none), MLBF_OK);
    assert_null(none);
    free(bytes);
    mlbf_matrix_save(s->matrix, path);
    bytes = scratch_read(path, &size);
    assert_int_not_equal(kept, bytes[at]);
  }
  free(bytes);
  shelf_free(s);
  assert_int_equal(mlbf_matrix_create(NULL, &loaded), MLBF_OK); /* one without documents too */
  assert_int_equal(mlbf_matrix_save(loaded, path), MLBF_OK);
  mlbf_matrix_free(loaded);
  assert_int_equal(mlbf_matrix_load(path, &loaded), MLBF_OK);
  mlbf_matrix_free(loaded);
  scratch_remove(root);
}

CASE_WITH(nonsense_is_refused, begin, NULL)
{
  mlbf_matrix *m = NULL;
  static const mlbf_matrix_options bad[] = {{.rate = 2}, {.rate = -1}, {.row_shingles = UINT64_MAX}, {.rate = 1e-300}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(mlbf_matrix_create(&bad[i], &m), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_matrix_create(NULL, &m), MLBF_OK);
  mlbf_shingles none = {0}, one = numbers(1);
  mlbf_matrix_match match;
  size_t count = 1;
  assert_int_equal(mlbf_matrix_add(m, 1, &none), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_matrix_query(m, &none, 0, &match, &count), MLBF_OK);
  assert_int_equal(count, 0);
  assert_int_equal(mlbf_matrix_add(m, 1, &one), MLBF_OK);
  assert_int_equal(mlbf_matrix_add(m, 1, &one), MLBF_BAD_ARGUMENT);
  mlbf_shingles_free(&one);
  mlbf_matrix_free(m);
  mlbf_matrix_free(NULL);
}
