/* The revocation pair and what it cannot do; generations that grow old. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/growth.h"
#include "mlbf/papers/revoke.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { KEYS = 20000 };

static char directory[SCRATCH_PATH], file[SCRATCH_PATH];

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

static const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE};

static mlbf_pair *create_pair(mlbf_kind kind, double seen_rate, double revoked_rate)
{
  mlbf_pair *pair = NULL;
  mlbf_options seen = {.kind = kind, .keys = KEYS, .rate = seen_rate, .seed = 1};
  mlbf_options revoked = {.kind = kind, .keys = KEYS / 2, .rate = revoked_rate, .seed = 9};
  assert_int_equal(mlbf_pair_create(&seen, &revoked, &pair), MLBF_OK);
  return pair;
}

/* Half of the keys are revoked; both filters are as wrong as they say. */
CASE(a_pair_is_wrong_as_it_says)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    mlbf_pair *pair = create_pair(kinds[i], 0.02, 0.01);
    double false_member, false_stranger;
    uint64_t lost = 0, strangers = 0;
    bool is_member;
    for (uint64_t id = 0; id < KEYS; id++)
      mlbf_pair_insert(pair, span_of(&id), &is_member);
    for (uint64_t id = 0; id < KEYS; id += 2)
      assert_int_equal(mlbf_pair_revoke(pair, span_of(&id)), MLBF_OK);
    for (uint64_t id = 0; id < KEYS; id++) {
      if (id % 2 == 0)
        assert_false(mlbf_pair_test(pair, span_of(&id)));
      else
        lost += !mlbf_pair_test(pair, span_of(&id));
    }
    for (uint64_t id = KEYS; id < 6 * KEYS; id++)
      strangers += mlbf_pair_test(pair, span_of(&id));
    mlbf_pair_rates(pair, &false_member, &false_stranger);
    assert_true(lost > 0); /* the pair's price: plain filters have no false negatives */
    assert_true(fabs((double)lost / (KEYS / 2.0) - false_stranger) < 0.005);
    assert_true(fabs((double)strangers / (5.0 * KEYS) - false_member) < 0.004);
    mlbf_pair_free(pair);
  }
}

CASE(nothing_revoked_can_be_added_again)
{
  mlbf_pair *pair = create_pair(MLBF_KIND_BLOOM, 1e-6, 1e-6);
  uint64_t id = 1;
  bool is_member;
  assert_int_equal(mlbf_pair_insert(pair, span_of(&id), &is_member), MLBF_OK);
  assert_true(is_member && mlbf_pair_test(pair, span_of(&id)));
  assert_int_equal(mlbf_pair_revoke(pair, span_of(&id)), MLBF_OK);
  for (int again = 0; again < 3; again++) {
    assert_int_equal(mlbf_pair_insert(pair, span_of(&id), &is_member), MLBF_OK);
    assert_false(is_member);
    assert_false(mlbf_pair_test(pair, span_of(&id)));
  }
  mlbf_pair_free(pair);
}

CASE(a_pair_is_saved_as_two_filters)
{
  mlbf_pair *pair = create_pair(MLBF_KIND_LINE, 1e-4, 1e-4), *copy;
  mlbf_filter *seen = NULL, *revoked = NULL;
  bool is_member;
  for (uint64_t id = 0; id < 100; id++)
    mlbf_pair_insert(pair, span_of(&id), &is_member);
  uint64_t gone = 50;
  mlbf_pair_revoke(pair, span_of(&gone));
  assert_int_equal(mlbf_save(mlbf_pair_seen(pair), file), MLBF_OK);
  assert_int_equal(mlbf_load(file, &seen), MLBF_OK);
  assert_int_equal(mlbf_save(mlbf_pair_revoked(pair), file), MLBF_OK);
  assert_int_equal(mlbf_load(file, &revoked), MLBF_OK);
  assert_int_equal(mlbf_pair_make(seen, revoked, &copy), MLBF_OK);
  for (uint64_t id = 0; id < 200; id++)
    assert_int_equal(mlbf_pair_test(copy, span_of(&id)), mlbf_pair_test(pair, span_of(&id)));
  mlbf_pair_free(pair);
  mlbf_pair_free(copy);
}

