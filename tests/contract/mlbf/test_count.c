/* Counting filters against exact counts: never too low before they saturate, seldom too high. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/one_key.h"
#include "mlbf/count.h"
#include "tests/support/scratch.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

enum { KEYS = 5000 };

static uint64_t seed = 1;
static char directory[SCRATCH_PATH], file[SCRATCH_PATH];

static mlbf_span span_of(const uint64_t *id)
{
  return (mlbf_span){id, sizeof *id};
}

/* What a row of a test does not set, but for H1. */
static mlbf_count_options completed(mlbf_count_options options)
{
  mlbf_count_options usual = MLBF_COUNT_OPTIONS_DEFAULT;
  options.size = usual.size;
  options.base_bits = options.base_bits ? options.base_bits : usual.base_bits;
  options.limit = options.limit ? options.limit : usual.limit;
  return options;
}

static mlbf_count *create(mlbf_count_options options)
{
  mlbf_count *count = NULL;
  options = completed(options);
  options.seed = seed;
  assert_int_equal(mlbf_count_create(&options, &count), MLBF_OK);
  return count;
}

static uint32_t get(const mlbf_count *count, uint64_t id)
{
  uint32_t times = UINT32_MAX;
  times = mlbf_count_get(count, span_of(&id));
  return times;
}

static uint32_t add(mlbf_count *count, uint64_t id, uint32_t times)
{
  uint32_t now = 0;
  assert_int_equal(mlbf_count_add(count, span_of(&id), times, &now), MLBF_OK);
  return now;
}

/* Additions as links come: most keys once, some thousands of times. */
static void add_skewed(mlbf_count *count, uint64_t additions, uint64_t dice, uint64_t exact[KEYS])
{
  for (uint64_t i = 0; i < additions; i++) {
    double x = random_share(&dice);
    uint64_t id = (uint64_t)(KEYS * x * x * x) % KEYS;
    uint32_t times = random_one_in(&dice, 50) ? random_below(&dice, 9) + 1 : 1;
    add(count, id, times);
    exact[id] += times;
  }
}

/* Keys whose count is too high; none may be too low. */
static uint64_t count_wrong(const mlbf_count *count, const uint64_t exact[KEYS], uint64_t limit)
{
  uint64_t wrong = 0;
  for (uint64_t id = 0; id < KEYS; id++) {
    uint64_t least = exact[id] < limit ? exact[id] : limit;
    assert_in_range(get(count, id), least, limit);
    wrong += get(count, id) > least;
  }
  return wrong;
}

CASE(counts_are_never_too_low)
{
  static const uint32_t bases[] = {1, 2, 4, 5}, limits[] = {31, 300, 65535};
  for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++)
      for (int minimal = 0; minimal < 2; minimal++) {
        uint64_t exact[KEYS] = {0}, dice = seed + l;
        mlbf_count *count = create((mlbf_count_options){
          .keys = KEYS, .rate = 0.02, .base_bits = bases[b], .limit = limits[l], .minimal = minimal, .seed = 1});
        add_skewed(count, 20000, dice, exact);
        uint64_t wrong = count_wrong(count, exact, limits[l]);
        assert_true((double)wrong <= (0.02 * KEYS + 5 * sqrt(0.02 * KEYS)) / (minimal ? 1.3 : 1));
        mlbf_count_free(count);
      }
}

/* A body of some MiB, whose parts end where no block does. */
CASE(a_file_of_many_blocks)
{
  uint64_t exact[KEYS] = {0};
  mlbf_count *count = create((mlbf_count_options){.keys = KEYS, .cells = 7000000, .hashes = 3, .base_bits = 2});
  mlbf_count *loaded = NULL;
  add_skewed(count, 20000, seed, exact);
  assert_int_equal(mlbf_count_save(count, file), MLBF_OK);
  assert_int_equal(mlbf_count_load(file, NULL, &loaded), MLBF_OK);
  assert_int_equal(count_wrong(loaded, exact, 65535), 0);
  mlbf_count_free(count);
  mlbf_count_free(loaded);
}

