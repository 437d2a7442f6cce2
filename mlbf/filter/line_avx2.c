/* Lines with AVX2: two registers hold a line. */
#include <immintrin.h>

#include "mlbf/filter/line.h"

static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {MLBF_LINE_MULTIPLIERS};

static __m256i load(const uint64_t *words)
{
  return _mm256_load_si256((const __m256i *)(const void *)words);
}

static void store(uint64_t *words, __m256i value)
{
  _mm256_store_si256((__m256i *)(void *)words, value);
}

static __m256i lanes_mask(uint64_t high, __m256i shifts)
{
  __m256i bits = _mm256_and_si256(_mm256_srlv_epi64(_mm256_set1_epi64x((long long)high), shifts),
                                  _mm256_set1_epi64x(63));
  return _mm256_sllv_epi64(_mm256_set1_epi64x(1), bits);
}

static __m256i lower_mask(uint64_t high)
{
  return lanes_mask(high, _mm256_set_epi64x(18, 12, 6, 0));
}

static __m256i upper_mask(uint64_t high)
{
  return lanes_mask(high, _mm256_set_epi64x(42, 36, 30, 24));
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  int lower = _mm256_testc_si256(load(line), lower_mask(high));
  return lower & _mm256_testc_si256(load(line + 4), upper_mask(high));
}

static int half_insert(uint64_t *words, __m256i mask)
{
  __m256i old = load(words);
  store(words, _mm256_or_si256(old, mask));
  return !_mm256_testc_si256(old, mask);
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  return half_insert(line, lower_mask(high)) | half_insert(line + 4, upper_mask(high));
}

/* Eight positions: a permutation brings each the 32-bit word it would have in either half of the line, and the
 * top bit of the position says which half it is in. */
static bool eight_test(const uint64_t *line, uint32_t half, const uint32_t *multiplier, int used)
{
  const __m256i numbers = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  __m256i factors = _mm256_loadu_si256((const __m256i *)(const void *)multiplier);
  __m256i products = _mm256_mullo_epi32(_mm256_set1_epi32((int)half), factors);
  __m256i positions = _mm256_srli_epi32(products, MLBF_LINE_POSITION_SHIFT);
  __m256i index = _mm256_srli_epi32(positions, 5);
  __m256 lower = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load(line), index));
  __m256 upper = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load(line + 4), index));
  __m256i words = _mm256_castps_si256(_mm256_blendv_ps(lower, upper, _mm256_castsi256_ps(products)));
  __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(positions, _mm256_set1_epi32(31)));
  bits = _mm256_and_si256(bits, _mm256_cmpgt_epi32(_mm256_set1_epi32(used), numbers));
  return _mm256_testc_si256(words, bits);
}

static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes)
{
  return eight_test(line, half, multipliers, (int)hashes) &&
         (hashes <= 8 || eight_test(line, half, multipliers + 8, (int)hashes - 8));
}

/* The mask of a new key grows bit by bit: a shift beyond 63 leaves nothing in the other words. */
static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes)
{
  const __m256i lower_begins = _mm256_set_epi64x(192, 128, 64, 0);
  const __m256i upper_begins = _mm256_set_epi64x(448, 384, 320, 256), one = _mm256_set1_epi64x(1);
  __m256i lower = _mm256_setzero_si256(), upper = lower;
  for (uint32_t i = 0; i < hashes; i++) {
    __m256i bit = _mm256_set1_epi64x(half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT);
    lower = _mm256_or_si256(lower, _mm256_sllv_epi64(one, _mm256_sub_epi64(bit, lower_begins)));
    upper = _mm256_or_si256(upper, _mm256_sllv_epi64(one, _mm256_sub_epi64(bit, upper_begins)));
  }
  return half_insert(line, lower) | half_insert(line + 4, upper);
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

const mlbf_line_path mlbf_line_avx2 = {
  "avx2", is_usable, path_test, path_insert, path_test_many, path_insert_many,
};
