#include "tests/support/runs_world.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/faults.h"

runs_world w = {.place = {w.directory, 77, 0600}};

void world_begin(void)
{
  dice_begin(17);
  scratch_make_fast(w.directory);
  w.logged = malloc(WORLD_LOG * sizeof *w.logged);
  w.ends = malloc(WORLD_COMMITS * sizeof *w.ends);
  w.keys = w.commits = w.longest_fresh = 0;
  w.is_landing = w.disk.is_there = false;
  w.r = runs_create(&w.place);
  assert_non_null(w.r);
}

void world_end(void)
{
  faults_end();
  runs_free(w.r);
  hash_set_free(&w.known);
  free(w.logged);
  free(w.ends);
  scratch_remove(w.directory);
}

mlbf_hash128 world_new_key(void)
{
  return (mlbf_hash128){dice_throw(1ull << 32) << 32 | dice_throw(1ull << 32),
                        dice_throw(1ull << 32) << 32 | dice_throw(1ull << 32)};
}

static bool is_there(uint64_t number)
{
  char name[KEY_FILE_NAME];
  struct stat file;
  key_file_name(KEY_FILE_RUN, number, name);
  scratch_join(w.directory, name, w.path);
  return stat(w.path, &file) == 0;
}

void world_assert_named(void)
{
  for (size_t at = 12; w.disk.is_there && at < w.disk.size; at += 24) {
    uint64_t number;
    memcpy(&number, w.disk.body + at, 8);
    assert_true(is_there(number));
  }
}

void world_seal(void)
{
  size_t size;
  if (w.is_landing || !runs_have_changed(w.r))
    return;
  const uint8_t *body = runs_write_marks(w.r, &size);
  assert_true(body && size <= WORLD_MARKS);
  memcpy(w.sealed.body, body, size);
  w.sealed.size = size;
  w.sealed.is_there = w.is_landing = true;
  runs_sealed(w.r);
  assert_false(runs_have_changed(w.r));
}

void world_land(void)
{
  if (w.is_landing)
    w.disk = w.sealed;
  w.is_landing = false;
  runs_landed(w.r);
  world_assert_named();
}

void world_add(mlbf_hash128 key)
{
  assert_true(w.keys < WORLD_LOG);
  w.logged[w.keys++] = key;
  assert_true(hash_set_put(&w.known, key));
  runs_add(w.r, key);
}

void world_commit(size_t count)
{
  assert_true(runs_make_room(w.r, count));
  for (size_t i = 0; i < count; i++)
    world_add(w.keys && dice_throw(50) == 0 ? w.logged[dice_throw(w.keys)] : world_new_key());
  assert_true(w.commits < WORLD_COMMITS);
  w.ends[w.commits++] = w.keys;
  runs_end_commit(w.r, w.keys);
  w.longest_fresh = w.r->fresh.count > w.longest_fresh ? w.r->fresh.count : w.longest_fresh;
}

void world_step(void)
{
  if (runs_step(w.r, w.message) != FRONTIER_OK)
    fail_msg("%s", w.message);
  world_assert_named();
}

void world_pay(void)
{
  while (runs_is_due(w.r))
    world_step();
}

void world_step_all(void)
{
  while (runs_can_step(w.r))
    world_step();
  assert_false(runs_is_due(w.r));
}

/* The ends of commits are where a gap may be read to. */
static uint64_t read_to(uint64_t from, uint64_t to)
{
  for (size_t i = 0; i < w.commits; i++)
    if (w.ends[i] >= from + RUNS_GAP_KEYS && w.ends[i] <= to)
      return w.ends[i];
  return to;
}

frontier_status world_fill_some(uint64_t from, uint64_t to)
{
  uint64_t next = read_to(from, to);
  if (!runs_fill_begin(w.r, (size_t)(next - from)))
    return FRONTIER_NO_MEMORY;
  for (uint64_t i = from; i < next; i++)
    if (!runs_fill_add(w.r, w.logged[i]))
      return FRONTIER_NO_MEMORY;
  return runs_fill_end(w.r, from, next, w.message);
}

void world_fill(void)
{
  for (uint64_t from, to; runs_gap(w.r, &from, &to); world_pay())
    if (world_fill_some(from, to) != FRONTIER_OK)
      fail_msg("%s", w.message);
}

