/* From bytes to the windows that stand for them.
 *
 *     bytes    --digest_classes-->  entropy class of each window of 64, 0 to 1000
 *     classes  --a table-------->   rank: how common the class is
 *     ranks    --digest_score_windows-->  in how many neighbourhoods of 64 windows this one is the rarest
 *
 * The entropy of a window is the sum over byte values of table[count]; a step of one byte changes two counts. The sums are
 * of whole numbers, so that the rolling sum is exact for ever (sdhash computes it anew every 4096 bytes; the same comes out). */
#include "mlbf/digest_features.h"

#include <math.h>
#include <string.h>

enum {
  ENTROPY_BITS = 10, /* a class is a step of 1024 on a scale */
  ENTROPY_SCALE = 1000 << ENTROPY_BITS,
  PLACE_BITS = 6,    /* of a window within 64 */
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

void digest_classes(const uint8_t *bytes, size_t windows, uint16_t *classes)
{
  entropy_table table;
  uint8_t count[256] = {0};
  int32_t entropy = 0;
  if (windows == 0)
    return;
  entropy_table_make(&table);
  for (size_t i = 0; i < DIGEST_WINDOW; i++)
    entropy += table.step[++count[bytes[i]]];
  classes[0] = (uint16_t)(entropy >> ENTROPY_BITS);
  for (size_t i = 1; i < windows; i++) {
    entropy -= table.step[count[bytes[i - 1]]--];
    entropy += table.step[++count[bytes[i - 1 + DIGEST_WINDOW]]];
    classes[i] = (uint16_t)(entropy >> ENTROPY_BITS);
  }
}

/* The lowest rank but 0 in the neighbourhood; of equals the first, and of a run of equals from there the right end (the
 * papers say the leftmost; this is what sdhash does). A neighbourhood that begins with 0 has none: its own beginning.
 *
 * Rank and place together make a number of 16 bits, so that the least of 64 tells both, in a few vector instructions. On
 * real files one neighbourhood in ten is looked through, and this is half of a digest's time. */
static size_t rarest(const uint16_t *ranks, size_t begin)
{
  const uint16_t *at = ranks + begin;
  uint16_t least = UINT16_MAX;
  if (at[0] == 0)
    return begin;
  for (unsigned i = 0; i < DIGEST_WINDOW; i++) {
    uint16_t both = (uint16_t)((at[i] - 1u) << PLACE_BITS | i); /* rank 0 comes last */
    least = both < least ? both : least;
  }
  size_t i = least % DIGEST_WINDOW;
  while (i + 1 < DIGEST_WINDOW && at[i + 1] == at[i])
    i++;
  return begin + i;
}

/* As the neighbourhood moves on, its rarest window stays until it drops out or a rarer one comes in. sdhash asks the
 * window one place beyond the new neighbourhood, so that the one in between can be missed, and a window can win 65 times;
 * so do we, bit for bit. */
void digest_score_windows(digest_scorer *scorer, const uint16_t *ranks, size_t end, uint8_t *scores)
{
  digest_scorer s = *scorer;
  while (s.begin < end) {
    size_t from = s.begin, stop = s.rank == 0 ? from : s.best < end ? s.best : end;
    while (s.begin < stop && ranks[s.begin + DIGEST_WINDOW] > s.rank)
      s.begin++;
    if (s.begin > from)
      scores[s.best] += (uint8_t)(s.begin - from);
    if (s.begin == end)
      break;
    if (s.begin < stop && ranks[s.begin + DIGEST_WINDOW] == s.rank) {
      s.best = s.begin + DIGEST_WINDOW;
    } else {
      s.best = rarest(ranks, s.begin);
      s.rank = ranks[s.best];
    }
    scores[s.best] += s.rank != 0;
    s.begin++;
  }
  *scorer = s;
}

void digest_scorer_shift(digest_scorer *scorer, size_t by)
{
  scorer->begin -= by;
  scorer->best = scorer->best > by ? scorer->best - by : 0;
}