/* Table 2 of the paper: cells 1, 1, 0 and a key that comes up to four times. */
CASE(the_table_of_the_paper)
{
  static const uint32_t intuitive[5][3] = {{1, 1, 0}, {2, 2, 1}, {3, 3, 2}, {4, 4, 3}, {5, 5, 4}};
  static const uint32_t refined[5][3] = {{1, 1, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  static const uint64_t places[3] = {10, 20, 30};
  for (int minimal = 0; minimal < 2; minimal++) {
    uint32_t now;
    mlbf_count *count = create((mlbf_count_options){
      .keys = 10, .cells = 64, .hashes = 3, .minimal = minimal, .seed = 1});
    mlbf_count_add_at(count, &places[0], 1, 1, &now);
    mlbf_count_add_at(count, &places[1], 1, 1, &now);
    for (int times = 0; times < 5; times++) {
      for (int i = 0; i < 3; i++) {
        now = mlbf_count_get_at(count, &places[i], 1);
        assert_int_equal(now, (minimal ? refined : intuitive)[times][i]);
      }
      mlbf_count_add_at(count, places, 3, 1, &now);
    }
    mlbf_count_free(count);
  }
}

CASE(equal_places_of_one_key_count_once)
{
  static const uint64_t places[4] = {7, 9, 7, 7};
  uint32_t now;
  mlbf_count *count = create((mlbf_count_options){.keys = 10, .cells = 64, .hashes = 4, .seed = 1});
  assert_int_equal(mlbf_count_add_at(count, places, 4, 1, &now), MLBF_OK);
  now = mlbf_count_get_at(count, places, 1);
  assert_int_equal(now, 1);
  mlbf_count_free(count);
}

CASE(a_count_at_its_limit_stays_there)
{
  uint64_t id = 7;
  mlbf_count *count = create((mlbf_count_options){.keys = 10, .rate = 0.01, .limit = 31, .seed = 1});
  add(count, id, 4);
  assert_int_equal(get(count, id), 4);
  for (int i = 0; i < 2; i++) {
    add(count, id, 100);
    assert_int_equal(get(count, id), 31);
  }
  mlbf_count_free(count);
}

CASE(merged_counts_are_those_of_both)
{
  static const uint32_t limits[] = {31, 65535};
  for (int i = 0; i < 4; i++) {
    uint64_t exact[KEYS] = {0};
    mlbf_count_options options = {.keys = KEYS, .rate = 0.01, .limit = limits[i / 2], .minimal = i % 2, .seed = 1};
    mlbf_count *a = create(options), *b = create(options);
    add_skewed(a, 10000, seed, exact);
    add_skewed(b, 15000, seed + 1, exact);
    assert_int_equal(mlbf_count_merge(a, b), MLBF_OK);
    assert_true(count_wrong(a, exact, limits[i / 2]) < KEYS / 20);
    mlbf_count_free(a);
    mlbf_count_free(b);
  }
}

CASE(different_filters_do_not_merge)
{
  static const mlbf_count_options rows[] = {
    {.keys = 10, .cells = 101, .hashes = 3, .seed = 1},
    {.keys = 10, .cells = 100, .hashes = 4, .seed = 1},
    {.keys = 10, .cells = 100, .hashes = 3, .limit = 31, .seed = 1},
    {.keys = 10, .cells = 100, .hashes = 3, .base_bits = 4, .seed = 1},
    {.keys = 10, .cells = 100, .hashes = 3, .minimal = true, .seed = 1},
    {.keys = 10, .cells = 100, .hashes = 3, .profile = "no-www", .seed = 1},
  };
  mlbf_count *into = create((mlbf_count_options){.keys = 10, .cells = 100, .hashes = 3, .seed = 1}), *delta;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_count *from = create(rows[i]);
    add(from, 1, 1);
    assert_int_equal(mlbf_count_merge(into, from), MLBF_MISMATCH);
    assert_int_equal(mlbf_count_difference(from, into, &delta), MLBF_MISMATCH);
    assert_int_equal(get(into, 1), 0);
    mlbf_count_free(from);
  }
  mlbf_count_free(into);
}

/* A server's filter today = its filter of yesterday + what it sends. Saturated cells too. */
CASE(a_delta_makes_the_later_filter_of_the_earlier)
{
  for (int minimal = 0; minimal < 2; minimal++) {
    uint64_t exact[KEYS] = {0};
    mlbf_count_options options = {.keys = KEYS, .rate = 0.05, .limit = 31, .minimal = minimal, .seed = 1};
    mlbf_count *server = create(options), *client = NULL, *delta = NULL;
    mlbf_count_stats stats;
    add_skewed(server, 10000, seed, exact);
    assert_int_equal(mlbf_count_save(server, file), MLBF_OK);
    assert_int_equal(mlbf_count_load(file, NULL, &client), MLBF_OK);
    add_skewed(server, 3000, seed + 1, exact);
    assert_int_equal(mlbf_count_difference(client, server, &delta), MLBF_MISMATCH);
    assert_int_equal(mlbf_count_difference(server, client, &delta), MLBF_OK);
    assert_int_equal(mlbf_count_save(delta, file), MLBF_OK); /* it travels */
    mlbf_count_free(delta);
    assert_int_equal(mlbf_count_load(file, NULL, &delta), MLBF_OK);
    assert_int_equal(mlbf_count_merge(client, delta), MLBF_OK);
    mlbf_count_stats_read(server, &stats);
    for (uint64_t cell = 0; cell < stats.cells; cell++) {
      uint32_t theirs, ours;
      theirs = mlbf_count_get_at(server, &cell, 1);
      ours = mlbf_count_get_at(client, &cell, 1);
      assert_int_equal(ours, theirs);
    }
    mlbf_count_free(server);
    mlbf_count_free(client);
    mlbf_count_free(delta);
  }
}

/* One key on cells 0 and 1, another on 0 and 5, which was there before. */
static mlbf_count *begin_shared(bool minimal)
{
  static const uint64_t other[] = {0, 5};
  uint32_t now;
  mlbf_count *count = create((mlbf_count_options){.keys = 10, .cells = 10, .hashes = 2, .minimal = minimal, .seed = 1});
  assert_int_equal(mlbf_count_add_at(count, other, 2, 10, &now), MLBF_OK);
  return count;
}

/* Two clients begin with a server's filter, and it takes what came to each: without H1 all is counted, with it a cell
 * that was high already hides what came. The sum of whole filters hides nothing. */
CASE(deltas_of_two_clients_are_no_sum_with_h1)
{
  static const uint64_t shared[] = {0, 1};
  for (int minimal = 0; minimal < 2; minimal++) {
    mlbf_count *server = begin_shared(minimal), *clients[2], *deltas[2];
    uint32_t now;
    for (int i = 0; i < 2; i++) {
      clients[i] = begin_shared(minimal);
      assert_int_equal(mlbf_count_add_at(clients[i], shared, 2, i ? 4 : 10, &now), MLBF_OK);
      assert_int_equal(mlbf_count_difference(clients[i], server, &deltas[i]), MLBF_OK);
    }
    for (int i = 0; i < 2; i++)
      assert_int_equal(mlbf_count_merge(server, deltas[i]), MLBF_OK);
    now = mlbf_count_get_at(server, shared, 2);
    assert_int_equal(now, minimal ? 10 : 14);
    assert_int_equal(mlbf_count_merge(clients[0], clients[1]), MLBF_OK);
    now = mlbf_count_get_at(clients[0], shared, 2);
    assert_int_equal(now, 14);
    for (int i = 0; i < 2; i++) {
      mlbf_count_free(clients[i]);
      mlbf_count_free(deltas[i]);
    }
    mlbf_count_free(server);
  }
}

CASE(a_saved_filter_goes_on)
{
  uint64_t exact[KEYS] = {0}, again[KEYS] = {0};
  mlbf_count *count = create((mlbf_count_options){
    .keys = KEYS, .rate = 0.02, .minimal = true, .profile = "p", .seed = 1});
  mlbf_count *copy = NULL;
  mlbf_count_stats stats;
  add_skewed(count, 20000, seed, exact);
  assert_int_equal(mlbf_count_save(count, file), MLBF_OK);
  assert_int_equal(mlbf_count_load(file, NULL, &copy), MLBF_OK);
  add_skewed(count, 20000, seed + 1, exact);
  add_skewed(copy, 20000, seed + 1, again);
  for (uint64_t id = 0; id < KEYS; id++)
    assert_int_equal(get(count, id), get(copy, id));
  mlbf_count_stats_read(copy, &stats);
  assert_string_equal(stats.profile, "p");
  assert_true(stats.overflows > 0 && stats.bits < stats.plain_bits);
  mlbf_count_free(count);
  mlbf_count_free(copy);
}

CASE(damage_is_noticed)
{
  uint64_t exact[KEYS] = {0};
  size_t size;
  mlbf_count *count = create((mlbf_count_options){.keys = 100, .rate = 0.02, .seed = 1});
  add_skewed(count, 300, seed, exact);
  assert_int_equal(mlbf_count_save(count, file), MLBF_OK);
  mlbf_count_free(count);
  char *bytes = scratch_read(file, &size);
  for (size_t at = 0; at < size; at += at < 300 || at > 4096 ? 1 : 97) {
    bytes[at] ^= 1;
    scratch_write(file, bytes, size);
    mlbf_status status = mlbf_count_load(file, NULL, &count);
    assert_int_equal(status, at < 8 ? MLBF_NOT_A_FILTER : at < 16 ? MLBF_VERSION : MLBF_DAMAGED);
    bytes[at] ^= 1;
  }
  bytes[4100] ^= 1;
  scratch_write(file, bytes, size);
  free(bytes);
  assert_int_equal(mlbf_count_load(file, NULL, &count), MLBF_DAMAGED);
}

CASE(absurd_geometry_is_refused)
{
  static const mlbf_count_options rows[] = {
    {.keys = 0, .rate = 0.1, .seed = 1},
    {.keys = 10, .seed = 1},
    {.keys = 10, .rate = 1, .seed = 1},
    {.keys = 10, .rate = 0.1, .cells = 100, .seed = 1},
    {.keys = 10, .rate = 0.1, .hashes = 33, .seed = 1},
    {.keys = 10, .rate = 0.1, .base_bits = 16, .seed = 1},
    {.keys = 10, .rate = 0.1, .limit = 65536, .seed = 1},
    {.keys = 10, .rate = 0.1, .base_bits = 6, .limit = 31, .seed = 1},
    {.keys = UINT64_MAX, .rate = 1e-9, .seed = 1},
    {.keys = 10, .cells = UINT64_MAX, .seed = 1},
  };
  mlbf_count *count;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mlbf_count_options options = completed(rows[i]);
    assert_int_equal(mlbf_count_create(&options, &count), MLBF_BAD_ARGUMENT);
  }
  for (int i = 0; i < 3; i++) { /* a zero is a zero */
    mlbf_count_options options = MLBF_COUNT_OPTIONS_DEFAULT;
    options.size *= i != 0;
    options.base_bits *= i != 1;
    options.limit *= i != 2;
    assert_int_equal(mlbf_count_create(&options, &count), MLBF_BAD_ARGUMENT);
  }
}

static int prepare(void **state)
{
  (void)state;
  seed = random_seed_or(seed);
  scratch_make_fast(directory);
  scratch_join(directory, "count", file);
  return 0;
}

static int clear(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clear)
