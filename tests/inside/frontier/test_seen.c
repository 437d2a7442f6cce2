/* frontier/seen/seen.h: the open batch beside the filter, and the log that rebuilds both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontier/base/record.h"
#include "frontier/seen/seen.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

static url u;

static void settle(seen *s)
{
  seen_seal(s);
  seen_settle(s);
}

static seen *make(mlbf_kind kind, uint64_t keys, double rate)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = kind,
                          .keys = keys,
                          .rate = rate,
                          .secret = test_secret(0),
                          .signals = kind == MLBF_KIND_MLBF};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  seen *s = seen_adopt(filter);
  assert_non_null(s);
  return s;
}

static frontier_verdict test(const seen *s, const char *text, key_hashes *hashes)
{
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, &u), URL_OK);
  return seen_test(s, &u, hashes);
}

static frontier_verdict test_and_add(seen *s, const char *text)
{
  key_hashes hashes;
  frontier_verdict v = test(s, text, &hashes);
  if (v.outcome != FRONTIER_SEEN)
    assert_true(seen_add(s, &hashes));
  return v;
}

/* What the open batch holds is known before any bit is set, segment by segment. */
CASE(the_batch_answers_beside_the_filter)
{
  static const struct row {
    const char *url;
    frontier_outcome outcome;
    uint32_t layer;
  } rows[] = {
    {"http://a.test/x/y", FRONTIER_NEW_HOST, 1},        {"http://a.test/x/y", FRONTIER_SEEN, 0},
    {"http://a.test/x/z", FRONTIER_NEW_SEGMENT, 3},     {"http://a.test/v/y", FRONTIER_NEW_SEGMENT, 2},
    {"http://a.test/v/z", FRONTIER_NEW_COMBINATION, 0}, {"http://a.test/z/v", FRONTIER_NEW_SEGMENT, 2},
    {"http://b.test/x/y", FRONTIER_NEW_HOST, 1},        {"http://b.test/x", FRONTIER_NEW_COMBINATION, 0},
  };
  enum { ROWS = sizeof rows / sizeof *rows };
  for (int one_each = 0; one_each < 2; one_each++) { /* one batch for all, or one for each */
    seen *s = make(MLBF_KIND_MLBF, 1000, 1e-9);
    for (size_t i = 0; i < ROWS; i++) {
      frontier_verdict v = test_and_add(s, rows[i].url);
      if (v.outcome != rows[i].outcome || v.layer != rows[i].layer)
        fail_msg("%s: %s, layer %u", rows[i].url, frontier_outcome_name(v.outcome), v.layer);
      if (one_each)
        settle(s);
    }
    assert_int_equal(seen_batch_keys(s), one_each ? 0 : ROWS - 1);
    seen_free(s);
  }
}

static void number_url(unsigned i, char text[64])
{
  snprintf(text, 64, "http://h%u.test/a%u/b%u/c%u", i % 97, i / 7, i / 3 % 1000, i);
}

typedef struct whole_log {
  uint8_t *bytes;
  size_t size;
} whole_log;

static void keep_chunk(const seen *s, whole_log *log)
{
  size_t size;
  const uint8_t *chunk = seen_batch_log(s, &size);
  log->bytes = realloc(log->bytes, log->size + size + 1);
  assert_non_null(log->bytes);
  memcpy(log->bytes + log->size, chunk, size);
  log->size += size;
}

/* A filter so overfull that it takes nearly every segment for known; then the log, into one that is not. Every key
 * that was ever added must be seen there: a segment that the first one knew wrongly is in the log all the same. */
