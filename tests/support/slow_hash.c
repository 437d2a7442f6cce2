#include "tests/support/slow_hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- AES, FIPS 197 ---------------------------------------------------------------------------------------- */

static uint8_t times(uint8_t a, uint8_t b) /* in GF(2^8) */
{
  uint8_t product = 0;
  for (; b; b >>= 1) {
    if (b & 1)
      product ^= a;
    a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return product;
}

uint8_t slow_sbox(uint8_t byte)
{
  static uint8_t box[256];
  static int is_made;
  for (int a = 0; !is_made && a < 256; a++) {
    uint8_t inverse = 0, mapped = 0x63;
    for (int b = 1; b < 256; b++)
      if (times((uint8_t)a, (uint8_t)b) == 1)
        inverse = (uint8_t)b;
    for (int turn = 0; turn < 5; turn++)
      mapped ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
    box[a] = mapped;
  }
  is_made = 1;
  return box[byte];
}

static slow_block both(slow_block a, slow_block b)
{
  for (int i = 0; i < 16; i++)
    a.bytes[i] ^= b.bytes[i];
  return a;
}

/* Byte i is in row i % 4 of column i / 4. */
static slow_block substituted_and_shifted(slow_block state)
{
  slow_block out;
  for (int column = 0; column < 4; column++)
    for (int row = 0; row < 4; row++)
      out.bytes[4 * column + row] = slow_sbox(state.bytes[4 * ((column + row) % 4) + row]);
  return out;
}

slow_block slow_aes_round(slow_block state, slow_block key)
{
  static const uint8_t matrix[4][4] = {{2, 3, 1, 1}, {1, 2, 3, 1}, {1, 1, 2, 3}, {3, 1, 1, 2}};
  slow_block in = substituted_and_shifted(state), out = key;
  for (int column = 0; column < 4; column++)
    for (int row = 0; row < 4; row++)
      for (int from = 0; from < 4; from++)
        out.bytes[4 * column + row] ^= times(in.bytes[4 * column + from], matrix[row][from]);
  return out;
}

slow_block slow_aes256(const uint8_t key[32], slow_block text)
{
  uint8_t words[60][4], constant = 1;
  slow_block round_keys[15];
  memcpy(words, key, 32);
  for (int i = 8; i < 60; i++) {
    uint8_t last[4];
    for (int j = 0; j < 4; j++)
      last[j] = i % 8 == 0 ? slow_sbox(words[i - 1][(j + 1) % 4]) : words[i - 1][j];
    if (i % 8 == 0) {
      last[0] ^= constant;
      constant = times(constant, 2);
    }
    for (int j = 0; j < 4; j++)
      words[i][j] = words[i - 8][j] ^ (i % 8 == 4 ? slow_sbox(last[j]) : last[j]);
  }
  memcpy(round_keys, words, sizeof round_keys);
  text = both(text, round_keys[0]);
  for (int round = 1; round < 14; round++)
    text = slow_aes_round(text, round_keys[round]);
  return both(substituted_and_shifted(text), round_keys[14]);
}

/* ---- the hash --------------------------------------------------------------------------------------------- */

enum { ROUND = 1, WHOLE = 5, SEGMENT = 6, PIECE = 7, LAYER = 8, BLOCK = 25, PIECE_BYTES = 512 };

static slow_block numbers(uint64_t low, uint64_t high) /* little-endian */
{
  slow_block block;
  for (int i = 0; i < 8; i++) {
    block.bytes[i] = (uint8_t)(low >> 8 * i);
    block.bytes[8 + i] = (uint8_t)(high >> 8 * i);
  }
  return block;
}

static mlbf_hash128 hash_of(slow_block block)
{
  mlbf_hash128 hash = {0, 0};
  for (int i = 7; i >= 0; i--) {
    hash.low = hash.low << 8 | block.bytes[i];
    hash.high = hash.high << 8 | block.bytes[8 + i];
  }
  return hash;
}

void slow_hash_keys_make(const uint8_t secret[32], slow_hash_keys *keys)
{
  for (uint64_t i = 0; i < SLOW_KEYS; i++)
    keys->key[i] = slow_aes256(secret, numbers(i, 0));
}

void slow_hash_keys_seeded(uint64_t seed, slow_hash_keys *keys)
{
  uint8_t key[32] = "strata: a secret from a seed", secret[32];
  for (int i = 0; i < 8; i++)
    key[24 + i] ^= (uint8_t)(seed >> 8 * i);
  for (uint8_t i = 0; i < 2; i++) {
    slow_block counter = {{i}}, made = slow_aes256(key, counter);
    memcpy(secret + 16 * i, made.bytes, 16);
  }
  slow_hash_keys_make(secret, keys);
}

static slow_block aes4(const slow_hash_keys *keys, slow_block x)
{
  for (int i = 0; i < 4; i++)
    x = slow_aes_round(x, keys->key[ROUND + i]);
  return x;
}

/* Text that is padded as a whole, then taken block by block. */
static slow_block sum_of(const slow_hash_keys *keys, size_t layer, uint64_t part, const uint8_t *text, size_t size)
{
  size_t blocks = size / 16 + 1;
  uint8_t *padded = calloc(blocks, 16);
  slow_block sum = {{0}};
  if (!padded)
    abort();
  if (size)
    memcpy(padded, text, size);
  padded[size] = 0x80;
  for (size_t i = 0; i < blocks; i++) {
    uint64_t piece = 16 * i / PIECE_BYTES;
    slow_block x;
    memcpy(x.bytes, padded + 16 * i, 16);
    x = both(both(x, keys->key[LAYER + layer]), keys->key[BLOCK + i % (PIECE_BYTES / 16)]);
    if (piece || part)
      x = both(x, aes4(keys, both(numbers(piece, part), keys->key[PIECE])));
    sum = both(sum, aes4(keys, x));
  }
  free(padded);
  return sum;
}

static mlbf_hash128 finished(const slow_hash_keys *keys, slow_block sum, int purpose, uint64_t depth)
{
  return hash_of(aes4(keys, both(both(sum, keys->key[purpose]), numbers(depth, 0))));
}

void slow_hash_layers(const slow_hash_keys *keys, const mlbf_span *segments, size_t count, one_key *hashes)
{
  slow_block all = {{0}}, sums[MLBF_LAYERS_MAX] = {{{0}}};
  for (size_t i = 0; i < count; i++) {
    size_t layer = i < MLBF_LAYERS_MAX ? i : MLBF_LAYERS_MAX - 1;
    slow_block sum = sum_of(keys, layer, i - layer, segments[i].bytes, segments[i].size);
    sums[layer] = both(sums[layer], sum);
    all = both(all, sum);
  }
  hashes->depth = count < MLBF_LAYERS_MAX ? (uint32_t)count : MLBF_LAYERS_MAX;
  for (uint32_t i = 0; i < hashes->depth; i++)
    hashes->layer[i] = finished(keys, sums[i], SEGMENT, 0);
  hashes->whole = finished(keys, all, WHOLE, count);
}

mlbf_hash128 slow_hash_whole(const slow_hash_keys *keys, const mlbf_span *segments, size_t count)
{
  size_t size = 0, at = 0;
  for (size_t i = 0; i < count; i++)
    size += segments[i].size;
  uint8_t *text = malloc(size + 1);
  if (!text)
    abort();
  for (size_t i = 0; i < count; at += segments[i++].size)
    if (segments[i].size)
      memcpy(text + at, segments[i].bytes, segments[i].size);
  slow_block sum = sum_of(keys, MLBF_LAYERS_MAX, 0, text, size);
  free(text);
  return finished(keys, sum, WHOLE, 0);
}
