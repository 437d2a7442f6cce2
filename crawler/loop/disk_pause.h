/* Pause on a full disk: the disk does not take what the crawl has to write, and may later. A crawl then starts no
 * fetch, keeps what came, and tries again, soon at first and then every second, until it is taken.
 *
 * A full disk, a quota or a full map is waited for as long as it takes. An I/O error is given a minute: a disk that has
 * one may be back, but a crawl should not be found the next morning, still waiting for a broken one. */
#ifndef STRATA_CRAWLER_DISK_PAUSE_H
#define STRATA_CRAWLER_DISK_PAUSE_H

#include "frontier/frontier.h"

enum { DISK_PAUSE_RETRY_MIN_MS = 100, DISK_PAUSE_RETRY_MAX_MS = 1000, DISK_PAUSE_IO_MS = 60000 };

typedef struct disk_pause {
  bool is_on;
  uint64_t since_ms, retry_at_ms, retry_ms; /* when it began, when and after what wait to try again */
  char why[FRONTIER_MESSAGE_SIZE];          /* what failed first */
} disk_pause;

/* A call failed with `status`. true: it may be repeated at retry_at_ms. false: waiting does not help. */
bool disk_pause_note(disk_pause *o, frontier_status status, const char *why, uint64_t now_ms);

/* A call that had failed went well. */
void disk_pause_end(disk_pause *o);

#endif
