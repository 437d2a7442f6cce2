/* The table of near-duplicates against a list of all that was put into it; and its file, byte by byte. */
#include "mlbf/similar/near_table.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

enum { KEYS = 20000, VOLUMES = 30 };

static char root[SCRATCH_PATH];
static near_table table;
static uint64_t keys[KEYS];
static near_place places[KEYS][NEAR_SAME_MOST]; /* of each key the newest */
static size_t counts[KEYS];

static int begin(void **state)
{
  (void)state;
  scratch_make(root);
  for (size_t i = 0; i < KEYS; i++)
    keys[i] = i % 4 ? dice_throw(UINT64_MAX) : i * 1671 << 30; /* a quarter into one segment, of unlike hashes */
  return 0;
}

static int end(void **state)
{
  (void)state;
  near_table_free(&table);
  memset(counts, 0, sizeof counts);
  scratch_remove(root);
  return 0;
}

static void put(size_t i, near_place place)
{
  assert_true(near_table_put(&table, keys[i], place));
  if (counts[i] == NEAR_SAME_MOST) {
    memmove(&places[i][0], &places[i][1], sizeof places[i] - sizeof *places[i]);
    counts[i]--;
  }
  places[i][counts[i]++] = place;
}

/* Some keys are put often. */
static void put_many(void)
{
  for (size_t n = 0; n < 3 * KEYS; n++) {
    near_place place = {(uint32_t)(1 + n * VOLUMES / (3 * KEYS)), 64 + 8 * n};
    size_t i = dice_throw(dice_throw(4) ? KEYS : 50);
    put(i, place);
    if (n % 7 == 0)
      assert_true(near_table_put(&table, keys[i], place)); /* once more: nothing */
  }
}

static void assert_all(const near_table *t, uint32_t volumes)
{
  for (size_t i = 0; i < KEYS; i++) {
    near_place found[NEAR_SAME_MOST];
    size_t count = near_table_get(t, keys[i], found), wanted = 0;
    near_table_prefetch(t, keys[i]);
    for (size_t k = 0; k < counts[i]; k++)
      if (places[i][k].volume <= volumes) {
        assert_true(wanted < count);
        assert_true(found[wanted].volume == places[i][k].volume && found[wanted].offset == places[i][k].offset);
        wanted++;
      }
    assert_int_equal(count, wanted);
  }
}

CASE(has_the_newest_places_of_each_key)
{
  near_place found[NEAR_SAME_MOST];
  assert_int_equal(near_table_get(&table, keys[0], found), 0);
  put_many();
  assert_all(&table, VOLUMES);
  assert_int_equal(near_table_get(&table, ~keys[0], found), 0);
}

/* 85 % full before it grows, by an eighth. */
CASE(takes_eleven_bytes_a_key)
{
  for (size_t n = 0; n < 2000000; n++)
    assert_true(near_table_put(&table, dice_throw(UINT64_MAX), (near_place){1, 64}));
  double bytes = (double)near_table_bytes(&table) / 2e6;
  print_message("%.2f bytes a key\n", bytes);
  assert_true(bytes > 8 / 0.86 && bytes < 64.0 / 6);
}

static void save(int at, near_cover cover)
{
  mlbf_keying keying;
  assert_int_equal(mlbf_keying_make(NULL, 0, &keying), MLBF_OK);
  assert_int_equal(near_table_save(at, &table, &keying, cover), MLBF_OK);
}

CASE(its_file_has_the_full_volumes)
{
  near_table loaded = {0};
  mlbf_keying keying;
  near_cover cover = {0};
  int at = open(root, O_RDONLY | O_DIRECTORY);
  put_many();
  assert_int_equal(near_table_load(at, &loaded, &keying, &cover), MLBF_IO); /* there is none */
  save(at, (near_cover){VOLUMES - 1, 1234, 5678});
  assert_int_equal(near_table_load(at, &loaded, &keying, &cover), MLBF_OK);
  assert_true(cover.volumes == VOLUMES - 1 && cover.documents == 1234 && cover.bytes == 5678);
  assert_all(&loaded, VOLUMES - 1);
  near_table_free(&loaded);
  close(at);
}

