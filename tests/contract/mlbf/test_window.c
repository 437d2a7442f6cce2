/* A window against a brute-force one: who was inserted within the window is always seen.
 *   STRATA_TIMES=2000000     so many insertions instead of 150,000
 * Compiled with PAPERS, too: for the window that is as its paper prints it, and to compare both. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mlbf/window_epoch.h"
#ifdef PAPERS
#include "mlbf/papers/window_skip.h"
#endif
#include "tests/support/scratch.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

/* The calls of a window. */
typedef struct window_calls {
  const char *name;
  bool steady;
  mlbf_status (*create)(const mlbf_window_options *options, void **window);
  void (*free)(void *window);
  mlbf_status (*insert)(void *window, mlbf_span key, uint64_t now_ms, bool *was_seen);
  mlbf_status (*test)(const void *window, mlbf_span key, uint64_t now_ms, bool *is_seen);
  void (*stats)(const void *window, mlbf_window_stats *stats);
  mlbf_status (*save)(const void *window, const char *path);
  mlbf_status (*load)(const char *path, void **window);
  mlbf_status (*map)(const char *path, void **window);
  mlbf_status (*verify)(void *window);
} window_calls;

#define CALLS(kind)                                                                 \
  static mlbf_status kind##_create(const mlbf_window_options *o, void **w)          \
  {                                                                                 \
    mlbf_##kind *made = NULL;                                                       \
    mlbf_status status = mlbf_##kind##_create(o, &made);                            \
    *w = made;                                                                      \
    return status;                                                                  \
  }                                                                                 \
  static void kind##_free(void *w)                                                  \
  {                                                                                 \
    mlbf_##kind##_free(w);                                                          \
  }                                                                                 \
  static mlbf_status kind##_insert(void *w, mlbf_span k, uint64_t now, bool *s)     \
  {                                                                                 \
    return mlbf_##kind##_insert(w, k, now, s);                                      \
  }                                                                                 \
  static mlbf_status kind##_test(const void *w, mlbf_span k, uint64_t now, bool *s) \
  {                                                                                 \
    return mlbf_##kind##_test(w, k, now, s);                                        \
  }                                                                                 \
  static void kind##_stats(const void *w, mlbf_window_stats *s)                     \
  {                                                                                 \
    mlbf_##kind##_stats_read(w, s);                                                 \
  }                                                                                 \
  static mlbf_status kind##_save(const void *w, const char *path)                   \
  {                                                                                 \
    return mlbf_##kind##_save(w, path);                                             \
  }                                                                                 \
  static mlbf_status kind##_load(const char *path, void **w)                        \
  {                                                                                 \
    mlbf_##kind *made = NULL;                                                       \
    mlbf_status status = mlbf_##kind##_load(path, &made);                           \
    *w = made;                                                                      \
    return status;                                                                  \
  }                                                                                 \
  static mlbf_status kind##_map(const char *path, void **w)                         \
  {                                                                                 \
    mlbf_##kind *made = NULL;                                                       \
    mlbf_status status = mlbf_##kind##_map(path, &made);                            \
    *w = made;                                                                      \
    return status;                                                                  \
  }                                                                                 \
  static mlbf_status kind##_verify(void *w)                                         \
  {                                                                                 \
    return mlbf_##kind##_verify(w);                                                 \
  }

CALLS(epoch)
static const window_calls epoch_calls = {"epoch",     false,      epoch_create, epoch_free, epoch_insert, epoch_test,
                                         epoch_stats, epoch_save, epoch_load,   epoch_map,  epoch_verify};
#ifdef PAPERS
CALLS(skip)
static const window_calls skip_calls = {"skip",     false,     skip_create, skip_free, skip_insert, skip_test,
                                        skip_stats, skip_save, skip_load,   skip_map,  skip_verify},
                          steady_calls = {"skip, steady", true,      skip_create, skip_free, skip_insert, skip_test,
                                          skip_stats,     skip_save, skip_load,   skip_map,  skip_verify};
static const window_calls *const calls[] = {&skip_calls, &steady_calls};
#else
static const window_calls *const calls[] = {&epoch_calls};
#endif
enum { CALLS_COUNT = sizeof calls / sizeof *calls, IDS = 1 << 16 };

static uint64_t seed = 1, insertions = 150000;
static char directory[SCRATCH_PATH], file[SCRATCH_PATH];

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

static void *create(const window_calls *of, mlbf_window_options options)
{
  void *window = NULL;
  options.steady = of->steady;
  assert_int_equal(of->create(&options, &window), MLBF_OK);
  return window;
}

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
  uint64_t missed, strangers, wrong; /* keys of the window not seen; keys beyond window and slack; those seen */
  double promised;
} outcome;

