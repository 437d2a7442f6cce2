/* From bytes to the windows that stand for them.
 *
 *     bytes    --digest_classes-->  entropy class of each window of 64, 0 to 1000
 *     classes  --a table-------->   rank: how common the class is
 *     ranks    --digest_scores-->   in how many neighbourhoods of 64 windows this one is the rarest
 *
 * The entropy of a window is the sum over byte values of table[count]; a step of one byte changes two counts. The sums are
 * of whole numbers, so that the rolling sum is exact for ever (sdhash computes it anew every 4096 bytes; the same comes out). */
#include "mlbf/digest_features.h"

#include <math.h>
#include <string.h>

enum {
  ENTROPY_BITS = 10, /* a class is a step of 1024 on a scale */
  ENTROPY_SCALE = 1000 << ENTROPY_BITS,
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

void digest_classes(const uint8_t *bytes, size_t size, uint16_t *classes)
{
  entropy_table table;
  uint8_t count[256] = {0};
  int32_t entropy = 0;
  if (size <= DIGEST_WINDOW)
    return;
  entropy_table_make(&table);
  for (size_t i = 0; i < DIGEST_WINDOW; i++)
    entropy += table.step[++count[bytes[i]]];
  classes[0] = (uint16_t)(entropy >> ENTROPY_BITS);
  for (size_t i = 1; i < size - DIGEST_WINDOW; i++) {
    entropy -= table.step[count[bytes[i - 1]]--];
    entropy += table.step[++count[bytes[i - 1 + DIGEST_WINDOW]]];
    classes[i] = (uint16_t)(entropy >> ENTROPY_BITS);
  }
}

/* The lowest rank but 0 in the neighbourhood; of equals the first, and of a run of equals from there the right end (the
 * papers say the leftmost; this is what sdhash does). A neighbourhood that begins with 0 has none: its own beginning. */
static size_t rarest(const uint16_t *ranks, size_t begin)
{
  const uint16_t *at = ranks + begin;
  uint16_t lowest = UINT16_MAX; /* less one, so that 0 is the highest */
  size_t i = 0;
  if (at[0] == 0)
    return begin;
  for (size_t j = 0; j < DIGEST_WINDOW; j++) {
    uint16_t rank = (uint16_t)(at[j] - 1);
    lowest = rank < lowest ? rank : lowest;
  }
  lowest++;
  while (at[i] != lowest)
    i++;
  while (i + 1 < DIGEST_WINDOW && at[i + 1] == lowest)
    i++;
  return begin + i;
}

/* As the neighbourhood moves on, its rarest window stays until it drops out or a rarer one comes in. sdhash asks the
 * window one place beyond the new neighbourhood, so that the one in between can be missed, and a window can win 65 times;
 * so do we, bit for bit. */
void digest_scores(const uint16_t *ranks, size_t size, uint8_t *scores)
{
  size_t end = size - DIGEST_WINDOW, begin = 0;
  memset(scores, 0, end);
  while (begin < end) {
    size_t best = rarest(ranks, begin);
    uint16_t rank = ranks[best];
    begin++;
    if (rank == 0)
      continue;
    scores[best]++;
    for (; begin < end && begin < best && ranks[begin + DIGEST_WINDOW] >= rank; begin++) {
      if (ranks[begin + DIGEST_WINDOW] == rank)
        best = begin + DIGEST_WINDOW;
      scores[best]++;
    }
  }
}
