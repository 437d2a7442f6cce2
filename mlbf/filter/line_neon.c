/* Lines with NEON: four registers hold a line. Bits anywhere in a line are found word by word; gathering them
 * by table lookups was not worth its length on a 128-bit unit. */
#include <arm_neon.h>

#include "mlbf/filter/line.h"

static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {MLBF_LINE_MULTIPLIERS};

static uint64x2_t pair_mask(uint64_t high, unsigned pair)
{
  int64_t shift = 12 * (int64_t)pair;
  int64x2_t down = vcombine_s64(vcreate_s64((uint64_t)-shift), vcreate_s64((uint64_t)(-shift - 6)));
  uint64x2_t bits = vandq_u64(vshlq_u64(vdupq_n_u64(high), down), vdupq_n_u64(63));
  return vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(bits));
}

static bool is_zero(uint64x2_t value)
{
  return (vgetq_lane_u64(value, 0) | vgetq_lane_u64(value, 1)) == 0;
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  uint64x2_t missing = vdupq_n_u64(0);
  for (unsigned i = 0; i < MLBF_LANES / 2; i++)
    missing = vorrq_u64(missing, vbicq_u64(pair_mask(high, i), vld1q_u64(line + (size_t)2 * i)));
  return is_zero(missing);
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  uint64x2_t missing = vdupq_n_u64(0);
  for (unsigned i = 0; i < MLBF_LANES / 2; i++) {
    uint64x2_t mask = pair_mask(high, i), old = vld1q_u64(line + (size_t)2 * i);
    missing = vorrq_u64(missing, vbicq_u64(mask, old));
    vst1q_u64(line + (size_t)2 * i, vorrq_u64(old, mask));
  }
  return !is_zero(missing);
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
  return true; /* every 64-bit ARM has NEON */
}

const mlbf_line_path mlbf_line_neon = {
  "neon", is_usable, path_test, path_insert, path_test_many, path_insert_many,
};
