/* mlbf/count/overflow.h: counts that overflow a counting filter's cells. Internal to mlbf/.
 *
 * Cells are in chunks of 1024; each chunk has a sorted list of (cell within the chunk, high part of the count), 4 bytes
 * each. Searching so short a list takes a few steps, moving it a few cache lines; an empty chunk costs 16 bytes, an
 * eighth of a bit per cell. */
#ifndef STRATA_MLBF_OVERFLOW_H
#define STRATA_MLBF_OVERFLOW_H

#include "mlbf/filter.h"

enum { MLBF_CHUNK_CELLS = 1024 };

typedef struct mlbf_chunk {
  uint32_t *entries; /* cell << 16 | high part, ascending */
  uint16_t count;
  uint16_t room; /* of `entries`; 0: they belong to a file's body */
} mlbf_chunk;

typedef struct mlbf_overflow {
  mlbf_chunk *chunks;
  uint64_t chunk_count, entries;
} mlbf_overflow;

static inline uint64_t mlbf_overflow_chunks(uint64_t cells)
{
  return (cells + MLBF_CHUNK_CELLS - 1) / MLBF_CHUNK_CELLS;
}

bool mlbf_overflow_make(mlbf_overflow *overflow, uint64_t cells);
void mlbf_overflow_drop(mlbf_overflow *overflow);

/* The high part of this cell's count; 0 if it has none here. */
uint32_t mlbf_overflow_get(const mlbf_overflow *overflow, uint64_t cell);

/* After it, `more` calls of _set in the chunk of `cell` cannot fail. */
bool mlbf_overflow_reserve(mlbf_overflow *overflow, uint64_t cell, uint32_t more);
void mlbf_overflow_set(mlbf_overflow *overflow, uint64_t cell, uint32_t high); /* > 0, and no less than it was */

#endif
