/* The experiments of Yan and Cho, run: counting.h tells them.
 *
 * Always: both filters of a round get the same keys, times and hash functions, in the same order, so that only the
 * refinements differ. A round is its number's own random stream: any number of rounds, in any order, has the same
 * results. Called by paper_counting.c. */
#include "datasets/papers/counting.h"
#include "datasets/sort/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_TABLE = 32768, TIMES_MOST = 64 };

static const uint64_t prime = 2100000011;

typedef enum count_rule { EQUAL, UNIFORM, POISSON } count_rule;
typedef enum addition_order { IN_TURN, TOGETHER, SHUFFLED } addition_order;

static const struct {
  count_rule rule;
  uint32_t number;   /* EQUAL: the count; UNIFORM: below this; POISSON: the mean */
  uint32_t not_zero; /* UNIFORM: so many keys */
  addition_order order;
} experiments[COUNTING_EXPERIMENTS + 1] = {
  [1] = {EQUAL, 20, 0, IN_TURN},       [2] = {EQUAL, 20, 0, TOGETHER},      [3] = {EQUAL, 20, 0, SHUFFLED},
  [4] = {UNIFORM, 20, 9463, SHUFFLED}, [5] = {UNIFORM, 20, 9463, TOGETHER}, [6] = {POISSON, 10, 0, SHUFFLED},
  [7] = {POISSON, 20, 0, SHUFFLED},    [8] = {UNIFORM, 40, 9734, SHUFFLED},
};

/* ---- a round -------------------------------------------------------------------------------------------- */

/* Knuth: multiply uniform numbers until the product is below e^-mean. */
static uint32_t draw_poisson(uint64_t *rng, uint32_t mean)
{
  const uint64_t sides = UINT64_C(1) << 53;
  double product = 1, end = exp(-(double)mean);
  uint32_t number = 0;
  while ((product *= (double)(rng_below(rng, sides) + 1) / (double)sides) > end)
    number++;
  assert(product <= end);
  return number < TIMES_MOST ? number : TIMES_MOST;
}

/* c_i, the same in all rounds. */
static void draw_times(int experiment, uint64_t seed, counting_round *round)
{
  uint64_t rng = rng_mix(seed ^ rng_mix((uint64_t)experiments[experiment].number));
  round->sum = 0;
  for (uint32_t i = 0; i < COUNTING_KEYS; i++) {
    uint32_t number = experiments[experiment].number;
    if (experiments[experiment].rule == UNIFORM)
      number = i < experiments[experiment].not_zero ? i % (number - 1) + 1 : 0;
    else if (experiments[experiment].rule == POISSON)
      number = draw_poisson(&rng, number);
    round->times[i] = number;
    round->sum += number;
  }
}

/* Keys that all differ, none as large as p. */
static void draw_keys(uint64_t *rng, uint32_t keys[COUNTING_KEYS])
{
  uint32_t table[KEY_TABLE] = {0}; /* key + 1 */
  for (uint32_t i = 0; i < COUNTING_KEYS;) {
    uint32_t key = (uint32_t)rng_below(rng, prime), slot = key % KEY_TABLE;
    while (table[slot] != 0 && table[slot] != key + 1)
      slot = (slot + 1) % KEY_TABLE;
    if (table[slot] == key + 1)
      continue;
    table[slot] = key + 1;
    keys[i++] = key;
  }
}

static void place_keys(uint64_t *rng, uint32_t cells, uint32_t hashes, counting_round *round)
{
  uint32_t keys[COUNTING_KEYS];
  draw_keys(rng, keys);
  for (uint32_t j = 0; j < hashes; j++) {
    uint64_t a = 1 + rng_below(rng, prime - 1), b = rng_below(rng, prime);
    for (uint32_t i = 0; i < COUNTING_KEYS; i++)
      round->places[i][j] = (a * keys[i] + b) % prime % cells;
  }
}

static void put_in_order(addition_order order, uint64_t *rng, counting_round *round)
{
  uint64_t count = 0;
  for (uint32_t turn = 0; order == IN_TURN && turn < TIMES_MOST; turn++)
    for (uint32_t i = 0; i < COUNTING_KEYS; i++)
      if (round->times[i] > turn)
        round->order[count++] = i;
  for (uint32_t i = 0; order != IN_TURN && i < COUNTING_KEYS; i++)
    for (uint32_t times = 0; times < round->times[i]; times++)
      round->order[count++] = i;
  assert(count == round->sum);
  for (uint64_t i = count; order == SHUFFLED && i > 1; i--) {
    uint64_t other = rng_below(rng, i);
    uint32_t key = round->order[i - 1];
    round->order[i - 1] = round->order[other];
    round->order[other] = key;
  }
}

