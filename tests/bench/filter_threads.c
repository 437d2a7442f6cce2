#include "tests/bench/filter_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2, TURNS_MAX = 99 };

/* Every second one is of the first half, which is in the filter already. */
static mlbf_key *mix(const mlbf_key *keys, size_t count)
{
  mlbf_key *mixed = opponent_need(malloc(count * sizeof *mixed));
  for (size_t i = 0; i < count; i++)
    mixed[i] = keys[i % 2 ? count / 2 + i / 2 : i / 2];
  return mixed;
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

static double take_turn(const mlbf_key *keys, const mlbf_key *mixed, size_t count, mlbf_kind kind, double rate,
                        size_t threads)
{
  mlbf_filter *filter = bench_filter(kind, kind == MLBF_KIND_MLBF, count, rate, 0);
  if (mixed)
    insert(filter, keys, count / 2);
  if (threads > 1 && mlbf_share(filter) != MLBF_OK)
    opponent_need(NULL);
  double ns = run_threads(filter, mixed ? mixed : keys, count, threads);
  mlbf_free(filter);
  return ns / (double)count;
}

static void bench_kind(const mlbf_key *keys, const mlbf_key *mixed, size_t count, mlbf_kind kind, double rate,
                       size_t rounds)
{
  double one[TURNS_MAX], two[TURNS_MAX];
  for (size_t i = 0; i < rounds; i++) {
    one[i] = take_turn(keys, mixed, count, kind, rate, 1);
    two[i] = take_turn(keys, mixed, count, kind, rate, THREADS);
  }
  double alone = median(one, rounds), both = median(two, rounds);
  printf("  threads, %-12s %s  one, unshared %6.1f M/s   two, shared %6.1f M/s   ratio %.2f\n",
         kind == MLBF_KIND_MLBF ? "mlbf signals" : "line", mixed ? "half new" : "all new ", 1e3 / alone, 1e3 / both,
         alone / both);
}

void bench_threads(const url_keys *all, double rate, size_t rounds)
{
  const size_t count = all->count / 2 * 2;
  for (int is_layered = 0; is_layered < 2; is_layered++) {
    const mlbf_kind kind = is_layered ? MLBF_KIND_MLBF : MLBF_KIND_LINE;
    const mlbf_key *of = is_layered ? all->layered : all->whole;
    mlbf_key *mixed = mix(of, count);
    bench_kind(of, NULL, count, kind, rate, rounds);
    bench_kind(of, mixed, count, kind, rate, rounds);
    free(mixed);
  }
}
