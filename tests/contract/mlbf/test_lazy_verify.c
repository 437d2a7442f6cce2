/* Mapped filters: open at once, are checked when asked to, and never write to the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "tests/support/test.h"

static char path[] = "/tmp/test_guard.XXXXXX";

static int make_file(void **state)
{
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
  (void)state;
  return unlink(path);
}

static one_key hashes_of(const mlbf_filter *filter, unsigned id)
{
  char host[16], file[16];
  mlbf_span segments[] = {{host, (size_t)snprintf(host, sizeof host, "h%u", id / 8)},
                          {file, (size_t)snprintf(file, sizeof file, "/%u", id)}};
  one_key hashes;
  one_key_hash(filter, segments, 2, &hashes);
  return hashes;
}

static mlbf_filter *filter_with(mlbf_kind kind, uint64_t design, unsigned keys, bool signals)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = kind, .keys = design, .rate = 0.01, .signals = signals, .seed = 1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  for (unsigned id = 0; id < keys; id++) {
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict verdict;
    one_key_insert(filter, &hashes, &verdict);
  }
  return filter;
}

static mlbf_filter *map(void)
{
  mlbf_filter *mapped = NULL;
  assert_int_equal(mlbf_map(path, NULL, &mapped), MLBF_OK);
  return mapped;
}

static void flip(off_t at)
{
  uint8_t byte;
  int file = open(path, O_RDWR);
  assert_int_equal(pread(file, &byte, 1, at), 1);
  byte ^= 4;
  assert_int_equal(pwrite(file, &byte, 1, at), 1);
  close(file);
}

enum { DESIGN = 4000000, KEYS = 2000 }; /* several MiB, so several blocks; few keys */

CASE(a_mapped_filter_answers_as_the_saved_one)
{
  static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
  for (int i = 0; i < 3; i++)
    for (int verified = 0; verified <= 1; verified++) {
      mlbf_filter *saved = filter_with(kinds[i], DESIGN, KEYS, kinds[i] == MLBF_KIND_MLBF);
      assert_int_equal(mlbf_save(saved, path), MLBF_OK);
      mlbf_filter *mapped = map();
      if (verified)
        assert_int_equal(mlbf_verify(mapped, UINT64_MAX, NULL), MLBF_OK);
      for (unsigned id = 0; id < 2 * KEYS; id++) {
        one_key hashes = hashes_of(saved, id);
        mlbf_verdict one, other = one_key_test(mapped, &hashes);
        one = one_key_test(saved, &hashes);
        assert_true(one.outcome == other.outcome && one.layer == other.layer);
        assert_int_equal(one_key_insert(saved, &hashes, &one), MLBF_OK);
        assert_int_equal(one_key_insert(mapped, &hashes, &other), MLBF_OK);
        assert_true(one.outcome == other.outcome && one.layer == other.layer);
        assert_int_equal(one_key_test(mapped, &hashes).outcome, MLBF_SEEN);
      }
      mlbf_free(saved);
      mlbf_free(mapped);
    }
}

CASE(insertions_into_a_mapping_stay_out_of_the_file)
{
  mlbf_filter *saved = filter_with(MLBF_KIND_LINE, DESIGN, KEYS, false);
  assert_int_equal(mlbf_save(saved, path), MLBF_OK);
  mlbf_filter *mapped = map(), *again;
  one_key hashes = hashes_of(mapped, KEYS + 5);
  mlbf_verdict verdict;
  assert_int_equal(one_key_insert(mapped, &hashes, &verdict), MLBF_OK);
  again = map();
  assert_int_equal(one_key_test(again, &hashes).outcome, MLBF_NEW);
  assert_int_equal(mlbf_save(mapped, path), MLBF_OK); /* over the file it is mapped from: rename leaves the old one */
  mlbf_free(again);
  again = map();
  assert_int_equal(one_key_test(again, &hashes).outcome, MLBF_SEEN);
  mlbf_free(saved);
  mlbf_free(mapped);
  mlbf_free(again);
}

/* Who wants to write to it, or to copy it, hears of the damage before. */
CASE(damage_is_found_before_keys_go_in)
{
  const mlbf_kind kinds[] = {MLBF_KIND_LINE, MLBF_KIND_BLOOM, MLBF_KIND_MLBF};
  for (int i = 0; i < 3; i++) {
    mlbf_filter *saved = filter_with(kinds[i], DESIGN, KEYS, false);
    assert_int_equal(mlbf_save(saved, path), MLBF_OK);
    flip(4096 + (3 << 20) + 12345);
    mlbf_filter *mapped = map();
    one_key hashes = hashes_of(mapped, KEYS + 5);
    mlbf_verdict verdict;
    for (int round = 0; round < 2; round++)
      assert_int_equal(one_key_insert(mapped, &hashes, &verdict), MLBF_DAMAGED);
    assert_int_equal(mlbf_save(mapped, path), MLBF_DAMAGED);
    assert_int_equal(mlbf_union(saved, mapped), MLBF_DAMAGED);
    assert_int_equal(mlbf_union(mapped, saved), MLBF_DAMAGED);
    mlbf_free(mapped);
    mlbf_free(saved);
  }
}

