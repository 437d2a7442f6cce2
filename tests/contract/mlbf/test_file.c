/* Filters on disk: what was saved is what is loaded, and nothing damaged ever is. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "tests/support/test.h"

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, HEADER_BYTES = 4096 };

static char directory[] = "/tmp/test_file.XXXXXX";
static char path[sizeof directory + 32];

static int make_directory(void **state)
{
  (void)state;
  if (!mkdtemp(directory))
    return -1;
  snprintf(path, sizeof path, "%s/filter.mlbf", directory);
  return 0;
}

static int remove_directory(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(directory);
}

static one_key hashes_of(const mlbf_filter *filter, unsigned id)
{
  char host[16], file[16];
  mlbf_span segments[] = {{host, (size_t)snprintf(host, sizeof host, "h%u", id / 8)},
                          {"/dir", 4},
                          {file, (size_t)snprintf(file, sizeof file, "/%u", id)}};
  one_key hashes;
  one_key_hash(filter, segments, 3, &hashes);
  return hashes;
}

static mlbf_filter *filter_with(mlbf_kind kind, unsigned keys, bool signals)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = kind,
                          .keys = keys,
                          .rate = 0.01,
                          .seed = 99,
                          .signals = signals,
                          .profile = "strict"};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  for (unsigned id = 0; id < keys; id++) {
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict verdict;
    one_key_insert(filter, &hashes, &verdict);
  }
  return filter;
}

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static bytes read_file(const char *name)
{
  FILE *file = fopen(name, "rb");
  struct stat info;
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &info), 0);
  bytes all = {malloc((size_t)info.st_size), (size_t)info.st_size};
  assert_int_equal(fread(all.data, 1, all.size, file), all.size);
  fclose(file);
  return all;
}

static void write_file(const uint8_t *data, size_t size)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static mlbf_status load_status(void)
{
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_load(path, NULL, &filter);
  assert_true((status == MLBF_OK) == (filter != NULL));
  mlbf_free(filter);
  return status;
}

CASE(a_loaded_filter_answers_as_the_saved_one)
{
  enum { KEYS = 3000 };
  for (int i = 0; i < KIND_COUNT; i++)
    for (int signals = 0; signals <= (kinds[i] == MLBF_KIND_MLBF); signals++) {
      mlbf_filter *saved = filter_with(kinds[i], KEYS, signals), *loaded = NULL;
      assert_int_equal(mlbf_save(saved, path), MLBF_OK);
      assert_int_equal(mlbf_load(path, NULL, &loaded), MLBF_OK);
      mlbf_stats before, after;
      mlbf_stats_read(saved, &before);
      mlbf_stats_read(loaded, &after);
      assert_memory_equal(&before, &after, sizeof before);
      for (unsigned id = 0; id < 10 * KEYS; id++) {
        one_key hashes = hashes_of(saved, id), same = hashes_of(loaded, id);
        assert_int_equal(hashes.whole.low, same.whole.low);
        mlbf_verdict one = one_key_test(saved, &hashes), other = one_key_test(loaded, &hashes);
        assert_int_equal(one.outcome, other.outcome);
        assert_int_equal(one.layer, other.layer);
        assert_true(id >= KEYS || other.outcome == MLBF_SEEN);
      }
      mlbf_free(saved);
      mlbf_free(loaded);
    }
}

/* Each byte of the header, with one bit and with all bits turned. */
CASE(every_byte_of_the_header_is_guarded)
{
  mlbf_filter *filter = filter_with(MLBF_KIND_MLBF, 100, true);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  bytes file = read_file(path);
  int handle = open(path, O_WRONLY);
  for (size_t at = 0; at < HEADER_BYTES; at++) {
    const uint8_t flips[] = {0x01, 0xff};
    for (size_t i = 0; i < sizeof flips; i++) {
      uint8_t damaged = file.data[at] ^ flips[i];
      assert_int_equal(pwrite(handle, &damaged, 1, (off_t)at), 1);
      mlbf_status status = load_status();
      if (at < 8)
        assert_int_equal(status, MLBF_NOT_A_FILTER);
      else if (at < 16)
        assert_int_equal(status, MLBF_VERSION);
      else
        assert_int_equal(status, MLBF_DAMAGED);
    }
    assert_int_equal(pwrite(handle, file.data + at, 1, (off_t)at), 1);
  }
  assert_int_equal(load_status(), MLBF_OK);
  close(handle);
  free(file.data);
}

