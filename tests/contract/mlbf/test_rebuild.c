/* mlbf/rebuild.h: the file is that of inserting one by one, whatever the windows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/one_key.h"
#include "mlbf/rebuild.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { OLD_KEYS = 300000, NEW_KEYS = 100000, HEADER = 4096, MIB = 1 << 20, LOT = 100 };

static char directory[SCRATCH_PATH], old_path[SCRATCH_PATH], path[SCRATCH_PATH], other[SCRATCH_PATH];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "old", old_path);
  scratch_join(directory, "new", path);
  scratch_join(directory, "other", other);
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
  uint64_t x = number * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 31) * 0xd1342543de82ef95;
  return (mlbf_hash128){x ^ x >> 29, (x + number) * 0xbf58476d1ce4e5b9};
}

/* Each key in three brings a segment of any layer; of 0 and 17: there are no such layers. */
static size_t segment_of(uint64_t number, mlbf_hash128 *segment, uint8_t *layer)
{
  if (number % 3)
    return 0;
  *segment = hash_of(~number);
  *layer = (uint8_t)(number / 3 % 18);
  return 1;
}

static void insert(mlbf_filter *filter, uint64_t from, uint64_t to)
{
  for (uint64_t i = from; i < to; i++) {
    mlbf_hash128 key = hash_of(i), segment;
    uint8_t layer;
    uint32_t end = (uint32_t)segment_of(i, &segment, &layer);
    mlbf_insert_hashes(filter, &(mlbf_hashes){&key, &end, &segment, &layer}, 1, NULL);
  }
}

static mlbf_options options_of(mlbf_kind kind, uint64_t keys)
{
  return (mlbf_options){.size = sizeof(mlbf_options),
                        .kind = kind,
                        .keys = keys,
                        .rate = 1e-6,
                        .profile = "strict",
                        .seed = 1,
                        .signals = kind == MLBF_KIND_MLBF};
}

/* Every second lot as segments of keys that are forgotten, and then the keys without theirs. */
static void give(mlbf_rebuild *r, uint64_t from, uint64_t to)
{
  mlbf_hash128 keys[LOT], segments[LOT];
  uint8_t layers[LOT];
  uint32_t ends[LOT];
  for (uint64_t at = from, next; at < to; at = next) {
    uint32_t end = 0;
    next = to - at < LOT ? to : at + LOT;
    for (uint64_t i = at; i < next; i++) {
      keys[i - at] = hash_of(i);
      end += (uint32_t)segment_of(i, &segments[end], &layers[end]);
      ends[i - at] = end;
    }
    bool is_apart = at / LOT % 2;
    mlbf_rebuild_hashes(r, &(mlbf_hashes){is_apart ? NULL : keys, ends, segments, layers}, next - at);
    if (is_apart)
      mlbf_rebuild_hashes(r, &(mlbf_hashes){.keys = keys}, next - at);
  }
}

static mlbf_status run(mlbf_rebuild *r, uint64_t from, uint64_t to, uint64_t *times)
{
  mlbf_rebuild_need need = MLBF_REBUILD_STEP;
  mlbf_status status = MLBF_OK;
  *times = 0;
  while (need != MLBF_REBUILD_DONE && (status = mlbf_rebuild_step(r, MIB, &need)) == MLBF_OK)
    if (need == MLBF_REBUILD_KEYS) {
      give(r, from, to);
      mlbf_rebuild_keys_end(r);
      ++*times;
    }
  return status;
}

static char *bytes_of(const char *name, long *size)
{
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char *bytes = malloc((size_t)*size);
  assert_int_equal(fread(bytes, 1, (size_t)*size, file), *size);
  fclose(file);
  return bytes;
}

/* Bodies and checksums; headers too but for what the order of insertion changes: estimates of distinct segments. */
static void assert_same_files(const char *a, const char *b)
{
  long size, other_size;
  char *one = bytes_of(a, &size), *two = bytes_of(b, &other_size);
  assert_int_equal(size, other_size);
  assert_memory_equal(one + HEADER, two + HEADER, (size_t)size - HEADER);
  free(one);
  free(two);
}

static mlbf_stats stats_of(const char *name)
{
  mlbf_filter *filter;
  mlbf_stats stats;
  assert_int_equal(mlbf_load(name, NULL, &filter), MLBF_OK);
  mlbf_stats_read(filter, &stats);
  mlbf_free(filter);
  return stats;
}

static void assert_same_counts(mlbf_kind kind)
{
  mlbf_stats made = stats_of(path), wanted = stats_of(other);
  assert_true(kind == MLBF_KIND_BLOOM ? made.keys >= wanted.keys : made.keys == wanted.keys);
  for (uint32_t i = 0; i < made.layers; i++)
    assert_true(made.layer_distinct[i] >= 0.97 * wanted.layer_distinct[i] - 100 &&
                made.layer_distinct[i] <= 1.03 * wanted.layer_distinct[i] + 100);
}

