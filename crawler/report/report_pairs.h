/* Pairs of similar URLs for the report: their number, and the most similar ones. */
#ifndef STRATA_CRAWLER_REPORT_PAIRS_H
#define STRATA_CRAWLER_REPORT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPORT_PAIRS = 15 };

typedef struct report_pair {
  char *one, *other;
  double share;
} report_pair;

typedef struct report_pairs {
  report_pair best[REPORT_PAIRS]; /* most alike first; of equals the first that came */
  size_t count;
  uint64_t all;
} report_pairs; /* zeros: none yet */

/* Copies what it keeps; false: no memory. */
bool report_pairs_add(report_pairs *p, const char *one, const char *other, double share);
void report_pairs_free(report_pairs *p);

#endif
