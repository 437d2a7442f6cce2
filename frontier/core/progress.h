/* Where a crawl stood at its last transaction: the records "progress" and "acceptance" of FORMAT.md. */
#ifndef STRATA_FRONTIER_PROGRESS_H
#define STRATA_FRONTIER_PROGRESS_H

#include "frontier/frontier.h"

enum { PROGRESS_SIZE = 104, ACCEPTANCE_SIZE = 24 };

typedef struct progress {
  uint64_t next_sequence;   /* of the next URL accepted; the first is 1 */
  uint64_t log_keys;        /* keys in the hash log */
  uint64_t checkpoint_keys; /* of them, those the saved filter holds */
  unsigned checkpoint_slot; /* 0 or 1: the filter file that is valid */
  uint64_t done, failed, skipped, noted, forced;
  uint64_t outcomes[FRONTIER_OUTCOMES];
  double expected_lost; /* URLs, to false positives of the filter */
} progress;

void progress_write(const progress *p, uint8_t body[PROGRESS_SIZE]);
bool progress_read(progress *p, const uint8_t *body, size_t size); /* false: it contradicts itself */

/* What came after the first formats has a record of its own, which is written once there is something to say. */
bool progress_has_acceptance(const progress *p);
void acceptance_write(const progress *p, uint8_t body[ACCEPTANCE_SIZE]);
bool acceptance_read(progress *p, const uint8_t *body, size_t size); /* false: it is damaged; nothing was read */

#endif
