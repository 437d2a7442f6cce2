#include "tests/bench/filter_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/filter_contenders.h"

enum { THREADS = 2, TURNS_MAX = 99 };

/* Keys cut before the clock starts: in the order of the list, and a stream in which every second one is of the first
 * half, which is in the filter already. */
typedef struct stream {
  size_t count;
  mlbf_key *keys, *mixed;
  mlbf_span *spans;
} stream;

static stream stream_make(const url_list *list, size_t count, bool is_cut)
{
  stream made = {.count = count / 2 * 2};
  made.keys = opponent_need(malloc(count * sizeof *made.keys));
  made.mixed = opponent_need(malloc(count * sizeof *made.mixed));
  made.spans = opponent_need(malloc(count * (is_cut ? MLBF_LAYERS_MAX : 1) * sizeof *made.spans));
  mlbf_span *next = made.spans;
  for (size_t i = 0; i < made.count; i++) {
    const mlbf_span *text = &list->texts[i];
    made.keys[i] = (mlbf_key){next, 1};
    if (is_cut)
      made.keys[i].count = url_cut(text->bytes, text->size, next);
    else
      *next = *text;
    next += made.keys[i].count;
  }
  for (size_t old = 0, new = made.count / 2, i = 0; i < made.count; i++)
    made.mixed[i] = made.keys[i % 2 ? new ++ : old++];
  return made;
}

static void stream_free(stream *of)
{
  free(of->keys);
  free(of->mixed);
  free(of->spans);
}

static double wall_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct worker {
  pthread_t thread;
  pthread_barrier_t *barrier;
  mlbf_filter *filter;
  const mlbf_key *keys;
  size_t count;
  double start, end;
} worker;

static void insert(mlbf_filter *filter, const mlbf_key *keys, size_t count)
{
  mlbf_verdict verdicts[CHUNK_URLS];
  for (size_t i = 0; i < count; i += CHUNK_URLS)
    mlbf_insert_keys(filter, keys + i, count - i < CHUNK_URLS ? count - i : CHUNK_URLS, verdicts);
}

static void *work(void *argument)
{
  worker *its = argument;
  pthread_barrier_wait(its->barrier);
  its->start = wall_ns();
  insert(its->filter, its->keys, its->count);
  its->end = wall_ns();
  return NULL;
}

/* Nanoseconds from the first start to the last end. */
static double run_threads(mlbf_filter *filter, const mlbf_key *keys, size_t count, size_t threads)
{
  worker workers[THREADS];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (size_t i = 0; i < threads; i++) {
    size_t begin = count * i / threads, end = count * (i + 1) / threads;
    workers[i] = (worker){.barrier = &barrier, .filter = filter, .keys = keys + begin, .count = end - begin};
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      opponent_need(NULL);
  }
  double start = 0, end = 0;
  for (size_t i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    start = i == 0 || workers[i].start < start ? workers[i].start : start;
    end = workers[i].end > end ? workers[i].end : end;
  }
  pthread_barrier_destroy(&barrier);
  return end - start;
}

static double take_turn(const stream *of, mlbf_kind kind, double rate, bool is_mixed, size_t threads)
{
  mlbf_filter *filter = bench_filter(kind, kind == MLBF_KIND_MLBF, of->count, rate, 0);
  if (is_mixed)
    insert(filter, of->keys, of->count / 2);
  if (threads > 1 && mlbf_share(filter) != MLBF_OK)
    opponent_need(NULL);
  double ns = run_threads(filter, is_mixed ? of->mixed : of->keys, of->count, threads);
  mlbf_free(filter);
  return ns;
}

static void bench_kind(const url_list *list, size_t keys, mlbf_kind kind, double rate, size_t rounds)
{
  stream of = stream_make(list, keys, kind == MLBF_KIND_MLBF);
  for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
    double one[TURNS_MAX], two[TURNS_MAX];
    for (size_t i = 0; i < rounds; i++) {
      one[i] = take_turn(&of, kind, rate, is_mixed, 1);
      two[i] = take_turn(&of, kind, rate, is_mixed, THREADS);
    }
    double alone = median(one, rounds) / (double)of.count, both = median(two, rounds) / (double)of.count;
    printf("  threads, %-12s %s  one, unshared %6.1f M/s   two, shared %6.1f M/s   ratio %.2f\n",
           kind == MLBF_KIND_MLBF ? "mlbf signals" : "line", is_mixed ? "half new" : "all new ", 1e3 / alone,
           1e3 / both, alone / both);
  }
  stream_free(&of);
}

void bench_threads(const url_list *list, size_t keys, double rate, size_t rounds)
{
  bench_kind(list, keys, MLBF_KIND_LINE, rate, rounds);
  bench_kind(list, keys, MLBF_KIND_MLBF, rate, rounds);
}
