/* The in-link counts of several crawls, added up for strata merge. */
#ifndef STRATA_CRAWLER_MERGE_COUNTS_H
#define STRATA_CRAWLER_MERGE_COUNTS_H

#include <stddef.h>

/* Into those of the crawl in `output`, which has none yet. Counts put things in order, no more: what cannot be had is
 * said and left out. */
void merge_counts(const char *output, char **directories, size_t count);

#endif
