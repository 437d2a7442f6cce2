/* datasets/sort/sorter.h and list.h: in memory or on disk, the same order; duplicates and ranks against a model. */
#include "datasets/sort/list.h"
#include "datasets/sort/rng.h"
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"
#include "tests/support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int by_value(const void *a, const void *b)
{
  uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
  return (one > two) - (one < two);
}

/* Every number of records around the sizes of a run, in memory for one record up to all of them. */
CASE(test_order_with_any_memory)
{
  enum { MOST = 130 };
  for (size_t memory = 0; memory <= MOST; memory += memory < 12 ? 1 : 59)
    for (size_t count = 0; count <= MOST; count += 13) {
      uint64_t model[MOST] = {0}, dice = memory * 1000 + count;
      sorter *made = sorter_create("/tmp", sizeof(uint64_t), by_value, memory * sizeof(uint64_t));
      assert_non_null(made);
      for (size_t i = 0; i < count; i++) {
        model[i] = rng_below(&dice, 100); /* some come again */
        assert_true(sorter_add(made, &model[i]));
      }
      qsort(model, count, sizeof *model, by_value); // cppcheck-suppress uninitvar ; `count` of them are set
      assert_int_equal(sorter_count(made), count);
      assert_true(sorter_finish(made));
      for (size_t i = 0; i < count; i++)
        assert_int_equal(*(const uint64_t *)sorter_next(made), model[i]);
      assert_null(sorter_next(made));
      assert_null(sorter_next(made));
      sorter_free(made);
    }
  sorter_free(NULL);
}

/* Pieces smaller and larger than the buffer come back end to end. */
CASE(test_spool)
{
  spool *made = spool_create("/tmp");
  assert_non_null(made);
  char *all = malloc(3000000), *piece = malloc(700000);
  size_t size = 0;
  uint64_t dice = 1;
  for (int i = 0; i < 8; i++) {
    size_t length = (size_t)rng_below(&dice, i % 2 ? 700000 : 30);
    memset(piece, 'a' + i, length);
    assert_true(spool_write(made, piece, length));
    memcpy(all + size, piece, length);
    size += length;
  }
  assert_int_equal(spool_size(made), size);
  assert_true(spool_finish(made));
  assert_memory_equal(spool_bytes(made), all, size);
  spool_free(made);
  free(all);
  free(piece);

  made = spool_create("/tmp");
  assert_true(spool_finish(made));
  assert_null(spool_bytes(made));
  spool_free(made);
  spool_free(NULL);
  assert_null(spool_create("/nonexistent"));
  assert_int_equal(errno, ENOENT);
}

/* A full disk, here a limit on file size, is an answer and not the end. */
CASE(test_full_disk)
{
  struct rlimit old, small;
  getrlimit(RLIMIT_FSIZE, &old);
  small = (struct rlimit){100000, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  sorter *made = sorter_create("/tmp", sizeof(uint64_t), by_value, 8000);
  bool is_kept = true;
  for (uint64_t i = 0; is_kept && i < 1000000; i++)
    is_kept = sorter_add(made, &i);
  int reason = errno;
  setrlimit(RLIMIT_FSIZE, &old);
  sorter_free(made);
  assert_false(is_kept);
  assert_int_equal(reason, EFBIG);
}

enum { ROWS = 3000, KEYS = 900 };

static size_t key_text(uint64_t which, char text[64])
{
  return (size_t)snprintf(text, 64, "//host-%llu.example/%llu", (unsigned long long)(which % 30),
                          (unsigned long long)which);
}

/* In the rows' order: the model finds the first appearance of each key by looking at all rows before. */
CASE(test_list)
{
  uint64_t which[ROWS], dice = 9, rank_of[KEYS], distinct = 0;
  bool https_of[KEYS] = {false}, http_of[KEYS] = {false};
  urllist *list = urllist_create("/tmp", false, 0);
  for (size_t i = 0; i < ROWS; i++) {
    char text[64];
    which[i] = rng_below(&dice, KEYS);
    bool is_https = rng_below(&dice, 2);
    *(is_https ? &https_of[which[i]] : &http_of[which[i]]) = true;
    assert_true(urllist_add(list, text, key_text(which[i], text), is_https));
  }
  assert_true(urllist_finish(list, NULL));
  for (size_t i = 0; i < ROWS; i++) {
    size_t size, before = 0;
    bool is_first;
    char text[64];
    const char *key = urllist_row(list, i, &size, &is_first);
    assert_int_equal(size, key_text(which[i], text));
    assert_memory_equal(key, text, size);
    while (which[before] != which[i])
      before++;
    assert_int_equal(is_first, before == i);
    if (is_first) {
      rank_of[which[i]] = distinct;
      key = urllist_key(list, distinct++, &size);
      assert_memory_equal(key, text, size);
    }
  }
  assert_int_equal(urllist_rows(list), ROWS);
  assert_int_equal(urllist_distinct(list), distinct);

  uint64_t both = 0;
  for (size_t i = 0; i < KEYS; i++)
    both += http_of[i] && https_of[i];
  assert_int_equal(urllist_both_schemes(list), both);

  const truth_record *truth = urllist_truth(list);
  for (size_t i = 0; i < ROWS; i++) {
    char text[64];
    key_hash hash = key_hash_of(text, key_text(which[i], text));
    size_t at = 0;
    while (at < distinct && key_hash_compare(&truth[at].hash, &hash) != 0)
      at++;
    assert_true(at < distinct);
    assert_int_equal(truth[at].rank, rank_of[which[i]]);
  }
  for (size_t i = 1; i < distinct; i++)
    assert_true(key_hash_compare(&truth[i - 1].hash, &truth[i].hash) < 0);
  urllist_free(list);
}

/* The same rows in another order, which the seed fixes. */
CASE(test_shuffled_list)
{
  uint64_t sums[3] = {0, 0, 0};
  size_t moved = 0;
  char firsts[3][64];
  for (int i = 0; i < 3; i++) {
    urllist *list = urllist_create("/tmp", true, i < 2 ? 5 : 6);
    char text[64];
    for (uint64_t key = 0; key < KEYS; key++)
      assert_true(urllist_add(list, text, key_text(key, text), false));
    assert_true(urllist_finish(list, NULL));
    assert_int_equal(urllist_distinct(list), KEYS);
    for (uint64_t rank = 0; rank < KEYS; rank++) {
      size_t size;
      const char *key = urllist_key(list, rank, &size);
      sums[i] += strtoull(strrchr(key, '/') + 1, NULL, 10);
      moved += size != key_text(rank, text) || memcmp(key, text, size) != 0;
      if (rank == 7)
        snprintf(firsts[i], sizeof firsts[i], "%.*s", (int)size, key);
    }
    urllist_free(list);
  }
  assert_int_equal(sums[0], (uint64_t)KEYS * (KEYS - 1) / 2);
  assert_int_equal(sums[2], sums[0]);
  assert_string_equal(firsts[0], firsts[1]);
  assert_true(strcmp(firsts[0], firsts[2]) != 0);
  assert_true(moved > 3 * KEYS - 30);
}
