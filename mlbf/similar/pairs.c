/* How many pairs of words two short texts share, and how many each has for itself, from their bits. pairs.h says how
 * well. shingle.c sets the bits.
 *
 * Always: a text whose bits are three quarters full or more is not judged: there an estimate would be off by tens.
 *
 * Called by crawler/loop/same_texts.c. Memory alone. */
#include "mlbf/pairs.h"

#include <assert.h>
#include <math.h>

enum { WORDS = MLBF_PAIRS_BITS / 64, FULL = MLBF_PAIRS_BITS * 3 / 4 };

/* The bits that are set. Without an instruction for it, which not every processor has, gcc would call a function. */
static int ones(uint64_t x)
{
  x -= x >> 1 & UINT64_C(0x5555555555555555);
  x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
  x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}

bool mlbf_pairs_compare(const mlbf_pairs *a, const mlbf_pairs *b, mlbf_pairs_difference *difference)
{
  int in_a = 0, in_b = 0, in_both = 0;
  for (int i = 0; i < WORDS; i++) {
    in_a += ones(a->bits[i]);
    in_b += ones(b->bits[i]);
    in_both += ones(a->bits[i] & b->bits[i]);
  }
  if (in_a > FULL || in_b > FULL)
    return false;
  assert(in_both <= in_a && in_both <= in_b);
  /* n pairs leave a bit 0 with probability (1 - 1/m)^n */
  double clear_a = log(1 - (double)in_a / MLBF_PAIRS_BITS), clear_b = log(1 - (double)in_b / MLBF_PAIRS_BITS);
  double clear_all = log(1 - (double)(in_a + in_b - in_both) / MLBF_PAIRS_BITS);
  double each = -(double)MLBF_PAIRS_BITS;
  difference->own = each * (clear_all - clear_b);
  difference->other = each * (clear_all - clear_a);
  difference->common = each * (clear_a + clear_b - clear_all);
  return true;
}
