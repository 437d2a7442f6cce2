/* Two threads on one filter against one thread on a filter of its own. */
#ifndef STRATA_TESTS_FILTER_THREADS_H
#define STRATA_TESTS_FILTER_THREADS_H

#include "bench/filter_contenders.h"

/* Prints insertions a second, for `line` and for `mlbf` with signals: of new URLs only, and with every second one seen
 * before. Medians over rounds, wall time: it wants two idle processors. */
void bench_threads(const url_keys *all, double rate, size_t rounds);

#endif
