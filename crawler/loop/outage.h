/* An outage: the disk does not take what the crawl has to say, and may later. A crawl then pauses: it starts no fetch,
 * keeps what came, and tries again, soon at first and then every second, until it is taken.
 *
 * A full disk, a quota or a full map is waited for as long as it takes. An I/O error is given a minute: a disk that has
 * one may be back, but nobody should find a crawl the next morning that waited for a broken one. */
#ifndef STRATA_CRAWLER_OUTAGE_H
#define STRATA_CRAWLER_OUTAGE_H

#include "frontier/frontier.h"

enum { OUTAGE_RETRY_MIN_MS = 100, OUTAGE_RETRY_MAX_MS = 1000, OUTAGE_IO_MS = 60000 };

typedef struct outage {
  bool is_on;
  uint64_t since_ms, retry_at_ms, retry_ms; /* when it began, when and after what wait to try again */
  char why[FRONTIER_MESSAGE_SIZE];          /* what failed first */
} outage;

/* A call failed with `status`. true: it may be repeated at retry_at_ms. false: waiting does not help. */
bool outage_note(outage *o, frontier_status status, const char *why, uint64_t now_ms);

/* A call that had failed went well. */
void outage_end(outage *o);

#endif
