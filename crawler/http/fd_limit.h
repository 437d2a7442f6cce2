/* The descriptor limit: how many fetches go on at once when the process has run out of file descriptors, and whether
 * that makes sense.
 *
 * It happens although --connections was checked against the limit at the start: a host with two addresses takes two, a
 * name being looked up three, and the limit of a running process can be lowered. What found no descriptor is not said
 * to have failed; it is begun again when there are fewer others. Nobody says when descriptors are free again, so
 * more are tried from time to time. */
#ifndef STRATA_CRAWLER_FD_LIMIT_H
#define STRATA_CRAWLER_FD_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fd_limit {
  size_t limit;           /* fetches at once; SIZE_MAX: as many as one likes */
  bool was_met;           /* and `limit` lowered by it */
  bool is_hopeless;       /* for two seconds not even one fetch found a descriptor */
  uint64_t retry_at_ms;   /* no sooner */
  uint64_t changed_ms;    /* `limit`, the last time */
  uint64_t alone_since_ms; /* 0: others had descriptors, so they will give them back */
} fd_limit;

/* Is there less than what one more connection can need? By trying. */
bool fd_limit_is_here(void);

/* A fetch found no descriptor while `others` had theirs. */
void fd_limit_note(fd_limit *s, size_t others, uint64_t now_ms);

/* One did. true: none was missing for so long that `limit` rose; at `enough` nothing is limited any more. */
bool fd_limit_relieve(fd_limit *s, size_t enough, uint64_t now_ms);

#endif
