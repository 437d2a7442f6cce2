/* mlbf/FORMAT.md, "Other structures": a second reader, which shares no line with the library, makes every byte of the
 * golden files anew; and the library still writes them.
 *   STRATA_GOLDEN=DIRECTORY    its writer makes the golden files there, after a change of format that was meant */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/count.h"
#include "mlbf/key_set.h"
#include "mlbf/window.h"
#include "tests/support/scratch.h"
#include "tests/support/slow_hash.h"
#include "tests/support/test.h"

enum { SEED = 42, INSERTIONS = 150, DISTINCT = 90, HEADER = 4096 };

/* What the file says of its kind, beside its name. */
static const struct {
  const char *name;
  unsigned kind;
} goldens[] = {
  {"window-epoch.mlbf", 2},
  {"count.mlbf", 3},
  {"key-set.mlbf", 5},
};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

/* The i-th key inserted; some come again, one very often. */
static mlbf_span key_of(int i, char text[32])
{
  int size = snprintf(text, 32, "http://example.org/%d", i % 3 == 0 ? 0 : i * i % DISTINCT);
  return (mlbf_span){text, (size_t)size};
}

/* ---- what the library writes ---------------------------------------------------------------------------- */

static mlbf_status save_epoch(const char *path)
{
  mlbf_epoch *window;
  char text[32];
  mlbf_window_options options = {.size = sizeof(mlbf_window_options),
                                 .unit = MLBF_WINDOW_MS,
                                 .window = 5000,
                                 .keys = 30,
                                 .bits = 4000,
                                 .hashes = 4,
                                 .seed = SEED,
                                 .profile = "strict"};
  mlbf_status status = mlbf_epoch_create(&options, &window);
  for (int i = 0; status == MLBF_OK && i < INSERTIONS; i++)
    mlbf_epoch_insert(window, key_of(i, text), UINT64_C(1700000000000) + 97 * (uint64_t)i);
  if (status == MLBF_OK)
    status = mlbf_epoch_save(window, path);
  mlbf_epoch_free(window);
  return status;
}

static mlbf_status save_count(const char *path)
{
  mlbf_count *count;
  char text[32];
  uint32_t now;
  mlbf_count_options options = {.size = sizeof(mlbf_count_options),
                                .limit = MLBF_COUNT_LIMIT_MOST,
                                .keys = 90,
                                .cells = 9000,
                                .hashes = 3,
                                .base_bits = 2,
                                .minimal = true,
                                .seed = SEED,
                                .profile = "strict"};
  mlbf_status status = mlbf_count_create(&options, &count);
  for (int i = 0; status == MLBF_OK && i < INSERTIONS; i++)
    status = mlbf_count_add(count, key_of(i, text), (uint32_t)i % 7 + 1, &now);
  if (status == MLBF_OK)
    status = mlbf_count_save(count, path);
  mlbf_count_free(count);
  return status;
}

static mlbf_status save_key_set(const char *path)
{
  mlbf_key_set *set;
  char text[32];
  bool was_seen;
  mlbf_status status = mlbf_key_set_create(NULL, SEED, "strict", &set);
  for (int i = 0; status == MLBF_OK && i < INSERTIONS; i++)
    status = mlbf_key_set_insert(set, mlbf_key_set_hash(set, key_of(i, text)), &was_seen);
  if (status == MLBF_OK)
    status = mlbf_key_set_save(set, path);
  mlbf_key_set_free(set);
  return status;
}

static mlbf_status (*const savers[])(const char *path) = {
  save_epoch,
  save_count,
  save_key_set,
};

__extension__ typedef unsigned __int128 wide;

/* ---- the second reader ---------------------------------------------------------------------------------- */

static uint64_t number(const char *file, size_t at, size_t size)
{
  uint64_t value = 0;
  memcpy(&value, file + at, size);
  return value;
}

static uint64_t parameter(const char *file, int i)
{
  return number(file, 56 + 8 * (size_t)i, 8);
}

static mlbf_hash128 keyed_hash(mlbf_span key)
{
  slow_hash_keys keys;
  slow_hash_keys_seeded(SEED, &keys);
  return slow_hash_whole(&keys, &key, 1);
}

static void places_of(mlbf_hash128 hash, uint64_t cells, uint64_t k, uint64_t *places)
{
  uint64_t place = hash.low;
  for (uint64_t i = 0; i < k; i++) {
    places[i] = (uint64_t)((wide)place * cells >> 64);
    place = place * 0xd1342543de82ef95u + (hash.high | 1);
  }
}

static void put_cell(unsigned char *array, uint64_t cell, uint64_t bits, uint64_t value)
{
  for (uint64_t j = 0; j < bits; j++) {
    uint64_t bit = cell * bits + j;
    array[bit / 8] = (unsigned char)((array[bit / 8] & ~(1u << bit % 8)) | (value >> j & 1) << bit % 8);
  }
}

static uint64_t array_bytes(uint64_t cells, uint64_t bits)
{
  return ((cells * bits + 7) / 8 + 8 + 63) / 64 * 64;
}

