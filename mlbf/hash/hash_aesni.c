/* The keyed hash with AES-NI: a block at a time, several under way.
 *
 * Always: the hashes of keyed_hash.h. Up to 15 bytes outside a text may be loaded, within its page, and are masked out:
 * no result depends on them. Called through mlbf_hash_keys.path, only where the processor has AES-NI and AVX. */
#include "mlbf/hash/hash_aes.h"

/* The bytes of an unfinished block, padded. Reads 16 bytes from `bytes` on where these lie in one page, whatever they
 * belong to, and forgets those behind `size`: a page is readable or not as a whole. Of a text that ended before,
 * nothing is read: the next page may not be readable. */
MLBF_INLINE block last_block(const unsigned char *bytes, size_t size)
{
  static const unsigned char masks[2 * MLBF_HASH_BLOCK] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  static const unsigned char ends[2 * MLBF_HASH_BLOCK] = {[MLBF_HASH_BLOCK] = 0x80};
  enum { PAGE = 4096 };
  block mask = _mm_loadu_si128((const __m128i *)(const void *)(masks + MLBF_HASH_BLOCK - size)), text;
  block end = _mm_loadu_si128((const __m128i *)(const void *)(ends + MLBF_HASH_BLOCK - size));
  bytes = size ? bytes : masks;
  if (__builtin_expect((uintptr_t)bytes % PAGE <= PAGE - MLBF_HASH_BLOCK, 1)) {
    /* a load that sanitizers do not see: their attribute is lost where a function is inlined */
    __asm__("vmovdqu %1, %0" : "=x"(text) : "m"(*(const __m128i_u *)(const void *)bytes));
  } else {
    unsigned char copy[MLBF_HASH_BLOCK] = {0};
    for (size_t i = 0; i < size; i++)
      copy[i] = bytes[i];
    text = _mm_loadu_si128((const __m128i *)(const void *)copy);
  }
  return _mm_or_si128(_mm_and_si128(text, mask), end);
}

MLBF_INLINE block sum_of_piece(const mlbf_hash_keys *keys, block offset, const void *bytes, size_t size, bool is_long)
{
  (void)is_long;
  const unsigned char *text = bytes;
  block sum = _mm_setzero_si128();
  size_t i = 0;
  for (; i < size / MLBF_HASH_BLOCK; i++) {
    block x = _mm_loadu_si128((const __m128i *)(const void *)(text + i * MLBF_HASH_BLOCK));
    sum = xor(sum, aes4(keys, xor(xor(x, offset), block_of(&keys->block[i]))));
  }
  if (size == MLBF_HASH_PIECE)
    return sum;
  block x = last_block(text + i * MLBF_HASH_BLOCK, size % MLBF_HASH_BLOCK);
  return xor(sum, aes4(keys, xor(xor(x, offset), block_of(&keys->block[i]))));
}

#include "mlbf/hash/hash_path.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("aes") && __builtin_cpu_supports("avx");
}

const mlbf_hash_path mlbf_hash_aesni = {{"aes-ni", MLBF_CPU_AVX2, is_usable}, path_hash, path_text};