static outcome run(const window_calls *of, uint64_t window, uint64_t model_window, double rate, uint64_t count)
{
  static model known;
  outcome out = {.missed = 0};
  mlbf_window_stats stats;
  uint64_t dice = seed;
  memset(&known, 0, sizeof known);
  void *tested = create(of, (mlbf_window_options){
                              .unit = MLBF_WINDOW_INSERTIONS, .window = window, .rate = rate, .seed = seed});
  of->stats(tested, &stats);
  out.promised = stats.promised_rate;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t id = skewed(&dice), age = i - known.last[id];
    bool was_seen, is_seen;
    assert_int_equal(of->test(tested, span_of(&id), 0, &is_seen), MLBF_OK);
    assert_int_equal(of->insert(tested, span_of(&id), 0, &was_seen), MLBF_OK);
    assert_int_equal(was_seen, is_seen);
    if (known.is_known[id] && age <= model_window)
      out.missed += !was_seen;
    else if (!known.is_known[id] || age > window + stats.slack) {
      out.strangers++;
      out.wrong += was_seen;
    }
    known.last[id] = i;
    known.is_known[id] = true;
  }
  of->free(tested);
  return out;
}

CASE(who_is_in_the_window_is_seen)
{
  static const uint64_t windows[] = {1, 2, 11, 12, 13, 100, 5003, 60000};
  for (int c = 0; c < CALLS_COUNT; c++)
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
      outcome out = run(calls[c], windows[i], windows[i], 0.01, insertions / (i < 6 ? 10 : 1));
      double most = out.promised * (double)out.strangers;
      assert_int_equal(out.missed, 0);
      printf("%s: window %llu, %llu strangers, %llu of them wrongly seen, at most %.0f promised\n", calls[c]->name,
             (unsigned long long)windows[i], (unsigned long long)out.strangers, (unsigned long long)out.wrong, most);
      assert_true((double)out.wrong <= most + 5 * sqrt(most) + 5);
    }
}

/* A model whose window is one longer must find keys missing; else the comparison above compares nothing. */
CASE(a_wrong_model_would_be_noticed)
{
  for (int c = 0; c < CALLS_COUNT; c++)
    assert_true(run(calls[c], 100, 100 + (strcmp(calls[c]->name, "epoch") == 0 ? 20 : 1), 1e-4, 50000).missed > 0);
}

/* Bursts, silences of every length, and a clock that goes back. */
CASE(the_same_in_time)
{
  enum { WINDOW = 7 * 24 * 3600 };
  static model known;
  for (int c = 0; c < CALLS_COUNT; c++) {
    mlbf_window_stats stats;
    uint64_t dice = seed, now = UINT64_C(1700000000000), wrong = 0, strangers = 0;
    memset(&known, 0, sizeof known);
    void *tested = create(calls[c],
                          (mlbf_window_options){
                            .unit = MLBF_WINDOW_MS, .window = WINDOW, .keys = 20000, .rate = 1e-3, .seed = 1});
    calls[c]->stats(tested, &stats);
    assert_true(stats.slack <= WINDOW / 10);
    for (uint64_t i = 0; i < insertions / 2; i++) {
      uint64_t id = skewed(&dice), roll = random_below(&dice, 20000);
      now += roll < 10 ? random_next(&dice) % (WINDOW * 3 / 2) : roll % 40;
      uint64_t told = roll == 11 ? now - WINDOW : now, age = now - known.last[id];
      bool was_seen, is_seen;
      assert_int_equal(calls[c]->test(tested, span_of(&id), told, &is_seen), MLBF_OK);
      assert_int_equal(calls[c]->insert(tested, span_of(&id), told, &was_seen), MLBF_OK);
      assert_int_equal(is_seen, was_seen);
      if (known.is_known[id] && age <= WINDOW) {
        assert_true(was_seen);
      } else if (!known.is_known[id] || age > WINDOW + stats.slack) {
        strangers++;
        wrong += was_seen;
      }
      known.last[id] = now;
      known.is_known[id] = true;
    }
    assert_true(strangers > 1000);
    assert_true((double)wrong <= 1e-3 * (double)strangers * 2 + 5);
    calls[c]->free(tested);
  }
}

/* False positives on keys that all differ. */
static double measure(const window_calls *of, mlbf_window_options options, uint64_t count, mlbf_window_stats *stats)
{
  void *tested = create(of, options);
  uint64_t wrong = 0;
  for (uint64_t id = 0; id < options.window; id++) {
    bool was_seen;
    of->insert(tested, span_of(&id), 0, &was_seen);
  }
  for (uint64_t i = 0; i < count; i++) {
    uint64_t id = options.window + i;
    bool was_seen;
    of->insert(tested, span_of(&id), 0, &was_seen);
    wrong += was_seen;
  }
  of->stats(tested, stats);
  of->free(tested);
  return (double)wrong / (double)count;
}

