/* Many threads, one filter: for each key exactly one hears "new", or none at the filter's rate. Compiled with SCALAR,
 * too: then lines are not changed by vector instructions, so that sanitizers see every access. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SCALAR
#include "mlbf/filter/inside.h"
#include "mlbf/filter/line.h"
#else
#include "mlbf/filter.h"
#endif
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
enum { KEYS = 5000 };
#else
enum { KEYS = 100000 };
#endif
enum { THREADS = 16 };

typedef struct crowd {
  mlbf_filter *filter;
  unsigned *new_count; /* a key: how many threads heard "new" */
  pthread_barrier_t begin;
  unsigned full_count, false_news, next_thread;
} crowd;

static mlbf_hashes hashes_of(const mlbf_filter *filter, unsigned id)
{
  char host[16], file[16];
  mlbf_span segments[] = {{host, (size_t)snprintf(host, sizeof host, "h%u", id / 8)},
                          {file, (size_t)snprintf(file, sizeof file, "/%u", id)}};
  mlbf_hashes hashes;
  mlbf_hash(filter, segments, 2, &hashes);
  return hashes;
}

static void note(crowd *all, unsigned id, mlbf_status status, mlbf_verdict verdict)
{
  if (verdict.outcome != MLBF_SEEN)
    __atomic_fetch_add(&all->new_count[id], 1, __ATOMIC_RELAXED);
  if (status == MLBF_FULL)
    __atomic_fetch_add(&all->full_count, 1, __ATOMIC_RELAXED);
}

/* Every thread inserts every key, neighbours in nearly the same order, some one by one and some in batches; and what
 * it inserted it must find. */
static void *run(void *argument)
{
  crowd *all = argument;
  unsigned thread = __atomic_fetch_add(&all->next_thread, 1, __ATOMIC_RELAXED);
  enum { BATCH = 600 }; /* more than are sorted by lock at once */
  pthread_barrier_wait(&all->begin);
  for (unsigned i = 0; i < KEYS; i += BATCH) {
    mlbf_hashes hashes[BATCH];
    mlbf_verdict verdicts[BATCH];
    for (unsigned j = 0; j < BATCH; j++)
      hashes[j] = hashes_of(all->filter, (i + j + thread / 4 * 10) % KEYS);
    mlbf_status status = MLBF_OK;
    if (thread % 2)
      status = mlbf_insert_many(all->filter, hashes, BATCH, verdicts);
    for (unsigned j = 0; j < BATCH; j++) {
      if (thread % 2 == 0)
        status = mlbf_insert(all->filter, &hashes[j], &verdicts[j]);
      note(all, (i + j + thread / 4 * 10) % KEYS, thread % 2 && j ? MLBF_OK : status, verdicts[j]);
      if (mlbf_test(all->filter, &hashes[j]).outcome != MLBF_SEEN)
        __atomic_fetch_add(&all->false_news, 1, __ATOMIC_RELAXED);
    }
    if (thread == 0)
      mlbf_rate(all->filter); /* counters are readable meanwhile */
  }
  return NULL;
}

