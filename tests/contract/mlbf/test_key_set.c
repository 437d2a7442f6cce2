/* mlbf/set/key_set.c beside a sorted list of all hashes: what it holds, in memory and in a file, and what it costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "mlbf/key_set.h"
#include "tests/support/scratch.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { KEYS = 200000, HEADER = 4096 };

static mlbf_key_set *create(void)
{
  mlbf_key_set *set = NULL;
  assert_int_equal(mlbf_key_set_create(NULL, 7, "strict", &set), MLBF_OK);
  return set;
}

static bool insert(mlbf_key_set *set, mlbf_hash128 hash)
{
  bool was_seen = false;
  assert_int_equal(mlbf_key_set_insert(set, hash, &was_seen), MLBF_OK);
  return was_seen;
}

static mlbf_hash128 hash_of(const mlbf_key_set *set, uint64_t id)
{
  char text[32];
  int size = snprintf(text, sizeof text, "http://a.test/%llu", (unsigned long long)id);
  return mlbf_key_set_hash(set, (mlbf_span){text, (size_t)size});
}

static uint64_t keys_of(const mlbf_key_set *set)
{
  mlbf_key_set_stats stats;
  mlbf_key_set_stats_read(set, &stats);
  return stats.keys;
}

static double bytes_per_key(const mlbf_key_set *set)
{
  mlbf_key_set_stats stats;
  mlbf_key_set_stats_read(set, &stats);
  return (double)stats.memory_bytes / (double)stats.keys;
}

/* Each number comes one to four times; `is_there` is the model. */
CASE(each_key_is_new_once)
{
  static bool is_there[KEYS];
  mlbf_key_set *set = create();
  uint64_t distinct = 0, dice = 1;
  for (int i = 0; i < 2 * KEYS; i++) {
    uint64_t id = random_below(&dice, KEYS);
    assert_int_equal(mlbf_key_set_test(set, hash_of(set, id)), is_there[id]);
    assert_int_equal(insert(set, hash_of(set, id)), is_there[id]);
    distinct += !is_there[id];
    is_there[id] = true;
  }
  for (uint64_t id = 0; id < KEYS; id++)
    assert_int_equal(mlbf_key_set_test(set, hash_of(set, id)), is_there[id]);
  assert_int_equal(keys_of(set), distinct);
  mlbf_key_set_free(set);
}

/* At every size, so also just before it grows and just behind. */
CASE(a_key_costs_what_is_said)
{
  mlbf_key_set *set = create();
  double least = 99, most = 0;
  for (uint64_t id = 0; id < KEYS; id++) {
    insert(set, hash_of(set, id));
    if (id > KEYS / 2) { /* the tail is no more than a hair */
      least = bytes_per_key(set) < least ? bytes_per_key(set) : least;
      most = bytes_per_key(set) > most ? bytes_per_key(set) : most;
    }
  }
  print_message("%.2f to %.2f bytes a key\n", least, most);
  assert_true(least > 18.2 && most < 23.1);
  mlbf_key_set_free(set);
}

/* What chance never does: thousands at the last home, at the first, all with one low half; and the hash of zeros. */
CASE(hashes_that_crowd_are_kept_too)
{
  enum { CROWD = 3000 };
  mlbf_key_set *set = create();
  for (uint64_t i = CROWD; i-- > 0;) {
    assert_false(insert(set, (mlbf_hash128){UINT64_MAX - i % 3, i}));
    assert_false(insert(set, (mlbf_hash128){0, i + 2}));
    assert_false(insert(set, (mlbf_hash128){i << 50, 1 + (i >> 14)}));
  }
  assert_true(insert(set, (mlbf_hash128){0, 0})); /* taken for its neighbour, which is there */
  for (uint64_t i = 0; i < CROWD; i++) {
    assert_true(mlbf_key_set_test(set, (mlbf_hash128){UINT64_MAX - i % 3, i}));
    assert_true(mlbf_key_set_test(set, (mlbf_hash128){0, i + 2}));
    assert_false(mlbf_key_set_test(set, (mlbf_hash128){UINT64_MAX - i % 3, i + CROWD}));
    assert_false(mlbf_key_set_test(set, (mlbf_hash128){1, i}));
  }
  mlbf_key_set_free(set);
}

