/* Sizing: the goals of each layout, what is calculated beside what is measured, the inverse,
 * and what is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/plan.h"
#include "tests/support/test.h"

static mlbf_plan plan_of(mlbf_options options)
{
  mlbf_plan plan;
  assert_int_equal(mlbf_plan_make(&options, &plan, NULL), MLBF_OK);
  return plan;
}

CASE(a_layout_stays_near_theory)
{
  static const struct {
    mlbf_kind kind;
    double rate, limit;
    mlbf_layout layout;
  } rows[] = {
    {MLBF_KIND_BLOOM, 1e-2, 1.45, MLBF_LAYOUT_CLASSIC},  {MLBF_KIND_LINE, 1e-2, 1.53, MLBF_LAYOUT_LINE},
    {MLBF_KIND_BLOOM, 1e-3, 1.45, MLBF_LAYOUT_CLASSIC},  {MLBF_KIND_LINE, 1e-3, 1.59, MLBF_LAYOUT_LINE},
    {MLBF_KIND_BLOOM, 1e-6, 1.45, MLBF_LAYOUT_CLASSIC},  {MLBF_KIND_LINE, 1e-6, 1.59, MLBF_LAYOUT_TWO_LINES},
    {MLBF_KIND_LINE, 0.1, 1.49, MLBF_LAYOUT_LINE},       {MLBF_KIND_LINE, 2e-3, 1.56, MLBF_LAYOUT_LINE},
    {MLBF_KIND_LINE, 1e-4, 1.53, MLBF_LAYOUT_TWO_LINES}, {MLBF_KIND_LINE, 1e-9, 1.73, MLBF_LAYOUT_TWO_LINES},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_plan plan = plan_of((mlbf_options){
      .size = sizeof(mlbf_options), .kind = rows[i].kind, .keys = 10000000, .rate = rows[i].rate});
    double ratio = (double)plan.bits / 1e7 / log2(1 / rows[i].rate);
    print_message("%s at %g: %.3f\n", mlbf_kind_name(rows[i].kind), rows[i].rate, ratio);
    assert_true(ratio <= rows[i].limit);
    assert_int_equal(plan.arrays[0].layout, rows[i].layout);
  }
}

CASE(layers_stay_in_their_budget)
{
  const double rates[] = {0.3, 1e-2, 1e-3, 1e-6, 1e-9};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    mlbf_plan plan = plan_of((mlbf_options){
      .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 1000000, .rate = rates[i]});
    assert_true((double)plan.bits <= 1.08 * (double)plan.arrays[0].bits);
  }
  mlbf_plan plan = plan_of((mlbf_options){
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_MLBF, .keys = 1000000, .rate = 1e-6, .signals = true});
  assert_true((double)plan.bits <= 1.12 * (double)plan.arrays[0].bits);
  assert_true((double)plan.bits / 1e6 / 8 <= 4.6);
}

CASE(the_inverse_meets_the_promise)
{
  const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
  const double rates[] = {0.5, 0.1, 1e-2, 3e-3, 1e-3, 1e-6, 1e-9};
  for (size_t i = 0; i < 3; i++)
    for (size_t r = 0; r < 7; r++) {
      mlbf_plan plan = plan_of((mlbf_options){
        .size = sizeof(mlbf_options), .kind = kinds[i], .keys = 1000000, .rate = rates[r]});
      double reached = mlbf_plan_rate(&plan, 1000000);
      assert_true(reached <= rates[r] * 1.0001 && reached > rates[r] * 0.9);
      assert_true(mlbf_plan_rate(&plan, 2000000) > reached);
    }
}

CASE(bits_give_the_best_rate)
{
  const mlbf_kind kinds[] = {MLBF_KIND_BLOOM, MLBF_KIND_LINE, MLBF_KIND_MLBF};
  for (size_t i = 0; i < 3; i++)
    for (int bits_per_key = 6; bits_per_key <= 48; bits_per_key += 6)
      for (int signals = 0; signals <= (kinds[i] == MLBF_KIND_MLBF); signals++) {
        mlbf_options options = {.size = sizeof(mlbf_options),
                                .kind = kinds[i],
                                .keys = 1000000,
                                .bits = (uint64_t)bits_per_key * 1000000,
                                .signals = signals};
        mlbf_plan plan = plan_of(options);
        assert_true(plan.bits <= options.bits && (double)plan.bits > 0.97 * (double)options.bits);
        assert_true(plan.rate == mlbf_plan_rate(&plan, 1000000));
        options.rate = plan.rate / 0.975; /* asking for that rate costs about those bits */
        options.bits = 0;
        plan = plan_of(options);
        assert_true((double)plan.bits < 1.04e6 * bits_per_key);
      }
}

