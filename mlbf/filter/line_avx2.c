/* Lines with AVX2: two registers hold a line. Always the bits of line_scalar.c. Called through a filter's path
 * (layers.c), only where the processor has AVX2. */
#include <immintrin.h>

#include "mlbf/filter/line.h"

/* Other threads may read the line meanwhile, and one may write it while this one tests: the instruction takes each
 * aligned word as a whole, which the language promises of no vector. */
MLBF_LINE_INLINE __m256i load(const uint64_t *words)
{
  __m256i value;
  __asm__("vmovdqa %1, %0" : "=x"(value) : "m"(*(const __m256i *)(const void *)words));
  return value;
}

MLBF_LINE_INLINE void store(uint64_t *words, __m256i value)
{
  __asm__("vmovdqa %1, %0" : "=m"(*(__m256i *)(void *)words) : "x"(value));
}

/* Of words w..w+3. Word w lies in lane w / words of a lane: its bit's number in the lane, less what precedes the word,
 * is the shift, and a shift beyond 63 leaves the word clear. */
MLBF_LINE_INLINE __m256i lanes_mask(uint64_t number, unsigned lanes, long long w)
{
  const long long words = 8 / (long long)lanes, bits = 9 - __builtin_ctz(lanes);
  const __m256i lane_shifts = _mm256_set_epi64x((w + 3) / words * bits, (w + 2) / words * bits, (w + 1) / words * bits,
                                                w / words * bits);
  const __m256i begins = _mm256_set_epi64x((w + 3) % words * 64, (w + 2) % words * 64, (w + 1) % words * 64,
                                           w % words * 64);
  __m256i in_lane = _mm256_and_si256(_mm256_srlv_epi64(_mm256_set1_epi64x((long long)number), lane_shifts),
                                     _mm256_set1_epi64x((1 << bits) - 1));
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), _mm256_sub_epi64(in_lane, begins));
}

MLBF_LINE_INLINE __m256i mask_of(uint64_t number, unsigned hashes, long long w)
{
  if (hashes <= 8)
    return lanes_mask(number, hashes, w);
  return _mm256_or_si256(lanes_mask(number, 8, w), lanes_mask(mlbf_line_four_more(number), 4, w));
}

MLBF_LINE_INLINE bool line_test(const uint64_t *line, uint64_t number, unsigned hashes)
{
  int lower = _mm256_testc_si256(load(line), mask_of(number, hashes, 0));
  return lower & _mm256_testc_si256(load(line + 4), mask_of(number, hashes, 4));
}

MLBF_LINE_INLINE int half_insert(uint64_t *words, __m256i mask)
{
  __m256i old = load(words);
  store(words, _mm256_or_si256(old, mask));
  return !_mm256_testc_si256(old, mask);
}

MLBF_LINE_INLINE bool line_insert(uint64_t *line, uint64_t number, unsigned hashes)
{
  return half_insert(line, mask_of(number, hashes, 0)) | half_insert(line + 4, mask_of(number, hashes, 4));
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

const mlbf_line_path mlbf_line_avx2 = {{"avx2", MLBF_CPU_AVX2, is_usable}, path_test, path_insert};
