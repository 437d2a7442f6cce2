/* Each allocation of a matrix fails once: it is told, nothing is lost that was not to be, and nothing leaks. */
#include <stdio.h>
#include <stdlib.h>

#include "datasets/papers/matrix.h"
#include "tests/support/lives.h"

enum { DOCUMENTS = 9, SHINGLES = 60 };

static bool has_lacked(story *s, bool is_done)
{
  return has_failed(s, is_done ? MLBF_OK : MLBF_NO_MEMORY);
}

/* Shingles of its own for each id. */
static mlbf_shingles document(uint64_t id, uint64_t numbers[SHINGLES])
{
  for (uint64_t i = 0; i < SHINGLES; i++)
    numbers[i] = i * 1000 + id;
  return (mlbf_shingles){.at = numbers, .count = SHINGLES};
}

/* Each document begins one row and fills another up. NULL: no memory. */
static matrix *fill(void)
{
  uint64_t numbers[SHINGLES];
  matrix *m = matrix_create(&(matrix_options){.row_shingles = 50, .rate = 0.05, .layout = MATRIX_DISTRIBUTED});
  for (uint64_t id = 0; m != NULL && id < DOCUMENTS; id++) {
    mlbf_shingles added = document(id, numbers);
    if (!matrix_add(m, id, &added)) {
      matrix_free(m);
      m = NULL;
    }
  }
  return m;
}

static void assert_has(story *s, const matrix *m, uint64_t id, bool wanted)
{
  uint64_t numbers[SHINGLES];
  matrix_match best = {.id = 77};
  size_t count = 1;
  mlbf_shingles query = document(id, numbers);
  while (has_lacked(s, matrix_query(m, &query, 0.9, &best, &count)))
    assert_true(best.id == 77 && count == 1);
  assert_int_equal(count, wanted);
}

static void find_the_like(story *s)
{
  matrix *m;
  while (has_lacked(s, (m = fill()) != NULL))
    ;
  while (has_lacked(s, matrix_remove(m, &(uint64_t){4}, 1)))
    assert_has(s, m, 4, true);
  while (has_lacked(s, matrix_compact(m)))
    assert_has(s, m, 5, true);
  for (uint64_t id = 0; id < DOCUMENTS; id++)
    assert_has(s, m, id, id != 4);
  matrix_free(m);
}

static life *const lives[] = {find_the_like};

CASE(each_allocation_fails_once)
{
  lives_fail(lives, sizeof lives / sizeof *lives, FAULT_ALLOC, ENOMEM, false);
}

CASE(from_each_allocation_on_all_fail)
{
  lives_fail(lives, sizeof lives / sizeof *lives, FAULT_ALLOC, ENOMEM, true);
}