/* What loading asks of a file's header holds for every number of bits, and nearly all of them are used. */
CASE(any_bits_give_whole_pages)
{
  const mlbf_kind kinds[] = {MLBF_KIND_LINE, MLBF_KIND_MLBF};
  for (size_t i = 0; i < 2; i++)
    for (uint64_t bits = 1000000; bits < 200000000; bits += bits / 211 + 1) {
      mlbf_plan plan = plan_of((mlbf_options){
        .size = sizeof(mlbf_options), .kind = kinds[i], .keys = bits / 24, .bits = bits});
      uint64_t lines = plan.arrays[0].bits / MLBF_LINE_BITS, pages = (lines + MLBF_PAGE_LINES - 1) / MLBF_PAGE_LINES;
      if (plan.arrays[0].layout != MLBF_LAYOUT_TWO_LINES || lines % pages != 0)
        fail_msg("%llu bits: %llu lines in %llu pages", (unsigned long long)bits, (unsigned long long)lines,
                 (unsigned long long)pages);
      assert_in_range(plan.bits, bits - bits / 8, bits);
    }
}

CASE(bloom_keeps_what_was_pinned)
{
  mlbf_plan plan = plan_of((mlbf_options){
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = 1000, .bits = 10007, .hashes = 32});
  assert_int_equal(plan.arrays[0].bits, 10007);
  assert_int_equal(plan.arrays[0].hashes, 32);
}

CASE(nonsense_is_refused_with_a_reason)
{
  static const struct {
    mlbf_options options;
    const char *reason;
  } rows[] = {
    {{.kind = (mlbf_kind)0, .keys = 1, .rate = 0.1}, "kind is 0: there is no such kind of filter"},
    {{.kind = (mlbf_kind)3, .keys = 1, .rate = 0.1}, "kind is 3: there is no such kind of filter"},
    {{.kind = (mlbf_kind)99, .keys = 1, .rate = 0.1}, "kind is 99: there is no such kind of filter"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 0, .rate = 0.1}, "keys is 0"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = 0}, "rate is 0, and bits, too"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = 1}, "rate is 1: not between 0 and 1"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = -0.1}, "rate is -0.1: not between 0 and 1"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = NAN}, "rate is nan: not between 0 and 1"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = INFINITY, .bits = 512}, "rate is inf: not between 0 and 1"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = 0.1, .bits = 512}, "rate is 0.1, and bits is 512: one must be 0"},
    {{.kind = MLBF_KIND_BLOOM, .keys = UINT64_MAX, .rate = 0.1}, "keys is 18446744073709551615: at most 2^48"},
    {{.kind = MLBF_KIND_MLBF, .keys = UINT64_C(1) << 46, .rate = 1e-6},
     "rate is 1e-06: more than 2^48 bits for 70368744177664 keys"},
    {{.kind = MLBF_KIND_LINE, .keys = 1, .bits = (UINT64_C(1) << 48) + 1}, "bits is 281474976710657: at most 2^48"},
    {{.kind = MLBF_KIND_LINE, .keys = 1000000, .rate = 1e-40}, "rate is 1e-40: more than 2^48 bits for 1000000 keys"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = 0.1, .hashes = 40}, "hashes is 40: at most 32"},
    {{.kind = MLBF_KIND_LINE, .keys = 1, .rate = 0.1, .hashes = 3}, "hashes is 3: kind line chooses them itself"},
    {{.kind = MLBF_KIND_BLOOM, .keys = 1, .rate = 0.1, .signals = true}, "signals is true: kind bloom has none"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_plan plan = {.keys = 77};
    mlbf_options options = rows[i].options;
    char reason[MLBF_REASON_SIZE] = "";
    options.size = sizeof options;
    assert_int_equal(mlbf_plan_make(&options, &plan, reason), MLBF_BAD_ARGUMENT);
    assert_string_equal(reason, rows[i].reason);
    assert_int_equal(plan.keys, 77);
  }
}

