/* Hashes in ascending order: a radix sort by two digits, the lower one first, then insertion. hash_sort.h says how
 * fast.
 *
 * Always: the numbers are the same before and after, in another order. Numbers that crowd, by chance or on purpose, are
 * sorted, too, at the price of qsort.
 *
 * Called by shingle.c for what a text keeps. Memory alone. */
#include "mlbf/similar/hash_sort.h"

#include <assert.h>
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
static void distribute(const uint64_t *hashes, uint64_t *sorted, size_t count, unsigned shift)
{
  size_t places[DIGITS] = {0}, place = 0;
  for (size_t i = 0; i < count; i++)
    places[hashes[i] >> shift & (DIGITS - 1)]++;
  for (size_t digit = 0; digit < DIGITS; digit++) {
    size_t size = places[digit];
    places[digit] = place;
    place += size;
  }
  assert(place == count);
  for (size_t i = 0; i < count; i++)
    sorted[places[hashes[i] >> shift & (DIGITS - 1)]++] = hashes[i];
}

static void insert_each(uint64_t *at, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t hash = at[i];
    size_t place = i;
    for (; place > 0 && at[place - 1] > hash; place--)
      at[place] = at[place - 1];
    at[place] = hash;
    if (i - place > CROWD) {
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
