/* See entry_pool.h. */
#include "frontier/hosts/entry_pool.h"

#include <stdlib.h>

typedef struct pool_block {
  struct pool_block *next;
} pool_block;

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

void *entry_pool_take(entry_pool *pool, size_t size)
{
  size_t number = number_of(size);
  if (number >= POOL_SIZES)
    return malloc(size);
  pool_block *block = pool->free[number];
  if (!block)
    return arena_take(&pool->arena, (number + 1) * POOL_STEP);
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
  arena_free(&pool->arena);
  *pool = (entry_pool){0};
}
