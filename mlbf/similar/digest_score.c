/* How much of one digest is found in another.
 *
 * Each filter of the smaller digest is compared with its best match in the larger: their common bits above the chance
 * level for their numbers of features, as a share of the possible ones. The score is the mean of these shares.
 *
 * sdhash 4.0 takes the chance level from its own table, indexed by the sum of both feature counts: filters with
 * different counts get the level of two filters with half of the sum each. A short piece has fewer set bits than that
 * level, so it matches nothing. We compute the level: the expected number of common bits of two such halves, plus two
 * standard deviations. That gives all 25 scores of sdhash's test digests (tests/contract/mlbf/test_digest.c); with one
 * standard deviation some are up to 2 points off, with three up to 1, with none up to 4.
 *
 * Always: a score is 0 to 100, or says that there is none. Digests are not changed, so any number of threads may score.
 *
 * Called by `strata digest`, by a crawl's report, and by the sdhash experiment (datasets/papers). Memory alone. */
#include "mlbf/similar/digest_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CHANCE_DEVIATIONS = 2;
/* "about 0.3": this reproduces its Table 5 best (strata replay --paper sdhash) */
static const double PAPER_SCALE = 0.35;

typedef struct rule {
  unsigned features_min; /* of a filter, else it is not compared */
  bool is_paper;
} rule;

static unsigned bits_in(const uint8_t *bits)
{
  unsigned count = 0;
  for (int i = 0; i < MLBF_DIGEST_FILTER_BYTES; i += 8) {
    uint64_t word;
    memcpy(&word, bits + i, 8);
    count += (unsigned)__builtin_popcountll(word);
  }
  return count;
}

static unsigned bits_in_both(const uint8_t *a, const uint8_t *b)
{
  unsigned count = 0;
  for (int i = 0; i < MLBF_DIGEST_FILTER_BYTES; i += 8) {
    uint64_t x, y;
    memcpy(&x, a + i, 8);
    memcpy(&y, b + i, 8);
    count += (unsigned)__builtin_popcountll(x & y);
  }
  return count;
}

/* Common bits of two filters of random features: the papers' equation for the mean. */
static double chance_mean(double features_a, double features_b)
{
  double clear = 1 - 1.0 / DIGEST_BITS, a = DIGEST_HASHES * features_a, b = DIGEST_HASHES * features_b;
  return DIGEST_BITS * (1 - pow(clear, a) - pow(clear, b) + pow(clear, a + b));
}

static double cut(const rule *r, unsigned features_a, unsigned features_b, unsigned most)
{
  if (r->is_paper) {
    double mean = chance_mean(features_a, features_b);
    return mean + PAPER_SCALE * (most - mean);
  }
  double even = (features_a + features_b) / 2.0;
  double mean = chance_mean(even, even), share = mean / DIGEST_BITS;
  return mean + CHANCE_DEVIATIONS * sqrt(DIGEST_BITS * share * (1 - share));
}

/* The best match of filter `i` of `a` in `b`: 0 to 1. */
static double best_match(const rule *r, const mlbf_digest *a, size_t i, const mlbf_digest *b, const unsigned *b_counts)
{
  const uint8_t *bits = a->bits + i * MLBF_DIGEST_FILTER_BYTES;
  unsigned count = bits_in(bits);
  double best = 0;
  for (size_t j = 0; j < b->filters; j++) {
    if (b->features[j] < r->features_min)
      continue;
    unsigned most = count < b_counts[j] ? count : b_counts[j];
    unsigned common = bits_in_both(bits, b->bits + j * MLBF_DIGEST_FILTER_BYTES);
    double chance = cut(r, a->features[i], b->features[j], most);
    double match = common <= chance || most <= chance ? 0 : (common - chance) / (most - chance);
    assert(match >= 0 && match <= 1);
    best = match > best ? match : best;
  }
  return best;
}

/* Is it `b` whose filters are looked for in `a`'s? The digest with fewer filters; sdhash then asks the last filters,
 * and then the names. */
static bool is_swapped(const mlbf_digest *a, const mlbf_digest *b)
{
  if (a->filters != b->filters)
    return a->filters > b->filters;
  return a->features[a->filters - 1] > b->features[b->filters - 1] || strcmp(a->name, b->name) > 0;
}

static const rule rules[] = {
  [MLBF_DIGEST_RULE_CURRENT] = {16, false},
  [MLBF_DIGEST_RULE_PAPER] = {6, true},
};

/* A digest of one filter is compared however few its features; it then matches nothing. */
int mlbf_digest_score(const mlbf_digest *a, const mlbf_digest *b, mlbf_digest_rule which)
{
  const rule *r = &rules[which];
  assert((size_t)which < sizeof rules / sizeof *rules && a->filters > 0 && b->filters > 0);
  if (is_swapped(a, b)) {
    const mlbf_digest *other = a;
    a = b;
    b = other;
  }
  unsigned *b_counts = malloc(b->filters * sizeof *b_counts);
  if (!b_counts)
    return MLBF_DIGEST_NO_MEMORY;
  bool is_comparable = false;
  for (size_t j = 0; j < b->filters; j++) {
    b_counts[j] = bits_in(b->bits + j * MLBF_DIGEST_FILTER_BYTES);
    is_comparable |= b->features[j] >= r->features_min;
  }
  double sum = 0;
  size_t compared = 0;
  for (size_t i = 0; i < a->filters; i++)
    if (a->features[i] >= r->features_min) {
      sum += best_match(r, a, i, b, b_counts);
      compared++;
    }
  free(b_counts);
  assert(compared <= a->filters && sum <= (double)compared);
  if (compared == 0)
    return a->filters == 1 ? 0 : MLBF_DIGEST_INCOMPARABLE;
  return is_comparable ? (int)lround(100 * sum / (double)compared) : MLBF_DIGEST_INCOMPARABLE;
}
