/* datasets/replay/results.h: the results of a replay, as results.csv. */
#ifndef STRATA_DATASETS_RESULTS_H
#define STRATA_DATASETS_RESULTS_H

#include "datasets/replay/replay.h"

/* `directory`/results.csv; false: errno says why. The header is
 * protocol,filter,n,bits_total,bits_per_url,queries,false_positives,fp_rate,false_negatives,insert_ns,query_ns
 * The filter is `exec:...` where it is a program, of which no bits are known. */
bool results_write(const replay_results *results, const char *directory);

/* The row of a protocol, a filter and an n; NULL if there is none. */
const replay_result *results_find(const replay_results *results, protocol which, const char *filter, uint64_t n);

/* False positives per query that is no member; 0 if there was none. (The file's fp_rate is per query.) */
double results_rate(const replay_result *row);

/* An interval of that rate (Wilson 1927: right for rates near 0, where the usual one is not), `z` standard deviations
 * to each side: 1.96 for 95 %, 3.29 for 99.9 %. */
#define RESULTS_Z_95 1.96
#define RESULTS_Z_999 3.29
void results_interval(const replay_result *row, double z, double *low, double *high);

/* How often chance gives a filter that just keeps its promise so many false positives or more (Poisson). */
double results_chance(const replay_result *row);

/* Is the rate above the promise, and not shown to be by the count, as chance gives as many more often than once in 20?
 * The rate is then not told, but the count, with "not significant". */
bool results_is_by_chance(const replay_result *row);

/* "one event", "2 events": the false positives. Returns `text`. */
enum { RESULTS_EVENTS_SIZE = 32 };
const char *results_events_text(const replay_result *row, char text[RESULTS_EVENTS_SIZE]);

#endif
