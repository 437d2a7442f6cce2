/* frontier/late/runs.h: what is known, which part of the log each file has, which files there are at each moment; gaps.
 * test_runs_tiny is the same with runs of 24 keys. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/runs_world.h"
#include "tests/support/test.h"

enum { MANY = FRONTIER_LIMIT(1000000, 30000), SOME = FRONTIER_LIMIT(400000, 1500) };

/* ---- the ordinary way -------------------------------------------------------------------------------------- */

CASE(random_commits_and_reopenings)
{
  size_t reopenings = 0;
  while (w.keys < MANY) {
    world_commit(world_any_count());
    world_pay();
    world_seal();
    if (dice_throw(3))
      world_land();
    if (dice_throw(4) == 0)
      world_assert_answers(1 + dice_throw(30));
    if (dice_throw(FRONTIER_LIMIT(15, 60)) == 0) {
      world_reopen();
      if (dice_throw(2))
        world_fill();
      reopenings++;
    }
    if (dice_throw(10) == 0)
      world_fill();
  }
  assert_true(reopenings > 3);
  world_fill();
  world_assert_all_known();
  world_step_all();
  world_assert_all_known();
  world_assert_tiers(true);
  world_seal();
  world_land();
  world_reopen();
  world_fill();
  world_assert_all_known();
}

/* Steps that new keys make due are enough, and few files gather. */
CASE(tiers_hold)
{
  size_t files;
  double most = 0;
  while (w.keys < MANY) {
    world_commit(world_any_count());
    world_pay();
    world_seal();
    world_land();
    runs_numbers n = runs_count(w.r);
    assert_true(w.longest_fresh < 2 * RUN_KEYS);
    assert_true(n.files <= 3 * runs_levels(w.r) + 8);
    uint64_t bytes = world_bytes(&files);
    if (w.keys > MANY / 4)
      most = bytes > most * (double)w.keys ? (double)bytes / (double)w.keys : most;
    assert_true(n.memory < (uint64_t)RUN_KEYS * 16 * 5 + (uint64_t)(runs_levels(w.r) + 1) * 420000);
  }
  world_step_all();
  world_seal();
  world_land();
  world_assert_tiers(false);
  world_assert_all_known();
  uint64_t bytes = world_bytes(&files);
  runs_numbers n = runs_count(w.r);
  assert_int_equal(bytes, n.bytes);
  assert_int_equal(files, n.files);
  printf("%llu keys: %.2f bytes a key, %.1f at most, %.1f written\n", (unsigned long long)w.keys,
         (double)bytes / (double)n.keys, most, (double)n.written / (double)w.keys);
  if (RUN_KEYS < 1000)
    return;
  assert_true((double)bytes / (double)n.keys <= 16.15);
  assert_true(most <= 2.1 * 16.1);
}

/* Equal keys, zeros and ones: as many as there are in the log. */
/* The first commit has {0, 0} and {1, 0}, which are one to the set of known keys. */
CASE(equal_and_extreme_keys)
{
  static const mlbf_hash128 extreme[] = {{0, 0}, {1, 0}, {0, 1}, {UINT64_MAX, UINT64_MAX}, {5, 5}};
  for (int i = 0; i < 20; i++) {
    assert_true(runs_make_room(w.r, RUN_KEYS / 3));
    for (size_t j = 0; j < RUN_KEYS / 3; j++)
      world_add(extreme[i == 0 && j < 2 ? j : dice_throw(i < 10 ? 4 : 5)]);
    w.ends[w.commits++] = w.keys;
    runs_end_commit(w.r, w.keys);
    world_pay();
    world_assert_answers(WORLD_ASKED);
  }
  world_assert_files();
  world_step_all();
  world_assert_all_known();
}

CASE(the_keys_being_flushed_are_known)
{
  world_commit(RUN_KEYS - 1);
  assert_false(runs_can_step(w.r));
  world_assert_all_known();
  for (int i = 0; i < 3; i++) {
    world_commit(1);
    world_assert_all_known();
    assert_true(runs_can_step(w.r));
  }
  assert_int_equal(runs_count(w.r).files, 0);
  while (runs_can_step(w.r)) {
    world_step();
    world_assert_all_known();
  }
  assert_int_equal(runs_count(w.r).files, 1);
  assert_int_equal(runs_count(w.r).keys, RUN_KEYS);
}

