/* Lines, word by word: for every machine, and the one the others are compared with. Always sets a bit of each lane of
 * the line, and tests the same. Called through a filter's path (layers.c). */
#include "mlbf/filter/line.h"

MLBF_LINE_INLINE bool lanes_test(const uint64_t *line, uint64_t number, unsigned lanes)
{
  uint64_t known = 1;
#pragma GCC unroll 8
  for (unsigned i = 0; i < lanes; i++) {
    unsigned bit = mlbf_lane_bit(number, lanes, i);
    known &= __atomic_load_n(&line[bit / 64], __ATOMIC_RELAXED) >> (bit % 64);
  }
  return known;
}

MLBF_LINE_INLINE bool lanes_insert(uint64_t *line, uint64_t number, unsigned lanes)
{
  uint64_t missing = 0;
#pragma GCC unroll 8
  for (unsigned i = 0; i < lanes; i++) {
    unsigned bit = mlbf_lane_bit(number, lanes, i);
    uint64_t mask = UINT64_C(1) << (bit % 64);
    missing |= mask & ~line[bit / 64];
    line[bit / 64] |= mask;
  }
  return missing;
}

#include "mlbf/filter/line_words.h"

const mlbf_line_path mlbf_line_scalar = {{"scalar", MLBF_CPU_PORTABLE, mlbf_cpu_any}, path_test, path_insert};
