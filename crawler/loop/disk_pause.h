/* Pause on a full disk: a write fails for lack of space, perhaps only for a time. A crawl then starts no fetch, keeps
 * what it received, and tries the write again, soon at first and then every second, until it succeeds.
 *
 * For a full disk, a quota or a full memory map it waits without limit. For an I/O error it waits a minute: the disk
 * may recover, but a crawl should not wait all night for a broken one. */
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