bool counting_round_make(int experiment, uint32_t cells, uint32_t hashes, uint32_t number, uint64_t seed,
                         counting_round *round)
{
  assert(experiment >= 1 && experiment <= COUNTING_EXPERIMENTS && hashes >= 1 && cells > 0);
  if (round->order == NULL) {
    draw_times(experiment, seed, round);
    round->order = malloc(round->sum * sizeof *round->order);
    if (round->order == NULL)
      return false;
  }
  uint64_t rng = rng_mix(seed ^ rng_mix(number ^ rng_mix((uint64_t)cells << 32 | hashes)));
  place_keys(&rng, cells, hashes, round);
  put_in_order(experiments[experiment].order, &rng, round);
  return true;
}

/* ---- both filters --------------------------------------------------------------------------------------- */

static uint32_t least_of(const uint32_t *counters, const uint64_t *places, uint32_t hashes)
{
  uint32_t least = counters[places[0]];
  for (uint32_t j = 1; j < hashes; j++)
    least = counters[places[j]] < least ? counters[places[j]] : least;
  return least;
}

/* Share of c_i that belongs to keys whose count is too high. */
static double share_wrong(const counting_round *round, const uint32_t *counters, uint32_t hashes)
{
  uint64_t wrong = 0;
  for (uint32_t i = 0; i < COUNTING_KEYS; i++)
    if (least_of(counters, round->places[i], hashes) > round->times[i])
      wrong += round->times[i];
  return (double)wrong / (double)round->sum;
}

static double fill_plain(const counting_round *round, uint32_t *counters, uint32_t hashes)
{
  for (uint32_t i = 0; i < COUNTING_KEYS; i++)
    for (uint32_t j = 0; j < hashes; j++)
      counters[round->places[i][j]] += round->times[i];
  return share_wrong(round, counters, hashes);
}

static double fill_refined(const counting_round *round, uint32_t *counters, uint32_t hashes)
{
  for (uint64_t at = 0; at < round->sum; at++) {
    const uint64_t *places = round->places[round->order[at]];
    uint32_t least = least_of(counters, places, hashes);
    for (uint32_t j = 0; j < hashes; j++)
      counters[places[j]] += counters[places[j]] == least;
  }
  return share_wrong(round, counters, hashes);
}

typedef struct moments {
  double sum, squares;
} moments;

static void moments_add(moments *of, double value)
{
  of->sum += value;
  of->squares += value * value;
}

static void moments_read(const moments *of, uint32_t rounds, double *mean, double *sd)
{
  *mean = of->sum / rounds;
  *sd = rounds > 1 ? sqrt(fmax(0, (of->squares - of->sum * *mean) / (rounds - 1))) : 0;
}

bool counting_measure(int experiment, uint32_t cells, uint32_t hashes, uint32_t rounds, uint64_t seed,
                      counting_result *result)
{
  moments plain = {.sum = 0}, refined = {.sum = 0};
  uint32_t *counters = malloc(cells * sizeof *counters);
  counting_round *round = calloc(1, sizeof *round);
  bool is_done = counters != NULL && round != NULL;
  for (uint32_t i = 0; is_done && i < rounds; i++) {
    is_done = counting_round_make(experiment, cells, hashes, i, seed, round);
    if (!is_done)
      break;
    memset(counters, 0, cells * sizeof *counters);
    moments_add(&plain, fill_plain(round, counters, hashes));
    memset(counters, 0, cells * sizeof *counters);
    moments_add(&refined, fill_refined(round, counters, hashes));
  }
  *result = (counting_result){.rounds = rounds};
  moments_read(&plain, rounds, &result->plain, &result->plain_sd);
  moments_read(&refined, rounds, &result->refined, &result->refined_sd);
  if (round != NULL)
    free(round->order);
  free(round);
  free(counters);
  return is_done;
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

/* Probability of at most `few` out of `all`, each with probability `p`. */
static double binomial_at_most(double few, double all, double p)
{
  double sum = 0;
  for (double i = 0; i <= few; i++)
    sum += exp(lgamma(all + 1) - lgamma(i + 1) - lgamma(all - i + 1) + i * log(p) + (all - i) * log1p(-p));
  return sum;
}

/* Given how many wrong keys there were in all, those of the first are binomial by the rounds. */
static double poisson_surprise(double events, double rounds, double printed_events)
{
  double all = events + printed_events, p = rounds / (rounds + COUNTING_ROUNDS);
  double low = binomial_at_most(events, all, p), high = binomial_at_most(printed_events, all, 1 - p);
  return fmin(1, 2 * fmin(low, high));
}

double counting_surprise(double mean, double sd, uint32_t rounds, double printed, double printed_sd)
{
  enum { FEW = 30 };
  double events = round(mean * COUNTING_KEYS * rounds);
  double printed_events = round(printed * COUNTING_KEYS * COUNTING_ROUNDS);
  if (events < FEW || printed_events < FEW)
    return poisson_surprise(events, rounds, printed_events);
  double error = sqrt(sd * sd / rounds + printed_sd * printed_sd / COUNTING_ROUNDS);
  return error > 0 ? erfc(fabs(mean - printed) / error / M_SQRT2) : mean == printed;
}
