/* crawler/cluster/last_copy.h: DIR/p-NNN/last-copy, which names the last complete copy of that partition elsewhere.
 *
 * Who makes copies writes it, and the worker reads it: then what others sent and the copy has need not be kept by them
 * any more (`kept` of frontier/exchange.h). Written last of all, for what it says lets URLs be forgotten. */
#ifndef STRATA_CRAWLER_LAST_COPY_H
#define STRATA_CRAWLER_LAST_COPY_H

#include <stdbool.h>
#include <stdint.h>

#define LAST_COPY_NAME "last-copy"

typedef struct last_copy {
  uint64_t at_ms;  /* wall clock before it was begun */
  char path[4096]; /* a crawl's directory */
} last_copy;

bool last_copy_write(const char *directory, const last_copy *copy); /* false: see errno */
bool last_copy_read(const char *directory, last_copy *copy);        /* false: there is none */

#endif
