/* Which windows of a byte string are its features.
 *
 *     bytes    --digest_classes-->  entropy class of each window of 64, 0 to 1000, and at once
 *     class    --a table-------->   rank: how common the class is
 *     ranks    --digest_score_windows-->  in how many neighbourhoods of 64 windows this one is the rarest
 *
 * The entropy of a window is the sum over byte values of table[count]; a step of one byte changes two counts. The sums
 * are of whole numbers, so the rolling sum stays exact (sdhash recomputes it every 4096 bytes, with equal results).
 *
 * Always: classes, ranks and scores do not depend on the pieces in which a run of bytes is gone over. A window's score
 * is final once the neighbourhoods that it is in have begun; it is at most DIGEST_SCORE_MAX.
 *
 * Called by digest.c, and by digest_ranks.c to count classes. Memory alone. */
#include "mlbf/similar/digest_features.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  ENTROPY_BITS = 10, /* a class is a step of 1024 on a scale */
  ENTROPY_SCALE = 1000 << ENTROPY_BITS,
  PLACE_BITS = 6, /* of a window within 64 */
};

typedef struct entropy_table {
  int32_t step[DIGEST_WINDOW + 2]; /* step[c]: what the c-th of a byte value adds */
} entropy_table;

static void entropy_table_make(entropy_table *table)
{
  int32_t before = 0;
  memset(table, 0, sizeof *table);
  for (int count = 1; count <= DIGEST_WINDOW; count++) {
    double share = count / (double)DIGEST_WINDOW;
    int32_t now = (int32_t)(-share * (log(share) / log(2.0)) / 6 * ENTROPY_SCALE); /* 6 bits: the most there is */
    table->step[count] = now - before;
    before = now;
  }
}

/* A window on its way over bytes. */
typedef struct roller {
  uint8_t count[256];
  int32_t entropy;
} roller;

static void roller_begin(roller *r, const entropy_table *table, const uint8_t *bytes)
{
  *r = (roller){.entropy = 0};
  for (size_t i = 0; i < DIGEST_WINDOW; i++)
    r->entropy += table->step[++r->count[bytes[i]]];
}

static inline unsigned roller_class(const roller *r)
{
  assert(r->entropy >= 0 && r->entropy < MLBF_ENTROPY_CLASSES << ENTROPY_BITS);
  return (unsigned)r->entropy >> ENTROPY_BITS;
}

/* From the window that begins at `bytes` to the next. */
static inline void roller_step(roller *r, const entropy_table *table, const uint8_t *bytes)
{
  r->entropy -= table->step[r->count[bytes[0]]--];
  r->entropy += table->step[++r->count[bytes[DIGEST_WINDOW]]];
}

/* Two windows at once, as each step of one waits for its last. */
void digest_classes(const uint8_t *bytes, size_t windows, const uint16_t of_class[MLBF_ENTROPY_CLASSES], uint16_t *out)
{
  entropy_table table;
  roller low, high;
  size_t half = windows / 2;
  if (windows == 0)
    return;
  entropy_table_make(&table);
  roller_begin(&low, &table, bytes);
  roller_begin(&high, &table, bytes + half);
  out[half] = of_class[roller_class(&high)];
  for (size_t i = 0; i < half; i++) {
    out[i] = of_class[roller_class(&low)];
    roller_step(&low, &table, bytes + i);
    if (half + i + 1 == windows)
      break;
    roller_step(&high, &table, bytes + half + i);
    out[half + i + 1] = of_class[roller_class(&high)];
  }
}

/* The lowest rank but 0 in the neighbourhood; of equals the first, and of a run of equals from there the right end (the
 * papers say the leftmost; this is what sdhash does). A neighbourhood that begins with 0 has none: its own beginning.
 *
 * Rank and place together make a number of 16 bits, so that the least of 64 tells both, in a few vector instructions;
 * with its top bit turned, as every processor has a minimum of signed ones. On real files one neighbourhood in ten is
 * looked through, and this takes 40 % of a digest's time. */
static size_t rarest(const uint16_t *ranks, size_t begin)
{
  const uint16_t *at = ranks + begin;
  int16_t least = INT16_MAX;
  if (at[0] == 0)
    return begin;
  for (unsigned i = 0; i < DIGEST_WINDOW; i++) {
    int16_t key = (int16_t)((((at[i] - 1u) << PLACE_BITS) | i) ^ 0x8000u); /* rank 0 comes last */
    least = key < least ? key : least;
  }
  size_t i = (uint16_t)least % DIGEST_WINDOW;
  assert(at[i] && at[i] <= DIGEST_RANK_MAX);
  while (i + 1 < DIGEST_WINDOW && at[i + 1] == at[i])
    i++;
  return begin + i;
}

/* As the neighbourhood moves on, its rarest window stays until it drops out or a rarer one comes in. sdhash asks the
 * window one place beyond the new neighbourhood, so that the one in between can be missed, and a window can win 65
 * times; so do we, bit for bit. */
void digest_score_windows(digest_scorer *scorer, const uint16_t *ranks, size_t end, uint8_t *scores)
{
  digest_scorer s = *scorer;
  while (s.begin < end) {
    size_t first = s.begin, stop = s.rank == 0 ? first : s.best < end ? s.best : end;
    while (s.begin < stop && ranks[s.begin + DIGEST_WINDOW] > s.rank)
      s.begin++;
    if (s.begin > first)
      scores[s.best] += (uint8_t)(s.begin - first);
    if (s.begin == end)
      break;
    if (s.begin < stop && ranks[s.begin + DIGEST_WINDOW] == s.rank) {
      s.best = s.begin + DIGEST_WINDOW;
    } else {
      s.best = rarest(ranks, s.begin);
      s.rank = ranks[s.best];
    }
    scores[s.best] += s.rank != 0;
    assert(s.best >= s.begin && s.best <= s.begin + DIGEST_WINDOW && scores[s.best] <= DIGEST_SCORE_MAX);
    s.begin++;
  }
  *scorer = s;
}

void digest_scorer_shift(digest_scorer *scorer, size_t by)
{
  assert(by <= scorer->begin);
  scorer->begin -= by;
  scorer->best = scorer->best > by ? scorer->best - by : 0;
}
