/* The caller who waits for a long call. Private to frontier/admin/. */
#ifndef STRATA_FRONTIER_WATCH_H
#define STRATA_FRONTIER_WATCH_H

#include "frontier/admin.h"

typedef struct watch {
  frontier_progress *told; /* NULL: nothing is told */
  void *context;
} watch;

/* Records that grow meanwhile are no more than all. */
static inline void watch_tell(const watch *of, uint64_t done, uint64_t whole)
{
  if (of->told && whole > 0)
    of->told(of->context, done < whole ? done : whole, whole);
}

#endif
