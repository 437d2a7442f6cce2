/* The descriptor limit: how many parallel fetches remain when the process has run out of file descriptors, and whether
 * any can work.
 *
 * It happens although --connections was checked against the limit at the start: connecting to a host with two addresses
 * takes two descriptors, a DNS look-up three, and the limit of a running process can be lowered. A fetch that got no
 * descriptor does not fail; it is started again when fewer others run. The system does not report free descriptors, so
 * more fetches are tried from time to time. */
#ifndef STRATA_CRAWLER_FD_LIMIT_H
#define STRATA_CRAWLER_FD_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fd_limit {
  size_t limit;            /* fetches at once; SIZE_MAX: no limit */
  bool was_met;            /* and `limit` lowered by it */
  bool is_hopeless;        /* for two seconds not even one fetch found a descriptor */
  uint64_t retry_at_ms;    /* no sooner */
  uint64_t changed_ms;     /* `limit`, the last time */
  uint64_t alone_since_ms; /* 0: others had descriptors, so they will give them back */
} fd_limit;

/* Is there less than what one more connection can need? By trying. */
bool fd_limit_is_here(void);

/* A fetch found no descriptor while `others` had theirs. */
void fd_limit_note(fd_limit *s, size_t others, uint64_t now_ms);

/* One did. true: none was missing for so long that `limit` rose; at `enough` nothing is limited any more. */
bool fd_limit_relieve(fd_limit *s, size_t enough, uint64_t now_ms);

#endif
