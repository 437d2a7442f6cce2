/* See entry_pool.h. */
#include "frontier/entry_pool.h"

#include <stdlib.h>

enum { SLAB_SIZE = 1 << 16 };

typedef struct pool_block {
  struct pool_block *next;
} pool_block;

typedef struct pool_slab {
  struct pool_slab *next;
  _Alignas(max_align_t) char bytes[];
} pool_slab;

/* Which of the sizes; POOL_SIZES or more: too large. Under the sanitizer each block is malloc's, to be watched over. */
static size_t number_of(size_t size)
{
#ifdef __SANITIZE_ADDRESS__
  (void)size;
  return POOL_SIZES;
#else
  return (size - 1) / POOL_STEP;
#endif
}

/* What is left of a slab is too small for this size, and is left. */
static char *cut(entry_pool *pool, size_t size)
{
  if (pool->rest_size < size) {
    pool_slab *slab = malloc(sizeof *slab + SLAB_SIZE);
    if (!slab)
      return NULL;
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->rest = slab->bytes;
    pool->rest_size = SLAB_SIZE;
  }
  char *block = pool->rest;
  pool->rest += size;
  pool->rest_size -= size;
  return block;
}

void *entry_pool_take(entry_pool *pool, size_t size)
{
  size_t number = number_of(size);
  if (number >= POOL_SIZES)
    return malloc(size);
  pool_block *block = pool->free[number];
  if (!block)
    return cut(pool, (number + 1) * POOL_STEP);
  pool->free[number] = block->next;
  __builtin_prefetch(block->next, 1); /* the next one; it was left long ago */
  return block;
}

void entry_pool_give(entry_pool *pool, void *block, size_t size)
{
  size_t number = number_of(size);
  if (number >= POOL_SIZES) {
    free(block);
    return;
  }
  pool_block *freed = block;
  freed->next = pool->free[number];
  pool->free[number] = freed;
}

void entry_pool_free(entry_pool *pool)
{
  for (pool_slab *slab = pool->slabs, *next; slab; slab = next) {
    next = slab->next;
    free(slab);
  }
  *pool = (entry_pool){0};
}
