/* Memory for entries: blocks of a few sizes, cut from slabs, and used again and again.
 *
 * Entries come by the thousand, of all sizes, and go in another order, which costs malloc an eighth of the whole way of
 * a URL (bench_frontier). A pool gives its memory back as a whole. */
#ifndef STRATA_FRONTIER_ENTRY_POOL_H
#define STRATA_FRONTIER_ENTRY_POOL_H

#include "frontier/base/arena.h"

enum { POOL_STEP = 32, POOL_SIZES = 16 }; /* up to 512 bytes: a URL of 400. Larger ones are malloc's */

typedef struct entry_pool {
  struct pool_block *free[POOL_SIZES];
  arena arena;
} entry_pool;

void *entry_pool_take(entry_pool *pool, size_t size);             /* NULL: no memory */
void entry_pool_give(entry_pool *pool, void *block, size_t size); /* of the size it was taken with */
void entry_pool_free(entry_pool *pool);                           /* and every block in it but the large ones */

#endif
