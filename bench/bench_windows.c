/* "Seen within the last w insertions": false positives and time at equal bits, on keys that all differ, in turns.
 *
 *     bench_windows [W [ROUNDS]]      W: 1000000
 *
 * Opponent: what people do without a window, two classic filters in turn: one is filled with w keys while the other
 * still answers, and then takes its place. It remembers between w and 2w. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "mlbf/window.h"

enum { CONTENDERS = 2, BATCH = 1000 };

static const char *const names[CONTENDERS] = {"two classic filters in turn", "epoch"};

typedef struct contest {
  uint64_t window, bits_a_key;
  mlbf_filter *fresh, *old;
  mlbf_epoch *epoch;
} contest;

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static mlbf_filter *make_classic(uint64_t window, uint64_t bits)
{
  mlbf_filter *made = NULL;
  mlbf_options options = {
    .size = sizeof(mlbf_options), .kind = MLBF_KIND_BLOOM, .keys = window, .bits = bits, .seed = 1};
  if (mlbf_create(&options, &made) != MLBF_OK)
    exit(1);
  return made;
}

static contest make_contest(uint64_t window, uint64_t bits_a_key)
{
  contest of = {.window = window, .bits_a_key = bits_a_key};
  mlbf_window_options options = {.size = sizeof(mlbf_window_options),
                                 .unit = MLBF_WINDOW_INSERTIONS,
                                 .window = window,
                                 .bits = window * bits_a_key,
                                 .seed = 1};
  of.fresh = make_classic(window, window * bits_a_key / 2);
  of.old = make_classic(window, window * bits_a_key / 2);
  if (mlbf_epoch_create(&options, &of.epoch) != MLBF_OK)
    exit(1);
  return of;
}

static void free_contest(contest *of)
{
  mlbf_free(of->fresh);
  mlbf_free(of->old);
  mlbf_epoch_free(of->epoch);
}

static bool insert_in_turn(contest *of, uint64_t key, uint64_t number)
{
  mlbf_span span = {&key, sizeof key};
  const mlbf_key text = {&span, 1};
  mlbf_verdict verdict, before;
  if (number > 0 && number % of->window == 0) {
    mlbf_free(of->old);
    of->old = of->fresh;
    of->fresh = make_classic(of->window, of->window * of->bits_a_key / 2);
  }
  mlbf_insert(of->fresh, &text, 1, &verdict);
  mlbf_test(of->old, &text, 1, &before);
  return verdict.outcome == MLBF_SEEN || before.outcome == MLBF_SEEN;
}

static bool insert_key(contest *of, int contender, uint64_t key, uint64_t number)
{
  bool was_seen = false;
  if (contender == 0)
    return insert_in_turn(of, key, number);
  was_seen = mlbf_epoch_insert(of->epoch, (mlbf_span){&key, sizeof key}, 0);
  return was_seen;
}

static int compare_doubles(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* One batch for each contender, another one first every time. */
static void run(uint64_t window, uint64_t bits_a_key, uint64_t rounds)
{
  contest of = make_contest(window, bits_a_key);
  size_t batches = (rounds + 1) * window / BATCH, warm = window / BATCH;
  uint64_t wrong[CONTENDERS] = {0};
  double *times[CONTENDERS], worst[CONTENDERS] = {0};
  for (int c = 0; c < CONTENDERS; c++)
    if (!(times[c] = malloc(batches * sizeof **times)))
      exit(1);
  for (size_t batch = 0; batch < batches; batch++)
    for (int turn = 0; turn < CONTENDERS; turn++) {
      int c = (int)((batch + (size_t)turn) % CONTENDERS);
      uint64_t seen = 0, first = batch * BATCH;
      double began = seconds_now();
      for (uint64_t i = 0; i < BATCH; i++)
        seen += insert_key(&of, c, first + i, first + i);
      times[c][batch] = (seconds_now() - began) / BATCH * 1e9;
      wrong[c] += batch >= warm ? seen : 0;
      worst[c] = batch >= warm && times[c][batch] > worst[c] ? times[c][batch] : worst[c];
    }
  double asked = (double)((batches - warm) * BATCH), base = 0;
  printf("\nw %llu, %llu bits a key of the window, %.0f queries\n%-28s %12s %10s %8s %14s\n",
         (unsigned long long)window, (unsigned long long)bits_a_key, asked, "", "wrong", "ns/key", "ratio",
         "worst batch ns");
  for (int c = 0; c < CONTENDERS; c++) {
    qsort(times[c] + warm, batches - warm, sizeof **times, compare_doubles);
    double median = times[c][warm + (batches - warm) / 2];
    base = c == 0 ? median : base;
    printf("%-28s %12.3g %10.1f %8.2f %14.0f\n", names[c], (double)wrong[c] / asked, median, median / base, worst[c]);
    free(times[c]);
  }
  free_contest(&of);
}

int main(int argc, char **argv)
{
  uint64_t window = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
  uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;
  if (window < 2 * BATCH || rounds < 1) {
    fprintf(stderr, "usage: bench_windows [W [ROUNDS]]      W at least %d\n", 2 * BATCH);
    return 2;
  }
  static const uint64_t bits[] = {64, 128, 256};
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    run(window, bits[i], rounds);
  return 0;
}
