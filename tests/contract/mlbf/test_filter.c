/* Every kind against an exact set: no false negative ever, wrong "seen" no oftener than promised. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "mlbf/chain.h"
#include "mlbf/rebuild.h"
#include "mlbf/recent.h"
#include "tests/site/random.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, SEGMENTS = 20 };

/* Key number `id`: 1 to 20 segments, sharing hosts and directories with its neighbours, some repeating a
 * segment; different ids are different keys. */
typedef struct test_key {
  char text[SEGMENTS][24];
  mlbf_span segments[SEGMENTS];
  size_t count;
} test_key;

static void key_make(uint64_t id, test_key *key)
{
  key->count = 1 + (id % 7 == 3 ? 17 + id % 3 : id % 6);
  for (size_t i = 0; i < key->count; i++) {
    if (i + 1 == key->count)
      snprintf(key->text[i], sizeof key->text[i], "/%zu-%llu", i % 3, (unsigned long long)id);
    else
      snprintf(key->text[i], sizeof key->text[i], "/%llu", (unsigned long long)(id >> (10 - i % 10)));
    key->segments[i] = (mlbf_span){key->text[i], strlen(key->text[i])};
  }
}

static one_key hashes_of(const mlbf_filter *filter, uint64_t id)
{
  test_key key;
  one_key hashes;
  key_make(id, &key);
  one_key_hash(filter, key.segments, key.count, &hashes);
  return hashes;
}

static mlbf_filter *create(mlbf_kind kind, uint64_t keys, double rate, bool signals)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = kind, .keys = keys, .rate = rate, .signals = signals, .seed = 7};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

typedef struct violations {
  unsigned false_new;  /* an inserted key called NEW */
  unsigned changed;    /* mlbf_insert said other than mlbf_test just before */
  unsigned wrong_seen; /* a new key called SEEN */
} violations;

/* Random tests and inserts over 2 * keys ids, beside an exact set. `forgotten`, if below 2 * keys, is an id the
 * set is told of and the filter is not: the lie this comparison must notice. */
static violations model_run(mlbf_filter *filter, uint64_t keys, uint64_t forgotten)
{
  violations found = {0, 0, 0};
  uint64_t state = 42, ids = 2 * keys;
  bool *is_known = calloc(ids, sizeof *is_known);
  assert_non_null(is_known);
  if (forgotten < ids)
    is_known[forgotten] = true;
  for (uint64_t step = 0; step < 6 * keys; step++) {
    uint64_t id = random_next(&state) % ids;
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict before = one_key_test(filter, &hashes), verdict;
    found.false_new += is_known[id] && before.outcome != MLBF_SEEN;
    found.wrong_seen += !is_known[id] && before.outcome == MLBF_SEEN;
    if (id % 2 == 0 || id == forgotten)
      continue;
    one_key_insert(filter, &hashes, &verdict);
    found.changed += verdict.outcome != before.outcome || verdict.layer != before.layer;
    found.false_new += one_key_test(filter, &hashes).outcome != MLBF_SEEN;
    is_known[id] = true;
  }
  free(is_known);
  return found;
}

CASE(every_kind_agrees_with_an_exact_set)
{
  enum { KEYS = 20000 };
  for (int i = 0; i < KIND_COUNT; i++)
    for (int signals = 0; signals <= (kinds[i] == MLBF_KIND_MLBF); signals++) {
      mlbf_filter *filter = create(kinds[i], KEYS, 0.01, signals);
      violations found = model_run(filter, KEYS, UINT64_MAX);
      print_message("%s: %u wrong of about 80000\n", mlbf_kind_name(kinds[i]), found.wrong_seen);
      assert_int_equal(found.false_new, 0);
      assert_int_equal(found.changed, 0);
      assert_true(found.wrong_seen < 0.011 * 80000);
      mlbf_free(filter);
    }
}

CASE(the_comparison_notices_a_forgotten_key)
{
  enum { KEYS = 2000 };
  for (int i = 0; i < KIND_COUNT; i++) {
    mlbf_filter *filter = create(kinds[i], KEYS, 0.001, false);
    assert_true(model_run(filter, KEYS, 1234).false_new > 0);
    mlbf_free(filter);
  }
}

