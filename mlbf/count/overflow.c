/* The high parts of counts that overflow their cells: a sorted list for each chunk of 1,024 cells. See overflow.h.
 *
 * Always: a chunk's entries ascend by cell, each cell has at most one, none has a high part of 0, and `entries` is how
 * many there are in all. Memory is had first (reserve), so that setting cannot fail. A chunk with room 0 has entries
 * that are part of a file's body, which is not its to free, and gets memory of its own before it grows.
 *
 * Called by count.c, count_file.c and count_merge.c. */
#include "mlbf/count/overflow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool mlbf_overflow_make(mlbf_overflow *overflow, uint64_t cells)
{
  uint64_t count = mlbf_overflow_chunks(cells);
  *overflow = (mlbf_overflow){calloc(count, sizeof *overflow->chunks), count, 0};
  return overflow->chunks != NULL;
}

void mlbf_overflow_drop(mlbf_overflow *overflow)
{
  for (uint64_t i = 0; overflow->chunks && i < overflow->chunk_count; i++)
    if (overflow->chunks[i].room > 0)
      free(overflow->chunks[i].entries);
  free(overflow->chunks);
}

/* The first entry of the chunk that is not before `cell`. No branch depends on the entries: it would be unpredictable,
 * and a misprediction costs more than a step. */
static uint32_t find(const mlbf_chunk *chunk, uint32_t cell)
{
  const uint32_t *at = chunk->entries;
  assert(cell < MLBF_CHUNK_CELLS && chunk->count <= MLBF_CHUNK_CELLS);
  assert(chunk->room == 0 || chunk->count <= chunk->room);
  uint32_t left = chunk->count, least = cell << 16;
  if (left == 0)
    return 0;
  while (left > 1) {
    uint32_t half = left / 2;
    at += at[half - 1] < least ? half : 0;
    left -= half;
  }
  return (uint32_t)(at - chunk->entries) + (*at < least);
}

uint32_t mlbf_overflow_get(const mlbf_overflow *overflow, uint64_t cell)
{
  assert(cell / MLBF_CHUNK_CELLS < overflow->chunk_count);
  const mlbf_chunk *chunk = &overflow->chunks[cell / MLBF_CHUNK_CELLS];
  uint32_t place = cell % MLBF_CHUNK_CELLS, at = find(chunk, place);
  bool is_there = at < chunk->count && chunk->entries[at] >> 16 == place;
  return is_there ? chunk->entries[at] & 0xffff : 0;
}

bool mlbf_overflow_reserve(mlbf_overflow *overflow, uint64_t cell, uint32_t more)
{
  assert(cell / MLBF_CHUNK_CELLS < overflow->chunk_count);
  mlbf_chunk *chunk = &overflow->chunks[cell / MLBF_CHUNK_CELLS];
  uint32_t needed = chunk->count + more;
  needed = needed < MLBF_CHUNK_CELLS ? needed : MLBF_CHUNK_CELLS;
  if (chunk->room >= needed)
    return true;
  uint32_t room = needed + needed / 2 < MLBF_CHUNK_CELLS ? needed + needed / 2 : MLBF_CHUNK_CELLS;
  uint32_t *entries = malloc(room * sizeof *entries);
  if (!entries)
    return false;
  if (chunk->count > 0)
    memcpy(entries, chunk->entries, chunk->count * sizeof *entries);
  if (chunk->room > 0)
    free(chunk->entries);
  chunk->entries = entries;
  chunk->room = (uint16_t)room;
  assert(chunk->room >= needed && chunk->count <= chunk->room);
  return true;
}

static void insert_entry(mlbf_chunk *chunk, uint32_t at, uint32_t entry)
{
  assert(chunk->count < chunk->room && at <= chunk->count); /* reserved */
  assert(at == 0 || chunk->entries[at - 1] >> 16 < entry >> 16);
  assert(at == chunk->count || chunk->entries[at] >> 16 > entry >> 16);
  memmove(chunk->entries + at + 1, chunk->entries + at, (chunk->count - at) * sizeof *chunk->entries);
  chunk->entries[at] = entry;
  chunk->count++;
}

void mlbf_overflow_set(mlbf_overflow *overflow, uint64_t cell, uint32_t high)
{
  assert(cell / MLBF_CHUNK_CELLS < overflow->chunk_count);
  mlbf_chunk *chunk = &overflow->chunks[cell / MLBF_CHUNK_CELLS];
  uint32_t place = cell % MLBF_CHUNK_CELLS, at = find(chunk, place), entry = place << 16 | high;
  assert(high > 0 && high <= UINT16_MAX);
  if (at < chunk->count && chunk->entries[at] >> 16 == place) {
    assert(chunk->entries[at] <= entry); /* counts only grow */
    chunk->entries[at] = entry;
  } else {
    insert_entry(chunk, at, entry);
    overflow->entries++;
  }
}