/* A key lives for as many ages as there are generations after its last insertion. */
CASE(generations_forget_the_oldest)
{
  enum { GENERATIONS = 4, AGES = 12, EACH = 500 };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    mlbf_options options = {.kind = kinds[k], .keys = EACH, .rate = 1e-4, .seed = 1};
    mlbf_generations *generations = NULL;
    assert_int_equal(mlbf_generations_create(&options, GENERATIONS, &generations), MLBF_OK);
    for (uint64_t age = 0; age < AGES; age++) {
      uint64_t wrong = 0;
      bool was_member;
      if (age > 0)
        assert_int_equal(mlbf_generations_age(generations), MLBF_OK);
      for (uint64_t id = age * EACH; id < (age + 1) * EACH - 1; id++)
        assert_int_equal(mlbf_generations_insert(generations, span_of(&id), &was_member), MLBF_OK);
      uint64_t loyal = UINT64_MAX; /* comes again every other age */
      if (age % 2 == 0) {
        assert_int_equal(mlbf_generations_insert(generations, span_of(&loyal), &was_member), MLBF_OK);
        assert_int_equal(was_member, age > 0);
      }
      assert_true(mlbf_generations_test(generations, span_of(&loyal)));
      for (uint64_t id = 0; id < (age + 1) * EACH; id++) {
        bool is_kept = id / EACH + GENERATIONS > age && id % EACH != EACH - 1;
        bool is_member = mlbf_generations_test(generations, span_of(&id));
        assert_true(is_member || !is_kept);
        wrong += is_member && !is_kept;
      }
      assert_true(wrong <= 10);
      assert_true(mlbf_generations_rate(generations) <= GENERATIONS * 1e-4 * 1.5);
    }
    mlbf_generations_free(generations);
  }
}

CASE(saved_generations_go_on)
{
  mlbf_options options = {.kind = MLBF_KIND_BLOOM, .keys = 1000, .rate = 1e-3, .profile = "p", .seed = 1};
  mlbf_generations *generations = NULL, *copy = NULL;
  bool was_member;
  assert_int_equal(mlbf_generations_create(&options, 3, &generations), MLBF_OK);
  for (uint64_t id = 0; id < 2000; id++) {
    if (id % 700 == 699)
      assert_int_equal(mlbf_generations_age(generations), MLBF_OK);
    mlbf_generations_insert(generations, span_of(&id), &was_member);
  }
  assert_int_equal(mlbf_generations_save(generations, file), MLBF_OK);
  assert_int_equal(mlbf_generations_load(file, &copy), MLBF_OK);
  for (int age = 0; age < 3; age++) {
    for (uint64_t id = 0; id < 4000; id++)
      assert_int_equal(mlbf_generations_test(copy, span_of(&id)), mlbf_generations_test(generations, span_of(&id)));
    assert_int_equal(mlbf_generations_age(copy), MLBF_OK);
    assert_int_equal(mlbf_generations_age(generations), MLBF_OK);
  }
  mlbf_generations_free(generations);
  mlbf_generations_free(copy);
}

/* A chain's slices are no generations, a filter alone is none, layers have no place here. */
CASE(what_does_not_fit_is_refused)
{
  mlbf_options options = {.kind = MLBF_KIND_BLOOM, .keys = 10, .rate = 1e-3, .seed = 1};
  mlbf_generations *generations = NULL;
  mlbf_chain *chain = NULL;
  mlbf_filter *filter = NULL;
  mlbf_pair *pair = NULL;
  assert_int_equal(mlbf_generations_create(&options, 1, &generations), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_generations_create(&options, 65, &generations), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_save(filter, file), MLBF_OK);
  mlbf_free(filter);
  assert_int_equal(mlbf_generations_load(file, &generations), MLBF_MISMATCH);
  assert_int_equal(mlbf_chain_create(&options, &chain), MLBF_OK);
  for (uint64_t id = 0; id < 100; id++) {
    mlbf_hashes hashes;
    mlbf_verdict verdict;
    mlbf_span key = span_of(&id);
    mlbf_chain_hash(chain, &key, 1, &hashes);
    assert_int_equal(mlbf_chain_insert(chain, &hashes, &verdict), MLBF_OK);
  }
  assert_int_equal(mlbf_chain_save(chain, file), MLBF_OK);
  mlbf_chain_free(chain);
  assert_int_equal(mlbf_generations_load(file, &generations), MLBF_MISMATCH);
  assert_int_equal(mlbf_generations_load("/nowhere/at/all", &generations), MLBF_IO);
  options.kind = MLBF_KIND_MLBF;
  assert_int_equal(mlbf_generations_create(&options, 3, &generations), MLBF_BAD_ARGUMENT);
  assert_int_equal(mlbf_pair_create(&options, &options, &pair), MLBF_BAD_ARGUMENT);
}

static int prepare(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "filter", file);
  return 0;
}

static int clear(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clear)
