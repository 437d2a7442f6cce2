/* crawler/loop/lacks.h: what a crawl did not get of its scope, though nothing went wrong with the crawl itself.
 *
 * Counters of the frontier, changed in the transaction that ends the URL: a kill loses none and counts none twice.
 * report/missing.h says what they mean for people and programs. */
#ifndef STRATA_CRAWLER_LACKS_H
#define STRATA_CRAWLER_LACKS_H

#include "frontier/frontier.h"

#include <stdbool.h>

typedef enum crawl_lack {
  LACK_BODY,      /* a page was cut: at --max-body, by its server, or by the end of its time */
  LACK_LINKS,     /* not all links of a page were taken: too many, too long, or a pattern was too slow */
  LACK_REDIRECTS, /* a chain of redirects went on for too long */
  LACK_SITEMAP,   /* not all of a sitemap was read */
  LACK_FAILED,    /* a URL failed, and may be well another time */
  LACK_ROBOTS,    /* a URL was not asked for, as its host's robots.txt could not be read */
} crawl_lack;
enum { CRAWL_LACKS = LACK_ROBOTS + 1, LACKS_OF_PAGES = LACK_FAILED /* of pages that were fetched: those before it */ };

#define LACK_BIT(lack) (1U << (lack))

const char *crawl_lack_name(crawl_lack lack); /* of its counter */

/* Before the first URL ends: all that is lacking will be counted. */
frontier_status lacks_begin(frontier *f);
bool lacks_are_counted(frontier *f); /* false: not in the runs of an older version */

/* A URL that had the lacks of one set of bits (when it was last fetched) has those of another now. */
frontier_status lacks_change(frontier *f, unsigned before, unsigned now);

/* All that failed is queued again. */
frontier_status lacks_forgive(frontier *f);

/* The run is over. What is held back and what is too deep is known to this run alone: it is kept, for those that read
 * the directory until it changes. */
frontier_status lacks_keep_rest(frontier *f, uint64_t not_public);

typedef struct lacks_rest {
  uint64_t waiting;    /* URLs queued or in flight that the next run would fetch, links not confirmed yet included */
  uint64_t held;       /* by a budget */
  uint64_t not_public; /* the addresses they wait at: --allow-private was not given */
  uint64_t too_deep;
} lacks_rest;

lacks_rest lacks_read_rest(frontier *f, const frontier_stats *stats);

#endif