/* A rate is kept whatever the rate: fresh keys after the design load. */
CASE(promised_rates_are_kept)
{
  enum { KEYS = 30000, QUERIES = 300000 };
  const double rates[] = {0.3, 0.01, 0.002, 1e-3, 1e-5};
  for (int i = 0; i < 3; i++)
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
      mlbf_filter *filter = create(kinds[i], KEYS, rates[r], false);
      mlbf_verdict verdict;
      for (uint64_t id = 0; id < KEYS; id++) {
        one_key hashes = hashes_of(filter, id);
        one_key_insert(filter, &hashes, &verdict);
      }
      unsigned wrong = 0;
      for (uint64_t id = KEYS; id < KEYS + QUERIES; id++) {
        one_key hashes = hashes_of(filter, id);
        wrong += one_key_test(filter, &hashes).outcome == MLBF_SEEN;
      }
      print_message("%s at %g: measured %g\n", mlbf_kind_name(kinds[i]), rates[r], (double)wrong / QUERIES);
      double expected = rates[r] * QUERIES;
      assert_true(wrong < expected + 4 * sqrt(expected) + 4);
      assert_true(mlbf_rate(filter) < rates[r] * 1.05);
      mlbf_free(filter);
    }
}

/* Batches: the answers of the same calls one by one, with keys twice in one batch. */
CASE(many_at_once_answer_as_one_by_one)
{
  enum { KEYS = 5000, BATCH = 77 };
  for (int i = 0; i < KIND_COUNT; i++)
    for (int signals = 0; signals <= (kinds[i] == MLBF_KIND_MLBF); signals++) {
      mlbf_filter *one = create(kinds[i], KEYS, 0.01, signals), *by_keys = create(kinds[i], KEYS, 0.01, signals);
      mlbf_filter *by_hashes = create(kinds[i], KEYS, 0.01, signals);
      static test_key texts[BATCH];
      mlbf_key keys[BATCH];
      one_key hashes[BATCH];
      static mlbf_hash128 wholes[BATCH], segments[BATCH * MLBF_LAYERS_MAX];
      static uint8_t layers[BATCH * MLBF_LAYERS_MAX];
      uint32_t ends[BATCH];
      mlbf_verdict expected[BATCH], found[BATCH], again[BATCH];
      for (uint64_t begin = 0; begin < KEYS; begin += 60) {
        for (uint64_t j = 0; j < BATCH; j++) {
          key_make(begin + (j == 20 ? 3 : j < 70 ? j : j - 70), &texts[j]); /* the last seven are the first seven */
          keys[j] = (mlbf_key){texts[j].segments, texts[j].count};
          one_key_hash(one, keys[j].segments, keys[j].count, &hashes[j]);
          expected[j] = one_key_test(one, &hashes[j]);
        }
        mlbf_test(by_keys, keys, BATCH, found);
        mlbf_hashes hashed = {wholes, ends, segments, layers};
        mlbf_hash(by_hashes, keys, BATCH, &hashed);
        mlbf_test_hashes(by_hashes, &hashed, BATCH, again);
        for (int j = 0; j < BATCH; j++) {
          assert_true(found[j].outcome == expected[j].outcome && found[j].layer == expected[j].layer);
          assert_true(again[j].outcome == expected[j].outcome && again[j].layer == expected[j].layer);
          one_key_insert(one, &hashes[j], &expected[j]);
          assert_true((j < 70 && j != 20) || expected[j].outcome == MLBF_SEEN);
        }
        mlbf_insert(by_keys, keys, BATCH, found);
        mlbf_insert_hashes(by_hashes, &hashed, BATCH, again);
        for (int j = 0; j < BATCH; j++) {
          assert_true(found[j].outcome == expected[j].outcome && found[j].layer == expected[j].layer);
          assert_true(again[j].outcome == expected[j].outcome && again[j].layer == expected[j].layer);
        }
      }
      mlbf_free(one);
      mlbf_free(by_keys);
      mlbf_free(by_hashes);
    }
}