CASE(with_more_keys)
{
  static const mlbf_kind kinds[] = {MLBF_KIND_MLBF, MLBF_KIND_LINE, MLBF_KIND_BLOOM};
  static const uint64_t windows[] = {0, MIB + 1, 100 * MIB};
  for (size_t k = 0; k < 3; k++) {
    mlbf_options options = options_of(kinds[k], OLD_KEYS + NEW_KEYS);
    mlbf_filter *filter, *mapped;
    assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
    insert(filter, 0, OLD_KEYS);
    assert_int_equal(mlbf_save(filter, old_path), MLBF_OK);
    insert(filter, OLD_KEYS, OLD_KEYS + NEW_KEYS);
    assert_int_equal(mlbf_save(filter, other), MLBF_OK);
    mlbf_free(filter);
    assert_int_equal(mlbf_map(old_path, NULL, &mapped), MLBF_OK);
    for (size_t w = 0; w < 3; w++) {
      mlbf_rebuild *r;
      uint64_t times;
      assert_int_equal(mlbf_rebuild_begin(mapped, NULL, windows[w], path, &r), MLBF_OK);
      assert_int_equal(run(r, OLD_KEYS, OLD_KEYS + NEW_KEYS, &times), MLBF_OK);
      assert_int_equal(times, mlbf_rebuild_windows(r));
      assert_true(w == 0 ? times > 1 : w == 1 || times == 1); /* each of the files has some blocks */
      mlbf_rebuild_end(r);
      assert_same_files(path, other);
      assert_same_counts(kinds[k]);
    }
    mlbf_free(mapped);
  }
}

CASE(from_nothing)
{
  mlbf_options options = options_of(MLBF_KIND_MLBF, OLD_KEYS);
  mlbf_filter *filter;
  mlbf_rebuild *r;
  uint64_t times;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  insert(filter, 0, OLD_KEYS);
  assert_int_equal(mlbf_save(filter, other), MLBF_OK);
  mlbf_free(filter);
  assert_int_equal(mlbf_rebuild_begin(NULL, &options, MIB / 2, path, &r), MLBF_OK);
  assert_int_equal(run(r, 0, OLD_KEYS, &times), MLBF_OK);
  mlbf_rebuild_end(r);
  assert_same_files(path, other);
  assert_same_counts(MLBF_KIND_MLBF);
}

/* Old damage gets no new checksum; what was there before stays. */
CASE(damage_is_noticed)
{
  mlbf_options options = options_of(MLBF_KIND_MLBF, OLD_KEYS);
  mlbf_filter *filter, *mapped;
  mlbf_rebuild *r;
  uint64_t times;
  bool is_done = true;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  insert(filter, 0, OLD_KEYS);
  assert_int_equal(mlbf_save(filter, old_path), MLBF_OK);
  mlbf_free(filter);
  FILE *file = fopen(old_path, "r+b");
  assert_non_null(file);
  fseek(file, HEADER + MIB + 12345, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, HEADER + MIB + 12345, SEEK_SET);
  fputc(byte ^ 4, file);
  fclose(file);
  assert_int_equal(mlbf_map(old_path, NULL, &mapped), MLBF_OK);
  assert_int_equal(mlbf_verify(mapped, MIB / 2, &is_done), MLBF_OK);
  assert_false(is_done);
  assert_int_equal(mlbf_verify(mapped, MIB / 2, &is_done), MLBF_DAMAGED);
  assert_int_equal(mlbf_rebuild_begin(mapped, NULL, MIB, path, &r), MLBF_OK);
  assert_int_equal(run(r, 0, 1, &times), MLBF_DAMAGED);
  mlbf_rebuild_end(r);
  assert_int_not_equal(access(path, F_OK), 0);
  char temporary[SCRATCH_PATH + 8];
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  assert_int_not_equal(access(temporary, F_OK), 0);
  mlbf_free(mapped);
}

CASE(a_sound_one_is_verified_in_pieces)
{
  mlbf_options options = options_of(MLBF_KIND_LINE, OLD_KEYS);
  mlbf_filter *filter, *mapped;
  bool is_done = false, known[3];
  mlbf_hash128 wholes[3] = {hash_of(1), hash_of(OLD_KEYS + 5), hash_of(2)};
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  insert(filter, 0, OLD_KEYS);
  assert_int_equal(mlbf_save(filter, old_path), MLBF_OK);
  assert_int_equal(mlbf_map(old_path, NULL, &mapped), MLBF_OK);
  for (int i = 0; i < 3; i++)
    known[i] = one_whole_test(mapped, wholes[i]);
  assert_true(known[0] && !known[1] && known[2]);
  int calls = 0;
  for (; !is_done; calls++)
    assert_int_equal(mlbf_verify(mapped, 1, &is_done), MLBF_OK);
  mlbf_stats stats;
  mlbf_stats_read(mapped, &stats);
  assert_int_equal(calls, (stats.bits / 8 + MIB - 1) / MIB);
  assert_int_equal(mlbf_verify(filter, 1, &is_done), MLBF_OK); /* nothing to check */
  assert_true(is_done);
  mlbf_free(filter);
  mlbf_free(mapped);
}

CASE(refusals)
{
  mlbf_rebuild *r;
  mlbf_filter *a;
  mlbf_options options = options_of(MLBF_KIND_LINE, 100), absurd = options_of(MLBF_KIND_LINE, 0);
  assert_int_equal(mlbf_create(&options, &a), MLBF_OK);
  assert_int_equal(mlbf_rebuild_begin(NULL, &absurd, MIB, path, &r), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_rebuild_begin(a, NULL, MIB, "/nowhere/at/all", &r), MLBF_IO);
  mlbf_rebuild_end(NULL);
  mlbf_free(a);
}

EACH_CASE(begin, end)
