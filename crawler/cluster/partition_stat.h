/* crawler/cluster/partition_stat.h: what a worker says of its partition once a second, as JSON in NAME:stat. */
#ifndef STRATA_CRAWLER_PARTITION_STAT_H
#define STRATA_CRAWLER_PARTITION_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct partition_stat {
  uint32_t partition;
  char worker[96], directory[1024];
  uint64_t incarnation, pages, done, waiting, hosts;
  uint64_t outbox, unacknowledged; /* parcels */
  uint64_t oldest_ms;              /* since the oldest of these was sent first; 0: none waits */
  uint64_t copied_ms;              /* wall clock of the last copy elsewhere; 0: there is none */
  uint64_t at_ms;                  /* wall clock of all this */
  double rate;                     /* pages a second */
} partition_stat;

struct json;
void partition_stat_write(const partition_stat *s, struct json *out);
bool partition_stat_read(const char *text, size_t size, partition_stat *s); /* false: not that */

#endif
