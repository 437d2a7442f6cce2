/* Memory that is given back all at once, in pieces of which the kernel may make huge pages: what lies here is met in no
 * order, and a page table of 4 KiB pages is then missed as often as the memory itself (bench_frontier: a tenth of the
 * processor). */
#ifndef STRATA_FRONTIER_ARENA_H
#define STRATA_FRONTIER_ARENA_H

#include <stddef.h>

typedef struct arena {
  struct arena_piece *pieces;
  char *rest;        /* of the last one */
  size_t rest_size;
  size_t taken;      /* bytes of all pieces */
} arena;

void *arena_take(arena *a, size_t size); /* aligned for anything; NULL: no memory */
void arena_free(arena *a);               /* and all that was taken from it */

#endif
