/* From a thousand planned to millions real: no key lost, the promise kept, and what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/growth.h"
#include "tests/support/test.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { KEYS = 100000 }; /* ten times slower there, and the arithmetic is the same */
#else
enum { KEYS = 3500000 };
#endif
enum { FIRST = 1000, QUERIES = 300000 };

/* host, directory, file of key number `id`; cheap, there are millions. */
static size_t key_make(uint64_t id, char text[64], mlbf_span segments[3])
{
  uint64_t parts[] = {id / 16, id / 4, id};
  for (size_t i = 0; i < 3; i++) {
    memcpy(text + 16 * i, "/.......", 8);
    memcpy(text + 16 * i + 8, &parts[i], 8);
    segments[i] = (mlbf_span){text + 16 * i, 16};
  }
  return 3;
}

static mlbf_hashes hashes_of(const mlbf_filter *filter, const mlbf_chain *chain, uint64_t id)
{
  char text[64];
  mlbf_span segments[3];
  mlbf_hashes hashes;
  size_t count = key_make(id, text, segments);
  if (chain)
    mlbf_chain_hash(chain, segments, count, &hashes);
  else
    mlbf_hash(filter, segments, count, &hashes);
  return hashes;
}

static mlbf_chain *chain_of(mlbf_kind kind, bool signals, uint64_t keys)
{
  mlbf_options options = {.kind = kind, .keys = FIRST, .rate = 0.01, .seed = 3, .signals = signals, .profile = "p"};
  mlbf_chain *chain = NULL;
  assert_int_equal(mlbf_chain_create(&options, &chain), MLBF_OK);
  for (uint64_t id = 0; id < keys; id++) {
    mlbf_hashes hashes = hashes_of(NULL, chain, id);
    mlbf_verdict verdict;
    assert_int_equal(mlbf_chain_insert(chain, &hashes, &verdict), MLBF_OK);
    assert_true(verdict.outcome != MLBF_NEW_SEGMENT || verdict.layer != 1 || id % 16 == 0);
  }
  return chain;
}

static void assert_all_seen(const mlbf_chain *chain, uint64_t keys)
{
  for (uint64_t id = 0; id < keys; id++) {
    mlbf_hashes hashes = hashes_of(NULL, chain, id);
    assert_int_equal(mlbf_chain_test(chain, &hashes).outcome, MLBF_SEEN);
  }
}

/* Batches of every size up to 200, which new slices cut, and in which keys come twice. */
CASE(a_batch_answers_as_one_by_one)
{
  enum { MOST = 200 };
  static mlbf_hashes hashes[MOST];
  mlbf_chain *batched = chain_of(MLBF_KIND_MLBF, true, 0), *single = chain_of(MLBF_KIND_MLBF, true, 0);
  mlbf_verdict verdicts[MOST], one;
  uint64_t id = 0;
  for (size_t count = 0; count <= MOST; count++) {
    size_t settled = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
      hashes[i] = hashes_of(NULL, batched, i % 7 == 3 ? id - 2 : id++);
    assert_int_equal(mlbf_chain_insert_many(batched, hashes, count, verdicts, &settled), MLBF_OK);
    assert_int_equal(settled, count);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(mlbf_chain_insert(single, &hashes[i], &one), MLBF_OK);
      assert_int_equal(one.outcome, verdicts[i].outcome);
      assert_int_equal(one.layer, verdicts[i].layer);
      assert_true(i % 7 != 3 || one.outcome == MLBF_SEEN);
    }
  }
  mlbf_chain_stats stats;
  mlbf_chain_stats_read(batched, &stats);
  assert_true(stats.slices > 3);
  assert_all_seen(batched, id);
  mlbf_chain_free(batched);
  mlbf_chain_free(single);
}

static double measured_rate(const mlbf_filter *filter, const mlbf_chain *chain)
{
  unsigned wrong = 0;
  for (uint64_t i = 0; i < QUERIES; i++) {
    mlbf_hashes hashes = hashes_of(filter, chain, KEYS + i);
    mlbf_verdict verdict = chain ? mlbf_chain_test(chain, &hashes) : mlbf_test(filter, &hashes);
    wrong += verdict.outcome == MLBF_SEEN;
  }
  return (double)wrong / QUERIES;
}

