/* SKIP against a brute-force window: it sees exactly who was inserted within the last w insertions, and others as often
 * as the corrected formula says; and how much better epoch cells are at equal bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "datasets/papers/skip_window.h"
#include "mlbf/window.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { IDS = 1 << 16, SEED = 1 };

/* What a brute-force window knows: when each id was last inserted. */
typedef struct model {
  uint64_t last[IDS];
  bool is_known[IDS];
} model;

/* Ids as links come: many times a few, a few times many. */
static uint64_t skewed(uint64_t *dice)
{
  double x = random_share(dice);
  return (uint64_t)(IDS * x * x * x * x) % IDS;
}

typedef struct outcome {
  uint64_t missed, strangers, wrong; /* keys of the window not seen; keys beyond it; those seen */
} outcome;

/* Cells for `cells_a_key` keys of the window each, 4 hashes. */
static outcome run(uint64_t window, uint64_t model_window, uint64_t cells_a_key, uint64_t count)
{
  static model known;
  outcome out = {.missed = 0};
  uint64_t dice = SEED;
  memset(&known, 0, sizeof known);
  skip_window *s = skip_create(window, window * cells_a_key + 1000, 4, SEED);
  assert_non_null(s);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t id = skewed(&dice), age = i - known.last[id];
    bool is_seen = skip_test(s, id), was_seen = skip_insert(s, id);
    assert_int_equal(was_seen, is_seen);
    if (known.is_known[id] && age <= model_window)
      out.missed += !was_seen;
    else if (!known.is_known[id] || age > window) {
      out.strangers++;
      out.wrong += was_seen;
    }
    known.last[id] = i;
    known.is_known[id] = true;
  }
  skip_free(s);
  return out;
}

CASE(who_is_in_the_window_is_seen)
{
  static const uint64_t windows[] = {1, 2, 11, 12, 13, 100, 5003, 60000};
  for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
    outcome out = run(windows[i], windows[i], 16, i < 6 ? 15000 : 150000);
    double most = 0.01 * (double)out.strangers;
    assert_int_equal(out.missed, 0);
    printf("window %llu, %llu strangers, %llu of them wrongly seen, %.0f at 1 %%\n", (unsigned long long)windows[i],
           (unsigned long long)out.strangers, (unsigned long long)out.wrong, most);
    assert_true((double)out.wrong <= most + 5 * sqrt(most) + 5);
  }
}

/* A model whose window is one longer must find keys missing; else the comparison above compares nothing. */
CASE(a_wrong_model_would_be_noticed)
{
  assert_true(run(100, 101, 16, 50000).missed > 0);
}

/* False positives on keys that all differ, once the window is full. */
static double skip_measured(uint64_t window, uint64_t cells, uint32_t hashes, uint64_t count)
{
  uint64_t wrong = 0;
  skip_window *s = skip_create(window, cells, hashes, SEED);
  assert_non_null(s);
  for (uint64_t id = 0; id < window; id++)
    skip_insert(s, id);
  for (uint64_t id = window; id < window + count; id++)
    wrong += skip_insert(s, id);
  skip_free(s);
  return (double)wrong / (double)count;
}

static double epoch_measured(uint64_t window, uint64_t bits, uint32_t hashes, uint64_t count)
{
  uint64_t wrong = 0;
  bool was_seen;
  mlbf_epoch *epoch = NULL;
  mlbf_window_options options = {.size = sizeof(mlbf_window_options),
                                 .unit = MLBF_WINDOW_INSERTIONS,
                                 .window = window,
                                 .bits = bits,
                                 .hashes = hashes,
                                 .seed = SEED};
  assert_int_equal(mlbf_epoch_create(&options, &epoch), MLBF_OK);
  for (uint64_t id = 0; id < window + count; id++) {
    was_seen = mlbf_epoch_insert(epoch, (mlbf_span){&id, sizeof id}, 0);
    wrong += id >= window && was_seen;
  }
  mlbf_epoch_free(epoch);
  return (double)wrong / (double)count;
}

CASE(skip_is_as_wrong_as_the_corrected_formula_says)
{
  static const struct {
    uint64_t cells;
    uint32_t k;
  } rows[] = {{16384, 4}, {65536, 4}, {32768, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double rate = skip_measured(4095, rows[i].cells, rows[i].k, 4095 * 50);
    double expected = skip_expected(4095, (double)rows[i].cells, rows[i].k);
    double printed = skip_printed(4095, (double)rows[i].cells, rows[i].k);
    printf("m %llu, k %u: %.5f measured, %.5f expected, %.5f printed\n", (unsigned long long)rows[i].cells,
           (unsigned)rows[i].k, rate, expected, printed);
    assert_true(fabs(rate / expected - 1) < 0.10);
    assert_true(expected / printed > 2); /* 3.0, 4.6 and 9.4 */
  }
}

/* The loads that the header of the window of epochs states, with counters of so many bits. */
CASE(epoch_is_fifty_times_better_up_to_a_load)
{
  static const struct {
    double bits, load;
  } rows[] = {{10, 0.34}, {12, 0.52}, {20, 1.0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double window = exp2(rows[i].bits) - 1;
    for (double load = 0.02; load < 2 * rows[i].load; load += 0.02) {
      double cells = window / load, epoch = epoch_expected(window, cells * rows[i].bits / 2, 4);
      double times = skip_expected(window, cells, 4) / epoch;
      if (load < rows[i].load)
        assert_true(times >= 50);
      if (load > rows[i].load * 1.1) /* and no claim that could be larger */
        assert_true(times < 50);
    }
  }
}

CASE(epoch_is_far_better_at_equal_bits)
{
  double skip = skip_measured(4095, 8192, 4, 4095 * 25);
  double epoch = epoch_measured(4095, 8192 * 2 * 12, 4, 4095 * 25);
  assert_true(epoch * 50 < skip);
}