/* ---- gaps -------------------------------------------------------------------------------------------------- */

CASE(without_a_record_all_is_a_gap)
{
  uint64_t from, to;
  size_t files;
  world_build(SOME);
  w.disk.is_there = false;
  world_reopen();
  assert_int_equal(world_bytes(&files), 0);
  assert_true(runs_gap(w.r, &from, &to));
  assert_int_equal(from, 0);
  assert_int_equal(to, w.keys);
  world_fill();
  world_assert_all_known();
  world_step_all();
  world_assert_tiers(true);
  world_assert_all_known();
}

CASE(a_small_tail_stays_in_memory)
{
  for (int i = 0; i < 10; i++) {
    world_commit(RUN_KEYS / 20);
    world_seal();
    world_land();
    world_reopen();
    world_fill();
    assert_int_equal(runs_count(w.r).files, 0);
  }
  world_assert_all_known();
}

/* Runs are lost everywhere, and come again in pieces of all sizes: few files stay. */
CASE(runs_lost_and_filled)
{
  for (int round = 0; round < FRONTIER_LIMIT(4, 12); round++) {
    world_build(w.keys + SOME / 4);
    size_t lost = 1 + dice_throw(w.r->count);
    for (size_t i = 0; i < lost; i++) {
      uint64_t number;
      memcpy(&number, w.disk.body + 12 + 24 * dice_throw((w.disk.size - 12) / 24), 8);
      key_file_unlink(&w.place, KEY_FILE_RUN, number);
    }
    world_reopen();
    w.disk.is_there = false; /* it names what is not there */
    assert_true(runs_have_changed(w.r));
    world_fill();
    world_assert_all_known();
    world_step_all();
    world_assert_all_known();
    world_assert_tiers(true);
    world_seal();
    world_land();
  }
}

CASE(keys_that_were_not_added_are_a_gap)
{
  uint64_t from, to;
  world_build(SOME);
  uint64_t before = w.r->fresh_from;
  for (int i = 0; i < 10; i++) {
    w.logged[w.keys++] = world_new_key();
    assert_true(hash_set_put(&w.known, w.logged[w.keys - 1]));
  }
  w.ends[w.commits++] = w.keys;
  runs_end_commit(w.r, w.keys);
  assert_true(runs_gap(w.r, &from, &to));
  assert_int_equal(from, before);
  assert_int_equal(to, w.keys);
  world_fill();
  world_assert_all_known();
}

CASE(dropped_runs_are_gaps)
{
  uint64_t from, to;
  size_t files;
  world_build(SOME);
  world_commit(RUN_KEYS);
  runs_drop(w.r);
  assert_true(runs_gap(w.r, &from, &to));
  assert_true(from == 0 && to == w.keys);
  world_assert_named();
  world_seal();
  world_land();
  assert_int_equal(world_bytes(&files), 0);
  world_fill();
  world_commit(5);
  world_assert_all_known();
}

CASE(only_gaps_are_filled)
{
  world_build(SOME);
  assert_true(runs_fill_begin(w.r, 10));
  for (int i = 0; i < 10; i++)
    assert_true(runs_fill_add(w.r, w.logged[i]));
  assert_int_equal(runs_fill_end(w.r, 0, 10, w.message), FRONTIER_BAD_ARGUMENT);
  runs_drop(w.r);
  assert_true(runs_fill_begin(w.r, 10));
  assert_int_equal(runs_fill_end(w.r, 0, 10, w.message), FRONTIER_BAD_ARGUMENT);
  assert_true(runs_fill_begin(w.r, 10));
  for (int i = 0; i < 10; i++)
    assert_true(runs_fill_add(w.r, w.logged[i]));
  assert_int_equal(runs_fill_end(w.r, 0, 10, w.message), FRONTIER_OK);
  world_fill();
  world_assert_all_known();
}

/* ---- files ------------------------------------------------------------------------------------------------- */