CASE(the_log_rebuilds_any_size)
{
  enum { URLS = 6000 };
  char text[64];
  key_hashes hashes;
  seen *s = make(MLBF_KIND_MLBF, 100, 1e-6);
  whole_log log = {0};
  static bool was_added[URLS];
  unsigned added = 0;
  for (unsigned i = 0; i < URLS; i++) {
    number_url(i, text);
    was_added[i] = test_and_add(s, text).outcome != FRONTIER_SEEN;
    added += was_added[i];
    if (i % 50 == 49) {
      keep_chunk(s, &log);
      settle(s);
    }
  }
  assert_true(added > 100);
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_MLBF,
                          .keys = 100000,
                          .rate = 1e-9,
                          .secret = test_secret(0),
                          .signals = true};
  mlbf_filter *larger = NULL;
  assert_int_equal(mlbf_create(&options, &larger), MLBF_OK);
  assert_true(seen_replay(&(seen_sink){.filter = larger}, log.bytes, log.size));
  seen_replace(s, larger);
  for (unsigned i = 0; i < URLS; i++) {
    number_url(i, text);
    frontier_verdict v = test(s, text, &hashes);
    if (was_added[i] && v.outcome != FRONTIER_SEEN)
      fail_msg("%s was added, and is %s", text, frontier_outcome_name(v.outcome));
  }
  seen_free(s);
  free(log.bytes);
}

static mlbf_filter *filter_of(uint64_t keys, double rate)
{
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_MLBF,
                          .keys = keys,
                          .rate = rate,
                          .secret = test_secret(0),
                          .signals = true};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

/* Main, frozen and young with a third of the keys each, whose segments the log has once. */
CASE(three_filters_answer_as_one)
{
  enum { URLS = 6000 };
  char text[64];
  key_hashes hashes;
  seen *s = make(MLBF_KIND_MLBF, 2 * URLS, 1e-9);
  whole_log log = {0};
  bool was_added[URLS];
  for (unsigned i = 0; i < URLS; i++) {
    number_url(i, text);
    was_added[i] = test_and_add(s, text).outcome != FRONTIER_SEEN;
    if (i % 50 != 49)
      continue;
    keep_chunk(s, &log);
    settle(s);
    if (i + 1 == URLS / 3) {
      mlbf_filter *main = filter_of(2 * URLS, 1e-9);
      assert_true(seen_replay(&(seen_sink){.filter = main}, log.bytes, log.size));
      seen_renew(s, main, URLS / 3);
      seen_replace(s, filter_of(2 * URLS, 1e-9));
    } else if (i + 1 == URLS / 3 * 2) {
      seen_freeze(s, filter_of(2 * URLS, 1e-9));
    }
  }
  assert_true(seen_main(s) && seen_has_frozen(s));
  mlbf_filter *alone = filter_of(2 * URLS, 1e-9);
  assert_true(seen_replay(&(seen_sink){.filter = alone}, log.bytes, log.size));
  seen *one = seen_adopt(alone);
  for (unsigned i = 0; i < 2 * URLS; i++) {
    number_url(i, text);
    frontier_verdict v = test(s, text, &hashes), w = test(one, text, &hashes);
    if (i < URLS && was_added[i])
      assert_int_equal(v.outcome, FRONTIER_SEEN);
    assert_int_equal(v.outcome == FRONTIER_SEEN, w.outcome == FRONTIER_SEEN);
    assert_int_equal(seen_has_whole(s, hashes.whole), w.outcome == FRONTIER_SEEN);
    if (v.layer && w.layer == 0) /* less full, so the three may know better; new is certain of both */
      assert_true(v.outcome == FRONTIER_NEW_SEGMENT || v.outcome == FRONTIER_NEW_HOST);
  }
  seen_free(one);
  seen_free(s);
  free(log.bytes);
}

