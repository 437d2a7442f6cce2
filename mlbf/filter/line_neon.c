/* Lines with NEON: four registers hold a line. Always the bits of line_scalar.c. Called through a filter's path
 * (layers.c) on every 64-bit ARM. */
#include <arm_neon.h>

#include "mlbf/filter/line.h"

/* Other threads may read the line meanwhile, and one may write it while this one tests: the instruction takes each
 * aligned word as a whole, which the language promises of no vector. */
MLBF_LINE_INLINE uint64x2_t load(const uint64_t *words)
{
  uint64x2_t value;
  __asm__("ldr %q0, %1" : "=w"(value) : "m"(*(const uint64x2_t *)(const void *)words));
  return value;
}

MLBF_LINE_INLINE void store(uint64_t *words, uint64x2_t value)
{
  __asm__("str %q1, %0" : "=m"(*(uint64x2_t *)(void *)words) : "w"(value));
}

/* Of words w and w + 1. Word w lies in lane w / words of a lane: its bit's number in the lane, less what precedes the
 * word, is the shift, and one beyond 63 leaves the word clear; a shift to the left by less than nothing shifts to the
 * right, which leaves nothing of 1. */
MLBF_LINE_INLINE uint64x2_t lanes_mask(uint64_t number, unsigned lanes, int64_t w)
{
  const int64_t words = 8 / (int64_t)lanes, bits = 9 - __builtin_ctz(lanes);
  const int64_t down[2] = {-(w / words * bits), -((w + 1) / words * bits)};
  const int64_t begins[2] = {w % words * 64, (w + 1) % words * 64};
  uint64x2_t in_lane = vandq_u64(vshlq_u64(vdupq_n_u64(number), vld1q_s64(down)),
                                 vdupq_n_u64((UINT64_C(1) << bits) - 1));
  int64x2_t shifts = vsubq_s64(vreinterpretq_s64_u64(in_lane), vld1q_s64(begins));
  /* the instruction reads a signed byte of the shift: what lies beyond 63 must not come back as another number */
  uint64x2_t is_here = vcltq_u64(vreinterpretq_u64_s64(shifts), vdupq_n_u64(64));
  return vandq_u64(is_here, vshlq_u64(vdupq_n_u64(1), shifts));
}

MLBF_LINE_INLINE uint64x2_t mask_of(uint64_t number, unsigned hashes, int64_t w)
{
  if (hashes <= 8)
    return lanes_mask(number, hashes, w);
  return vorrq_u64(lanes_mask(number, 8, w), lanes_mask(mlbf_line_four_more(number), 4, w));
}

MLBF_LINE_INLINE bool is_zero(uint64x2_t value)
{
  return (vgetq_lane_u64(value, 0) | vgetq_lane_u64(value, 1)) == 0;
}

MLBF_LINE_INLINE bool line_test(const uint64_t *line, uint64_t number, unsigned hashes)
{
  uint64x2_t missing = vdupq_n_u64(0);
  for (int64_t w = 0; w < MLBF_LINE_WORDS; w += 2)
    missing = vorrq_u64(missing, vbicq_u64(mask_of(number, hashes, w), load(line + w)));
  return is_zero(missing);
}

MLBF_LINE_INLINE bool line_insert(uint64_t *line, uint64_t number, unsigned hashes)
{
  uint64x2_t missing = vdupq_n_u64(0);
  for (int64_t w = 0; w < MLBF_LINE_WORDS; w += 2) {
    uint64x2_t mask = mask_of(number, hashes, w), old = load(line + w);
    missing = vorrq_u64(missing, vbicq_u64(mask, old));
    store(line + w, vorrq_u64(old, mask));
  }
  return !is_zero(missing);
}

#include "mlbf/filter/line_path.h"

/* Every 64-bit ARM has NEON. */
const mlbf_line_path mlbf_line_neon = {{"neon", MLBF_CPU_AVX2, mlbf_cpu_any}, path_test, path_insert};
