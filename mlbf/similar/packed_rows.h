/* mlbf/similar/packed_rows.h: 64 Bloom filters of one size, side by side. Internal to mlbf/.
 *
 *     row           0 1 2 ... 63
 *     word 0      [ 0 1 0 ...  1 ]     bit b of every row is in word b: one memory access tests all 64
 *     word 1      [ 1 0 0 ...  0 ]
 *     ...                              `bits` words */
#ifndef STRATA_MLBF_PACKED_ROWS_H
#define STRATA_MLBF_PACKED_ROWS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "mlbf/filter/hash.h"

enum { MLBF_ROWS = 64 };

typedef struct mlbf_rows_shape {
  uint64_t bits;   /* m, of one row */
  uint32_t hashes; /* k */
} mlbf_rows_shape;

/* Bit `i` of a shingle: the mixing step of splitmix64 (Steele, Lea, Flood, 2014), scaled to m. */
static inline uint64_t mlbf_rows_place(mlbf_rows_shape shape, uint64_t shingle, uint32_t i)
{
  uint64_t mixed = shingle + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
  return mlbf_scale(mixed ^ mixed >> 31, shape.bits);
}

/* Shingles into one row; how many of its bits were not set before. */
static inline uint64_t mlbf_rows_insert(uint64_t *words, mlbf_rows_shape shape, unsigned row, const uint64_t *shingles,
                                        size_t count)
{
  assert(row < MLBF_ROWS);
  uint64_t bit = UINT64_C(1) << row, fresh = 0;
  for (size_t i = 0; i < count; i++)
    for (uint32_t j = 0; j < shape.hashes; j++) {
      uint64_t *word = &words[mlbf_rows_place(shape, shingles[i], j)];
      fresh += !(*word & bit);
      *word |= bit;
    }
  return fresh;
}

/* known[r] rises by how many of the shingles row r knows. */
static inline void mlbf_rows_ask(const uint64_t *words, mlbf_rows_shape shape, const uint64_t *shingles, size_t count,
                                 uint32_t known[MLBF_ROWS])
{
  for (size_t i = 0; i < count; i++) {
    uint64_t rows = UINT64_MAX;
    for (uint32_t j = 0; j < shape.hashes && rows; j++)
      rows &= words[mlbf_rows_place(shape, shingles[i], j)];
    for (; rows; rows &= rows - 1)
      known[__builtin_ctzll(rows)]++;
  }
}

#endif
