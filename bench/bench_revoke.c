/* What taking back and growing old cost: keys that all differ, added and asked for in turns, ns a key, wrong answers.
 *
 *     bench_revoke [KEYS [ROUNDS]]      1000000, 5; 1 % promised by each filter
 *
 * Opponent: one classic filter, which neither takes back nor forgets. A tenth of the keys is revoked from the pair. Of
 * generations each takes its share of the keys, and half of them have been dropped when they are asked. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mlbf/papers/revoke.h"

enum { CONTENDERS = 4, ROUNDS_MAX = 101, REVOKED_OF = 10 };

static const char *const names[CONTENDERS] = {"one filter", "revocation pair", "2 generations", "8 generations"};
static const uint32_t generations_of[CONTENDERS] = {0, 0, 2, 8};
static const double RATE = 0.01;

typedef struct contender {
  mlbf_filter *filter;
  mlbf_pair *pair;
  mlbf_generations *generations;
  double add[ROUNDS_MAX], ask[ROUNDS_MAX];
  uint64_t strangers_in, members_out; /* of as many strangers as keys, and of the keys that must be there */
} contender;

static double seconds_now(void) /* of this process: the machine may be busy */
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void checked(mlbf_status status)
{
  if (status != MLBF_OK && status != MLBF_FULL) {
    fprintf(stderr, "bench_revoke: %s\n", mlbf_status_text(status));
    exit(1);
  }
}

static mlbf_span span_of(const uint64_t *key)
{
  return (mlbf_span){key, sizeof *key};
}

static void make(contender *of, int which, uint64_t keys)
{
  mlbf_options options = {.kind = MLBF_KIND_BLOOM, .keys = keys, .rate = RATE, .seed = 1};
  mlbf_options fewer = options;
  if (which == 0)
    checked(mlbf_create(&options, &of->filter));
  fewer.keys = keys / REVOKED_OF;
  if (which == 1)
    checked(mlbf_pair_create(&options, &fewer, &of->pair));
  if (generations_of[which] == 0)
    return;
  fewer.keys = keys / generations_of[which] + 1;
  checked(mlbf_generations_create(&fewer, generations_of[which], &of->generations));
}

static void drop(contender *of)
{
  mlbf_free(of->filter);
  mlbf_pair_free(of->pair);
  mlbf_generations_free(of->generations);
  of->filter = NULL;
  of->pair = NULL;
  of->generations = NULL;
}

static void add_to_filter(mlbf_filter *filter, mlbf_span key)
{
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  mlbf_hash(filter, &key, 1, &hashes);
  checked(mlbf_insert(filter, &hashes, &verdict));
}

static void add_all(contender *of, int which, uint64_t keys)
{
  uint64_t share = generations_of[which] ? keys / generations_of[which] + 1 : 0;
  bool ignored;
  for (uint64_t key = 0; key < keys; key++) {
    if (of->filter)
      add_to_filter(of->filter, span_of(&key));
    if (of->pair)
      checked(mlbf_pair_insert(of->pair, span_of(&key), &ignored));
    if (of->pair && key % REVOKED_OF == 0)
      checked(mlbf_pair_revoke(of->pair, span_of(&key)));
    if (of->generations && key > 0 && key % share == 0)
      checked(mlbf_generations_age(of->generations));
    if (of->generations)
      checked(mlbf_generations_insert(of->generations, span_of(&key), &ignored));
  }
}

static bool is_in(const contender *of, const uint64_t *key)
{
  mlbf_span span = span_of(key);
  mlbf_hashes hashes;
  if (of->pair)
    return mlbf_pair_test(of->pair, span);
  if (of->generations)
    return mlbf_generations_test(of->generations, span);
  mlbf_hash(of->filter, &span, 1, &hashes);
  return mlbf_test(of->filter, &hashes).outcome == MLBF_SEEN;
}

/* Half of what is asked was added. The older half of generations goes first. */
static void ask_all(contender *of, int which, uint64_t keys)
{
  for (uint32_t i = 0; i < generations_of[which] / 2; i++)
    checked(mlbf_generations_age(of->generations));
  of->strangers_in = of->members_out = 0;
  for (uint64_t key = 0; key < 2 * keys; key++) {
    bool found = is_in(of, &key), is_revoked = of->pair && key % REVOKED_OF == 0;
    of->strangers_in += key >= keys && found;
    of->members_out += key < keys && !found && !is_revoked;
  }
}

static int compare_doubles(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static void print_all(contender all[CONTENDERS], uint64_t keys, size_t rounds)
{
  printf("%llu keys, and as many strangers\n%-18s %10s %7s %10s %7s %14s %14s\n", (unsigned long long)keys, "",
         "add ns", "ratio", "ask ns", "ratio", "strangers in", "members out");
  double add = median(all[0].add, rounds), ask = median(all[0].ask, rounds);
  for (int c = 0; c < CONTENDERS; c++) {
    double add_now = median(all[c].add, rounds), ask_now = median(all[c].ask, rounds);
    printf("%-18s %10.1f %7.2f %10.1f %7.2f %12.3f %% %12.3f %%\n", names[c], add_now, add_now / add, ask_now,
           ask_now / ask, 100 * (double)all[c].strangers_in / (double)keys,
           100 * (double)all[c].members_out / (double)keys);
  }
}

int main(int argc, char **argv)
{
  static contender all[CONTENDERS];
  uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  size_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
  if (keys < 1000 || rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_revoke [KEYS [ROUNDS]]      KEYS at least 1000\n");
    return 2;
  }
  for (size_t round = 0; round < rounds; round++)
    for (size_t turn = 0; turn < CONTENDERS; turn++) {
      int c = (int)((round + turn) % CONTENDERS);
      make(&all[c], c, keys);
      double began = seconds_now();
      add_all(&all[c], c, keys);
      all[c].add[round] = (seconds_now() - began) / (double)keys * 1e9;
      began = seconds_now();
      ask_all(&all[c], c, keys);
      all[c].ask[round] = (seconds_now() - began) / (2 * (double)keys) * 1e9;
      drop(&all[c]);
    }
  print_all(all, keys, rounds);
  return 0;
}
