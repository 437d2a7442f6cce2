#include "bench/filter_threads.h"

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

static double now_ns(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

typedef struct worker {
  pthread_t thread;
  pthread_barrier_t *barrier;
  mlbf_filter *filter;
  const mlbf_key *keys;
  size_t count;
  double start, end, processor;
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
  its->start = now_ns(CLOCK_MONOTONIC);
  insert(its->filter, its->keys, its->count);
  its->end = now_ns(CLOCK_MONOTONIC);
  its->processor = now_ns(CLOCK_THREAD_CPUTIME_ID);
  return NULL;
}

/* From the first start to the last end; and the processor time of the thread that took most, which is what the others
 * on a busy machine do not stretch. */
typedef struct spent {
  double wall, processor;
} spent;

static spent run_threads(mlbf_filter *filter, const mlbf_key *keys, size_t count, size_t threads)
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
  double start = 0, end = 0, processor = 0;
  for (size_t i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    start = i == 0 || workers[i].start < start ? workers[i].start : start;
    end = workers[i].end > end ? workers[i].end : end;
    processor = workers[i].processor > processor ? workers[i].processor : processor;
  }
  pthread_barrier_destroy(&barrier);
  return (spent){(end - start) / (double)count, processor / (double)count};
}

static spent take_turn(const mlbf_key *keys, const mlbf_key *mixed, size_t count, mlbf_kind kind, double rate,
                       size_t threads)
{
  mlbf_filter *filter = bench_filter(kind, kind == MLBF_KIND_MLBF, count, rate, 0);
  if (mixed)
    insert(filter, keys, count / 2);
  if (threads > 1 && mlbf_share(filter) != MLBF_OK)
    opponent_need(NULL);
  spent time = run_threads(filter, mixed ? mixed : keys, count, threads);
  mlbf_free(filter);
  return time;
}

static void bench_kind(const mlbf_key *keys, const mlbf_key *mixed, size_t count, mlbf_kind kind, double rate,
                       size_t rounds)
{
  double wall[THREADS][TURNS_MAX], processor[THREADS][TURNS_MAX];
  for (size_t i = 0; i < rounds; i++)
    for (size_t t = 0; t < THREADS; t++) {
      spent time = take_turn(keys, mixed, count, kind, rate, t + 1);
      wall[t][i] = time.wall;
      processor[t][i] = time.processor;
    }
  double one = median(wall[0], rounds), two = median(wall[1], rounds);
  printf("  threads, %-12s %s  one, unshared %5.1f M/s  two, shared %5.1f M/s  ratio %.2f, by processor time %.2f\n",
         kind == MLBF_KIND_MLBF ? "mlbf signals" : "line", mixed ? "half new" : "all new ", 1e3 / one, 1e3 / two,
         one / two, median(processor[0], rounds) / median(processor[1], rounds));
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