frontier_status world_open(bool is_writer)
{
  runs_free(w.r);
  w.is_landing = false;
  w.r = runs_create(&w.place);
  return runs_read_marks(w.r, w.disk.is_there ? w.disk.body : NULL, w.disk.size, w.keys, is_writer, w.message);
}

void world_reopen(void)
{
  if (world_open(true) != FRONTIER_OK)
    fail_msg("%s", w.message);
}

size_t world_any_count(void)
{
  static const size_t most[] = {3, RUN_KEYS / 20 + 1, RUN_KEYS / 2, RUN_KEYS * 3 / 8};
  return 1 + dice_throw(most[dice_throw(4)]);
}

void world_build(uint64_t count)
{
  while (w.keys < count) {
    world_commit(world_any_count());
    world_pay();
  }
  world_step_all();
  world_seal();
  world_land();
}

/* ---- what holds -------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
  const mlbf_hash128 *x = a, *y = b;
  return key_compare(*x, *y);
}

static void any_keys(mlbf_hash128 *asked, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    asked[i] = w.keys && dice_throw(3) ? w.logged[dice_throw(w.keys)] : world_new_key();
    asked[i].low ^= dice_throw(5) == 0;
  }
  qsort(asked, count, sizeof *asked, compare);
}

void world_assert_answers(size_t count)
{
  mlbf_hash128 asked[WORLD_ASKED];
  bool has[WORLD_ASKED];
  uint64_t from, to;
  any_keys(asked, count);
  if (runs_have(w.r, asked, count, has, w.message) != FRONTIER_OK)
    fail_msg("%s", w.message);
  for (size_t i = 0; i < count; i++)
    if (has[i] || !runs_gap(w.r, &from, &to))
      assert_int_equal(has[i], hash_set_has(&w.known, asked[i]));
}

typedef struct visit {
  mlbf_hash128 *part; /* of the log, sorted */
  uint64_t from, to, count, all;
} visit;

static bool compare_with_log(void *context, uint64_t from, uint64_t to, mlbf_hash128 key)
{
  visit *v = context;
  if (v->count == v->to - v->from) {
    free(v->part);
    *v = (visit){.part = malloc((to - from) * sizeof key), .from = from, .to = to, .all = v->all};
    memcpy(v->part, w.logged + from, (to - from) * sizeof key);
    qsort(v->part, to - from, sizeof key, compare);
  }
  assert_true(v->from == from && v->to == to);
  assert_int_equal(key_compare(key, v->part[v->count]), 0);
  v->count++;
  v->all++;
  return true;
}

void world_assert_files(void)
{
  visit v = {0};
  runs_numbers n = runs_count(w.r);
  assert_int_equal(runs_each(w.r, compare_with_log, &v, w.message), FRONTIER_OK);
  assert_int_equal(v.count, v.to - v.from);
  assert_int_equal(v.all, n.keys);
  free(v.part);
}

void world_assert_all_known(void)
{
  uint64_t from, to;
  assert_false(runs_gap(w.r, &from, &to));
  for (int i = 0; i < 5; i++)
    world_assert_answers(1 + dice_throw(WORLD_ASKED));
  for (int i = 0; i < 50; i++)
    world_assert_answers(1);
  world_assert_files();
}

uint64_t world_bytes(size_t *files)
{
  uint64_t bytes = 0;
  DIR *d = opendir(w.directory);
  *files = 0;
  for (const struct dirent *entry; (entry = readdir(d)) != NULL;) {
    struct stat file;
    scratch_join(w.directory, entry->d_name, w.path);
    if (strncmp(entry->d_name, "keys.", 5) == 0 && stat(w.path, &file) == 0) {
      bytes += (uint64_t)file.st_size;
      ++*files;
    }
  }
  closedir(d);
  return bytes;
}

void world_assert_tiers(bool had_gaps)
{
  size_t of_level[LEVELS] = {0};
  assert_true(w.r->count <= 3 * runs_levels(w.r));
  for (size_t i = 0; i < w.r->count && !had_gaps; i++) {
    unsigned level = 0;
    for (uint64_t n = run_keys(w.r->runs + i); n >= (uint64_t)RUN_KEYS * 4; n /= 4)
      level++;
    assert_true(++of_level[level] <= 3);
  }
}