CASE(full_is_said_once)
{
  enum { KEYS = 1000 };
  for (int i = 0; i < KIND_COUNT; i++) {
    mlbf_filter *filter = create(kinds[i], KEYS, 1e-4, false);
    unsigned said = 0;
    mlbf_stats stats;
    for (uint64_t id = 0; id < 3 * KEYS; id++) {
      one_key hashes = hashes_of(filter, id);
      mlbf_verdict verdict;
      if (one_key_insert(filter, &hashes, &verdict) == MLBF_OK)
        continue;
      mlbf_stats_read(filter, &stats);
      assert_int_equal(stats.keys, KEYS + 1);
      said++;
    }
    assert_int_equal(said, 1);
    mlbf_free(filter);
  }
}

/* By the call with the key that is one too many, wherever it stands among many. */
CASE(full_is_said_by_a_call_of_many)
{
  enum { KEYS = 100, MANY = 150 };
  for (int i = 0; i < KIND_COUNT; i++)
    for (unsigned before = 0; before <= KEYS; before += 20) {
      mlbf_filter *filter = create(kinds[i], KEYS, 1e-6, false);
      static test_key texts[MANY];
      mlbf_key keys[MANY];
      for (unsigned j = 0; j < MANY; j++) {
        key_make(j, &texts[j]);
        keys[j] = (mlbf_key){texts[j].segments, texts[j].count};
      }
      assert_int_equal(mlbf_insert(filter, keys, before, NULL), MLBF_OK);
      assert_int_equal(mlbf_insert(filter, keys, MANY, NULL), MLBF_FULL);
      assert_int_equal(mlbf_insert(filter, keys, MANY, NULL), MLBF_OK);
      mlbf_free(filter);
    }
}

CASE(stats_count_keys_and_estimate_them)
{
  enum { KEYS = 50000 };
  for (int i = 0; i < KIND_COUNT; i++) {
    mlbf_filter *filter = create(kinds[i], KEYS, 1e-3, false);
    mlbf_verdict verdict;
    for (uint64_t id = 0; id < KEYS; id++) {
      one_key hashes = hashes_of(filter, id);
      one_key_insert(filter, &hashes, &verdict);
    }
    mlbf_stats stats;
    mlbf_stats_read(filter, &stats);
    assert_true(stats.keys > 0.99 * KEYS && stats.keys <= KEYS);
    assert_true(stats.estimated_keys > 0.98 * KEYS && stats.estimated_keys < 1.02 * KEYS);
    assert_true(stats.fill > 0.05 && stats.fill < 0.6);
    mlbf_free(filter);
  }
}

/* What a caller keeps to rebuild: hashes, as mlbf_insert_hashes's contract says. */
typedef struct hash_log {
  mlbf_hash128 *wholes;
  struct {
    mlbf_hash128 hash;
    uint32_t layer;
  } * segments;
  size_t whole_count, segment_count;
} hash_log;

static hash_log log_create(size_t keys)
{
  hash_log log = {calloc(keys, sizeof *log.wholes), NULL, 0, 0};
  log.segments = calloc(keys * MLBF_LAYERS_MAX, sizeof *log.segments);
  assert_true(log.wholes && log.segments);
  return log;
}

static void log_key(hash_log *log, const mlbf_filter *filter, mlbf_recent *recent, const one_key *hashes)
{
  log->wholes[log->whole_count++] = hashes->whole;
  for (uint32_t i = 0; i < hashes->depth; i++) {
    bool is_left_out = recent ? mlbf_recent_note(recent, hashes->layer[i])
                              : one_segment_test(filter, i + 1, hashes->layer[i]); /* the mistake */
    if (is_left_out)
      continue;
    log->segments[log->segment_count].hash = hashes->layer[i];
    log->segments[log->segment_count++].layer = i + 1;
  }
}