CASE(a_writer_sweeps_a_reader_does_not)
{
  static const char *const left[] = {"keys.999999", "keys.1000000.tmp"};
  struct stat file;
  world_build(SOME);
  for (size_t i = 0; i < 2; i++) {
    scratch_join(w.directory, left[i], w.path);
    scratch_write(w.path, "x", 1);
  }
  assert_int_equal(world_open(false), FRONTIER_OK);
  for (size_t i = 0; i < 2; i++) {
    scratch_join(w.directory, left[i], w.path);
    assert_int_equal(stat(w.path, &file), 0);
  }
  assert_false(runs_can_step(w.r));
  world_fill();
  world_assert_all_known();
  world_reopen();
  for (size_t i = 0; i < 2; i++) {
    scratch_join(w.directory, left[i], w.path);
    assert_int_equal(stat(w.path, &file), -1);
  }
  world_fill();
  world_assert_all_known();
}

/* A reader that opened before goes on, whatever the writer unlinks. */
CASE(a_reader_keeps_its_files)
{
  world_build(SOME);
  runs *writer = w.r;
  w.r = NULL;
  assert_int_equal(world_open(false), FRONTIER_OK);
  runs *reader = w.r;
  world_fill();
  w.r = writer;
  runs_drop(w.r);
  world_seal();
  world_land();
  w.r = reader;
  world_assert_all_known();
  runs_free(writer);
}

/* Files may be gone before it opens them: the writer went on. */
CASE(a_reader_fills_gaps_in_memory)
{
  size_t before, files;
  world_build(SOME);
  runs_free(w.r);
  w.r = NULL;
  for (size_t at = 12; at < w.disk.size; at += 2 * 24) {
    uint64_t number;
    memcpy(&number, w.disk.body + at, 8);
    key_file_unlink(&w.place, KEY_FILE_RUN, number);
  }
  uint64_t bytes = world_bytes(&before);
  assert_int_equal(world_open(false), FRONTIER_OK);
  world_fill();
  world_assert_all_known();
  assert_int_equal(world_bytes(&files), bytes);
  assert_int_equal(files, before);
  w.disk.is_there = false;
}

CASE(records_that_contradict_themselves)
{
  world_build(SOME);
  world_commit(RUN_KEYS * 2);
  world_step_all();
  world_seal();
  world_land();
  runs_record whole = w.disk;
  assert_true(w.disk.size >= 12 + 2 * 24);
  for (int row = 0; row < 9; row++) {
    uint64_t number, from, to, beyond = w.keys + 2;
    size_t files, before;
    world_bytes(&before);
    memcpy(&number, w.disk.body + 12, 8);
    memcpy(&from, w.disk.body + 36 + 8, 8);
    memcpy(&to, w.disk.body + 36 + 16, 8);
    switch (row) {
    case 0: w.disk.body[0]++; break;
    case 1: w.disk.size--; break;
    case 2: w.disk.size = 11; break;
    case 3: memcpy(w.disk.body + 36, &number, 8); break;
    case 4: memcpy(w.disk.body + 4, &number, 8); break;
    case 5: from--, memcpy(w.disk.body + 36 + 8, &from, 8); break;
    case 6: memcpy(w.disk.body + 36 + 16, &from, 8); break;
    case 7: memcpy(w.disk.body + w.disk.size - 8, &beyond, 8); break;
    default: w.disk.size = 0; break;
    }
    assert_int_equal(world_open(true), FRONTIER_DAMAGED);
    assert_true(runs_gap(w.r, &from, &to));
    assert_true(from == 0 && to == w.keys);
    world_bytes(&files);
    assert_int_equal(files, before);
    w.disk = whole;
  }
  world_reopen();
  world_fill();
  world_assert_all_known();
}

CASE(random_records_do_no_harm)
{
  world_build(FRONTIER_LIMIT(300000, 400));
  runs_record whole = w.disk;
  for (int i = 0; i < 2000; i++) {
    size_t size;
    for (uint64_t n = 1 + dice_throw(3); n > 0; n--)
      w.disk.body[dice_throw(w.disk.size)] ^= (uint8_t)(1 << dice_throw(8));
    frontier_status status = world_open(false);
    assert_true(status == FRONTIER_OK || status == FRONTIER_DAMAGED);
    assert_non_null(runs_write_marks(w.r, &size));
    w.disk = whole;
  }
}

EACH_CASE(world_case_begin, world_case_end)