/* Cells too old may be swept or not; all others are what they must be. */
static void check_epoch(const char *file)
{
  enum { M = 1000, L = (5000 + 11) / 12 };
  uint64_t epochs[M] = {0}, places[4], last = (UINT64_C(1700000000000) + 97 * (INSERTIONS - 1)) / L;
  char text[32];
  assert_int_equal(parameter(file, 3), M);
  assert_int_equal(parameter(file, 5), L);
  assert_int_equal(parameter(file, 7) / L, last);
  for (int i = 0; i < INSERTIONS; i++) {
    places_of(keyed_hash(key_of(i, text)), M, 4, places);
    for (int j = 0; j < 4; j++)
      epochs[places[j]] = (UINT64_C(1700000000000) + 97 * (uint64_t)i) / L;
  }
  for (uint64_t cell = 0; cell < M; cell++) {
    uint64_t value = number(file, HEADER + cell / 2, 1) >> cell % 2 * 4 & 15;
    bool is_live = epochs[cell] > 0 && last - epochs[cell] <= 12;
    if (is_live || value > 0)
      assert_int_equal(value, 1 + epochs[cell] % 15);
  }
}

static void check_count(const char *file)
{
  enum { M = 9000, CHUNKS = 9, CHUNK = 1024 };
  static unsigned char cells[8192];
  static uint32_t counts[M];
  uint64_t places[3], taken = 0, at = HEADER + array_bytes(M, 3), entries_at = at + 64;
  char text[32];
  for (int i = 0; i < INSERTIONS; i++) {
    places_of(keyed_hash(key_of(i, text)), M, 3, places);
    uint32_t least = UINT32_MAX, times = (uint32_t)i % 7 + 1;
    for (int j = 0; j < 3; j++)
      least = counts[places[j]] < least ? counts[places[j]] : least;
    for (int j = 0; j < 3; j++)
      counts[places[j]] = counts[places[j]] < least + times ? least + times : counts[places[j]];
  }
  for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
    uint64_t there = 0;
    for (uint64_t cell = chunk * CHUNK; cell < (chunk + 1) * CHUNK && cell < M; cell++) {
      put_cell(cells, cell, 3, (counts[cell] & 3) | (counts[cell] > 3 ? 4 : 0));
      if (counts[cell] <= 3)
        continue;
      assert_int_equal(number(file, entries_at + 4 * taken, 4), cell % CHUNK << 16 | counts[cell] >> 2);
      there++;
      taken++;
    }
    assert_int_equal(number(file, at + 2 * chunk, 2), there);
  }
  assert_int_equal(parameter(file, 8), taken);
  assert_true(taken > 0);
  assert_memory_equal(file + HEADER, cells, array_bytes(M, 3));
}

/* Each key's hash is there, each hash once, and no other. */
static void check_key_set(const char *file)
{
  uint64_t keys = parameter(file, 0), found = 0;
  bool is_found[INSERTIONS] = {false};
  mlbf_hash128 hashes[INSERTIONS];
  char text[32];
  for (int i = 0; i < INSERTIONS; i++)
    hashes[i] = keyed_hash(key_of(i, text));
  assert_int_equal(number(file, 32, 8), 16 * keys);
  for (uint64_t at = 0; at < keys; at++) {
    uint64_t low = number(file, HEADER + 16 * at, 8), high = number(file, HEADER + 16 * at + 8, 8);
    if (at)
      assert_true(number(file, HEADER + 16 * at - 16, 8) < low); /* equal ones, in a file of 50: no */
    for (int i = 0; i < INSERTIONS; i++) {
      bool is_it = hashes[i].low == low && hashes[i].high == high;
      found += is_it && !is_found[i];
      is_found[i] |= is_it;
    }
  }
  assert_int_equal(found, INSERTIONS);
  assert_true(keys > 10 && keys < INSERTIONS);
}

static void (*const checkers[])(const char *file) = {
  check_epoch,
  check_count,
  check_key_set,
};

CASE(the_second_reader_finds_every_cell)
{
  for (int i = 0; i < GOLDENS; i++) {
    char path[SCRATCH_PATH];
    size_t size;
    scratch_join(TESTS_DIR "/golden", goldens[i].name, path);
    char *file = scratch_read(path, &size);
    assert_non_null(file);
    uint64_t body = number(file, 32, 8);
    assert_memory_equal(file, "MLBF\r\n\x1a\n", 8);
    assert_int_equal(number(file, 8, 4), 3);
    assert_int_equal(number(file, 824, 4), 2); /* the hash */
    assert_int_equal(number(file, 828, 4), 3); /* from a seed */
    assert_int_equal(number(file, 16, 4), goldens[i].kind);
    assert_int_equal(number(file, 20, 4), 6);
    assert_int_equal(number(file, 24, 8), SEED);
    assert_string_equal(file + 568, "strict");
    assert_int_equal(number(file, 40, 8), 1);
    assert_int_equal(size, HEADER + body + 8);
    assert_int_equal(number(file, HEADER + body, 8), XXH3_64bits(file + HEADER, body));
    assert_int_equal(number(file, 48, 8), XXH3_64bits(file + HEADER + body, 8));
    assert_int_equal(number(file, 4088, 8), XXH3_64bits(file, 4088));
    checkers[i](file);
    free(file);
  }
}

/* By hand: makes them anew where STRATA_GOLDEN says. */
CASE(the_writer_makes_the_golden_files)
{
  const char *anew = getenv("STRATA_GOLDEN");
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make(directory);
  for (int i = 0; i < GOLDENS; i++) {
    size_t size, made_size;
    scratch_join(TESTS_DIR "/golden", goldens[i].name, path);
    char *golden = scratch_read(path, &size);
    scratch_join(anew ? anew : directory, goldens[i].name, path);
    assert_int_equal(savers[i](path), MLBF_OK);
    char *made = scratch_read(path, &made_size);
    assert_int_equal(made_size, size);
    assert_memory_equal(made, golden, size);
    free(golden);
    free(made);
  }
  scratch_remove(directory);
}
