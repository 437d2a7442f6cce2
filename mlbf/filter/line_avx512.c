/* Lines with AVX-512: one register holds a line. */
#include <immintrin.h>

#include "mlbf/filter/line.h"

static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {MLBF_LINE_MULTIPLIERS};

static __m512i lanes_mask(uint64_t high)
{
  const __m512i shifts = _mm512_set_epi64(42, 36, 30, 24, 18, 12, 6, 0);
  __m512i bits = _mm512_and_si512(_mm512_srlv_epi64(_mm512_set1_epi64((long long)high), shifts), _mm512_set1_epi64(63));
  return _mm512_sllv_epi64(_mm512_set1_epi64(1), bits);
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  __m512i missing = _mm512_andnot_si512(_mm512_load_si512(line), lanes_mask(high));
  return _mm512_test_epi64_mask(missing, missing) == 0;
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  __m512i mask = lanes_mask(high), old = _mm512_load_si512(line);
  __m512i missing = _mm512_andnot_si512(old, mask);
  _mm512_store_si512(line, _mm512_or_si512(old, mask));
  return _mm512_test_epi64_mask(missing, missing) != 0;
}

/* 16 positions at once; a permutation of the line's 32-bit words brings each its own. */
static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes)
{
  __m512i products = _mm512_mullo_epi32(_mm512_set1_epi32((int)half), _mm512_loadu_si512(multipliers));
  __m512i positions = _mm512_srli_epi32(products, MLBF_LINE_POSITION_SHIFT);
  __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(positions, 5), _mm512_load_si512(line));
  __m512i bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(positions, _mm512_set1_epi32(31)));
  __mmask16 used = (__mmask16)((1u << hashes) - 1);
  return _mm512_mask_testn_epi32_mask(used, words, bits) == 0;
}

/* The mask of a new key grows bit by bit: a shift beyond 63 leaves nothing in the seven other words. */
static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes)
{
  const __m512i begins = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
  __m512i mask = _mm512_setzero_si512();
  for (uint32_t i = 0; i < hashes; i++) {
    uint32_t bit = half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT;
    __m512i shifts = _mm512_sub_epi64(_mm512_set1_epi64(bit), begins);
    mask = _mm512_or_si512(mask, _mm512_sllv_epi64(_mm512_set1_epi64(1), shifts));
  }
  __m512i old = _mm512_load_si512(line), missing = _mm512_andnot_si512(old, mask);
  _mm512_store_si512(line, _mm512_or_si512(old, mask));
  return _mm512_test_epi64_mask(missing, missing) != 0;
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f");
}

const mlbf_line_path mlbf_line_avx512 = {
  "avx512", is_usable, path_test, path_insert, path_test_many, path_insert_many,
};
