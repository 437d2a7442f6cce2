/* Runs of keys with damage, on a disk that fails, in a process that dies: what is lost is a gap, and nothing else is.
 * test_runs_harm_tiny is the same with runs of 24 keys. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/each_fault.h"
#include "tests/support/runs_world.h"
#include "tests/support/test.h"

enum { SOME = FRONTIER_LIMIT(400000, 1500) };

/* ---- damage ------------------------------------------------------------------------------------------------ */

static void spoil(const key_file *file, uint64_t page)
{
  char name[KEY_FILE_NAME];
  key_file_name(KEY_FILE_RUN, key_file_number(file), name);
  scratch_join(w.directory, name, w.path);
  FILE *f = fopen(w.path, "r+");
  assert_non_null(f);
  assert_int_equal(fseek(f, (long)(page * 4096 + 700), SEEK_SET), 0);
  int byte = fgetc(f);
  assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
  fputc(byte ^ 4, f);
  assert_int_equal(fclose(f), 0);
}

CASE(each_page_that_is_damaged_is_a_gap)
{
  static mlbf_hash128 sorted[WORLD_LOG];
  static bool has[WORLD_LOG];
  uint64_t from, to;
  world_build(FRONTIER_LIMIT(RUN_KEYS, 800));
  for (uint64_t page = 1;; page += FRONTIER_LIMIT(16, 1)) {
    const run *x = w.r->runs + dice_throw(w.r->count);
    uint64_t x_from = x->from, x_to = x->to;
    if (page * 4096 >= key_file_bytes(w.r->runs[0].file))
      break;
    if (page * 4096 >= key_file_bytes(x->file))
      x_from = w.r->runs[0].from, x_to = w.r->runs[0].to, x = w.r->runs;
    spoil(x->file, page);
    memcpy(sorted, w.logged, w.keys * sizeof *w.logged);
    keys_sort(sorted, w.keys);
    assert_int_equal(runs_have(w.r, sorted, w.keys, has, w.message), FRONTIER_DAMAGED);
    assert_true(strstr(w.message, "damaged") != NULL);
    assert_true(runs_gap(w.r, &from, &to));
    assert_true(from == x_from && to >= x_to);
    assert_int_equal(runs_have(w.r, sorted, w.keys, has, w.message), FRONTIER_OK);
    world_assert_named();
    world_fill();
    world_step_all();
    world_assert_all_known();
    world_seal();
    world_land();
  }
}

CASE(files_cut_or_replaced_are_gaps)
{
  uint64_t from, to;
  for (int i = 0; i < 6; i++) {
    world_build(w.keys + SOME / 6);
    const key_file *file = w.r->runs[dice_throw(w.r->count)].file;
    char name[KEY_FILE_NAME];
    key_file_name(KEY_FILE_RUN, key_file_number(file), name);
    scratch_join(w.directory, name, w.path);
    if (i % 3 == 0)
      assert_int_equal(truncate(w.path, (off_t)dice_throw(key_file_bytes(file))), 0);
    else {
      assert_int_equal(unlink(w.path), 0);
      assert_int_equal(i % 3 == 1 ? symlink("elsewhere", w.path) : mkdir(w.path, 0700), 0);
    }
    world_reopen();
    w.disk.is_there = false;
    assert_true(runs_gap(w.r, &from, &to));
    world_fill();
    world_step_all();
    world_assert_all_known();
    scratch_join(w.directory, name, w.path);
    rmdir(w.path);
    world_seal();
    world_land();
  }
}

static bool any_key(void *context, uint64_t from, uint64_t to, mlbf_hash128 key)
{
  (void)context, (void)key;
  return from < to;
}

static bool is_about_to_merge(bool has_begun)
{
  bool is_merging = w.r->merging[0] || w.r->merging[1];
  return runs_can_step(w.r) && !w.r->flush.keys && is_merging == has_begun && w.r->count > 3;
}

/* A merge meets the damage: that run is a gap, and the others are merged once it is filled. */
CASE(damage_in_a_merge)
{
  uint64_t from, to;
  for (int i = 0; i < FRONTIER_LIMIT(4, 20); i++) {
    while (!is_about_to_merge(i % 2))
      if (runs_can_step(w.r))
        world_step();
      else
        world_commit(RUN_KEYS / 3);
    const key_file *file = w.r->runs[dice_throw(w.r->count)].file;
    spoil(file, 1 + dice_throw(key_file_bytes(file) / 4096 - 1));
    frontier_status status = FRONTIER_OK;
    while (runs_can_step(w.r) && status == FRONTIER_OK)
      status = runs_step(w.r, w.message);
    assert_true(status == FRONTIER_OK || status == FRONTIER_DAMAGED);
    assert_int_equal(runs_gap(w.r, &from, &to), status == FRONTIER_DAMAGED);
    world_step_all();
    while (runs_each(w.r, any_key, NULL, w.message) == FRONTIER_DAMAGED)
      runs_drop(w.r); /* the damaged one was not merged */
    world_fill();
    world_step_all();
    world_assert_all_known();
    world_seal();
    world_land();
  }
}

