/* bench_frontier --check: does each contender keep the contract it is measured by (frontier_contender.h)? */
#ifndef STRATA_TESTS_FRONTIER_CHECK_H
#define STRATA_TESTS_FRONTIER_CHECK_H

#include "bench/frontier_contender.h"

extern uint64_t frontier_check_clock_ms; /* what contender_now_ms then says; 0: no check is going on */

/* A line for each. One that keeps all of it must pass, and one that does not must be found out: it is what shows that
 * the check can fail. 0 if both hold, else 1. Works in directories it makes in `directory`, and removes. */
int frontier_check(const contender *const *row, size_t count, const char *directory);

#endif