CASE(damage_anywhere_is_found_by_verify)
{
  mlbf_filter *saved = filter_with(MLBF_KIND_MLBF, 300000, KEYS, true);
  assert_int_equal(mlbf_save(saved, path), MLBF_OK);
  mlbf_free(saved);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  off_t table_begin = info.st_size - 8 * ((info.st_size - 4096) / (1 << 20) + 1);
  for (off_t at = 4096; at < table_begin; at += 9973) {
    flip(at);
    mlbf_filter *mapped = map();
    assert_int_equal(mlbf_verify(mapped, UINT64_MAX, NULL), MLBF_DAMAGED);
    assert_int_equal(mlbf_verify(mapped, UINT64_MAX, NULL), MLBF_DAMAGED);
    mlbf_free(mapped);
    flip(at);
  }
}

/* At once, in pieces, and as it is loaded; the first byte of each block and its last one. */
CASE(damage_in_each_block_is_found)
{
  enum { MIB = 1 << 20 };
  mlbf_filter *saved = filter_with(MLBF_KIND_LINE, DESIGN, KEYS, false), *loaded = NULL;
  const off_t body = (off_t)mlbf_promise_of(saved).bits / 8, blocks = (body + MIB - 1) / MIB;
  assert_int_equal(mlbf_save(saved, path), MLBF_OK);
  mlbf_free(saved);
  assert_true(blocks > 3);
  for (off_t i = 0; i < 2 * blocks; i++) {
    const off_t block = i / 2, end = block + 1 < blocks ? (block + 1) * MIB : body;
    const off_t at = 4096 + (i % 2 ? end - 1 : block * MIB);
    bool is_done = false;
    flip(at);
    mlbf_filter *mapped = map();
    for (off_t piece = 0; piece < block; piece++)
      assert_int_equal(mlbf_verify(mapped, 1, &is_done), MLBF_OK);
    assert_false(is_done);
    assert_int_equal(mlbf_verify(mapped, 1, &is_done), MLBF_DAMAGED);
    mlbf_free(mapped);
    mapped = map();
    assert_int_equal(mlbf_verify(mapped, UINT64_MAX, NULL), MLBF_DAMAGED);
    mlbf_free(mapped);
    assert_int_equal(mlbf_load(path, NULL, &loaded), MLBF_DAMAGED);
    flip(at);
  }
  assert_int_equal(mlbf_load(path, NULL, &loaded), MLBF_OK);
  mlbf_free(loaded);
}

CASE(every_byte_of_the_header_and_table_is_checked_at_open)
{
  mlbf_filter *saved = filter_with(MLBF_KIND_LINE, 1000, 10, false), *mapped = NULL;
  assert_int_equal(mlbf_save(saved, path), MLBF_OK);
  mlbf_free(saved);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  for (off_t at = 0; at < info.st_size; at = at == 4095 ? info.st_size - 8 : at + 1) {
    flip(at);
    assert_int_not_equal(mlbf_map(path, NULL, &mapped), MLBF_OK);
    flip(at);
  }
  assert_null(mapped);
}

/* A sparse file has the right length; its blocks are never read. */
CASE(a_large_filter_opens_in_a_millisecond)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_LINE,
                          .keys = 1000000,
                          .bits = UINT64_C(1) << 33,
                          .seed = 1}; /* 1 GiB */
  mlbf_filter *filter = NULL;
  if (getenv("STRATA_LARGE_TESTS") == NULL) {
    print_message("skipped: writes 1 GiB; set STRATA_LARGE_TESTS\n");
    skip();
  }
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  one_key hashes = hashes_of(filter, 1);
  mlbf_free(filter);
  double best_ms = 1e9;
  for (int round = 0; round < 5; round++) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    filter = map();
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ms = (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
    best_ms = ms < best_ms ? ms : best_ms;
    assert_int_equal(one_key_test(filter, &hashes).outcome, MLBF_NEW);
    mlbf_free(filter);
  }
  print_message("1 GiB opened in %.3f ms\n", best_ms);
  assert_true(best_ms < 1);
}

EACH_CASE(make_file, remove_file)
