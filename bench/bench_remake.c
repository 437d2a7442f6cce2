/* What it costs to merge new keys into a filter file, and to make a larger one, in windows (mlbf/rebuild.h).
 *
 *     bench_remake [--keys N] [--dir DIR]        10^6, 10^7 ... up to N, default 10^8
 *
 * Filters are as a frontier's main one, at 7/8 of 1e-6 with signals; each key brings a hash and 1.33 segments, all
 * computed anew for each window, some 10 ns a key that reading a log costs as well. Merged: a 16th of the keys, into a
 * file that is full with them. Larger: 1.4 times, from all keys. Columns: nanoseconds of the processor (of this thread)
 * and bytes written for each key merged or made, the longest step, and anonymous memory. */
#include "mlbf/plan.h"
#include "mlbf/rebuild.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOT = 1000, WINDOWS = 8 };

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_remake: %s\n", what);
  exit(1);
}

static double now(clockid_t which)
{
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t anonymous(void)
{
  char line[256];
  unsigned long long kib = 0;
  FILE *status = fopen("/proc/self/status", "r");
  must(status != NULL, "/proc/self/status");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "RssAnon:", 8) == 0)
      kib = strtoull(line + 8, NULL, 10);
  fclose(status);
  return kib * 1024;
}

static mlbf_hash128 hash_of(uint64_t number)
{
  uint64_t x = number + 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (mlbf_hash128){x ^ x >> 31, x * 0xd1342543de82ef95};
}

static void give(mlbf_rebuild *r, uint64_t from, uint64_t to)
{
  mlbf_hash128 keys[LOT], segments[2 * LOT];
  uint32_t ends[LOT];
  uint8_t layers[2 * LOT];
  for (uint64_t at = from, next; at < to; at = next) {
    uint32_t end = 0;
    next = to - at < LOT ? to : at + LOT;
    for (uint64_t i = at; i < next; i++) {
      keys[i - at] = hash_of(i);
      segments[end] = hash_of(~i);
      layers[end++] = 4;
      segments[end] = hash_of(~i / 4);
      layers[end] = (uint8_t)(i % 9 / 3 + 1);
      end += i % 3 == 0;
      ends[i - at] = end;
    }
    mlbf_rebuild_hashes(r, &(mlbf_hashes){keys, ends, segments, layers}, next - at);
  }
}

static void run(const char *what, mlbf_filter *old, const mlbf_options *options, uint64_t from, uint64_t to,
                const char *path)
{
  mlbf_plan plan;
  mlbf_rebuild *r;
  mlbf_rebuild_need need = MLBF_REBUILD_STEP;
  must(mlbf_plan_make(options, &plan, NULL) == MLBF_OK, "the plan");
  double cpu = now(CLOCK_THREAD_CPUTIME_ID), began = now(CLOCK_MONOTONIC), longest = 0;
  uint64_t before = anonymous(), most = 0;
  must(mlbf_rebuild_begin(old, options, plan.bits / 8 / WINDOWS, path, &r) == MLBF_OK, path);
  while (need != MLBF_REBUILD_DONE) {
    double step = now(CLOCK_THREAD_CPUTIME_ID);
    must(mlbf_rebuild_step(r, 1 << 20, &need) == MLBF_OK, path);
    step = now(CLOCK_THREAD_CPUTIME_ID) - step;
    longest = step > longest ? step : longest;
    if (need == MLBF_REBUILD_KEYS) {
      give(r, from, to);
      most = anonymous() - before > most ? anonymous() - before : most;
      mlbf_rebuild_keys_end(r);
    }
  }
  double keys = (double)(to - from);
  printf("%-8s %12" PRIu64 " %12.0f %10.1f %12.1f %10.2f %10.1f %12.1f\n", what, to, keys,
         1e9 * (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / keys, (double)plan.bits / 8 / keys, 1e3 * longest,
         now(CLOCK_MONOTONIC) - began, (double)most / 1e6);
  fflush(stdout);
  mlbf_rebuild_end(r);
}

static void measure(uint64_t keys, const char *directory)
{
  char one[4096], two[4096];
  mlbf_filter *old;
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = MLBF_KIND_MLBF,
                          .keys = keys,
                          .rate = 1e-6 * 7 / 8,
                          .seed = 1,
                          .signals = true,
                          .profile = "strict"};
  snprintf(one, sizeof one, "%s/bench-remake.1", directory);
  snprintf(two, sizeof two, "%s/bench-remake.2", directory);
  run("made", NULL, &options, 0, keys - keys / 16, one);
  must(mlbf_map(one, NULL, &old) == MLBF_OK, one);
  run("merged", old, &options, keys - keys / 16, keys, two);
  mlbf_free(old);
  options.keys = keys / 5 * 7;
  run("larger", NULL, &options, 0, keys, two);
  unlink(one);
  unlink(two);
}

int main(int argc, char **argv)
{
  uint64_t keys = 100000000;
  const char *directory = ".";
  for (int i = 1; i < argc; i += 2) {
    must(i + 1 < argc, "usage: bench_remake [--keys N] [--dir DIR]");
    if (strcmp(argv[i], "--keys") == 0)
      keys = (uint64_t)strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--dir") == 0)
      directory = argv[i + 1];
    else
      must(false, "usage: bench_remake [--keys N] [--dir DIR]");
  }
  printf("%-8s %12s %12s %10s %12s %10s %10s %12s\n", "", "keys", "of them new", "ns a key", "bytes a key", "step, ms",
         "seconds", "memory, MB");
  for (uint64_t n = 1000000; n <= keys; n *= 10)
    measure(n, directory);
  return 0;
}
