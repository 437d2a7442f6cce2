/* mlbf/similar/hash_sort.c against qsort. */
#include "mlbf/similar/hash_sort.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Spread evenly, small, alike in their upper bits, and one among zeros. */
CASE(hashes_are_sorted)
{
  enum { MOST = 3000 };
  static uint64_t at[MOST], sorted[MOST], scratch[MOST];
  for (int round = 0; round < 400; round++) {
    size_t count = dice_throw(round % 4 ? 40 : MOST);
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = (uint64_t)dice_throw(UINT32_MAX) << 32 | dice_throw(UINT32_MAX);
      at[i] = round % 5 == 0 ? bits % 300 : round % 5 == 1 ? bits >> 24 : round % 5 == 2 && i ? 0 : bits;
    }
    if (count)
      memcpy(sorted, at, count * sizeof *at);
    qsort(sorted, count, sizeof *sorted, ascending);
    mlbf_hash_sort(at, count, scratch);
    assert_memory_equal(at, sorted, count * sizeof *at);
  }
}

static int prepare(void **state)
{
  (void)state;
  dice_begin(8);
  return 0;
}

EACH_CASE(prepare, NULL)