/* Fill a small filter far beyond its load, keeping a log; rebuild at a larger size; count old keys called NEW. */
static unsigned false_news_after_rebuild(mlbf_kind kind, bool signals, bool use_recent)
{
  enum { KEYS = 30000 };
  hash_log log = log_create(KEYS);
  mlbf_recent *recent = use_recent ? mlbf_recent_create(256) : NULL;
  mlbf_filter *filter = create(kind, KEYS / 10, 0.01, signals), *larger = create(kind, KEYS, 0.01, signals);
  mlbf_verdict verdict;
  for (uint64_t id = 0; id < KEYS; id++) {
    one_key hashes = hashes_of(filter, id);
    log_key(&log, filter, recent, &hashes);
    one_key_insert(filter, &hashes, &verdict);
  }
  for (size_t i = 0; i < log.segment_count; i++)
    one_segment_insert(larger, log.segments[i].layer, log.segments[i].hash);
  for (size_t i = 0; i < log.whole_count; i++)
    one_whole_insert(larger, log.wholes[i]);
  unsigned false_news = 0;
  for (uint64_t id = 0; id < KEYS; id++) {
    one_key hashes = hashes_of(filter, id);
    false_news += one_key_test(larger, &hashes).outcome != MLBF_SEEN;
  }
  print_message("%s: %.2f segments logged a key\n", mlbf_kind_name(kind), (double)log.segment_count / KEYS);
  free(log.wholes);
  free(log.segments);
  mlbf_recent_free(recent);
  mlbf_free(filter);
  mlbf_free(larger);
  return false_news;
}

CASE(a_log_rebuilds_a_larger_filter)
{
  assert_int_equal(false_news_after_rebuild(MLBF_KIND_BLOOM, false, true), 0);
  assert_int_equal(false_news_after_rebuild(MLBF_KIND_LINE, false, true), 0);
  assert_int_equal(false_news_after_rebuild(MLBF_KIND_MLBF, false, true), 0);
  assert_int_equal(false_news_after_rebuild(MLBF_KIND_MLBF, true, true), 0);
}

/* Why the contract forbids it: a segment falsely known to the small filter is missing in the large one. */
CASE(a_log_of_unknown_segments_only_would_lose_keys)
{
  assert_true(false_news_after_rebuild(MLBF_KIND_MLBF, true, false) > 0);
}

/* A log of the unknown segments alone does give the same filter at the same size. */
CASE(a_rebuild_at_the_same_size_has_the_same_answers)
{
  enum { KEYS = 5000 };
  mlbf_filter *filter = create(MLBF_KIND_MLBF, KEYS, 0.01, true), *again = create(MLBF_KIND_MLBF, KEYS, 0.01, true);
  mlbf_verdict verdict;
  for (uint64_t id = 0; id < KEYS; id++) {
    one_key hashes = hashes_of(filter, id);
    for (uint32_t i = 0; i < hashes.depth; i++)
      if (!one_segment_test(filter, i + 1, hashes.layer[i]))
        one_segment_insert(again, i + 1, hashes.layer[i]);
    one_whole_insert(again, hashes.whole);
    one_key_insert(filter, &hashes, &verdict);
  }
  for (uint64_t id = 0; id < 20 * KEYS; id++) {
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict one = one_key_test(filter, &hashes), other = one_key_test(again, &hashes);
    assert_int_equal(one.outcome, other.outcome);
    assert_int_equal(one.layer, other.layer);
  }
  mlbf_free(filter);
  mlbf_free(again);
}

CASE(layers_outside_are_unknown_land)
{
  mlbf_filter *filter = create(MLBF_KIND_MLBF, 1000, 0.01, false);
  mlbf_hash128 hash = {1, 2};
  mlbf_stats stats;
  mlbf_stats_read(filter, &stats);
  assert_int_equal(stats.layers, 1);
  assert_false(one_segment_test(filter, 1, hash));
  assert_true(one_segment_test(filter, 2, hash));
  assert_true(one_segment_test(filter, 0, hash));
  assert_true(one_segment_test(filter, UINT32_MAX, hash));
  one_segment_insert(filter, 0, hash);
  one_segment_insert(filter, 17, hash);
  assert_false(one_segment_test(filter, 1, hash));
  mlbf_free(filter);
  mlbf_free(NULL);
}

