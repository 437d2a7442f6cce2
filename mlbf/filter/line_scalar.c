/* Lines, word by word: for every machine, and the one the others are compared with. */
#include "mlbf/filter/line.h"

static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {MLBF_LINE_MULTIPLIERS};

static uint64_t lane_mask(uint64_t high, unsigned lane)
{
  return UINT64_C(1) << (high >> 6 * lane & 63);
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  uint64_t missing = 0;
  for (unsigned i = 0; i < MLBF_LANES; i++)
    missing |= lane_mask(high, i) & ~line[i];
  return !missing;
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  uint64_t missing = 0;
  for (unsigned i = 0; i < MLBF_LANES; i++) {
    missing |= lane_mask(high, i) & ~line[i];
    line[i] |= lane_mask(high, i);
  }
  return missing;
}

static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes)
{
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT;
    if (!(line[bit / 64] >> (bit % 64) & 1))
      return false;
  }
  return true;
}

static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes)
{
  uint64_t missing = 0;
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT;
    uint64_t mask = UINT64_C(1) << (bit % 64);
    missing |= mask & ~line[bit / 64];
    line[bit / 64] |= mask;
  }
  return missing;
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return true;
}

const mlbf_line_path mlbf_line_scalar = {
  "scalar", is_usable, path_test, path_insert, path_test_many, path_insert_many,
};
