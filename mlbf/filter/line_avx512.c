/* Lines with AVX-512: one register holds a line. Always the bits of line_scalar.c. Called through a filter's path
 * (layers.c), only where the processor has AVX-512. */
#include <immintrin.h>

#include "mlbf/filter/line.h"

/* Word w lies in lane w / words of a lane: its bit's number in the lane, less what precedes the word, is the shift, and
 * a shift beyond 63 leaves the word clear. */
MLBF_LINE_INLINE __m512i lanes_mask(uint64_t number, unsigned lanes)
{
  const long long words = 8 / (long long)lanes, bits = 9 - __builtin_ctz(lanes);
  const __m512i lane_shifts = _mm512_set_epi64(7 / words * bits, 6 / words * bits, 5 / words * bits, 4 / words * bits,
                                               3 / words * bits, 2 / words * bits, 1 / words * bits, 0);
  const __m512i begins = _mm512_set_epi64(7 % words * 64, 6 % words * 64, 5 % words * 64, 4 % words * 64,
                                          3 % words * 64, 2 % words * 64, 1 % words * 64, 0);
  __m512i in_lane = _mm512_and_si512(_mm512_srlv_epi64(_mm512_set1_epi64((long long)number), lane_shifts),
                                     _mm512_set1_epi64((1 << bits) - 1));
  return _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_sub_epi64(in_lane, begins));
}

/* Other threads may read the line meanwhile, and one may write it while this one tests: the instruction takes each
 * aligned word as a whole, which the language promises of no vector. */
MLBF_LINE_INLINE __m512i load(const uint64_t *line)
{
  __m512i value;
  __asm__("vmovdqa64 %1, %0" : "=v"(value) : "m"(*(const __m512i *)(const void *)line));
  return value;
}

MLBF_LINE_INLINE void store(uint64_t *line, __m512i value)
{
  __asm__("vmovdqa64 %1, %0" : "=m"(*(__m512i *)(void *)line) : "v"(value));
}

MLBF_LINE_INLINE __m512i mask_of(uint64_t number, unsigned hashes)
{
  if (hashes <= 8)
    return lanes_mask(number, hashes);
  return _mm512_or_si512(lanes_mask(number, 8), lanes_mask(mlbf_line_four_more(number), 4));
}

MLBF_LINE_INLINE bool line_test(const uint64_t *line, uint64_t number, unsigned hashes)
{
  __m512i missing = _mm512_andnot_si512(load(line), mask_of(number, hashes));
  return _mm512_test_epi64_mask(missing, missing) == 0;
}

MLBF_LINE_INLINE bool line_insert(uint64_t *line, uint64_t number, unsigned hashes)
{
  __m512i mask = mask_of(number, hashes), old = load(line);
  __m512i missing = _mm512_andnot_si512(old, mask);
  store(line, _mm512_or_si512(old, mask));
  return _mm512_test_epi64_mask(missing, missing) != 0;
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f");
}

const mlbf_line_path mlbf_line_avx512 = {{"avx512", MLBF_CPU_AVX512, is_usable}, path_test, path_insert};