CASE(a_chain_keeps_its_promise)
{
  static const struct {
    mlbf_kind kind;
    bool signals;
  } rows[] = {
    {MLBF_KIND_BLOOM, false},
    {MLBF_KIND_LINE, false},
    {MLBF_KIND_MLBF, false},
    {MLBF_KIND_MLBF, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t keys = rows[i].kind == MLBF_KIND_LINE ? KEYS : KEYS / 10;
    mlbf_chain *chain = chain_of(rows[i].kind, rows[i].signals, keys);
    mlbf_chain_stats stats;
    mlbf_chain_stats_read(chain, &stats);
    double rate = measured_rate(NULL, chain);
    print_message("%s: %u slices, %.1f bits a key, promised 0.01, now %.4f, measured %.4f\n",
                  mlbf_kind_name(rows[i].kind), stats.slices, (double)stats.bits / (double)keys, stats.rate, rate);
    assert_all_seen(chain, keys);
    assert_true(rate < 0.01 && stats.rate < 0.01);
    assert_true(stats.slices > 1 && stats.keys > 0.98 * (double)keys);
    mlbf_chain_free(chain);
  }
}

CASE(a_chain_survives_its_file_and_grows_on)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  mlbf_chain *saved = chain_of(MLBF_KIND_MLBF, true, 20000), *loaded = NULL;
  assert_int_equal(mlbf_chain_save(saved, path), MLBF_OK);
  assert_int_equal(mlbf_chain_load(path, &loaded), MLBF_OK);
  assert_all_seen(loaded, 20000);
  for (uint64_t id = 0; id < 60000; id++) {
    mlbf_hashes hashes = hashes_of(NULL, loaded, id);
    mlbf_verdict one, other;
    assert_int_equal(mlbf_chain_insert(saved, &hashes, &one), MLBF_OK);
    assert_int_equal(mlbf_chain_insert(loaded, &hashes, &other), MLBF_OK);
    assert_int_equal(one.outcome, other.outcome);
    assert_int_equal(one.layer, other.layer);
  }
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_load(path, &filter), MLBF_MISMATCH); /* a chain is not one filter */
  mlbf_chain_free(saved);
  mlbf_chain_free(loaded);
  unlink(path);
}

CASE(a_torn_chain_is_refused)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  int file = mkstemp(path);
  mlbf_chain *chain = chain_of(MLBF_KIND_LINE, false, 5000), *loaded = NULL;
  assert_int_equal(mlbf_chain_save(chain, path), MLBF_OK);
  mlbf_chain_free(chain);
  close(file);
  for (off_t cut = 8192; cut > 0; cut -= 1024) { /* through the end of the last slice, over its header, and before */
    assert_int_equal(truncate(path, cut), 0);
    assert_int_equal(mlbf_chain_load(path, &loaded), cut < 4096 ? MLBF_NOT_A_FILTER : MLBF_DAMAGED);
  }
  assert_null(loaded);
  unlink(path);
}

/* A single filter's file is a chain of one. */
CASE(a_filter_loads_as_a_chain)
{
  char path[] = "/tmp/test_growth.XXXXXX";
  close(mkstemp(path));
  mlbf_options options = {.kind = MLBF_KIND_LINE, .keys = FIRST, .rate = 0.002, .seed = 1};
  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  mlbf_hashes hashes = hashes_of(filter, NULL, 1);
  mlbf_verdict verdict;
  mlbf_insert(filter, &hashes, &verdict);
  assert_int_equal(mlbf_save(filter, path), MLBF_OK);
  assert_int_equal(mlbf_chain_load(path, &chain), MLBF_OK);
  assert_int_equal(mlbf_chain_test(chain, &hashes).outcome, MLBF_SEEN);
  mlbf_free(filter);
  mlbf_chain_free(chain);
  unlink(path);
}

CASE(nonsense_is_refused)
{
  mlbf_chain *chain = NULL;
  const mlbf_options rows[] = {
    {.kind = (mlbf_kind)3, .keys = 10, .rate = 0.1, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = 0.1, .bits = 4096, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = 3, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 10, .rate = NAN, .seed = 1},
    {.kind = MLBF_KIND_LINE, .keys = 0, .rate = 0.1, .seed = 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(mlbf_chain_create(&rows[i], &chain), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_chain_load("/nowhere", &chain), MLBF_IO);
  assert_null(chain);
  mlbf_chain_free(NULL);
}