static void assert_holds(const mlbf_key_set *set, uint64_t keys)
{
  assert_int_equal(keys_of(set), keys);
  for (uint64_t id = 0; id < keys; id++)
    assert_true(mlbf_key_set_test(set, hash_of(set, id)));
  for (uint64_t id = keys; id < 2 * keys + 10; id++)
    assert_false(mlbf_key_set_test(set, hash_of(set, id)));
}

/* Saved, it can be used on; loaded, it goes on as well. */
CASE(a_file_holds_all_of_it)
{
  static const uint64_t sizes[] = {0, 1, 2, 895, 896, 897, 5000, KEYS / 4};
  char root[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make(root);
  scratch_join(root, "keys", path);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    mlbf_key_set *set = create(), *again = NULL;
    size_t bytes;
    for (uint64_t id = 0; id < sizes[i]; id++)
      insert(set, hash_of(set, id));
    assert_int_equal(mlbf_key_set_save(set, path), MLBF_OK);
    assert_holds(set, sizes[i]);
    free(scratch_read(path, &bytes));
    assert_true(bytes >= HEADER + 16 * sizes[i] && bytes <= HEADER + 16 * sizes[i] + 24);
    assert_int_equal(mlbf_key_set_load(path, NULL, &again), MLBF_OK);
    assert_holds(again, sizes[i]);
    assert_false(insert(again, hash_of(again, sizes[i])));
    assert_holds(again, sizes[i] + 1);
    mlbf_key_set_free(again);
    mlbf_key_set_free(set);
  }
  scratch_remove(root);
}

/* With checksums that fit, so that only the order of its keys is wrong. */
static void write_with(const char *path, const uint64_t *keys, uint64_t count, const char *image)
{
  char file[HEADER + 72];
  uint64_t sum = XXH3_64bits(keys, 16 * count);
  memcpy(file, image, HEADER);
  memcpy(file + HEADER, keys, 16 * count);
  memcpy(file + HEADER + 16 * count, &sum, 8);
  sum = XXH3_64bits(&sum, 8);
  memcpy(file + 48, &sum, 8);
  sum = XXH3_64bits(file, HEADER - 8);
  memcpy(file + HEADER - 8, &sum, 8);
  scratch_write(path, file, HEADER + 16 * count + 8);
}

CASE(a_file_of_keys_out_of_order_is_refused)
{
  static const struct {
    uint64_t keys[4];
    mlbf_status status;
  } rows[] = {
    {{1, 2, 3, 4}, MLBF_OK},      {{1, 2, 1, 3}, MLBF_OK},      {{3, 4, 1, 2}, MLBF_DAMAGED},
    {{1, 3, 1, 2}, MLBF_DAMAGED}, {{1, 2, 1, 2}, MLBF_DAMAGED}, {{0, 0, 1, 2}, MLBF_DAMAGED},
  };
  char root[SCRATCH_PATH], path[SCRATCH_PATH];
  size_t size;
  scratch_make(root);
  scratch_join(root, "keys", path);
  mlbf_key_set *set = create(), *loaded = NULL;
  insert(set, hash_of(set, 1));
  insert(set, hash_of(set, 2));
  assert_int_equal(mlbf_key_set_save(set, path), MLBF_OK);
  mlbf_key_set_free(set);
  char *image = scratch_read(path, &size);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    write_with(path, rows[i].keys, 2, image);
    assert_int_equal(mlbf_key_set_load(path, NULL, &loaded), rows[i].status);
    mlbf_key_set_free(loaded);
    loaded = NULL;
  }
  free(image);
  scratch_remove(root);
}