static double epoch_measured(uint64_t window, uint64_t cells, uint32_t hashes)
{
  mlbf_window_stats unused;
  mlbf_window_options options = {
    .unit = MLBF_WINDOW_INSERTIONS, .window = window, .bits = 4 * cells, .hashes = hashes, .seed = seed};
  return measure(&epoch_calls, options, window * 50, &unused);
}

CASE(epoch_is_as_wrong_as_its_formula_says)
{
  static const struct {
    uint64_t window, cells;
    uint32_t k;
  } rows[] = {{4095, 24576, 4}, {4095, 49152, 4}, {1023, 10240, 2}, {4095, 24576, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double rate = epoch_measured(rows[i].window, rows[i].cells, rows[i].k);
    double expected = mlbf_epoch_expected((double)rows[i].window, (double)rows[i].cells, rows[i].k);
    printf("m %llu, k %u: %.5f measured, %.5f expected\n", (unsigned long long)rows[i].cells, (unsigned)rows[i].k, rate,
           expected);
    assert_true(fabs(rate / expected - 1) < 0.10);
  }
}

#ifdef PAPERS
CASE(skip_is_as_wrong_as_the_corrected_formula_says)
{
  static const struct {
    uint64_t cells;
    uint32_t k;
  } rows[] = {{16384, 4}, {65536, 4}, {32768, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_window_stats stats;
    mlbf_window_options options = {.unit = MLBF_WINDOW_INSERTIONS,
                                   .window = 4095,
                                   .bits = rows[i].cells * 2 * 12,
                                   .hashes = rows[i].k,
                                   .seed = seed};
    double rate = measure(&skip_calls, options, 4095 * 50, &stats);
    double expected = mlbf_skip_expected((double)stats.window, (double)stats.cells, stats.hashes);
    double printed = mlbf_skip_printed(4095, (double)rows[i].cells, rows[i].k);
    printf("m %llu, k %u: %.5f measured, %.5f expected, %.5f printed\n", (unsigned long long)rows[i].cells,
           (unsigned)rows[i].k, rate, expected, printed);
    assert_true(fabs(rate / expected - 1) < 0.10);
    assert_true(expected / printed > 2); /* 3.0, 4.6 and 9.4 */
  }
}

/* The loads that window_epoch.h states, with counters of so many bits. */
CASE(epoch_is_fifty_times_better_up_to_a_load)
{
  static const struct {
    double bits, load;
  } rows[] = {{10, 0.34}, {12, 0.52}, {20, 1.0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double window = exp2(rows[i].bits) - 1;
    for (double load = 0.02; load < 2 * rows[i].load; load += 0.02) {
      double cells = window / load, epoch = mlbf_epoch_expected(window, cells * rows[i].bits / 2, 4);
      double times = mlbf_skip_expected(window, cells, 4) / epoch;
      if (load < rows[i].load)
        assert_true(times >= 50);
      if (load > rows[i].load * 1.1) /* and no claim that could be larger */
        assert_true(times < 50);
    }
  }
}

CASE(epoch_is_far_better_at_equal_bits)
{
  mlbf_window_stats unused;
  mlbf_window_options options = {
    .unit = MLBF_WINDOW_INSERTIONS, .window = 4095, .bits = 8192 * 2 * 12, .hashes = 4, .seed = seed};
  double skip = measure(&skip_calls, options, 4095 * 25, &unused);
  double epoch = measure(&epoch_calls, options, 4095 * 25, &unused);
  assert_true(epoch * 50 < skip);
}

CASE(one_structure_is_not_taken_for_another)
{
  void *tested = create(&skip_calls,
                        (mlbf_window_options){.unit = MLBF_WINDOW_INSERTIONS, .window = 5, .rate = 0.5, .seed = 1});
  assert_int_equal(skip_calls.save(tested, file), MLBF_OK);
  skip_calls.free(tested);
  assert_int_equal(epoch_calls.load(file, &tested), MLBF_MISMATCH);
}
#endif

/* A copy from a file answers as the one it was saved from, from then on. */
CASE(a_saved_window_goes_on)
{
  for (int c = 0; c < CALLS_COUNT; c++)
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
      uint64_t dice = seed;
      void *copy = NULL;
      mlbf_window_stats stats, again;
      void *tested = create(
        calls[c], (mlbf_window_options){
                    .unit = MLBF_WINDOW_INSERTIONS, .window = 3000, .rate = 0.05, .profile = "strict", .seed = 1});
      for (int i = 0; i < 20000; i++) {
        uint64_t id = skewed(&dice);
        bool was_seen, copy_saw;
        if (i == 10000) {
          assert_int_equal(calls[c]->save(tested, file), MLBF_OK);
          assert_int_equal((is_mapped ? calls[c]->map : calls[c]->load)(file, &copy), MLBF_OK);
        }
        if (i == 15000)
          assert_int_equal(calls[c]->verify(copy), MLBF_OK);
        assert_int_equal(calls[c]->insert(tested, span_of(&id), 0, &was_seen), MLBF_OK);
        if (i >= 10000) {
          assert_int_equal(calls[c]->insert(copy, span_of(&id), 0, &copy_saw), MLBF_OK);
          assert_int_equal(was_seen, copy_saw);
        }
      }
      calls[c]->stats(tested, &stats);
      calls[c]->stats(copy, &again);
      assert_string_equal(again.profile, "strict");
      stats.profile = again.profile;
      assert_memory_equal(&stats, &again, sizeof stats);
      calls[c]->free(tested);
      calls[c]->free(copy);
    }
}

CASE(a_damaged_file_is_noticed)
{
  for (int c = 0; c < CALLS_COUNT; c++) {
    void *tested = create(calls[c], (mlbf_window_options){
                                      .unit = MLBF_WINDOW_INSERTIONS, .window = 500, .rate = 0.01, .seed = 1});
    size_t size;
    assert_int_equal(calls[c]->save(tested, file), MLBF_OK);
    calls[c]->free(tested);
    char *bytes = scratch_read(file, &size);
    for (size_t at = 0; at < size; at += at < 300 || at > size - 16 ? 1 : 37) {
      bytes[at] ^= 4;
      scratch_write(file, bytes, size);
      mlbf_status status = calls[c]->load(file, &tested);
      assert_int_equal(status, at < 8 ? MLBF_NOT_A_FILTER : at < 16 ? MLBF_VERSION : MLBF_DAMAGED);
      bytes[at] ^= 4;
    }
    scratch_write(file, bytes, size - 1);
    assert_int_equal(calls[c]->load(file, &tested), MLBF_DAMAGED);
    free(bytes);
    assert_int_equal(calls[c]->load("/nowhere/at/all", &tested), MLBF_IO);
  }
}

/* A map opens all the same, says so when it meets the damage, and saves nothing. */
CASE(a_map_meets_the_damage)
{
  for (int c = 0; c < CALLS_COUNT; c++) {
    void *tested = create(calls[c], (mlbf_window_options){
                                      .unit = MLBF_WINDOW_INSERTIONS, .window = 500, .rate = 0.01, .seed = 1});
    size_t size;
    uint64_t id = 1;
    bool is_seen = true;
    assert_int_equal(calls[c]->save(tested, file), MLBF_OK);
    calls[c]->free(tested);
    char *bytes = scratch_read(file, &size);
    bytes[4200] ^= 1;
    scratch_write(file, bytes, size);
    free(bytes);
    assert_int_equal(calls[c]->map(file, &tested), MLBF_OK);
    assert_int_equal(calls[c]->test(tested, span_of(&id), 0, &is_seen), MLBF_DAMAGED);
    assert_int_equal(calls[c]->insert(tested, span_of(&id), 0, &is_seen), MLBF_DAMAGED);
    assert_true(is_seen);
    assert_int_equal(calls[c]->save(tested, file), MLBF_DAMAGED);
    assert_int_equal(calls[c]->verify(tested), MLBF_DAMAGED);
    calls[c]->free(tested);
  }
}

CASE(absurd_geometry_is_refused)
{
  static const mlbf_window_options rows[] = {
    {.unit = MLBF_WINDOW_INSERTIONS, .rate = 0.01, .seed = 1},
    {.window = 5, .rate = 0.01},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = 5, .seed = 1},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = 5, .rate = 1, .seed = 1},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = 5, .rate = 0.5, .bits = 5, .seed = 1},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = 5, .rate = 0.5, .hashes = 33, .seed = 1},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = UINT64_MAX, .rate = 0.5, .seed = 1},
    {.unit = MLBF_WINDOW_INSERTIONS, .window = 1u << 30, .bits = 40, .seed = 1},
    {.unit = MLBF_WINDOW_MS, .window = 5, .rate = 0.5, .seed = 1},
    {.unit = MLBF_WINDOW_MS, .window = 5, .keys = 5, .bits = UINT64_MAX, .seed = 1},
    {.unit = MLBF_WINDOW_MS, .window = 5, .keys = UINT64_C(1) << 40, .rate = 1e-300, .seed = 1},
  };
  for (int c = 0; c < CALLS_COUNT; c++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      void *tested = NULL;
      assert_int_equal(calls[c]->create(&rows[i], &tested), MLBF_BAD_ARGUMENT);
    }
}

static int prepare(void **state)
{
  (void)state;
  insertions = test_times((unsigned)insertions);
  seed = random_seed_or(seed);
  scratch_make_fast(directory);
  scratch_join(directory, "window", file);
  return 0;
}

static int clear(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clear)
