/* mlbf/filter/line.h: bits of a key inside one or two cache lines. Internal to mlbf/.
 *
 *   LINE        line = scale(low, lines)                    k bits from `high`
 *   TWO_LINES   page = scale(low, pages); first and         k/2 bits from `high`,
 *               second, another line of that page, from     k/2 from mlbf_line_other_half(high)
 *               the lower 32 bits of low
 *
 * In a line a key has one bit in each of its lanes, 1, 2, 4 or 8 equal parts: lane i's bit is number i of `high` cut
 * into numbers of as many bits as a lane needs, from the lowest on. Twelve bits are 8 lanes, then 4 over them from
 * the top of a multiple of the number. So a mask is the same few vector instructions for a whole line, whatever k is.
 *
 * A page is 16 KiB or a little less: one entry of the TLB for both lines. A filter of P * 256 lines or
 * fewer, P the least such number, has P equal pages.
 *
 * A path is an implementation for some processors. All paths set the same bits; tests run each one that this
 * machine can and compare. The fastest is chosen when a filter is made. */
#ifndef STRATA_MLBF_LINE_H
#define STRATA_MLBF_LINE_H

#include "mlbf/filter/array.h"
#include "mlbf/hash/cpu.h"

/* What a path's loops are made of: constants reach all of it. */
#define MLBF_LINE_INLINE static inline __attribute__((always_inline))

enum { MLBF_KEYS_AT_ONCE = 64 }; /* answers are bits of a number: bit i is key i's */

struct mlbf_line_path {
  mlbf_cpu_path cpu;
  /* At most MLBF_KEYS_AT_ONCE, in order; lines are expected in the cache already. Set bits: known; new. */
  uint64_t (*test)(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count);
  uint64_t (*insert)(mlbf_array *array, const mlbf_hash128 *hashes, size_t count);
};

extern const mlbf_line_path mlbf_line_scalar;
extern const mlbf_line_path mlbf_line_avx2;
extern const mlbf_line_path mlbf_line_avx512;
extern const mlbf_line_path mlbf_line_neon;

/* All paths compiled in, best first, up to a NULL. */
extern const mlbf_line_path *const mlbf_line_paths[];

/* The first of them this machine can use and cpu.h allows. */
const mlbf_line_path *mlbf_line_path_best(void);

/* That, or for CLASSIC the one that goes bit by bit. */
const mlbf_line_path *mlbf_array_path(mlbf_layout layout);

/* Where a key's lines are. */
typedef struct mlbf_two_lines {
  uint64_t *first, *second;
} mlbf_two_lines;

static inline uint64_t *mlbf_line_of(const mlbf_array *array, mlbf_hash128 hash)
{
  return array->words + mlbf_scale(hash.low, array->places) * MLBF_LINE_WORDS;
}

/* The page uses the upper half of `low` (there are at most 2^31), the lines the lower one: its 32 bits times n give the
 * first, what is left of the product's fraction the distance to the second. */
static inline mlbf_two_lines mlbf_two_lines_of(const mlbf_array *array, mlbf_hash128 hash)
{
  uint64_t n = array->page_lines, *page = array->words + mlbf_scale(hash.low, array->places) * n * MLBF_LINE_WORDS;
  uint64_t product = (uint32_t)hash.low * n, first = product >> 32;
  uint64_t second = first + 1 + ((uint32_t)product * (n - 1) >> 32);
  second = second < n ? second : second - n; /* n = 1: the first again */
  return (mlbf_two_lines){page + first * MLBF_LINE_WORDS, page + second * MLBF_LINE_WORDS};
}

static inline uint64_t mlbf_line_other_half(uint64_t high)
{
  return mlbf_rotate(high, 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The number that four lanes over eight are cut from. */
static inline uint64_t mlbf_line_four_more(uint64_t number)
{
  return number * UINT64_C(0xd1342543de82ef95) >> 36;
}

/* The bit of lane i in a line of so many lanes. */
MLBF_LINE_INLINE unsigned mlbf_lane_bit(uint64_t number, unsigned lanes, unsigned i)
{
  unsigned bits = 9 - (unsigned)__builtin_ctz(lanes);
  return (i << bits) + (unsigned)(number >> i * bits & ((UINT64_C(1) << bits) - 1));
}

static inline void mlbf_line_prefetch(const mlbf_array *array, mlbf_hash128 hash)
{
  if (array->layout == MLBF_LAYOUT_TWO_LINES) {
    mlbf_two_lines lines = mlbf_two_lines_of(array, hash);
    mlbf_fetch(lines.first);
    mlbf_fetch(lines.second);
  } else {
    mlbf_fetch(mlbf_line_of(array, hash));
  }
}

#endif
