/* What bench_frontier reads of the machine: clocks, syncs, bytes, memory; and how long calls took. */
#ifndef STRATA_TESTS_FRONTIER_COST_H
#define STRATA_TESTS_FRONTIER_COST_H

#include <stdint.h>

double cost_now(void);        /* seconds */
double cost_cpu(void);        /* of the processor, by all threads of this process */
double cost_thread_cpu(void); /* by the calling one */

uint64_t cost_proc(const char *file, const char *name); /* the number behind `name` in a file of /proc/self */
uint64_t cost_disk(const char *directory);              /* bytes it takes */
uint64_t cost_syncs(void); /* calls of fdatasync and fsync by this process, its libraries' too */

/* Seconds for so many syncs of so many bytes in all, one behind the other in a file:
 * what the disk asks of any order. */
double cost_floor(const char *directory, uint64_t syncs, uint64_t bytes);

/* Durations, in buckets that are 1/16 of a power of two wide: quantiles are up to 4 % too high. */
enum { COST_BUCKETS = 64 * 16 };
typedef struct cost_calls {
  uint64_t count, bucket[COST_BUCKETS];
  double sum, longest; /* seconds */
} cost_calls;

void cost_note(cost_calls *calls, double seconds);
double cost_quantile(const cost_calls *calls, double share); /* seconds; 0 of no calls */

#endif
