/* The keyed hash with VAES on AVX-512: four blocks at a time. A text shorter than 64 bytes is one masked load; bytes
 * that the mask leaves out are not read.
 *
 * Always: the hashes of keyed_hash.h. Called through mlbf_hash_keys.path, only where the processor has VAES and
 * AVX-512. */
#include <cpuid.h>

#include "mlbf/hash/hash_aes.h"

enum { BLOCKS = 4, CHUNK = BLOCKS * MLBF_HASH_BLOCK };

MLBF_INLINE __m512i four_times(block x)
{
  return _mm512_broadcast_i32x4(x);
}

MLBF_INLINE __m512i encrypted(const mlbf_hash_keys *keys, __m512i text, block offset, size_t first_block)
{
  __m512i block_keys = _mm512_loadu_si512(&keys->block[first_block]);
  __m512i x = _mm512_ternarylogic_epi64(text, block_keys, four_times(offset), 0x96); /* XOR of three */
  for (int i = 0; i < MLBF_HASH_ROUNDS; i++)
    x = _mm512_aesenc_epi128(x, four_times(block_of(&keys->round[i])));
  return x;
}

MLBF_INLINE block folded(__m512i x)
{
  __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
  return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* Bits 0 to size - 1; all, if it is 64 or more. */
MLBF_INLINE uint64_t bits_below(size_t size)
{
  return _bzhi_u64(UINT64_MAX, (uint32_t)size);
}

/* Of a text that ends `size` bytes behind this chunk's begin, or later: what of it is in the chunk, and the padding. */
MLBF_INLINE __m512i padded(const void *bytes, size_t size)
{
  uint64_t mask = bits_below(size), end = bits_below(size + 1) ^ mask;
  return _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(mask, bytes), end, _mm512_set1_epi8((char)0x80));
}

/* Fewer than 128 bytes, without a branch: half of all URLs are shorter than 64 bytes. */
MLBF_INLINE __m512i sum_of_two(const mlbf_hash_keys *keys, block offset, const unsigned char *text, size_t size)
{
  size_t second = size > CHUNK ? size - CHUNK : 0;
  uint32_t used = (4u << (size / MLBF_HASH_BLOCK * 2)) - 1; /* a bit for each 8 bytes of blocks there are */
  __m512i first = encrypted(keys, padded(text, size), offset, 0);
  __m512i other = encrypted(keys, padded(text + (second ? CHUNK : 0), second), offset, BLOCKS);
  return _mm512_mask_xor_epi64(_mm512_maskz_mov_epi64((__mmask8)used, first), (__mmask8)(used >> 8),
                               _mm512_maskz_mov_epi64((__mmask8)used, first), other);
}

/* Up to a piece. */
__attribute__((noinline)) static block sum_of_chunks(const mlbf_hash_keys *keys, block offset,
                                                     const unsigned char *text, size_t size)
{
  __m512i sum = _mm512_setzero_si512();
  size_t i = 0;
  for (; (i + 1) * CHUNK <= size; i++)
    sum = _mm512_xor_si512(sum, encrypted(keys, _mm512_loadu_si512(text + i * CHUNK), offset, i * BLOCKS));
  if (size == MLBF_HASH_PIECE)
    return folded(sum);
  size_t left = size % CHUNK;
  __m512i last = encrypted(keys, padded(text + i * CHUNK, left), offset, i * BLOCKS);
  uint32_t used = (4u << (left / MLBF_HASH_BLOCK * 2)) - 1;
  return folded(_mm512_mask_xor_epi64(sum, (__mmask8)used, sum, last));
}

/* Fewer than 32 bytes, as nearly all segments: half a register, of which a processor does two in the time of one. */
MLBF_INLINE block sum_of_half(const mlbf_hash_keys *keys, block offset, const void *bytes, size_t size)
{
  uint32_t mask = _bzhi_u32(UINT32_MAX, (uint32_t)size);
  __m256i text = _mm256_maskz_loadu_epi8(mask, bytes);
  text = _mm256_mask_mov_epi8(text, mask + 1, _mm256_set1_epi8((char)0x80));
  __m256i block_keys = _mm256_loadu_si256((const __m256i *)(const void *)keys->block);
  __m256i x = _mm256_ternarylogic_epi64(text, block_keys, _mm256_broadcastsi128_si256(offset), 0x96);
  for (int i = 0; i < MLBF_HASH_ROUNDS; i++)
    x = _mm256_aesenc_epi128(x, _mm256_broadcastsi128_si256(block_of(&keys->round[i])));
  block first = _mm256_castsi256_si128(x);
  return _mm_mask_xor_epi64(first, (__mmask8)(size >> 4 | size >> 4 << 1), first, _mm256_extracti128_si256(x, 1));
}

MLBF_INLINE block sum_of_piece(const mlbf_hash_keys *keys, block offset, const void *bytes, size_t size, bool is_long)
{
  if (!is_long && size < CHUNK / 2)
    return sum_of_half(keys, offset, bytes, size);
  if (size < 2 * CHUNK)
    return folded(sum_of_two(keys, offset, bytes, size));
  return sum_of_chunks(keys, offset, bytes, size);
}

#include "mlbf/hash/hash_path.h"

/* clang 14 cannot ask for it by name. */
static bool has_vaes(void)
{
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ecx & bit_VAES);
}

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2") &&
         has_vaes();
}

const mlbf_hash_path mlbf_hash_vaes = {{"vaes", MLBF_CPU_AVX512, is_usable}, path_hash, path_text};
