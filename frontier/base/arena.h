/* Memory that is freed all at once, in pieces that the kernel may back by huge pages: access to it is random, so with
 * 4 KiB pages there are as many TLB misses as cache misses (bench_frontier: a tenth of the CPU time). */
#ifndef STRATA_FRONTIER_ARENA_H
#define STRATA_FRONTIER_ARENA_H

#include <stddef.h>

typedef struct arena {
  struct arena_piece *pieces;
  char *rest; /* of the last one */
  size_t rest_size;
  size_t taken; /* bytes of all pieces */
} arena;

void *arena_take(arena *a, size_t size); /* aligned for anything; NULL: no memory */
void arena_free(arena *a);               /* and all that was taken from it */

#endif
