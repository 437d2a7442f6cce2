/* Each allocation of the structures that are as the papers print them fails once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/papers/matrix.h"
#include "mlbf/papers/window_skip.h"
#include "tests/support/lives.h"

enum { KEYS = 300 };

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

static void skip_keys(story *s)
{
  mlbf_window_options options = {.unit = MLBF_WINDOW_INSERTIONS, .window = KEYS, .rate = 0.01, .seed = 1};
  mlbf_skip *skip = NULL, *again = NULL;
  bool is_seen;
  while (has_failed(s, mlbf_skip_create(&options, &skip)))
    assert_null(skip);
  for (uint64_t id = 0; id < KEYS; id++)
    assert_int_equal(mlbf_skip_insert(skip, span_of(&id), 0, &is_seen), MLBF_OK);
  while (has_failed(s, mlbf_skip_save(skip, s->path)))
    ;
  while (has_failed(s, mlbf_skip_map(s->path, &again)))
    assert_null(again);
  for (uint64_t id = 0; id < KEYS; id++)
    assert_true(mlbf_skip_test(again, span_of(&id), 0, &is_seen) == MLBF_OK && is_seen);
  mlbf_skip_free(skip);
  mlbf_skip_free(again);
}

/* A text of its own for each id, of some 60 shingles. */
static mlbf_shingles shingle(story *s, uint64_t id)
{
  enum { WORDS = 300 };
  char text[WORDS * 8], *to = text;
  mlbf_shingles made = {.count = 0};
  for (uint64_t i = 0; i < WORDS; i++)
    to += snprintf(to, 8, "%llu ", (unsigned long long)((id + 1) * 7919 * (i + 1) % 99991));
  while (has_failed(s, mlbf_shingles_of(text, (size_t)(to - text), &made)))
    assert_null(made.at);
  return made;
}

static void assert_resembles(story *s, const mlbf_matrix *matrix, const mlbf_shingles *query, size_t wanted)
{
  mlbf_matrix_match best = {.id = 77};
  size_t count = 1;
  while (has_failed(s, mlbf_matrix_query(matrix, query, 0.9, &best, &count)))
    assert_true(best.id == 77 && count == 1);
  assert_int_equal(count, wanted);
}

/* Rows of 100 shingles: each document begins one or two. */
static void find_the_like(story *s)
{
  enum { DOCUMENTS = 9 };
  mlbf_matrix *matrix = NULL, *loaded = NULL;
  mlbf_shingles documents[DOCUMENTS];
  while (has_failed(s, mlbf_matrix_create(&(mlbf_matrix_options){.row_shingles = 100}, &matrix)))
    assert_null(matrix);
  for (uint64_t id = 0; id < DOCUMENTS; id++) {
    documents[id] = shingle(s, id);
    while (has_failed(s, mlbf_matrix_add(matrix, id, &documents[id])))
      assert_resembles(s, matrix, &documents[id], 0);
  }
  while (has_failed(s, mlbf_matrix_save(matrix, s->path)))
    ;
  while (has_failed(s, mlbf_matrix_load(s->path, &loaded)))
    assert_null(loaded);
  while (has_failed(s, mlbf_matrix_remove(loaded, &(uint64_t){4}, 1)))
    assert_resembles(s, loaded, &documents[4], 1);
  while (has_failed(s, mlbf_matrix_compact(loaded)))
    assert_resembles(s, loaded, &documents[5], 1);
  for (uint64_t id = 0; id < DOCUMENTS; id++) {
    assert_resembles(s, loaded, &documents[id], id != 4);
    mlbf_shingles_free(&documents[id]);
  }
  mlbf_matrix_free(matrix);
  mlbf_matrix_free(loaded);
}

static life *const lives[] = {skip_keys, find_the_like};

CASE(each_allocation_fails_once)
{
  lives_fail(lives, sizeof lives / sizeof *lives, FAULT_ALLOC, ENOMEM, false);
}

CASE(from_each_allocation_on_all_fail)
{
  lives_fail(lives, sizeof lives / sizeof *lives, FAULT_ALLOC, ENOMEM, true);
}
