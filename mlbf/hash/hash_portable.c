/* The keyed hash without AES instructions: some ten times slower.
 *
 * Always: the hashes of keyed_hash.h, and no byte outside a text is read. Works on every machine, and is what the other
 * paths are compared with. Called through mlbf_hash_keys.path. */
#include "mlbf/hash/aes.h"
#include "mlbf/hash/keyed_hash.h"

typedef mlbf_hash128 block;

static block block_of(const mlbf_hash128 *number)
{
  return *number;
}

static block block_from(uint64_t low)
{
  return (block){low, 0};
}

static mlbf_hash128 number_of(block number)
{
  return number;
}

static block xor
  (block a, block b) {
    return (block){a.low ^ b.low, a.high ^ b.high};
  }

  /* Inlined at each use it takes a fifth longer. */
  __attribute__((noinline)) static block aes4(const mlbf_hash_keys *keys, block x)
{
  for (int i = 0; i < MLBF_HASH_ROUNDS; i++)
    x = mlbf_aes_round(x, keys->round[i]);
  return x;
}

static uint64_t little_endian(const unsigned char *bytes)
{
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number |= (uint64_t)bytes[i] << 8 * i;
  return number;
}

static block encrypted(const mlbf_hash_keys *keys, block offset, size_t i, const unsigned char *bytes)
{
  block text = {little_endian(bytes), little_endian(bytes + 8)};
  return aes4(keys, xor(xor(text, offset), keys->block[i]));
}

static block sum_of_piece(const mlbf_hash_keys *keys, block offset, const void *bytes, size_t size, bool is_long)
{
  (void)is_long;
  const unsigned char *text = bytes;
  unsigned char last[MLBF_HASH_BLOCK] = {0};
  size_t whole = size / MLBF_HASH_BLOCK, left = size % MLBF_HASH_BLOCK;
  block sum = {0};
  for (size_t i = 0; i < whole; i++)
    sum = xor(sum, encrypted(keys, offset, i, text + i * MLBF_HASH_BLOCK));
  if (size == MLBF_HASH_PIECE)
    return sum;
  for (size_t i = 0; i < left; i++)
    last[i] = text[whole * MLBF_HASH_BLOCK + i];
  last[left] = 0x80;
  return xor(sum, encrypted(keys, offset, whole, last));
}

#include "mlbf/hash/hash_path.h"

const mlbf_hash_path mlbf_hash_portable = {{"portable", MLBF_CPU_PORTABLE, mlbf_cpu_any}, path_hash, path_text};
