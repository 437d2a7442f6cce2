/* mlbf/hash/hash_aes.h: what both paths with AES instructions of x86 share. */
#include <immintrin.h>

#include "mlbf/hash/keyed_hash.h"

typedef __m128i block;

MLBF_INLINE block block_of(const mlbf_hash128 *number)
{
  return _mm_loadu_si128((const __m128i *)(const void *)number);
}

MLBF_INLINE block block_from(uint64_t low)
{
  return _mm_cvtsi64_si128((long long)low);
}

MLBF_INLINE mlbf_hash128 number_of(block x)
{
  mlbf_hash128 number;
  _mm_storeu_si128((__m128i *)(void *)&number, x);
  return number;
}

MLBF_INLINE block xor (block a, block b) { return _mm_xor_si128(a, b); }

  MLBF_INLINE block aes4(const mlbf_hash_keys *keys, block x)
{
  for (int i = 0; i < MLBF_HASH_ROUNDS; i++)
    x = _mm_aesenc_si128(x, block_of(&keys->round[i]));
  return x;
}
