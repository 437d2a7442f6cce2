/* A column of bench_late: a frontier in a process of its own, which works through lots of pages when it is told to. */
#ifndef STRATA_TESTS_LATE_COLUMN_H
#define STRATA_TESTS_LATE_COLUMN_H

#include "frontier/frontier.h"
#include "bench/late_pages.h"

/* Since it was opened, but for those of now. */
typedef struct late_numbers {
  double cpu;       /* seconds of the processor, by all threads */
  uint64_t written; /* bytes given to write() */
  uint64_t doubts;  /* verdicts UNCONFIRMED */
  uint64_t late, unconfirmed, queued, taken;
  uint64_t anonymous, keys_bytes, doubts_bytes, data_bytes; /* memory and files, now */
  double longest_ms;                                        /* of all calls that add or take */
} late_numbers;

typedef struct late_column late_column;

/* Opens `directory`; the lot is in memory that is shared, and it comes there before it is worked through. */
late_column *late_column_open(const char *directory, const frontier_options *options, const late_lot *shared);

/* Adds all links; then takes and ends URLs until `backlog` wait. */
late_numbers late_column_work(late_column *c, uint64_t backlog);
/* Takes and ends all there are, and closes; frees. */
late_numbers late_column_finish(late_column *c);

#endif
