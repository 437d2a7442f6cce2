/* The revocation pair and what it cannot do; generations that grow old. */
#include <math.h>

#include "datasets/papers/revocation.h"
#include "tests/support/test.h"

enum { KEYS = 20000 };

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE};

static revocation_pair create_pair(mlbf_kind kind, double seen_rate, double revoked_rate)
{
  revocation_pair pair;
  mlbf_options seen = {.size = sizeof(mlbf_options), .kind = kind, .keys = KEYS, .rate = seen_rate, .seed = 1};
  mlbf_options revoked = {
    .size = sizeof(mlbf_options), .kind = kind, .keys = KEYS / 2, .rate = revoked_rate, .seed = 9};
  assert_int_equal(mlbf_create(&seen, &pair.seen), MLBF_OK);
  assert_int_equal(mlbf_create(&revoked, &pair.revoked), MLBF_OK);
  return pair;
}

static void free_pair(revocation_pair *pair)
{
  mlbf_free(pair->seen);
  mlbf_free(pair->revoked);
}

/* Half of the keys are revoked; both filters are as wrong as they say. */
CASE(a_pair_is_wrong_as_it_says)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    revocation_pair pair = create_pair(kinds[i], 0.02, 0.01);
    double false_positives, false_negatives;
    uint64_t lost = 0, strangers = 0;
    for (uint64_t id = 0; id < KEYS; id++)
      pair_insert(&pair, span_of(&id));
    for (uint64_t id = 0; id < KEYS; id += 2)
      pair_revoke(&pair, span_of(&id));
    for (uint64_t id = 0; id < KEYS; id++) {
      if (id % 2 == 0)
        assert_false(pair_test(&pair, span_of(&id)));
      else
        lost += !pair_test(&pair, span_of(&id));
    }
    for (uint64_t id = KEYS; id < 6 * KEYS; id++)
      strangers += pair_test(&pair, span_of(&id));
    pair_rates(&pair, &false_positives, &false_negatives);
    assert_true(lost > 0); /* the pair's price: plain filters have no false negatives */
    assert_true(fabs((double)lost / (KEYS / 2.0) - false_negatives) < 0.005);
    assert_true(fabs((double)strangers / (5.0 * KEYS) - false_positives) < 0.004);
    free_pair(&pair);
  }
}

CASE(nothing_revoked_can_be_added_again)
{
  revocation_pair pair = create_pair(MLBF_KIND_BLOOM, 1e-6, 1e-6);
  uint64_t id = 1;
  assert_true(pair_insert(&pair, span_of(&id)) && pair_test(&pair, span_of(&id)));
  pair_revoke(&pair, span_of(&id));
  for (int again = 0; again < 3; again++) {
    assert_false(pair_insert(&pair, span_of(&id)));
    assert_false(pair_test(&pair, span_of(&id)));
  }
  free_pair(&pair);
}

/* A key lives for as many ages as there are generations after its last insertion. */
CASE(generations_forget_the_oldest)
{
  enum { GENERATIONS = 4, AGES = 12, EACH = 500 };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    mlbf_options options = {.size = sizeof(mlbf_options), .kind = kinds[k], .keys = EACH, .rate = 1e-4, .seed = 1};
    generations all;
    assert_int_equal(generations_make(&options, GENERATIONS, &all), MLBF_OK);
    for (uint64_t age = 0; age < AGES; age++) {
      uint64_t wrong = 0;
      if (age > 0)
        assert_int_equal(generations_age(&all), MLBF_OK);
      for (uint64_t id = age * EACH; id < (age + 1) * EACH - 1; id++)
        generations_insert(&all, span_of(&id));
      uint64_t loyal = UINT64_MAX; /* comes again every other age */
      if (age % 2 == 0)
        assert_int_equal(generations_insert(&all, span_of(&loyal)), age > 0);
      assert_true(generations_test(&all, span_of(&loyal)));
      for (uint64_t id = 0; id < (age + 1) * EACH; id++) {
        bool is_kept = id / EACH + GENERATIONS > age && id % EACH != EACH - 1;
        bool is_member = generations_test(&all, span_of(&id));
        assert_true(is_member || !is_kept);
        wrong += is_member && !is_kept;
      }
      assert_true(wrong <= 10);
      assert_true(generations_rate(&all) <= GENERATIONS * 1e-4 * 1.5);
    }
    generations_free(&all);
  }
}