/* A caller of another release: its options are longer, or end earlier. */
CASE(options_of_another_size)
{
  struct {
    mlbf_options known;
    uint64_t more[3];
  } later = {.known = MLBF_OPTIONS_DEFAULT};
  mlbf_plan plan;
  char reason[MLBF_REASON_SIZE];
  later.known.size = sizeof later;
  assert_int_equal(mlbf_plan_make(&later.known, &plan, NULL), MLBF_OK);
  later.more[2] = 1;
  assert_int_equal(mlbf_plan_make(&later.known, &plan, reason), MLBF_BAD_ARGUMENT);
  assert_int_equal(strncmp(reason, "size is ", 8), 0);
  later.known.size = offsetof(mlbf_options, bits);
  later.known.bits = UINT64_MAX; /* behind the end of the struct that is said to be given */
  assert_int_equal(mlbf_plan_make(&later.known, &plan, reason), MLBF_OK);
  later.known.size = 0;
  assert_int_equal(mlbf_plan_make(&later.known, &plan, reason), MLBF_BAD_ARGUMENT);
  assert_string_equal(reason, "size is 0: begin with MLBF_OPTIONS_DEFAULT");
  later.known.size = SIZE_MAX; /* nothing is read there */
  assert_int_equal(mlbf_plan_make(&later.known, &plan, reason), MLBF_BAD_ARGUMENT);
}

/* Wrong answers of many filters, each with its own keys, beside what mlbf_rate_at says; in units of the mean's standard
 * deviation, estimated from the filters' differences. */
static void check_line_rate(uint64_t keys, double rate)
{
  enum { ASKED = 20000 };
  const unsigned filters = 4 + (unsigned)(200000 / keys);
  double sum = 0, squares = 0, expected = 0;
  for (unsigned i = 0; i < filters; i++) {
    mlbf_options options = {
      .size = sizeof(mlbf_options), .kind = MLBF_KIND_LINE, .keys = keys, .rate = rate, .seed = 100 + i};
    mlbf_filter *filter = NULL;
    mlbf_verdict verdict;
    double wrong = 0;
    assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
    for (uint64_t id = 0; id < keys + ASKED; id++) {
      one_key hashes;
      one_key_hash(filter, &(mlbf_span){&id, sizeof id}, 1, &hashes);
      if (id < keys)
        one_key_insert(filter, &hashes, &verdict);
      else
        wrong += one_key_test(filter, &hashes).outcome == MLBF_SEEN;
    }
    expected = mlbf_rate_at(filter, (double)keys);
    sum += wrong / ASKED;
    squares += wrong / ASKED * wrong / ASKED;
    mlbf_free(filter);
  }
  double mean = sum / filters, deviation = sqrt((squares / filters - mean * mean) / filters);
  print_message("%llu keys at %g: %.4f of what is calculated, %+.1f deviations\n", (unsigned long long)keys, rate,
                mean / expected, (mean - expected) / deviation);
  assert_true(fabs(mean - expected) < 4.5 * deviation + 0.01 * expected);
}

CASE(line_rates_are_as_calculated)
{
  static const uint64_t sizes[] = {16000, 40000, 150000}; /* from one page of lines on */
  static const double rates[] = {0.02, 0.002};            /* a key's bits in one line, and in two */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
      check_line_rate(sizes[i], rates[r]);
}