CASE(no_two_threads_hear_new_for_one_key)
{
  static const mlbf_options rows[] = {
#ifndef SCALAR
    {.kind = MLBF_KIND_BLOOM, .rate = 0.01, .seed = 1},
#endif
    {.kind = MLBF_KIND_LINE, .rate = 0.01, .seed = 1},
    {.kind = MLBF_KIND_LINE, .rate = 0.002, .seed = 1},
    {.kind = MLBF_KIND_LINE, .rate = 1e-4, .seed = 1},
    {.kind = MLBF_KIND_MLBF, .rate = 0.01, .seed = 1},
    {.kind = MLBF_KIND_MLBF, .rate = 0.01, .signals = true, .seed = 1},
  };
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    mlbf_options options = rows[row];
    options.keys = KEYS / 2; /* so that the design load is passed on the way */
    options.rate /= 10;      /* and the rate at the end is still near this */
    crowd all = {.new_count = calloc(KEYS, sizeof *all.new_count)};
    pthread_t threads[THREADS];
    assert_int_equal(mlbf_create(&options, &all.filter), MLBF_OK);
    assert_int_equal(mlbf_share(all.filter), MLBF_OK);
#ifdef SCALAR
    all.filter->arrays[0].path = &mlbf_line_scalar;
#endif
    assert_int_equal(pthread_barrier_init(&all.begin, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
      assert_int_equal(pthread_create(&threads[i], NULL, run, &all), 0);
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    unsigned none = 0, twice = 0;
    for (unsigned id = 0; id < KEYS; id++) {
      none += all.new_count[id] == 0;
      twice += all.new_count[id] > 1;
    }
    mlbf_stats stats;
    mlbf_stats_read(all.filter, &stats);
    print_message("%s: %u keys nobody called new, %u twice, rate at the end %g\n", mlbf_kind_name(options.kind), none,
                  twice, mlbf_rate(all.filter));
    assert_int_equal(twice, 0);
    assert_int_equal(all.false_news, 0);
    assert_int_equal(all.full_count, 1);
    assert_int_equal(stats.keys, KEYS - none);
    assert_true(none <= 1.1 * mlbf_rate(all.filter) * KEYS + 5);
    pthread_barrier_destroy(&all.begin);
    free(all.new_count);
    mlbf_free(all.filter);
  }
}

/* The same run on an unshared copy of the idea would fail; that the test can fail is shown by what it counts: a key
 * inserted by two filters is new twice. */
CASE(the_count_notices_a_key_called_new_twice)
{
  mlbf_options options = {.kind = MLBF_KIND_LINE, .keys = 100, .rate = 0.01, .seed = 1};
  unsigned counts[1] = {0};
  crowd all = {.new_count = counts};
  for (int i = 0; i < 2; i++) {
    mlbf_filter *filter = NULL;
    mlbf_verdict verdict;
    assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
    mlbf_hashes hashes = hashes_of(filter, 0);
    mlbf_status status = mlbf_insert(filter, &hashes, &verdict);
    note(&all, 0, status, verdict);
    mlbf_free(filter);
  }
  assert_int_equal(counts[0], 2);
}

CASE(sharing_gives_the_same_bits)
{
  mlbf_options options = {.kind = MLBF_KIND_MLBF, .keys = KEYS, .rate = 0.001, .signals = true, .seed = 1};
  mlbf_filter *one = NULL, *other = NULL;
  assert_int_equal(mlbf_create(&options, &one), MLBF_OK);
  assert_int_equal(mlbf_create(&options, &other), MLBF_OK);
  assert_int_equal(mlbf_share(other), MLBF_OK);
  assert_int_equal(mlbf_share(other), MLBF_OK);
  for (unsigned id = 0; id < KEYS; id++) {
    mlbf_hashes hashes = hashes_of(one, id);
    mlbf_verdict a, b;
    mlbf_insert(one, &hashes, &a);
    mlbf_insert(other, &hashes, &b);
    assert_true(a.outcome == b.outcome && a.layer == b.layer);
  }
  for (unsigned id = KEYS; id < 3 * KEYS; id++) {
    mlbf_hashes hashes = hashes_of(one, id);
    mlbf_verdict a = mlbf_test(one, &hashes), b = mlbf_test(other, &hashes);
    assert_true(a.outcome == b.outcome && a.layer == b.layer);
  }
  mlbf_free(one);
  mlbf_free(other);
}

/* Keys by number, each text and list of segments of its own. */
typedef struct key_list {
  char text[2][24];
  mlbf_span segments[2];
} key_list;

static void make_keys(key_list *list, mlbf_key *keys, size_t count, unsigned first)
{
  for (size_t i = 0; i < count; i++) {
    unsigned id = first + (unsigned)(i % (count - count / 8)); /* the last eighth are the first ones again */
    list[i].segments[0] = (mlbf_span){list[i].text[0], (size_t)snprintf(list[i].text[0], 24, "h%u", id / 8)};
    list[i].segments[1] = (mlbf_span){list[i].text[1], (size_t)snprintf(list[i].text[1], 24, "/%u", id)};
    keys[i] = (mlbf_key){list[i].segments, 2};
  }
}

/* The bits that a file has, and the numbers, of which segments are counted a thousand keys at a time. */
static void assert_same_filter(const mlbf_filter *one, const mlbf_filter *other)
{
  enum { HEADER = 4096 };
  const mlbf_filter *const both[] = {one, other};
  mlbf_stats stats[2];
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], *bytes[2];
  size_t sizes[2];
  scratch_make_fast(directory);
  scratch_join(directory, "filter", path);
  for (int i = 0; i < 2; i++) {
    mlbf_stats_read(both[i], &stats[i]);
    assert_int_equal(mlbf_save(both[i], path), MLBF_OK);
    bytes[i] = scratch_read(path, &sizes[i]);
  }
  scratch_remove(directory);
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(bytes[0] + HEADER, bytes[1] + HEADER, sizes[0] - HEADER);
  for (int i = 0; i < MLBF_LAYERS_MAX; i++) {
    double distinct = stats[0].layer_distinct[i];
    assert_true(fabs(distinct - stats[1].layer_distinct[i]) <= 0.01 * distinct);
    stats[0].layer_distinct[i] = stats[1].layer_distinct[i];
  }
  assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
  free(bytes[0]);
  free(bytes[1]);
}

