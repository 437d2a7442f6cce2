/* mlbf/filter/growth_inside.h: the struct of a chain of slices. Internal to mlbf/. */
#ifndef STRATA_MLBF_GROWTH_INSIDE_H
#define STRATA_MLBF_GROWTH_INSIDE_H

#include <assert.h>

#include "mlbf/filter/inside.h"
#include "mlbf/growth.h"

enum { MLBF_SLICES_MAX = 64 };

struct mlbf_chain {
  uint32_t count;
  mlbf_filter *slices[MLBF_SLICES_MAX]; /* oldest first; the last takes the inserts */
};

/* All slices hash alike, each is larger than the one before, and only the last may have room. */
static inline void assert_chain(const mlbf_chain *chain)
{
  assert(chain->count >= 1 && chain->count <= MLBF_SLICES_MAX);
  const mlbf_filter *first = chain->slices[0], *last = chain->slices[chain->count - 1];
  assert_filter(last);
  assert(last->plan.kind == first->plan.kind && mlbf_keying_equal(&last->keying, &first->keying));
  (void)first, (void)last;
}

#endif