/* ---- a disk that fails, a process that dies ---------------------------------------------------------------- */

CASE(a_failing_disk_loses_nothing)
{
  static const struct {
    fault_class what;
    int error;
  } rows[] = {
    {FAULT_WRITE, ENOSPC}, {FAULT_WRITE, EIO}, {FAULT_SYNC, EIO}, {FAULT_ALLOC, ENOMEM}, {FAULT_WRITE, FAULT_SHORT}};
  enum { ROUNDS = FRONTIER_LIMIT(60, 1500) };
  size_t failures = 0, successes = 0;
  for (int i = 0; i < ROUNDS; i++) {
    size_t row = dice_throw(5);
    world_commit(1 + dice_throw(RUN_KEYS / 2));
    faults_set(rows[row].what, 1 + (unsigned)dice_throw(6), rows[row].error, dice_throw(2));
    for (int j = 0; j < 12 && runs_can_step(w.r); j++) {
      frontier_status status = runs_step(w.r, w.message);
      failures += status != FRONTIER_OK;
      successes += status == FRONTIER_OK;
      assert_true(status == FRONTIER_OK || faults_have_struck());
    }
    faults_end();
    if (dice_throw(10) == 0)
      world_assert_answers(100);
    world_seal();
    world_land();
    if (dice_throw(20) == 0) {
      world_reopen();
      world_fill();
    }
  }
  assert_true(failures > 3 && successes > 3);
  world_step_all();
  world_assert_all_known();
  world_assert_tiers(true);
  world_seal();
  world_land();
  world_reopen();
  size_t files;
  assert_int_equal(world_bytes(&files), runs_count(w.r).bytes);
}

CASE(a_gap_that_cannot_be_filled_stays)
{
  uint64_t from, to, next_from, next_to;
  world_build(SOME);
  runs_drop(w.r);
  for (unsigned number = 1; number < 8; number++) {
    assert_true(runs_gap(w.r, &from, &to));
    faults_set(number % 2 ? FAULT_WRITE : FAULT_SYNC, (number + 1) / 2, ENOSPC, true);
    frontier_status status = world_fill_some(from, to);
    bool has_struck = faults_have_struck();
    faults_end();
    assert_true(has_struck == (status != FRONTIER_OK));
    assert_true(runs_gap(w.r, &next_from, &next_to) && (next_from == from) == has_struck);
  }
  faults_set(FAULT_ALLOC, 1, ENOMEM, true);
  assert_int_equal(world_fill_some(from, to), FRONTIER_NO_MEMORY);
  faults_end();
  world_fill();
  world_assert_all_known();
}

CASE(without_memory_nothing_is_added)
{
  world_build(SOME);
  faults_set(FAULT_ALLOC, 1, ENOMEM, true);
  assert_false(runs_make_room(w.r, 4 * RUN_KEYS));
  runs *none = runs_create(&w.place);
  mlbf_hash128 key = w.logged[0];
  bool has;
  frontier_status status = runs_have(w.r, &key, 1, &has, w.message);
  faults_end();
  assert_null(none);
  assert_int_equal(status, FRONTIER_NO_MEMORY);
  world_assert_all_known();
  fault_loop l = {.what = FAULT_ALLOC, .error = ENOMEM};
  while (fault_next(&l)) {
    runs *old = w.r;
    w.r = runs_create(&w.place);
    if (fault_begin(&l))
      fault_end(&l, (int)runs_read_marks(w.r, w.disk.body, w.disk.size, w.keys, true, w.message));
    assert_int_equal(l.outcome, l.has_struck ? FRONTIER_NO_MEMORY : FRONTIER_OK);
    runs_free(w.r);
    w.r = old;
    world_assert_named();
  }
}

/* The process dies before any one of the calls that change a file: what the record names is whole, what it does not
 * name goes at the next opening. */
CASE(killed_at_every_call)
{
  size_t files;
  while (w.keys < SOME) {
    world_commit(RUN_KEYS / 3);
    world_pay();
  }
  world_seal();
  world_land();
  uint64_t named = runs_count(w.r).keys;
  fault_loop l = {.what = FAULT_WRITE, .error = FAULT_DEATH, .share = 3};
  while (fault_next(&l)) {
    if (fault_begin(&l)) {
      world_reopen();
      world_fill();
      for (int i = 0; i < 13; i++) {
        world_commit(RUN_KEYS / 3);
        while (runs_can_step(w.r))
          world_step();
      }
      fault_end(&l, 0);
    }
    world_reopen();
    assert_int_equal(runs_count(w.r).keys, named);
    assert_int_equal(world_bytes(&files), runs_count(w.r).bytes);
  }
  assert_true(l.number > 20);
  world_fill();
  world_assert_all_known();
}

EACH_CASE(world_case_begin, world_case_end)
