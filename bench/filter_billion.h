/* A thousand million queries of each kind, of `line` and of `mlbf` with signals, at promised 1e-6.
 *
 * Half the list is inserted into filters with different seeds; each query is asked of all of them, so that one query
 * composed is many answers, independent as the seeds are. A group is 32 seeds, with queries of its own. Queries that
 * were inserted, or asked before in the group, do not count; of the list's prefixes 1.9 million are left, so that 10^9
 * take the groups 0 to 16. A group takes 100 s of a processor and 1.5 GB. Two jobs side by side:
 *
 *   bench_filter_rates URLS billion 0 8 counts & bench_filter_rates URLS billion 9 16 counts
 *
 * Each group that is done appends its counts to the file `counts`, and one that is there is not asked again; so a job
 * that was stopped goes on with the group it was at. At the end the sums of the file are printed. */
#ifndef STRATA_TESTS_FILTER_BILLION_H
#define STRATA_TESTS_FILTER_BILLION_H

#include "bench/url_list.h"

void bench_billion(const url_list *urls, unsigned long first, unsigned long last, const char *counts);

#endif
