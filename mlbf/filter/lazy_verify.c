#include "mlbf/filter/lazy_verify.h"

#include <assert.h>
#include <stdlib.h>

#include <xxhash.h>

uint64_t mlbf_block_count(uint64_t body_bytes)
{
  return (body_bytes + MLBF_BLOCK_BYTES - 1) / MLBF_BLOCK_BYTES;
}

uint64_t mlbf_block_checksum(const void *body, uint64_t body_bytes, uint64_t block)
{
  uint64_t begin = block * MLBF_BLOCK_BYTES, rest = body_bytes - begin;
  return XXH3_64bits((const char *)body + begin, rest < MLBF_BLOCK_BYTES ? rest : MLBF_BLOCK_BYTES);
}

struct mlbf_guard {
  const char *body;
  uint64_t body_bytes;
  uint64_t *table;
  bool is_damaged;
  bool is_checked[]; /* a block; only ever goes from false to true */
};

mlbf_guard *mlbf_guard_create(const void *body, uint64_t body_bytes, uint64_t *table)
{
  mlbf_guard *guard = calloc(1, sizeof *guard + mlbf_block_count(body_bytes) * sizeof guard->is_checked[0]);
  if (!guard)
    return NULL;
  guard->body = body;
  guard->body_bytes = body_bytes;
  guard->table = table;
  return guard;
}

void mlbf_guard_free(mlbf_guard *guard)
{
  if (!guard)
    return;
  free(guard->table);
  free(guard);
}

bool mlbf_guard_is_sound(const mlbf_guard *guard, uint64_t block)
{
  return mlbf_block_checksum(guard->body, guard->body_bytes, block) == guard->table[block];
}

/* Two readers may check one block at the same time and find the same. */
static bool check_block(mlbf_guard *guard, uint64_t block)
{
  assert(block < mlbf_block_count(guard->body_bytes));
  if (__atomic_load_n(&guard->is_checked[block], __ATOMIC_RELAXED))
    return true;
  if (!mlbf_guard_is_sound(guard, block)) {
    __atomic_store_n(&guard->is_damaged, true, __ATOMIC_RELAXED);
    return false;
  }
  __atomic_store_n(&guard->is_checked[block], true, __ATOMIC_RELAXED);
  return true;
}

bool mlbf_guard_touch(mlbf_guard *guard, const uint64_t *word)
{
  assert((const char *)word >= guard->body && (const char *)word < guard->body + guard->body_bytes);
  return check_block(guard, (uint64_t)((const char *)word - guard->body) / MLBF_BLOCK_BYTES);
}

bool mlbf_guard_check_all(mlbf_guard *guard)
{
  for (uint64_t block = 0; block < mlbf_block_count(guard->body_bytes); block++)
    if (!check_block(guard, block))
      return false;
  return true;
}

bool mlbf_guard_is_damaged(const mlbf_guard *guard)
{
  return __atomic_load_n(&guard->is_damaged, __ATOMIC_RELAXED);
}
