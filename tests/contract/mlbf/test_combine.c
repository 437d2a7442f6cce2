/* Union: the keys of both, nothing lost, and strangers refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/one_key.h"
#include "mlbf/filter.h"
#include "tests/support/test.h"

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, KEYS = 20000 };

static mlbf_options options_of(mlbf_kind kind)
{
  return (mlbf_options){.size = sizeof(mlbf_options),
                        .kind = kind,
                        .keys = KEYS + KEYS / 10,
                        .rate = 0.01,
                        .seed = 11,
                        .signals = kind == MLBF_KIND_MLBF,
                        .profile = "strict"};
}

static mlbf_filter *create(mlbf_options options)
{
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  return filter;
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

static mlbf_filter *filter_of(mlbf_kind kind, unsigned begin, unsigned end)
{
  mlbf_filter *filter = create(options_of(kind));
  for (unsigned id = begin; id < end; id++) {
    one_key hashes = hashes_of(filter, id);
    mlbf_verdict verdict;
    one_key_insert(filter, &hashes, &verdict);
  }
  return filter;
}

static void assert_same_answers(const mlbf_filter *one, const mlbf_filter *other)
{
  for (unsigned id = 0; id < 4 * KEYS; id++) {
    one_key hashes = hashes_of(one, id);
    mlbf_verdict a = one_key_test(one, &hashes), b = one_key_test(other, &hashes);
    assert_true(a.outcome == b.outcome && a.layer == b.layer);
  }
}

CASE(a_union_is_the_filter_of_both)
{
  for (int i = 0; i < KIND_COUNT; i++) {
    mlbf_filter *one = filter_of(kinds[i], 0, 12000), *other = filter_of(kinds[i], 8000, KEYS);
    mlbf_filter *both = filter_of(kinds[i], 0, KEYS);
    print_message("%s\n", mlbf_kind_name(kinds[i]));
    assert_int_equal(mlbf_union(one, other), MLBF_OK);
    assert_same_answers(one, both);
    mlbf_stats stats;
    mlbf_stats_read(one, &stats);
    assert_true((double)stats.keys > 0.97 * KEYS && (double)stats.keys < 1.03 * KEYS);
    for (uint32_t layer = 0; kinds[i] == MLBF_KIND_MLBF && layer < 2; layer++) {
      double distinct = layer == 0 ? KEYS / 8.0 : KEYS;
      assert_true(stats.layer_distinct[layer] > 0.97 * distinct && stats.layer_distinct[layer] < 1.03 * distinct);
    }
    mlbf_free(one);
    mlbf_free(other);
    mlbf_free(both);
  }
}

/* Keys of `depth` segments: the first is the same for all, and so that a key is new from its second on. */
static void insert_deep(mlbf_filter *filter, unsigned begin, unsigned end, size_t depth)
{
  for (unsigned id = begin; id < end; id++) {
    mlbf_span segments[MLBF_LAYERS_MAX];
    for (size_t i = 0; i < depth; i++)
      segments[i] = i ? (mlbf_span){&id, sizeof id} : (mlbf_span){"host", 4};
    assert_int_equal(mlbf_insert(filter, &(mlbf_key){segments, depth}, 1, NULL), MLBF_OK);
  }
}

/* A filter of shallow keys, and one of deep ones. */
CASE(layers_are_shared_out_as_in_both)
{
  enum { SHALLOW = 3000, DEEP = 1000, DEPTH = 5 };
  mlbf_filter *one = create(options_of(MLBF_KIND_MLBF)), *other = create(options_of(MLBF_KIND_MLBF));
  mlbf_stats stats;
  insert_deep(one, 0, SHALLOW, 2);
  insert_deep(other, SHALLOW, SHALLOW + DEEP, DEPTH);
  assert_int_equal(mlbf_union(one, other), MLBF_OK);
  mlbf_stats_read(one, &stats);
  for (int layer = 1; layer < MLBF_LAYERS_MAX; layer++) {
    double distinct = layer == 1 ? SHALLOW + DEEP : layer < DEPTH ? DEEP : 0;
    assert_true(stats.layer_distinct[layer] >= 0.95 * distinct && stats.layer_distinct[layer] <= 1.05 * distinct);
  }
  mlbf_free(one);
  mlbf_free(other);
}

CASE(strangers_are_refused_and_nothing_changes)
{
  mlbf_filter *filter = filter_of(MLBF_KIND_MLBF, 0, 100);
  mlbf_options rows[6];
  for (int i = 0; i < 6; i++)
    rows[i] = options_of(MLBF_KIND_MLBF);
  rows[0].seed = 12;
  rows[1].profile = "other";
  rows[2].keys = 2 * KEYS;
  rows[3].rate = 1e-3;
  rows[4].signals = false;
  rows[5] = options_of(MLBF_KIND_LINE);
  for (int i = 0; i < 6; i++) {
    mlbf_filter *stranger = create(rows[i]);
    one_key hashes = hashes_of(stranger, 555);
    mlbf_verdict verdict;
    one_key_insert(stranger, &hashes, &verdict);
    assert_int_equal(mlbf_union(filter, stranger), MLBF_MISMATCH);
    mlbf_free(stranger);
  }
  mlbf_filter *same = filter_of(MLBF_KIND_MLBF, 0, 100);
  assert_same_answers(filter, same);
  mlbf_free(same);
  mlbf_free(filter);
}

CASE(a_union_beyond_the_design_load_says_full_once)
{
  mlbf_filter *one = filter_of(MLBF_KIND_LINE, 0, 15000), *other = filter_of(MLBF_KIND_LINE, 30000, 45000);
  assert_int_equal(mlbf_union(one, other), MLBF_FULL);
  assert_int_equal(mlbf_union(one, other), MLBF_OK);
  mlbf_free(one);
  mlbf_free(other);
}
