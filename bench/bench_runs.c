/* What it costs to keep all keys sorted in runs (frontier/late/runs.h), and to ask them.
 *
 *     bench_runs [--keys N] [--dir DIR]        10^6, 10^7 ... up to N, default 10^7
 *
 * Keys come in commits of 8,192, and the steps that they make due are done after each. Columns: nanoseconds of the
 * processor to add a key, and for its steps (flushing and merging); bytes written for each key; the longest step, of
 * the processor's time and with waiting for the disk; files, and then, when nothing is left to be done; bytes a key of
 * these files; MB of memory at most. Look-ups, in ns each: a sixteenth of all keys, in order, 4,096 in a call, as a
 * pass asks, half of them known; and one at a time, known and not. */
#include "frontier/late/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COMMIT = 8192, BATCH = 4096, SINGLE = 20000 };

static char message[FRONTIER_MESSAGE_SIZE];

static void must(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "bench_runs: %s\n", what);
  exit(1);
}

static double now(clockid_t which)
{
  struct timespec t;
  clock_gettime(which, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
  return now(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t mix(uint64_t x)
{
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static mlbf_hash128 hash_of(uint64_t number)
{
  return (mlbf_hash128){mix(number + 0x9e3779b97f4a7c15), mix(2 * number + 1)};
}

typedef struct cost {
  double adding, steps, longest, waited; /* seconds */
  uint64_t memory;
} cost;

static void step(runs *r, cost *c)
{
  double took = cpu(), waited = now(CLOCK_MONOTONIC);
  must(runs_step(r, message) == FRONTIER_OK, message);
  took = cpu() - took;
  waited = now(CLOCK_MONOTONIC) - waited;
  c->steps += took;
  c->longest = took > c->longest ? took : c->longest;
  c->waited = waited > c->waited ? waited : c->waited;
  runs_numbers n = runs_count(r);
  c->memory = n.memory > c->memory ? n.memory : c->memory;
}

static void commit(runs *r, uint64_t from, uint64_t to, cost *c)
{
  size_t size;
  mlbf_hash128 keys[COMMIT];
  for (uint64_t i = from; i < to; i++)
    keys[i - from] = hash_of(i);
  double began = cpu();
  must(runs_make_room(r, (size_t)(to - from)), "no memory");
  for (uint64_t i = from; i < to; i++)
    runs_add(r, keys[i - from]);
  runs_end_commit(r, to);
  c->adding += cpu() - began;
  while (runs_is_due(r))
    step(r, c);
  if (!runs_have_changed(r))
    return;
  must(runs_write_marks(r, &size) != NULL, "no memory");
  runs_sealed(r);
  runs_landed(r);
}

/* Numbers of keys, half of them of keys that are there. */
static double ask_in_order(runs *r, uint64_t keys)
{
  size_t count = (size_t)(keys / 16), known = 0;
  mlbf_hash128 *asked = malloc(count * sizeof *asked);
  bool has[BATCH];
  must(asked != NULL, "no memory");
  for (size_t i = 0; i < count; i++)
    asked[i] = hash_of(i % 2 ? mix(i) % keys : keys + i);
  keys_sort(asked, count);
  double began = cpu();
  for (size_t at = 0, some; at < count; at += some) {
    some = count - at < BATCH ? count - at : BATCH;
    must(runs_have(r, asked + at, some, has, message) == FRONTIER_OK, message);
    for (size_t i = 0; i < some; i++)
      known += has[i];
  }
  began = cpu() - began;
  must(known == count / 2, "a wrong answer");
  free(asked);
  return began / (double)count;
}

static double ask_single(runs *r, uint64_t keys, bool is_known)
{
  double began = cpu();
  for (uint64_t i = 0; i < SINGLE; i++) {
    mlbf_hash128 key = hash_of(is_known ? mix(i) % keys : keys + i);
    bool has;
    must(runs_have(r, &key, 1, &has, message) == FRONTIER_OK, message);
    must(has == is_known, "a wrong answer");
  }
  return (cpu() - began) / SINGLE;
}

static void measure(uint64_t keys, const char *directory)
{
  key_place place = {directory, 1, 0600};
  runs *r = runs_create(&place);
  cost c = {0};
  must(r && runs_read_marks(r, NULL, 0, 0, true, message) == FRONTIER_OK, message);
  for (uint64_t at = 0, to; at < keys; at = to) {
    to = keys - at < COMMIT ? keys : at + COMMIT;
    commit(r, at, to, &c);
  }
  runs_numbers n = runs_count(r);
  double all = (double)keys;
  printf("%10" PRIu64 " %8.1f %8.1f %8.1f %8.2f %8.0f %6" PRIu64, keys, 1e9 * c.adding / all, 1e9 * c.steps / all,
         (double)n.written / all, 1e3 * c.longest, 1e3 * c.waited, n.files);
  while (runs_can_step(r))
    step(r, &c);
  n = runs_count(r);
  printf(" %6" PRIu64 " %8.2f %8.2f", n.files, (double)n.bytes / (double)n.keys, (double)c.memory / 1e6);
  double in_order = ask_in_order(r, keys);
  double known = ask_single(r, keys, true), unknown = ask_single(r, keys, false);
  printf(" %8.0f %8.0f %8.0f\n", 1e9 * in_order, 1e9 * known, 1e9 * unknown);
  fflush(stdout);
  runs_free(r);
  key_files_sweep(&place, KEY_FILE_RUN, NULL, 0);
}

int main(int argc, char **argv)
{
  uint64_t keys = 10000000;
  const char *directory = ".";
  for (int i = 1; i < argc; i += 2) {
    must(i + 1 < argc, "usage: bench_runs [--keys N] [--dir DIR]");
    if (strcmp(argv[i], "--keys") == 0)
      keys = (uint64_t)strtod(argv[i + 1], NULL);
    else if (strcmp(argv[i], "--dir") == 0)
      directory = argv[i + 1];
    else
      must(false, "usage: bench_runs [--keys N] [--dir DIR]");
  }
  printf("%10s %8s %8s %8s %8s %8s %6s %6s %8s %8s %8s %8s %8s\n", "keys", "adding", "steps", "written", "step, ms",
         "wall, ms", "files", "then", "B a key", "memory", "in order", "known", "unknown");
  for (uint64_t n = 1000000; n <= keys; n *= 10)
    measure(n, directory);
  return 0;
}
