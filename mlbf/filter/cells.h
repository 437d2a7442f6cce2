/* mlbf/filter/cells.h: an array of small numbers, 1 to 32 bits each, packed end to end. Internal to mlbf/.
 *
 *   cell i: bits i*b .. i*b+b-1 of the array, lowest bit first; read as one unaligned 8-byte word, so a cell of up to
 *   57 bits is one load. Eight spare bytes behind the last cell make that load safe.
 */
#ifndef STRATA_MLBF_CELLS_H
#define STRATA_MLBF_CELLS_H

#include <assert.h>
#include <string.h>

#include "mlbf/filter/hash.h"
#include "mlbf/plan.h"

enum { MLBF_CELL_BITS_MAX = 32 };

typedef struct mlbf_cells {
  unsigned char *bytes;
  uint64_t count;
  uint32_t bits;
} mlbf_cells;

/* Bytes of an array, spare ones included: a multiple of 64. */
static inline uint64_t mlbf_cells_bytes(uint64_t count, uint32_t bits)
{
  return ((count * bits + 7) / 8 + 8 + 63) / 64 * 64;
}

static inline uint64_t mlbf_cells_get(const mlbf_cells *cells, uint64_t cell)
{
  uint64_t bit = cell * cells->bits, word;
  assert(cell < cells->count && cells->bits >= 1 && cells->bits <= MLBF_CELL_BITS_MAX);
  memcpy(&word, cells->bytes + bit / 8, sizeof word);
  return word >> bit % 8 & ((UINT64_C(1) << cells->bits) - 1);
}

static inline void mlbf_cells_set(const mlbf_cells *cells, uint64_t cell, uint64_t value)
{
  uint64_t bit = cell * cells->bits, word, mask = ((UINT64_C(1) << cells->bits) - 1) << bit % 8;
  assert(cell < cells->count && value >> cells->bits == 0);
  memcpy(&word, cells->bytes + bit / 8, sizeof word);
  word = (word & ~mask) | (value << bit % 8 & mask);
  memcpy(cells->bytes + bit / 8, &word, sizeof word);
}

/* The k places of a key among `count`: those of a classic filter of as many bits (FORMAT.md). */
static inline void mlbf_places(mlbf_hash128 hash, uint64_t count, uint32_t k, uint64_t places[MLBF_HASHES_MAX])
{
  uint64_t place = hash.low, increment = hash.high | 1;
  assert(count && k >= 1 && k <= MLBF_HASHES_MAX);
  for (uint32_t i = 0; i < k; i++, place = place * 0xd1342543de82ef95u + increment)
    places[i] = mlbf_scale(place, count);
}

#endif