static uint64_t number_at(const char *bytes, size_t offset)
{
  uint64_t number;
  memcpy(&number, bytes + offset, sizeof number);
  return number;
}

/* A reader that knows FORMAT.md alone: each place of each key is where it should be. */
CASE(its_file_is_as_FORMAT_says)
{
  char path[SCRATCH_PATH];
  size_t size;
  int at = open(root, O_RDONLY | O_DIRECTORY);
  put_many();
  save(at, (near_cover){VOLUMES, 1234, 5678});
  scratch_join(root, "near.table", path);
  char *file = scratch_read(path, &size);
  assert_int_equal(number_at(file, 16) & UINT32_MAX, 7);
  const uint64_t numbers[] = {512, VOLUMES, 1234, 5678};
  assert_memory_equal(file + 56, numbers, sizeof numbers);
  for (size_t i = 0; i < KEYS; i++) {
    uint64_t segment = keys[i] >> 55, hash = keys[i] >> 30 & ((1 << 25) - 1), begin = 4096 + 8 * 512;
    for (size_t k = 0; k < segment; k++)
      begin += 8 * number_at(file, 4096 + 8 * k);
    uint64_t length = number_at(file, 4096 + 8 * segment), room = length - 32, slot = hash * room >> 25;
    size_t found = 0;
    if (counts[i] == 0)
      continue;
    for (; slot < length && number_at(file, begin + 8 * slot) && found < counts[i]; slot++) {
      uint64_t wanted = hash << 39 | (uint64_t)places[i][found].volume << 23 | (places[i][found].offset - 64) / 8;
      found += number_at(file, begin + 8 * slot) == wanted;
    }
    assert_int_equal(found, counts[i]);
  }
  free(file);
  close(at);
}

/* With checksums put right, or nothing would be looked at. */
static void lie(const char *path, const char *sound, size_t size, size_t offset, uint64_t number)
{
  char *file = malloc(size);
  assert_non_null(file);
  memcpy(file, sound, size);
  memcpy(file + offset, &number, sizeof number);
  size_t body = number_at(file, 32), blocks = (body + (1 << 20) - 1) >> 20;
  for (size_t i = 0; i < blocks && 4096 + body + 8 * blocks == size; i++) {
    size_t from = i << 20, part = body - from < 1 << 20 ? body - from : 1 << 20;
    uint64_t sum = XXH3_64bits(file + 4096 + from, part);
    memcpy(file + 4096 + body + 8 * i, &sum, 8);
  }
  uint64_t sum = XXH3_64bits(file + size - 8 * blocks, 8 * blocks);
  memcpy(file + 48, &sum, 8);
  sum = XXH3_64bits(file, 4088);
  memcpy(file + 4088, &sum, 8);
  scratch_write(path, file, size);
  free(file);
}

CASE(a_file_that_lies_is_refused)
{
  static const struct {
    size_t offset;
    uint64_t number;
  } lies[] = {
    {56, 256},                     /* segments */
    {56 + 8, 1 << 16},             /* volumes */
    {56 + 8 * 4, 5},               /* slots */
    {56 + 8 * 5, 1},               /* a number too many */
    {4096, 0},                     /* the length of the first segment */
    {4096 + 8, UINT64_C(1) << 60}, /* of the second */
    {4096 + 8 * 512, UINT64_MAX},  /* the first slot: those behind it are lower */
  };
  char path[SCRATCH_PATH];
  size_t size;
  int at = open(root, O_RDONLY | O_DIRECTORY);
  put_many();
  save(at, (near_cover){VOLUMES, 1234, 5678});
  scratch_join(root, "near.table", path);
  char *sound = scratch_read(path, &size);
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    near_table loaded = {0}, zeros = {0};
    mlbf_keying keying;
    near_cover cover;
    lie(path, sound, size, lies[i].offset, lies[i].number);
    assert_int_equal(near_table_load(at, &loaded, &keying, &cover), MLBF_DAMAGED);
    assert_memory_equal(&loaded, &zeros, sizeof zeros);
  }
  free(sound);
  close(at);
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(19);
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(begin, end)