CASE(nonsense_is_refused)
{
  char long_profile[300];
  memset(long_profile, 'x', sizeof long_profile - 1);
  long_profile[sizeof long_profile - 1] = 0;
  mlbf_options options = {.size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 0, .rate = 0.01, .seed = 1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_BAD_ARGUMENT);
  options.keys = 10;
  options.profile = long_profile;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_BAD_ARGUMENT);
  options.profile = NULL;
  options.keys = UINT64_C(1) << 43; /* 2^48 bits and a little: no machine has it, and it is refused, not tried */
  assert_int_equal(mlbf_create(&options, &filter), MLBF_NO_MEMORY);
  assert_null(filter);
}

/* What every way in makes of options of this size. */
static void check_size(mlbf_status expected, const mlbf_options *options, const char *path)
{
  mlbf_filter *filter = NULL;
  mlbf_chain *chain = NULL;
  mlbf_rebuild *rebuild = NULL;
  assert_int_equal(mlbf_create(options, &filter), expected);
  assert_int_equal(mlbf_chain_create(options, &chain), expected);
  assert_int_equal(mlbf_rebuild_begin(NULL, options, 1, path, &rebuild), expected);
  mlbf_free(filter);
  mlbf_chain_free(chain);
  mlbf_rebuild_end(rebuild);
}

/* A caller of another release: its options are longer, or end earlier. */
CASE(options_of_another_size)
{
  struct {
    mlbf_options known;
    uint64_t more[3];
  } later = {.known = mlbf_options_default()};
  char directory[SCRATCH_PATH], path[SCRATCH_PATH];
  scratch_make_fast(directory);
  scratch_join(directory, "filter", path);
  assert_int_equal(mlbf_abi(), MLBF_ABI);
  later.known.keys = 100;
  later.known.size = sizeof later;
  check_size(MLBF_OK, &later.known, path);
  later.more[2] = 1;
  check_size(MLBF_BAD_ARGUMENT, &later.known, path);
  later.known.profile = (const char *)&later; /* behind the end of the struct that is said to be given */
  later.known.bits = UINT64_MAX;
  later.known.size = offsetof(mlbf_options, profile);
  check_size(MLBF_OK, &later.known, path);
  later.known.size = 0;
  check_size(MLBF_BAD_ARGUMENT, &later.known, path);
  scratch_remove(directory);
}

/* ---- the stack of one hash -------------------------------------------------------------------------------------- */

enum { STACK = 256 << 10, STACK_MOST = 4096, PAINT = 0xA5 };

static void *insert_one_whole(void *context)
{
  mlbf_filter *filter = context;
  for (uint64_t i = 0; filter && i < 3; i++)
    assert_int_equal(one_whole_insert(filter, (mlbf_hash128){i << 60, i}), MLBF_OK);
  return NULL;
}

/* Bytes of its stack that a thread wrote to; NULL: what a thread writes anyway. */
static size_t stack_of(mlbf_filter *filter)
{
  pthread_attr_t attributes;
  pthread_t thread;
  size_t untouched = 0;
  unsigned char *stack = aligned_alloc(4096, STACK);
  assert_non_null(stack);
  memset(stack, PAINT, STACK);
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
  assert_int_equal(pthread_create(&thread, &attributes, insert_one_whole, filter), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  while (untouched < STACK && stack[untouched] == PAINT)
    untouched++;
  free(stack);
  return STACK - untouched;
}

CASE(one_whole_takes_little_stack)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip(); /* they take more */
#endif
  for (int kind = 0; kind < KIND_COUNT; kind++) {
    mlbf_options options = {.size = sizeof(mlbf_options), .kind = kinds[kind], .keys = 1000, .rate = 0.01, .seed = 7};
    mlbf_filter *filter = NULL;
    assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
    assert_int_equal(one_whole_insert(filter, (mlbf_hash128){9, 9}), MLBF_OK);
    size_t usual = stack_of(NULL), taken = stack_of(filter);
    if (taken > usual + STACK_MOST)
      fail_msg("kind %d: %zu bytes of stack, %zu without a hash", kind, taken, usual);
    mlbf_free(filter);
  }
}
