/* See hash_sort.h: a radix sort by two digits, the lower one first, then insertion. */
#include "mlbf/similar/hash_sort.h"

#include <stdlib.h>

enum {
  BITS = 6,
  DIGITS = 1 << BITS,
  CROWD = 64, /* places, at most, that insertion moves a hash; more than an even spread makes of 100,000 */
};

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Its highest bit is the greatest one's. */
static uint64_t bits_of_all(const uint64_t *at, size_t count)
{
  uint64_t bits = 0;
  for (size_t i = 0; i < count; i++)
    bits |= at[i];
  return bits;
}

/* In the order of the digit at `shift`; those with the same one stay in theirs. */
static void distribute(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
  size_t places[DIGITS] = {0}, place = 0;
  for (size_t i = 0; i < count; i++)
    places[from[i] >> shift & (DIGITS - 1)]++;
  for (size_t digit = 0; digit < DIGITS; digit++) {
    size_t size = places[digit];
    places[digit] = place;
    place += size;
  }
  for (size_t i = 0; i < count; i++)
    to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static void insert_each(uint64_t *at, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t hash = at[i];
    size_t to = i;
    for (; to > 0 && at[to - 1] > hash; to--)
      at[to] = at[to - 1];
    at[to] = hash;
    if (i - to > CROWD) {
      qsort(at, count, sizeof *at, ascending);
      return;
    }
  }
}

void mlbf_hash_sort(uint64_t *at, size_t count, uint64_t *scratch)
{
  uint64_t bits = bits_of_all(at, count);
  unsigned size = bits ? 64 - (unsigned)__builtin_clzll(bits) : 0, shift = size > 2 * BITS ? size - 2 * BITS : 0;
  distribute(at, scratch, count, shift);
  distribute(scratch, at, count, shift + BITS);
  insert_each(at, count);
}