CASE(every_byte_after_the_header_is_guarded)
{
  mlbf_filter *filter = filter_with(MLBF_KIND_LINE, 100, false);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  bytes file = read_file(path);
  int handle = open(path, O_WRONLY);
  for (size_t at = HEADER_BYTES; at < file.size; at += at < file.size - 16 ? 7 : 1) {
    uint8_t damaged = file.data[at] ^ 0x10;
    assert_int_equal(pwrite(handle, &damaged, 1, (off_t)at), 1);
    assert_int_equal(load_status(), MLBF_DAMAGED);
    assert_int_equal(pwrite(handle, file.data + at, 1, (off_t)at), 1);
  }
  close(handle);
  free(file.data);
}

CASE(truncated_and_oversized_files_are_refused)
{
  mlbf_filter *filter = filter_with(MLBF_KIND_BLOOM, 100, false);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  bytes file = read_file(path);
  for (size_t size = 0; size < file.size; size += 61) {
    assert_int_equal(truncate(path, (off_t)size), 0);
    assert_int_equal(load_status(), size < HEADER_BYTES ? MLBF_NOT_A_FILTER : MLBF_DAMAGED);
    write_file(file.data, file.size);
  }
  assert_int_equal(truncate(path, (off_t)file.size + 1), 0);
  assert_int_equal(load_status(), MLBF_DAMAGED);
  free(file.data);
}

/* A header that lies and has a right checksum: what an attacker would write. */
CASE(lying_headers_are_refused)
{
  static const struct {
    const char *what;
    size_t at, size;
    uint64_t value;
  } rows[] = {
    {"kind 0", 56, 8, 0},
    {"kind 99", 56, 8, 99},
    {"another kind", 56, 8, MLBF_KIND_BLOOM},
    {"kind 2 and 2^32", 56, 8, (UINT64_C(1) << 32) + MLBF_KIND_MLBF},
    {"no keys", 64, 8, 0},
    {"for 2^63 keys", 64, 8, UINT64_C(1) << 63},
    {"2^63 keys", 80, 8, UINT64_C(1) << 63},
    {"rate 0", 72, 8, 0},
    {"rate NaN", 72, 8, UINT64_C(0x7ff8000000000000)},
    {"rate 2", 72, 8, UINT64_C(0x4000000000000000)},
    {"signals 2", 88, 8, 2},
    {"no signals", 88, 8, 0},
    {"slice 1 of 1", 96, 8, 1},
    {"no slices", 104, 8, 0},
    {"65 slices", 104, 8, 65},
    {"more bits set than there are", 112, 8, UINT64_C(1) << 50},
    {"no arrays", 120, 8, 0},
    {"4 arrays", 120, 8, 4},
    {"2^32 - 1 arrays", 120, 8, UINT32_MAX},
    {"2^63 arrays", 120, 8, UINT64_C(1) << 63},
    {"body too long", 32, 8, UINT64_C(1) << 40},
    {"body wraps", 32, 8, UINT64_MAX - 4095},
    {"more blocks", 40, 8, 2},
    {"2^61 blocks", 40, 8, UINT64_C(1) << 61},
    {"profile too long", 20, 4, 256},
    {"profile shorter than its text", 20, 4, 3},
    {"layout 0", 128, 8, 0},
    {"layout 4", 128, 8, 4},
    {"layout 3 and 2^32", 128, 8, (UINT64_C(1) << 32) + 3},
    {"one line with k of two", 128, 8, 2},
    {"k = 0", 136, 8, 0},
    {"k = 34", 136, 8, 34},
    {"odd k in two lines", 136, 8, 3},
    {"six bits a line", 136, 8, 12},
    {"k = 8 and 2^32", 136, 8, (UINT64_C(1) << 32) + 8},
    {"lines that fill no pages", 144, 8, 512 * 257},
    {"no bits", 144, 8, 0},
    {"half a line", 144, 8, 32768 + 256},
    {"2^63 bits", 144, 8, UINT64_C(1) << 63},
    {"hosts k = 3", 160, 8, 3},
    {"a number too many", 56 + 8 * 34, 8, 1},
    {"something after the profile", 568 + 255, 1, 1},
    {"an unknown hash", 824, 4, 7},
    {"no secret", 828, 4, 0},
    {"something behind the key fields", 880, 1, 1},
    {"something before the checksum", 4080, 8, UINT64_C(1) << 56},
  };
  mlbf_filter *filter = filter_with(MLBF_KIND_MLBF, 100, true);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  bytes file = read_file(path);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint8_t header[HEADER_BYTES];
    memcpy(header, file.data, sizeof header);
    memcpy(file.data + rows[i].at, &rows[i].value, rows[i].size);
    uint64_t checksum = XXH3_64bits(file.data, HEADER_BYTES - 8);
    memcpy(file.data + HEADER_BYTES - 8, &checksum, 8);
    write_file(file.data, file.size);
    print_message("%s\n", rows[i].what);
    assert_int_equal(load_status(), MLBF_DAMAGED);
    memcpy(file.data, header, sizeof header);
  }
  free(file.data);
}