static uint64_t random_number(uint64_t *state)
{
  uint64_t x = *state += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static void fill(mlbf_filter *filter, uint64_t keys, uint64_t *state)
{
  for (uint64_t i = 0; i < keys; i++) {
    mlbf_hash128 key = {random_number(state), random_number(state)};
    mlbf_insert_hashes(filter, &(mlbf_hashes){.keys = &key}, 1, NULL);
  }
}

/* All three at their design load, and asked for whole keys, for which no segment says that they are new. */
CASE(rates_add_up_to_the_promise)
{
  enum { KEYS = 400000, SMALL = KEYS / 16, ASKED = 4000000 };
  const double rate = 1e-3;
  uint64_t random = 7, wrong = 0;
  mlbf_filter *main = filter_of(KEYS, seen_main_rate(rate)), *frozen = filter_of(SMALL, seen_young_rate(rate)),
              *young = filter_of(SMALL, seen_young_rate(rate));
  fill(main, KEYS, &random);
  fill(frozen, SMALL, &random);
  fill(young, SMALL, &random);
  seen *s = seen_adopt(frozen);
  seen_freeze(s, young);
  double small = seen_rate(s, SMALL);
  seen_replace(s,
               young = filter_of(SMALL, seen_young_rate(rate))); /* renewing frees the frozen one, so in this order */
  fill(young, SMALL, &random);
  for (uint64_t i = 0; i < ASKED; i++)
    wrong += seen_has_whole(s, (mlbf_hash128){random_number(&random), random_number(&random)});
  assert_in_range(wrong, 0, (uint64_t)(ASKED * rate / 8 + 5 * 23)); /* five standard deviations */
  seen_renew(s, main, KEYS);
  assert_true(seen_rate(s, SMALL) + small - seen_young_rate(rate) <= rate);
  for (uint64_t i = wrong = 0; i < ASKED; i++)
    wrong += seen_has_whole(s, (mlbf_hash128){random_number(&random), random_number(&random)});
  assert_in_range(wrong, 1, (uint64_t)(ASKED * rate * 15 / 16 + 5 * 62));
  seen_free(s);
}

CASE(a_torn_chunk_is_none)
{
  seen *s = make(MLBF_KIND_MLBF, 100, 1e-6);
  test_and_add(s, "http://a.test/x");
  size_t size;
  const uint8_t *chunk = seen_batch_log(s, &size);
  assert_int_equal(size, 17 + 2 * 17);
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 100, .rate = 1e-6, .signals = true};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  for (size_t cut = 1; cut < size; cut++) {
    uint8_t *exact = malloc(cut); /* for the sanitizer to see the byte behind */
    assert_non_null(exact);
    memcpy(exact, chunk, cut);
    assert_false(seen_replay(&(seen_sink){.filter = filter}, exact, cut));
    free(exact);
  }
  uint8_t changed[64];
  memcpy(changed, chunk, size);
  assert_true(seen_replay(&(seen_sink){.filter = filter}, changed, size));
  changed[17] = 17; /* there is no such layer */
  assert_false(seen_replay(&(seen_sink){.filter = filter}, changed, size));
  changed[17] = 0;
  assert_false(seen_replay(&(seen_sink){.filter = filter}, changed, size));
  changed[17] = 1;
  changed[16] = 17; /* nor so many */
  assert_false(seen_replay(&(seen_sink){.filter = filter}, changed, size));
  assert_true(seen_replay(&(seen_sink){.filter = filter}, NULL, 0));
  mlbf_free(filter);
  seen_free(s);
}

CASE(a_batch_of_any_size)
{
  enum { URLS = 40000 };
  char text[64];
  seen *s = make(MLBF_KIND_BLOOM, 2 * URLS, 1e-9);
  for (int round = 0; round < 2; round++)
    for (unsigned i = 0; i < URLS; i++) {
      number_url(i, text);
      assert_int_equal(test_and_add(s, text).outcome, round ? FRONTIER_SEEN : FRONTIER_NEW);
    }
  assert_int_equal(seen_batch_keys(s), URLS);
  settle(s);
  number_url(URLS - 1, text);
  assert_int_equal(test_and_add(s, text).outcome, FRONTIER_SEEN);
  seen_free(s);
}

typedef struct expected {
  const char *url;
  frontier_outcome outcome;
  uint32_t layer;
} expected;

static void expect(const seen *s, const expected *rows, size_t count)
{
  key_hashes hashes;
  for (size_t i = 0; i < count; i++) {
    frontier_verdict v = test(s, rows[i].url, &hashes);
    if (v.outcome != rows[i].outcome || v.layer != rows[i].layer)
      fail_msg("%s: %s, layer %u", rows[i].url, frontier_outcome_name(v.outcome), v.layer);
    assert_int_equal(seen_has_whole(s, hashes.whole), v.outcome == FRONTIER_SEEN);
  }
}

/* While a transaction is written: its keys and segments are known, the next ones gather beside them, and its bits are
 * set when it has landed, not before. */
