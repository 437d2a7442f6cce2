/* The counters of a crawl in Prometheus' text format, for machines. METRICS.md has the table. */
#ifndef STRATA_CRAWLER_METRICS_H
#define STRATA_CRAWLER_METRICS_H

#include "crawler/loop/crawl.h"

#include <stddef.h>

typedef struct metrics {
  frontier *frontier;
  const crawl *crawl;
  const char *directory; /* "": it keeps nothing */
  uint64_t began_ms;     /* the run, of the Unix epoch */
} metrics;

/* To be freed; NULL: out of memory, or the frontier cannot say. */
char *metrics_text(const metrics *m, size_t *size);

#endif
