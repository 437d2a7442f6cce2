/* mlbf/filter/line.h: bits of a key inside one or two cache lines. Internal to mlbf/.
 *
 *   LANES       line = scale(low)     one bit in each of the 8 words; number in word i: bits 6i..6i+5 of `high`
 *   LINE        line = scale(low)     k bits anywhere, from the upper half of `high`
 *   TWO_LINES   line = scale(low)     k/2 bits anywhere, from the upper half of `high`
 *               line = scale(low rotated by 32)   k/2 more, from the lower half of `high`
 *
 * A path is an implementation for some processors. All paths set the same bits; tests run each one that this
 * machine can and compare. The fastest is chosen when a filter is made. */
#ifndef STRATA_MLBF_LINE_H
#define STRATA_MLBF_LINE_H

#include "mlbf/filter/array.h"

struct mlbf_line_path {
  const char *name;
  bool (*is_usable)(void); /* on this machine */
  bool (*test)(const mlbf_array *array, mlbf_hash128 hash);
  bool (*insert)(mlbf_array *array, mlbf_hash128 hash); /* true: it was new */
  /* the same for many, in order; lines are expected in the cache already */
  void (*test_many)(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *is_known);
  void (*insert_many)(mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *was_new);
};

extern const mlbf_line_path mlbf_line_scalar;
extern const mlbf_line_path mlbf_line_avx2;
extern const mlbf_line_path mlbf_line_avx512;
extern const mlbf_line_path mlbf_line_neon;
extern const mlbf_line_path mlbf_line_shared;  /* many threads at once */
extern const mlbf_line_path mlbf_line_guarded; /* mapped, blocks checked on the way */

/* All paths compiled in, best first, up to a NULL. */
extern const mlbf_line_path *const mlbf_line_paths[];

/* The first of them this machine can use. */
const mlbf_line_path *mlbf_line_path_best(void);

static inline bool mlbf_line_test(const mlbf_array *array, mlbf_hash128 hash)
{
  return array->path->test(array, hash);
}

static inline bool mlbf_line_insert(mlbf_array *array, mlbf_hash128 hash)
{
  return array->path->insert(array, hash);
}

/* Where a key's lines are. */
static inline uint64_t *mlbf_line_first(const mlbf_array *array, mlbf_hash128 hash)
{
  return array->words + mlbf_scale(hash.low, array->bits / MLBF_LINE_BITS) * MLBF_LANES;
}

static inline uint64_t *mlbf_line_second(const mlbf_array *array, mlbf_hash128 hash)
{
  return array->words + mlbf_scale(mlbf_rotate(hash.low, 32), array->bits / MLBF_LINE_BITS) * MLBF_LANES;
}

static inline void mlbf_line_prefetch(const mlbf_array *array, mlbf_hash128 hash)
{
  __builtin_prefetch(mlbf_line_first(array, hash), 1);
  if (array->layout == MLBF_LAYOUT_TWO_LINES)
    __builtin_prefetch(mlbf_line_second(array, hash), 1);
}

/* Wholes into array 0, of the kinds that have it in lines. */
void mlbf_line_prefetch_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count);
void mlbf_line_test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *is_known);
void mlbf_line_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count, bool *was_new);

/* Powers of 2^32 / golden ratio: the position of bit i is the top 9 bits of half * multiplier[i], which
 * depend on all 32 bits of the half. 32 bits a line are enough: two keys of one line share all its
 * bits with probability 2^-32, and there are some 50 keys in a line. */
#define MLBF_LINE_MULTIPLIERS                                                                                 \
  0x9e3779b9, 0xe35e67b1, 0x734297e9, 0x35fbe861, 0xdeb7c719, 0x0448b211, 0x3459b749, 0xab25f4c1, 0x52941879, \
    0x9c95e071, 0xf5ab9aa9, 0x2d6ba521, 0x8bededd9, 0x9bfb72d1, 0x3ae1c209, 0x7fca7981
enum { MLBF_LINE_POSITION_SHIFT = 32 - 9 };

#endif
