/* How a crawl ended: for people on stderr, for programs as one JSON object. */
#ifndef STRATA_CRAWLER_SUMMARY_H
#define STRATA_CRAWLER_SUMMARY_H

#include "crawler/loop/crawl.h"
#include "crawler/commands/crawl_args.h"
#include "crawler/base/json.h"

typedef struct summary {
  crawl_end end;
  crawl_totals run;     /* of this run */
  frontier_stats stats; /* since the crawl began */
  frontier *frontier;
  const char *directory; /* NULL: kept nothing */
  const crawl_args *args;
  bool is_confined;          /* base/confine.h */
  bool lacks_starts;         /* not all start URLs were read */
  const char *map_failure;   /* crawl_map_failure */
  const char *start_failure; /* crawl_start_failure */
} summary;

void summary_print(const summary *s);

/* For --quiet, which has no summary: one sentence if nothing was fetched, since all that waits is not public. */
void summary_say_waiting(const summary *s);

void summary_json(const summary *s, json *out);

/* The counters of a frontier as members of an open JSON object; `strata stat --json` has the same. */
void summary_counters(frontier *f, const frontier_stats *stats, json *out);

#endif
