/* A second reader of filter files. It knows FORMAT.md and nothing else of mlbf/: it computes from a list of keys
 * the whole body a file of each kind must have, and compares it with the golden files, bit for bit.
 *
 * The same golden files pin the writer: mlbf_save must produce them again. After a wanted change of the format,
 * STRATA_GOLDEN=DIRECTORY has the writer's case make them there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "tests/support/slow_hash.h"
#include "tests/support/test.h"

/* What is in the golden files: these keys, in this order. */
static const char *const keys[][20] = {
  {"example.org"},
  {"example.org", "/a"},
  {"example.org", "/a", "/b"},
  {"example.org", "/b", "/a"},
  {"example.org", "/a", "/a"},
  {"www.example.net:8080", "/index.html", "?q=1", "&r=2"},
  {"www.example.net:8080", "/a/rather/long/segment/that/is/longer/than/sixteen/bytes/and/than/128/"
                           "for/the/other/branches/of/the/hash/are/not/to/be/forgotten/either"},
  {"h", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9", "/10", "/11", "/12", "/13", "/14", "/15", "/16", "/17"},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys, ARRAYS = 17 };

static const struct golden {
  const char *name;
  mlbf_options options;
} goldens[] = {
  {"bloom", {.kind = MLBF_KIND_BLOOM, .keys = 8, .rate = 0.01, .seed = 1, .profile = "strict"}},
  {"line-lanes", {.kind = MLBF_KIND_LINE, .keys = 8, .rate = 0.01, .seed = 2}},
  {"line-one", {.kind = MLBF_KIND_LINE, .keys = 8, .rate = 0.1, .seed = 3}},
  {"line-two", {.kind = MLBF_KIND_LINE, .keys = 8, .rate = 1e-6, .seed = 4}},
  {"line-twelve", {.kind = MLBF_KIND_LINE, .keys = 8, .rate = 1e-9, .seed = 9}},
  {"line-paged", {.kind = MLBF_KIND_LINE, .keys = 5000, .rate = 1e-6, .seed = 10}},
  {"mlbf", {.kind = MLBF_KIND_MLBF, .keys = 8, .rate = 1e-6, .seed = 5}},
  {"mlbf-signals", {.kind = MLBF_KIND_MLBF, .keys = 7, .rate = 1e-3, .seed = 6, .signals = true}},
};
enum { GOLDEN_COUNT = sizeof goldens / sizeof *goldens };

static size_t key_size(size_t key)
{
  size_t count = 0;
  while (count < 20 && keys[key][count])
    count++;
  return count;
}

/* The reader's own types: numbers at offsets, nothing shared with the library. */

static uint64_t u64(const uint8_t *at)
{
  uint64_t number = 0;
  for (int i = 7; i >= 0; i--)
    number = number << 8 | at[i];
  return number;
}

static uint32_t u32(const uint8_t *at)
{
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

typedef struct hash {
  uint64_t low, high;
} hash;

/* The schoolbook way: four 32-bit products. */
static uint64_t scale(uint64_t x, uint64_t r)
{
  uint64_t x1 = x >> 32, x0 = (uint32_t)x, r1 = r >> 32, r0 = (uint32_t)r;
  uint64_t middle = x1 * r0 + (x0 * r0 >> 32), other = x0 * r1 + (uint32_t)middle;
  return x1 * r1 + (middle >> 32) + (other >> 32);
}

/* One file, as FORMAT.md describes it, and the body it should have. */
typedef struct second_reader {
  uint8_t file[1 << 16];
  size_t size;
  uint8_t body[1 << 16];
} second_reader;

static const uint8_t *array_at(const second_reader *reader, uint32_t array)
{
  return reader->file + 128 + (size_t)24 * array;
}

/* Arrays follow each other, each from a multiple of 64 bytes on. */
static void set_bit(second_reader *reader, uint32_t array, uint64_t bit)
{
  uint64_t offset = 0;
  assert_true(bit < u64(array_at(reader, array) + 16));
  for (uint32_t before = 0; before < array; before++)
    offset += (u64(array_at(reader, before) + 16) + 511) / 512 * 64;
  reader->body[offset + bit / 8] |= (uint8_t)(1 << bit % 8);
}

static const uint64_t G = UINT64_C(0x9e3779b97f4a7c15);

static void set_in_line(second_reader *reader, uint32_t array, uint64_t line, uint64_t u, uint32_t k)
{
  uint32_t lanes = k == 12 ? 8 : k, width = 512 / lanes;
  for (uint32_t i = 0; i < lanes; i++, u /= width)
    set_bit(reader, array, 512 * line + width * i + u % width);
}

/* Twelve are eight, and four from the upper 28 bits of a multiple of the number. */
static void set_in_lanes(second_reader *reader, uint32_t array, uint64_t line, uint64_t u, uint32_t k)
{
  set_in_line(reader, array, line, u, k);
  if (k == 12)
    set_in_line(reader, array, line, u * UINT64_C(0xd1342543de82ef95) >> 36, 4);
}

static void set_in_two_lines(second_reader *reader, uint32_t array, hash h, uint64_t lines, uint32_t k)
{
  uint64_t pages = (lines + 255) / 256, n = lines / pages, page = scale(h.low, pages);
  uint64_t product = h.low % (UINT64_C(1) << 32) * n, first = product >> 32;
  uint64_t second = (first + 1 + (product % (UINT64_C(1) << 32) * (n - 1) >> 32)) % n;
  uint64_t turned = h.high << 32 | h.high >> 32;
  set_in_lanes(reader, array, page * n + first, h.high, k / 2);
  set_in_lanes(reader, array, page * n + second, turned * G, k / 2);
}

static void set_hash(second_reader *reader, uint32_t array, hash h)
{
  uint32_t layout = (uint32_t)u64(array_at(reader, array)), k = (uint32_t)u64(array_at(reader, array) + 8);
  uint64_t m = u64(array_at(reader, array) + 16), p = h.low;
  switch (layout) {
  case 1:
    for (uint32_t i = 0; i < k; i++, p = p * UINT64_C(0xd1342543de82ef95) + (h.high | 1))
      set_bit(reader, array, scale(p, m));
    break;
  case 2: set_in_lanes(reader, array, scale(h.low, m / 512), h.high, k); break;
  case 3: set_in_two_lines(reader, array, h, m / 512, k); break;
  default: fail_msg("layout %u is not in FORMAT.md", layout);
  }
}

static hash own(mlbf_hash128 of)
{
  return (hash){of.low, of.high};
}

static size_t spans_of(const char *const *segments, size_t count, mlbf_span *spans)
{
  for (size_t i = 0; i < count; i++)
    spans[i] = (mlbf_span){segments[i], strlen(segments[i])};
  return count;
}

static void set_keyed_key(second_reader *reader, const char *const *segments, size_t count, uint32_t kind,
                          const slow_hash_keys *slow)
{
  mlbf_span spans[20];
  one_key hashes;
  spans_of(segments, count, spans);
  if (kind != 2) {
    set_hash(reader, 0, own(slow_hash_whole(slow, spans, count)));
    return;
  }
  slow_hash_layers(slow, spans, count, &hashes);
  for (uint32_t i = 0; i < hashes.depth; i++)
    if (i == 0 || u64(reader->file + 88)) /* signals */
      set_hash(reader, i == 0 ? 1 : 2, own(hashes.layer[i]));
  set_hash(reader, 0, own(hashes.whole));
}

static void set_all_keys(second_reader *reader)
{
  uint32_t kind = (uint32_t)u64(reader->file + 56);
  slow_hash_keys slow;
  slow_hash_keys_seeded(u64(reader->file + 24), &slow);
  for (size_t key = 0; key < KEY_COUNT; key++)
    set_keyed_key(reader, keys[key], key_size(key), kind, &slow);
}

static size_t read_whole(const char *path, uint8_t *to, size_t room)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s cannot be opened", path);
  size_t size = fread(to, 1, room, file);
  fclose(file);
  return size;
}

static void golden_path(char path[512], const char *directory, const char *name)
{
  snprintf(path, 512, "%s/%s.mlbf", directory, name);
}

CASE(the_second_reader_finds_every_bit)
{
  static second_reader reader;
  for (int i = 0; i < GOLDEN_COUNT; i++) {
    char path[512];
    golden_path(path, TESTS_DIR "/golden", goldens[i].name);
    memset(&reader, 0, sizeof reader);
    reader.size = read_whole(path, reader.file, sizeof reader.file);
    const uint8_t *file = reader.file;
    uint64_t body = u64(file + 32), blocks = u64(file + 40);
    assert_memory_equal(file, "MLBF\r\n\x1a\n", 8);
    assert_int_equal(u32(file + 8), 3);
    assert_int_equal(u32(file + 16), 1);  /* a filter */
    assert_int_equal(u32(file + 824), 2); /* the hash */
    assert_int_equal(u32(file + 828), 3); /* from a seed */
    assert_int_equal(u64(file + 56), goldens[i].options.kind);
    assert_int_equal(u64(file + 24), goldens[i].options.seed);
    assert_int_equal(u64(file + 80), KEY_COUNT);
    assert_int_equal(reader.size, 4096 + body + 8 * blocks);
    assert_int_equal(u64(file + 4088), XXH3_64bits(file, 4088));
    assert_int_equal(u64(file + 48), XXH3_64bits(file + 4096 + body, 8 * blocks));
    assert_int_equal(u64(file + 4096 + body), XXH3_64bits(file + 4096, body)); /* less than a MiB: one block */
    set_all_keys(&reader);
    assert_memory_equal(file + 4096, reader.body, body);
  }
}

static mlbf_status save_golden(const struct golden *golden, const char *path)
{
  mlbf_filter *filter = NULL;
  mlbf_options options = golden->options;
  options.size = sizeof options;
  mlbf_status status = mlbf_create(&options, &filter);
  for (size_t key = 0; status == MLBF_OK && key < KEY_COUNT; key++) {
    mlbf_span segments[20];
    one_key hashes;
    mlbf_verdict verdict;
    for (size_t i = 0; i < key_size(key); i++)
      segments[i] = (mlbf_span){keys[key][i], strlen(keys[key][i])};
    one_key_hash(filter, segments, key_size(key), &hashes);
    one_key_insert(filter, &hashes, &verdict);
  }
  if (status == MLBF_OK)
    status = mlbf_save(filter, path);
  mlbf_free(filter);
  return status;
}

/* By hand: makes them anew where STRATA_GOLDEN says. */
CASE(the_writer_makes_the_golden_files)
{
  const char *anew = getenv("STRATA_GOLDEN");
  char directory[] = "/tmp/test_format.XXXXXX", path[512];
  static uint8_t golden[1 << 16], made[1 << 16];
  assert_non_null(mkdtemp(directory));
  for (int i = 0; i < GOLDEN_COUNT; i++) {
    golden_path(path, TESTS_DIR "/golden", goldens[i].name);
    size_t size = read_whole(path, golden, sizeof golden);
    golden_path(path, anew ? anew : directory, goldens[i].name);
    assert_int_equal(save_golden(&goldens[i], path), MLBF_OK);
    assert_int_equal(read_whole(path, made, sizeof made), size);
    assert_memory_equal(made, golden, size);
    if (!anew)
      unlink(path);
  }
  rmdir(directory);
}