static mlbf_status map_status(void)
{
  mlbf_filter *filter = NULL;
  mlbf_status status = mlbf_map(path, NULL, &filter);
  assert_true((status == MLBF_OK) == (filter != NULL));
  mlbf_free(filter);
  return status;
}

/* The header of one filter before the blocks and checksums of another that differs in its keys alone. */
CASE(files_that_are_mixed_are_refused)
{
  mlbf_filter *filter = filter_with(MLBF_KIND_LINE, 100, false);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  bytes one = read_file(path);
  one_key hashes = hashes_of(filter, 12345);
  mlbf_verdict verdict;
  one_key_insert(filter, &hashes, &verdict);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  assert_int_equal(load_status(), MLBF_OK);
  assert_int_equal(map_status(), MLBF_OK);
  bytes other = read_file(path);
  assert_int_equal(one.size, other.size);
  memcpy(other.data, one.data, HEADER_BYTES);
  write_file(other.data, other.size);
  assert_int_equal(load_status(), MLBF_DAMAGED);
  assert_int_equal(map_status(), MLBF_DAMAGED);
  free(one.data);
  free(other.data);
  mlbf_free(filter);
}

/* All numbers agree, and nobody tries to get the memory for them. */
CASE(a_body_longer_than_the_file_is_refused)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = 10, .bits = 64, .hashes = 1, .seed = 1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  mlbf_free(filter);
  bytes file = read_file(path);
  for (unsigned log = 10; log <= 48; log++) {
    uint64_t bits = UINT64_C(1) << log, body = bits / 8, blocks = (body + (1 << 20) - 1) >> 20;
    memcpy(file.data + 32, &body, 8);
    memcpy(file.data + 40, &blocks, 8);
    memcpy(file.data + 144, &bits, 8);
    uint64_t checksum = XXH3_64bits(file.data, HEADER_BYTES - 8);
    memcpy(file.data + HEADER_BYTES - 8, &checksum, 8);
    write_file(file.data, file.size);
    assert_int_equal(load_status(), MLBF_DAMAGED);
    assert_int_equal(map_status(), MLBF_DAMAGED);
  }
  free(file.data);
}

CASE(other_things_are_not_filters)
{
  uint8_t zeros[2 * HEADER_BYTES] = {0};
  write_file(zeros, sizeof zeros);
  assert_int_equal(load_status(), MLBF_NOT_A_FILTER);
  write_file(zeros, 0);
  assert_int_equal(load_status(), MLBF_NOT_A_FILTER);
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_load("/", NULL, &filter), MLBF_NOT_A_FILTER);
  assert_int_equal(mlbf_load("/nowhere/at/all", NULL, &filter), MLBF_IO);
  assert_int_equal(errno, ENOENT);
  assert_null(filter);
}

/* A disk that fills: the limit on a file's size makes write() fail part way. */
CASE(a_failed_save_leaves_the_old_file)
{
  mlbf_filter *old = filter_with(MLBF_KIND_BLOOM, 100, false), *large = filter_with(MLBF_KIND_LINE, 20000, false);
  assert_int_equal(mlbf_save(old, path), MLBF_OK);
  bytes before = read_file(path);
  struct rlimit limit, none;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &none), 0);
  signal(SIGXFSZ, SIG_IGN);
  for (rlim_t size = 0; size < 20000; size += 4999) {
    limit = (struct rlimit){size, none.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    mlbf_status status = mlbf_save(large, path);
    int why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(status, MLBF_IO);
    assert_int_equal(why, EFBIG);
    bytes after = read_file(path);
    assert_int_equal(after.size, before.size);
    assert_memory_equal(after.data, before.data, before.size);
    free(after.data);
  }
  char temporary[sizeof path + 8];
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  assert_int_equal(access(temporary, F_OK), -1);
  assert_int_equal(mlbf_save(old, "/nowhere/at/all"), MLBF_IO);
  assert_int_equal(errno, ENOENT);
  free(before.data);
  mlbf_free(old);
  mlbf_free(large);
}

EACH_CASE(make_directory, remove_directory)
