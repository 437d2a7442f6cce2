/* mlbf/save.h: what a file saved between insertions holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/save.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { KEYS = 400000, PIECE = 1 << 20 };

static char directory[SCRATCH_PATH], path[SCRATCH_PATH], temporary[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "filter", path);
  scratch_join(directory, "filter.tmp", temporary);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static mlbf_hash128 hash_of(uint64_t number)
{
  return (mlbf_hash128){number * 0x9e3779b97f4a7c15, (number + 1) * 0xd1342543de82ef95};
}

static void insert(mlbf_filter *filter, uint64_t from, uint64_t to)
{
  for (uint64_t i = from; i < to; i++) {
    mlbf_insert_segment(filter, 1, hash_of(i));
    mlbf_insert_whole(filter, hash_of(i));
  }
}

static mlbf_filter *make_filter(void)
{
  mlbf_options options = {.kind = MLBF_KIND_MLBF, .keys = 2 * KEYS, .rate = 1e-9, .profile = "strict", .seed = 1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

static bool knows(const mlbf_filter *filter, uint64_t number)
{
  mlbf_hashes hashes = {.whole = hash_of(number), .depth = 1, .layer = {hash_of(number)}};
  return mlbf_test(filter, &hashes).outcome == MLBF_SEEN;
}

CASE_WITH(keys_that_were_there_are_in_the_file, begin, end)
{
  mlbf_filter *filter = make_filter(), *loaded = NULL;
  mlbf_saving *saving = NULL;
  insert(filter, 0, KEYS);
  assert_int_equal(mlbf_save_begin(filter, path, &saving), MLBF_OK);
  uint64_t inserted = KEYS, steps = 0;
  for (bool is_done = false; !is_done; steps++) {
    assert_int_not_equal(access(path, F_OK), 0); /* not before it is whole */
    assert_int_equal(mlbf_save_step(saving, PIECE, &is_done), MLBF_OK);
    insert(filter, inserted, inserted + 5000);
    inserted += 5000;
  }
  assert_in_range(steps, 2, mlbf_save_size(saving) / PIECE + 1);
  mlbf_save_end(saving);
  assert_int_not_equal(access(temporary, F_OK), 0);

  assert_int_equal(mlbf_load(path, &loaded), MLBF_OK);
  for (uint64_t i = 0; i < KEYS; i++)
    assert_true(knows(loaded, i));
  insert(loaded, KEYS, inserted); /* as from a log */
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < inserted + KEYS; i++)
    wrong += knows(loaded, i) != (i < inserted);
  assert_in_range(wrong, 0, 2);
  mlbf_free(loaded);
  mlbf_free(filter);
}

CASE_WITH(what_is_given_up_leaves_the_old_file, begin, end)
{
  mlbf_filter *filter = make_filter(), *loaded = NULL;
  mlbf_saving *saving = NULL;
  bool is_done;
  assert_int_equal(mlbf_save(filter, path), MLBF_OK); /* empty */
  insert(filter, 0, 1000);
  assert_int_equal(mlbf_save_begin(filter, path, &saving), MLBF_OK);
  assert_int_equal(mlbf_save_step(saving, PIECE, &is_done), MLBF_OK);
  assert_false(is_done);
  mlbf_save_end(saving);
  mlbf_save_end(NULL);
  assert_int_not_equal(access(temporary, F_OK), 0);
  assert_int_equal(mlbf_load(path, &loaded), MLBF_OK);
  assert_false(knows(loaded, 1));
  mlbf_free(loaded);
  mlbf_free(filter);
}

CASE(a_place_that_cannot_be_written_is_refused)
{
  mlbf_filter *filter = make_filter();
  mlbf_saving *saving = NULL;
  assert_int_equal(mlbf_save_begin(filter, "/nowhere/at/all", &saving), MLBF_IO);
  assert_null(saving);
  mlbf_free(filter);
}
