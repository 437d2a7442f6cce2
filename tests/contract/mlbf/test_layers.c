/* Layers: what a verdict tells of each segment, and what a filter counts of them, beside an exact set a layer. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "tests/support/test.h"

enum { KEYS = 6000, LOT = 50 };

/* A lot of hashes as a log may have them, and which segment each of them is. */
typedef struct lot {
  mlbf_hash128 keys[LOT], segments[LOT * MLBF_LAYERS_MAX];
  uint32_t ends[LOT], ids[LOT * MLBF_LAYERS_MAX];
  uint8_t layers[LOT * MLBF_LAYERS_MAX];
} lot;

typedef bool known_segments[MLBF_LAYERS_MAX][KEYS];

static mlbf_hashes hashes_of(lot *l)
{
  return (mlbf_hashes){l->keys, l->ends, l->segments, l->layers};
}

/* Keys share what lies near the host, so a segment's number is that of the first key that has it. */
static uint32_t segment_id(uint32_t key, uint32_t layer)
{
  return key - key % (1 + 48 / layer);
}

static uint32_t depth_of(uint32_t key)
{
  return 1 + key * 7 % MLBF_LAYERS_MAX;
}

static void hash_key(const mlbf_filter *filter, uint32_t key, one_key *hashed)
{
  uint32_t ids[MLBF_LAYERS_MAX];
  mlbf_span spans[MLBF_LAYERS_MAX];
  for (uint32_t layer = 1; layer <= depth_of(key); layer++) {
    ids[layer - 1] = segment_id(key, layer);
    spans[layer - 1] = (mlbf_span){&ids[layer - 1], sizeof *ids};
  }
  one_key_hash(filter, spans, depth_of(key), hashed);
}

/* All segments of a key, none, or some without the host's. */
static bool is_given(uint32_t key, uint32_t layer, bool are_all)
{
  return are_all || (key % 5 != 0 && (key % 7 != 0 || layer % 2 == 0));
}

static void fill(const mlbf_filter *filter, uint32_t begin, bool are_all, lot *l)
{
  uint32_t end = 0;
  for (uint32_t i = 0; i < LOT; i++) {
    one_key hashed;
    hash_key(filter, begin + i, &hashed);
    l->keys[i] = hashed.whole;
    for (uint32_t layer = 1; layer <= hashed.depth; layer++)
      if (is_given(begin + i, layer, are_all)) {
        l->segments[end] = hashed.layer[layer - 1];
        l->ids[end] = segment_id(begin + i, layer);
        l->layers[end++] = (uint8_t)layer;
      }
    l->ends[i] = end;
  }
}

/* Bits of those of key i's segments that are unknown; with `are_noted` they are known then. */
static uint16_t unknown_of(const lot *l, uint32_t i, known_segments known, bool are_noted)
{
  uint16_t unknown = 0;
  for (uint32_t s = i ? l->ends[i - 1] : 0; s < l->ends[i]; s++) {
    bool *is_known = &known[l->layers[s] - 1][l->ids[s]];
    unknown |= (uint16_t)(!*is_known << (l->layers[s] - 1));
    *is_known |= are_noted;
  }
  return unknown;
}

/* What a verdict calls unknown is so for certain; how much that is unknown it does not. */
static unsigned compare(const lot *l, const mlbf_verdict verdicts[LOT], known_segments known, bool are_noted)
{
  unsigned missed = 0;
  for (uint32_t i = 0; i < LOT; i++) {
    uint16_t wanted = unknown_of(l, i, known, are_noted), found = verdicts[i].unknown;
    assert_int_equal(found & ~wanted, 0);
    assert_int_equal(verdicts[i].layer, __builtin_ffs(found));
    assert_int_equal(verdicts[i].outcome == MLBF_NEW_SEGMENT, found != 0);
    missed += (unsigned)__builtin_popcount(wanted & ~found);
  }
  return missed;
}

static mlbf_filter *create(uint64_t keys)
{
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = keys, .rate = 1e-6, .signals = true, .seed = 4};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
}

/* In a filter with so much room, where a segment is seldom known by chance. */
static void check_verdicts(bool are_all)
{
  static known_segments known;
  static lot l;
  mlbf_verdict verdicts[LOT];
  unsigned missed = 0, count = 0;
  mlbf_filter *filter = create(100 * KEYS);
  memset(known, 0, sizeof known);
  for (uint32_t begin = 0; begin < KEYS; begin += LOT) {
    fill(filter, begin, are_all, &l);
    mlbf_hashes hashes = hashes_of(&l);
    mlbf_test_hashes(filter, &hashes, LOT, verdicts);
    missed += compare(&l, verdicts, known, false);
    assert_int_equal(mlbf_insert_hashes(filter, &hashes, LOT, verdicts), MLBF_OK);
    missed += compare(&l, verdicts, known, true);
    count += l.ends[LOT - 1];
  }
  assert_true(missed < count / 50);
  mlbf_free(filter);
}

CASE(a_verdict_names_each_unknown_segment)
{
  check_verdicts(true);
}

CASE(also_of_keys_that_lack_some)
{
  check_verdicts(false);
}

/* As full as it may be, so that many segments fall on bits that are set. */
CASE(distinct_segments_are_counted_by_layer)
{
  static known_segments known;
  static lot l;
  unsigned distinct[MLBF_LAYERS_MAX] = {0};
  mlbf_stats stats;
  mlbf_filter *filter = create(KEYS);
  for (uint32_t begin = 0; begin < KEYS; begin += LOT) {
    fill(filter, begin, true, &l);
    mlbf_hashes hashes = hashes_of(&l);
    mlbf_insert_hashes(filter, &hashes, LOT, NULL);
    for (uint32_t i = 0; i < LOT; i++)
      for (uint16_t unknown = unknown_of(&l, i, known, true); unknown; unknown &= (uint16_t)(unknown - 1))
        distinct[__builtin_ctz(unknown)]++;
  }
  mlbf_stats_read(filter, &stats);
  for (int i = 0; i < MLBF_LAYERS_MAX; i++) {
    print_message("layer %d: %u distinct, %.0f counted\n", i + 1, distinct[i], stats.layer_distinct[i]);
    assert_true(stats.layer_distinct[i] > 0.93 * distinct[i] && stats.layer_distinct[i] < 1.07 * distinct[i] + 5);
  }
  mlbf_free(filter);
}
