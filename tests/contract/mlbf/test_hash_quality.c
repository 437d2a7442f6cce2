/* The keyed hash's values look random, whatever is alike in the keys. `bench_hash quality` goes on for longer.
 *
 * Secrets are fixed, so a run gives what the one before gave. The limits leave a random function a chance of 10^-4 to
 * fail anywhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "tests/support/hash_quality.h"
#include "tests/support/test.h"

enum { SECRETS = 2 };

static hash_filters filters[SECRETS];

static int begin(void **state)
{
  (void)state;
  for (size_t i = 0; i < SECRETS; i++)
    filters[i] = hash_filters_make(i + 1);
  return 0;
}

static int end(void **state)
{
  (void)state;
  for (size_t i = 0; i < SECRETS; i++)
    hash_filters_free(filters[i]);
  return 0;
}

static void expect_random(const char *what, hash_verdict verdict)
{
  if (verdict.equal || fabs(verdict.pairs) > 6 || fabs(verdict.chi_square) > 6)
    fail_msg("%s: %llu equal, pairs %.1f, chi-square %.1f", what, (unsigned long long)verdict.equal, verdict.pairs,
             verdict.chi_square);
}

/* 6.6 million counts, each beyond 7.5 standard deviations with probability below 2 e^-28. */
CASE(each_bit_flips_every_bit_half_the_time)
{
  enum { ROUNDS = 160, LIMIT = 15 };
  (void)state;
  for (size_t i = 0; i < SECRETS; i++)
    for (size_t length = 1; length <= 80; length++) {
      double worst = hash_avalanche(&filters[i], length, ROUNDS);
      if (fabs(worst) > LIMIT / 2.0)
        fail_msg("%zu bytes: %.1f", length, worst);
    }
}

CASE(a_bit_of_a_segment_flips_its_layer_and_the_whole)
{
  enum { ROUNDS = 160, LIMIT = 15 };
  static const size_t lengths[] = {1, 7, 12, 16, 31, 40};
  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    double worst = hash_avalanche_segments(&filters[i % SECRETS], lengths[i], ROUNDS);
    if (fabs(worst) > LIMIT / 2.0)
      fail_msg("%zu bytes: %.1f", lengths[i], worst);
  }
}

CASE(a_difference_has_no_favourite)
{
  for (size_t i = 0; i < SECRETS; i++)
    expect_random("differences", hash_differential(&filters[i], 120, 4096));
}

CASE(wholes_of_recombined_segments_are_not_linear)
{
  expect_random("quadruples", hash_quadruples(&filters[0], 400000));
}

CASE(keys_that_are_alike_have_unlike_hashes)
{
  for (const hash_family *family = hash_families; family->name; family++)
    for (int layered = 0; layered < 2; layered++) {
      /* end to end, empty words and words that divide alike make equal texts */
      bool is_cut = strcmp(family->name, "permutations") == 0 || strcmp(family->name, "recombinations") == 0;
      if (!is_cut || layered)
        expect_random(family->name, hash_family_verdict(&filters[layered], family, 400000, layered));
    }
}

/* The judge notices: an unmixed counter; values of which one bit leans; one value twice. */
CASE(what_is_not_random_is_noticed)
{
  enum { COUNT = 400000 };
  (void)state;
  mlbf_hash128 *values = malloc(COUNT * sizeof *values);
  assert_non_null(values);
  for (int lie = 0; lie < 4; lie++) {
    for (uint64_t i = 0; i < COUNT; i++) {
      one_key hashes;
      one_key_hash(filters[0].plain, &(mlbf_span){&i, sizeof i}, 1, &hashes);
      values[i] = hashes.whole;
    }
    for (uint64_t i = 0; i < COUNT; i++) {
      if (lie == 1)
        values[i].high = i << 20;
      if (lie == 2 && i % 40 == 0)
        values[i].low |= UINT64_C(1) << 37;
    }
    if (lie == 3)
      values[0] = values[1];
    hash_verdict verdict = hash_judge(values, COUNT);
    bool is_random = !verdict.equal && fabs(verdict.pairs) <= 6 && fabs(verdict.chi_square) <= 6;
    if (is_random != (lie == 0))
      fail_msg("lie %d: %llu equal, %.1f, %.1f", lie, (unsigned long long)verdict.equal, verdict.pairs,
               verdict.chi_square);
  }
  free(values);
}

EACH_CASE(begin, end)