/* One thread, batches of many sizes with keys twice in them: a shared filter sorts keys, and answers in their order. */
CASE(shared_batches_answer_as_unshared_ones)
{
  enum { MOST = 4000 };
  static const mlbf_options rows[] = {
    {.kind = MLBF_KIND_BLOOM, .rate = 0.01},
    {.kind = MLBF_KIND_LINE, .rate = 0.01},
    {.kind = MLBF_KIND_LINE, .rate = 1e-5},
    {.kind = MLBF_KIND_MLBF, .rate = 0.01},
    {.kind = MLBF_KIND_MLBF, .rate = 1e-6, .signals = true},
  };
  static key_list list[MOST];
  static mlbf_key keys[MOST];
  static mlbf_verdict a[MOST], b[MOST];
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    mlbf_options options = rows[row];
    mlbf_filter *one = NULL, *other = NULL;
    options.keys = 10000;
    options.seed = 1;
    assert_int_equal(mlbf_create(&options, &one), MLBF_OK);
    assert_int_equal(mlbf_create(&options, &other), MLBF_OK);
    assert_int_equal(mlbf_share(other), MLBF_OK);
    unsigned first = 0;
    for (size_t size = 1; size <= MOST; first += (unsigned)size / 2, size = size * 3 / 2 + 1) {
      make_keys(list, keys, size, first);
      assert_int_equal(mlbf_insert_keys(one, keys, size, a), mlbf_insert_keys(other, keys, size, b));
      assert_memory_equal(a, b, size * sizeof *a);
      mlbf_test_keys(other, keys, size, b);
      for (size_t i = 0; i < size; i++)
        assert_int_equal(b[i].outcome, MLBF_SEEN);
    }
    assert_same_filter(one, other);
    mlbf_free(one);
    mlbf_free(other);
  }
}

CASE(the_papers_kinds_are_not_shared)
{
  mlbf_options options = {.kind = MLBF_KIND_MLBF_PAPER, .keys = 100, .rate = 0.1};
  mlbf_filter *filter = NULL;
  assert_int_equal(mlbf_create(&options, &filter), MLBF_OK);
  assert_int_equal(mlbf_share(filter), MLBF_BAD_ARGUMENT);
  mlbf_free(filter);
}
