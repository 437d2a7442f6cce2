/* bench_frontier --idle: what a call of frontier_next costs that has nothing to give. */
#ifndef STRATA_TESTS_FRONTIER_IDLE_H
#define STRATA_TESTS_FRONTIER_IDLE_H

#include <stdint.h>

/* A table for 10^3, 10^4, ... up to `most_hosts` hosts; medians of `rounds`. Works in directories that it makes in
 * `directory`, and removes. */
void measure_idle(const char *directory, uint64_t most_hosts, unsigned rounds);

#endif
