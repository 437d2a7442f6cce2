/* The loads that bench_frontier puts on a contender, each in processes and a directory of its own. */
#ifndef STRATA_TESTS_FRONTIER_LOAD_H
#define STRATA_TESTS_FRONTIER_LOAD_H

#include "bench/frontier_contender.h"

typedef struct load {
  uint64_t urls, hosts, backlog, known, expect;
  const char *directory, *known_directory;
  bool queued, again, compact;
} load;

/* Times of calls in microseconds; of the others the name has the unit. */
typedef struct load_calls {
  double half, nearly_all, longest; /* p50, p99.9, max */
} load_calls;

typedef struct load_result {
  double seconds, urls_a_second, cpu, open_ms, open_cpu_ms, close_ms;
  load_calls add, next, done;
  double longest_ms, lot_cpu_ms;
  double written, dirtied, left, compacted;                                    /* bytes, for each URL of the load */
  double anonymous_end_mb, anonymous_most_mb, mapped_most_mb, anonymous_known; /* the last: bytes a URL ever seen */
  double syncs, floor, floors;
} load_result;

load_result load_measure(const contender *c, const load *l);

#endif
