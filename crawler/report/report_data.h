/* The sums over pages.jsonl for the report. A URL that was fetched several times counts once (report_urls.h); traffic
 * and timeline have every fetch. Two passes over the file, three if a URL was fetched again, in fixed memory, 16 bytes
 * a URL, and 16 a page while duplicates are counted, each with as many free. */
#ifndef STRATA_CRAWLER_REPORT_DATA_H
#define STRATA_CRAWLER_REPORT_DATA_H

#include "crawler/report/report_pairs.h"
#include "crawler/base/progress_line.h"
#include "crawler/base/tally.h"

enum {
  REPORT_TOP = 15,    /* rows of a list of pages */
  REPORT_DEPTHS = 32, /* the last has all deeper ones */
  REPORT_SIZES = 11,  /* under 1 kB, 2 kB, ... 512 kB, and more */
  REPORT_STATUSES = 1000,
  REPORT_BARS = 60, /* of the timeline */
  REPORT_EXAMPLES = 3,
};

typedef struct report_page {
  char *url;
  double value;
} report_page;

typedef struct report_list {
  report_page pages[REPORT_TOP]; /* largest value first */
  size_t count;
} report_list;

typedef struct report_copies { /* pages with one body */
  uint64_t hash;               /* first 64 bits of its SHA-256 */
  uint64_t count;
  uint64_t bytes; /* of one */
  char *examples[REPORT_EXAMPLES];
} report_copies;

typedef struct report_data {
  uint64_t fetches, urls, pages, redirects, bad_lines;
  uint64_t unchanged; /* URLs that were as before when they were fetched last */
  uint64_t wire_bytes, body_bytes;
  uint64_t statuses[REPORT_STATUSES];
  uint64_t depths[REPORT_DEPTHS], sizes[REPORT_SIZES];
  tally hosts, types, errors;
  report_list slowest, largest;
  report_copies copies[REPORT_TOP]; /* most first */
  size_t copies_count;
  uint64_t copied_pages;                                        /* pages beyond the first with the same body */
  report_pairs bodies;                                          /* that are alike; report_bodies_read fills them in */
  report_pairs near;                                            /* pages and an earlier one that says the same */
  uint64_t first_ms, last_ms;                                   /* of the Unix epoch; 0: nothing was fetched */
  uint64_t bar_ms, bars[REPORT_BARS], failed_bars[REPORT_BARS]; /* fetches that ended in each stretch of bar_ms */
} report_data;

/* Reads the file, and shows in `shown` (or NULL) how far. NULL: errno says why not. */
report_data *report_data_read(const char *path, progress *shown);
void report_data_free(report_data *d);

#endif
