/* datasets/papers/counting.h: the experiments of Yan and Cho on counting filters, with and without their refinements.
 *
 * n = 10,000 different keys, the i-th inserted c_i times, in a filter of m counters (80K is 80,000) and k hash
 * functions ((a x + b) mod p) mod m, p = 2,100,000,011, a and b drawn for each round; 1,000 rounds. A key is wrong if
 * its smallest counter is above c_i. fI is the share of wrong keys, weighted by c_i, when every addition raises all k
 * counters, fR when it raises only the smallest of them (H1, and H2: equal cells once).
 *
 * The paper does not print these parameters; we found them by trial, and they fit all 78 rows:
 *
 *   experiment   c_i                                       order of the additions
 *   1  2  3      20 each                                   in turn (1); each key's together (2); shuffled (3)
 *   4  5         uniform in 0..19, 9,463 of them not 0     shuffled (4); each key's together (5)
 *   6  7         Poisson, mean 10 (6) and 20 (7)           shuffled
 *   8            uniform in 0..39, 9,734 of them not 0     shuffled
 *
 * The paper drew its c_i once and does not print them; ours are as even as possible in the uniform experiments. All
 * experiments use the same keys and hash functions, which is why Tables 3, 4 and 5 share fI. */
#ifndef STRATA_DATASETS_COUNTING_H
#define STRATA_DATASETS_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNTING_KEYS = 10000, COUNTING_ROUNDS = 1000, COUNTING_HASHES_MAX = 8, COUNTING_EXPERIMENTS = 8 };

/* A row as printed. */
typedef struct counting_row {
  int table, experiment;
  uint32_t cells, hashes;                      /* m, k */
  double plain, plain_sd, refined, refined_sd; /* fI, fR: mean of the rounds and standard deviation */
  double reduction;                            /* fI / fR; 0: none is printed */
} counting_row;

extern const counting_row counting_printed[];
extern const size_t counting_printed_count;

/* A row as measured. */
typedef struct counting_result {
  uint32_t rounds;
  double plain, plain_sd, refined, refined_sd;
} counting_result;

/* False: out of memory. Same seed, same result. */
bool counting_measure(int experiment, uint32_t cells, uint32_t hashes, uint32_t rounds, uint64_t seed,
                      counting_result *result);

/* One round's ingredients, for tests that want to fill a filter of their own with them. */
typedef struct counting_round {
  uint32_t times[COUNTING_KEYS]; /* c_i */
  uint64_t sum;                  /* of c_i */
  uint64_t places[COUNTING_KEYS][COUNTING_HASHES_MAX];
  uint32_t *order; /* `sum` keys, one an addition */
} counting_round;

bool counting_round_make(int experiment, uint32_t cells, uint32_t hashes, uint32_t number, uint64_t seed,
                         counting_round *round); /* all zero before the first; free `order` after the last */

/* How surprising two means of independent rounds are if the truth is one: two-sided probability. By a normal
 * approximation, or where fewer than 30 wrong keys are behind a mean, by the exact test of two Poisson counts. */
double counting_surprise(double mean, double sd, uint32_t rounds, double printed, double printed_sd);

#endif