CASE(a_batch_that_lands_is_known_beside_the_open_one)
{
  static const expected both[] = {
    {"http://a.test/x/y", FRONTIER_SEEN, 0},
    {"http://a.test/x/z", FRONTIER_SEEN, 0},
    {"http://a.test/v/y", FRONTIER_SEEN, 0},
    {"http://a.test/w/y", FRONTIER_NEW_SEGMENT, 2},
    {"http://a.test/v/z", FRONTIER_NEW_COMBINATION, 0},
    {"http://c.test/x/y", FRONTIER_NEW_HOST, 1},
  };
  enum { BOTH = sizeof both / sizeof *both };
  uint8_t first[256];
  size_t size, sealed_size;
  seen *s = make(MLBF_KIND_MLBF, 1000, 1e-9);
  test_and_add(s, "http://a.test/x/y");
  test_and_add(s, "http://a.test/x/z");
  const uint8_t *chunk = seen_batch_log(s, &sealed_size);
  assert_int_equal(sealed_size, 2 * 17 + 4 * 17);
  memcpy(first, chunk, sealed_size);
  seen_seal(s);
  assert_int_equal(seen_landing_keys(s), 2);
  assert_int_equal(seen_batch_keys(s), 2);
  seen_batch_log(s, &size);
  assert_int_equal(size, 0);

  frontier_verdict v = test_and_add(s, "http://a.test/v/y");
  assert_int_equal(v.outcome, FRONTIER_NEW_SEGMENT);
  assert_int_equal(v.layer, 2);
  chunk = seen_batch_log(s, &size);
  assert_int_equal(size, 17 + 17); /* the segments that are landing are in their own chunk */
  assert_memory_not_equal(chunk, first, 16);
  assert_int_equal(seen_landing_keys(s), 2);
  assert_int_equal(seen_batch_keys(s), 3);
  expect(s, both, BOTH);
  mlbf_stats stats;
  mlbf_stats_read(seen_filter(s), &stats);
  assert_int_equal(stats.keys, 0);

  seen_settle(s);
  assert_int_equal(seen_landing_keys(s), 0);
  assert_int_equal(seen_batch_keys(s), 1);
  expect(s, both, BOTH);
  mlbf_stats_read(seen_filter(s), &stats);
  assert_int_equal(stats.keys, 2);
  seen_batch_log(s, &size);
  assert_int_equal(size, 17 + 17);

  settle(s);
  assert_int_equal(seen_batch_keys(s), 0);
  expect(s, both, BOTH);
  mlbf_stats_read(seen_filter(s), &stats);
  assert_int_equal(stats.keys, 3);
  seen_free(s);
}

/* Any number of batches, with as many keys as come while the one before lands: each key is new once, and the chunks in
 * the order of their sealing make the same filter. */
CASE(batches_land_while_keys_come)
{
  enum { URLS = 30000 };
  static const unsigned sizes[] = {1, 0, 700, 9000, 3, 0, 0, 40};
  char text[64];
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_MLBF,
                          .keys = URLS,
                          .rate = 1e-9,
                          .secret = test_secret(0),
                          .signals = true};
  mlbf_filter *rebuilt = NULL;
  assert_int_equal(mlbf_create(&options, &rebuilt), MLBF_OK);
  seen *s = make(MLBF_KIND_MLBF, URLS, 1e-9);
  for (unsigned i = 0, turn = 0; i < URLS; turn++) {
    size_t size;
    const uint8_t *chunk = seen_batch_log(s, &size);
    assert_true(seen_replay(&(seen_sink){.filter = rebuilt}, chunk, size));
    seen_seal(s);
    for (unsigned n = sizes[turn % 8]; n && i < URLS; n--, i++) {
      number_url(i, text);
      assert_int_not_equal(test_and_add(s, text).outcome, FRONTIER_SEEN);
      number_url(i - (i > 3000 ? 3000 : i), text); /* in a filter, landing, or open */
      assert_int_equal(test_and_add(s, text).outcome, FRONTIER_SEEN);
    }
    seen_settle(s);
  }
  settle(s);
  size_t size;
  const uint8_t *chunk = seen_batch_log(s, &size);
  assert_int_equal(size, 0);
  assert_true(seen_replay(&(seen_sink){.filter = rebuilt}, chunk, size));
  key_hashes hashes;
  for (unsigned i = 0; i < URLS; i++) {
    number_url(i, text);
    assert_int_equal(test(s, text, &hashes).outcome, FRONTIER_SEEN);
  }
  mlbf_free(rebuilt);
  seen_free(s);
}
