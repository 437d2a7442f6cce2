/* AES from one table of 1 KiB: an entry is MixColumns of the S-box's value in the first row; other rows are rotations.
 *
 * Always: a block is two little-endian numbers, a column a number of 32 bits with row 0 in its lowest byte, whatever
 * the machine's order of bytes. Nothing is kept between calls. FIPS 197 names all that is here.
 *
 * Called for each hash where the processor has no AES instructions (hash_portable.c), and everywhere to expand a secret
 * (keyed_hash.c, secret.c). */
#include "mlbf/hash/aes.h"

#include <assert.h>

#define DOUBLE(s) ((s) << 1 ^ ((s) >> 7) * 0x11b) /* in GF(2^8) */
#define T(s) (DOUBLE(s) | (uint32_t)(s) << 8 | (uint32_t)(s) << 16 | (uint32_t)(DOUBLE(s) ^ (s)) << 24)

static const uint32_t table[256] = {
  T(0x63), T(0x7c), T(0x77), T(0x7b), T(0xf2), T(0x6b), T(0x6f), T(0xc5), T(0x30), T(0x01), T(0x67), T(0x2b), T(0xfe),
  T(0xd7), T(0xab), T(0x76), T(0xca), T(0x82), T(0xc9), T(0x7d), T(0xfa), T(0x59), T(0x47), T(0xf0), T(0xad), T(0xd4),
  T(0xa2), T(0xaf), T(0x9c), T(0xa4), T(0x72), T(0xc0), T(0xb7), T(0xfd), T(0x93), T(0x26), T(0x36), T(0x3f), T(0xf7),
  T(0xcc), T(0x34), T(0xa5), T(0xe5), T(0xf1), T(0x71), T(0xd8), T(0x31), T(0x15), T(0x04), T(0xc7), T(0x23), T(0xc3),
  T(0x18), T(0x96), T(0x05), T(0x9a), T(0x07), T(0x12), T(0x80), T(0xe2), T(0xeb), T(0x27), T(0xb2), T(0x75), T(0x09),
  T(0x83), T(0x2c), T(0x1a), T(0x1b), T(0x6e), T(0x5a), T(0xa0), T(0x52), T(0x3b), T(0xd6), T(0xb3), T(0x29), T(0xe3),
  T(0x2f), T(0x84), T(0x53), T(0xd1), T(0x00), T(0xed), T(0x20), T(0xfc), T(0xb1), T(0x5b), T(0x6a), T(0xcb), T(0xbe),
  T(0x39), T(0x4a), T(0x4c), T(0x58), T(0xcf), T(0xd0), T(0xef), T(0xaa), T(0xfb), T(0x43), T(0x4d), T(0x33), T(0x85),
  T(0x45), T(0xf9), T(0x02), T(0x7f), T(0x50), T(0x3c), T(0x9f), T(0xa8), T(0x51), T(0xa3), T(0x40), T(0x8f), T(0x92),
  T(0x9d), T(0x38), T(0xf5), T(0xbc), T(0xb6), T(0xda), T(0x21), T(0x10), T(0xff), T(0xf3), T(0xd2), T(0xcd), T(0x0c),
  T(0x13), T(0xec), T(0x5f), T(0x97), T(0x44), T(0x17), T(0xc4), T(0xa7), T(0x7e), T(0x3d), T(0x64), T(0x5d), T(0x19),
  T(0x73), T(0x60), T(0x81), T(0x4f), T(0xdc), T(0x22), T(0x2a), T(0x90), T(0x88), T(0x46), T(0xee), T(0xb8), T(0x14),
  T(0xde), T(0x5e), T(0x0b), T(0xdb), T(0xe0), T(0x32), T(0x3a), T(0x0a), T(0x49), T(0x06), T(0x24), T(0x5c), T(0xc2),
  T(0xd3), T(0xac), T(0x62), T(0x91), T(0x95), T(0xe4), T(0x79), T(0xe7), T(0xc8), T(0x37), T(0x6d), T(0x8d), T(0xd5),
  T(0x4e), T(0xa9), T(0x6c), T(0x56), T(0xf4), T(0xea), T(0x65), T(0x7a), T(0xae), T(0x08), T(0xba), T(0x78), T(0x25),
  T(0x2e), T(0x1c), T(0xa6), T(0xb4), T(0xc6), T(0xe8), T(0xdd), T(0x74), T(0x1f), T(0x4b), T(0xbd), T(0x8b), T(0x8a),
  T(0x70), T(0x3e), T(0xb5), T(0x66), T(0x48), T(0x03), T(0xf6), T(0x0e), T(0x61), T(0x35), T(0x57), T(0xb9), T(0x86),
  T(0xc1), T(0x1d), T(0x9e), T(0xe1), T(0xf8), T(0x98), T(0x11), T(0x69), T(0xd9), T(0x8e), T(0x94), T(0x9b), T(0x1e),
  T(0x87), T(0xe9), T(0xce), T(0x55), T(0x28), T(0xdf), T(0x8c), T(0xa1), T(0x89), T(0x0d), T(0xbf), T(0xe6), T(0x42),
  T(0x68), T(0x41), T(0x99), T(0x2d), T(0x0f), T(0xb0), T(0x54), T(0xbb), T(0x16),
};

enum { ROUNDS = 14, SCHEDULE_WORDS = 4 * (ROUNDS + 1), KEY_WORDS = 8 };

static uint32_t rotate(uint32_t x, unsigned bits)
{
  return x << bits | x >> (32 - bits);
}

/* Row `row` of a column. */
static uint32_t row_of(uint32_t column, unsigned row)
{
  assert(row < 4);
  return column >> 8 * row & 0xff;
}

static uint32_t mixed_column(const uint32_t *in, unsigned column)
{
  return table[row_of(in[column], 0)] ^ rotate(table[row_of(in[(column + 1) % 4], 1)], 8) ^
         rotate(table[row_of(in[(column + 2) % 4], 2)], 16) ^ rotate(table[row_of(in[(column + 3) % 4], 3)], 24);
}

mlbf_hash128 mlbf_aes_round(mlbf_hash128 block, mlbf_hash128 key)
{
  uint32_t in[4] = {(uint32_t)block.low, (uint32_t)(block.low >> 32), (uint32_t)block.high,
                    (uint32_t)(block.high >> 32)};
  uint64_t low = mixed_column(in, 0) | (uint64_t)mixed_column(in, 1) << 32;
  uint64_t high = mixed_column(in, 2) | (uint64_t)mixed_column(in, 3) << 32;
  return (mlbf_hash128){low ^ key.low, high ^ key.high};
}

/* The S-box's value: the table has it unmixed in its second byte. */
static uint32_t substitute(uint32_t byte)
{
  return row_of(table[byte], 1);
}

static uint32_t substitute_word(uint32_t word)
{
  return substitute(row_of(word, 0)) | substitute(row_of(word, 1)) << 8 | substitute(row_of(word, 2)) << 16 |
         substitute(row_of(word, 3)) << 24;
}

static void schedule_make(const uint8_t *key, uint32_t *schedule)
{
  for (unsigned i = 0; i < KEY_WORDS; i++)
    schedule[i] = key[4 * i] | (uint32_t)key[4 * i + 1] << 8 | (uint32_t)key[4 * i + 2] << 16 |
                  (uint32_t)key[4 * i + 3] << 24;
  for (unsigned i = KEY_WORDS; i < SCHEDULE_WORDS; i++) {
    uint32_t last = schedule[i - 1];
    if (i % KEY_WORDS == 0)
      last = substitute_word(rotate(last, 24)) ^ 1u << (i / KEY_WORDS - 1); /* seven round constants, 1 to 64 */
    else if (i % KEY_WORDS == KEY_WORDS / 2)
      last = substitute_word(last);
    schedule[i] = schedule[i - KEY_WORDS] ^ last;
  }
}

static mlbf_hash128 round_key(const uint32_t *schedule, unsigned round)
{
  assert(round <= ROUNDS);
  const uint32_t *key = schedule + (size_t)4 * round;
  return (mlbf_hash128){key[0] | (uint64_t)key[1] << 32, key[2] | (uint64_t)key[3] << 32};
}

/* The last round has no MixColumns. */
static mlbf_hash128 last_round(mlbf_hash128 block, mlbf_hash128 key)
{
  uint32_t in[4] = {(uint32_t)block.low, (uint32_t)(block.low >> 32), (uint32_t)block.high,
                    (uint32_t)(block.high >> 32)};
  uint32_t out[4];
  for (unsigned i = 0; i < 4; i++)
    out[i] = substitute(row_of(in[i], 0)) | substitute(row_of(in[(i + 1) % 4], 1)) << 8 |
             substitute(row_of(in[(i + 2) % 4], 2)) << 16 | substitute(row_of(in[(i + 3) % 4], 3)) << 24;
  return (mlbf_hash128){(out[0] | (uint64_t)out[1] << 32) ^ key.low, (out[2] | (uint64_t)out[3] << 32) ^ key.high};
}

void mlbf_aes256_counter(const uint8_t key[32], mlbf_hash128 *out, size_t count)
{
  uint32_t schedule[SCHEDULE_WORDS];
  schedule_make(key, schedule);
  for (size_t i = 0; i < count; i++) {
    mlbf_hash128 first = round_key(schedule, 0), block = {i ^ first.low, first.high};
    for (unsigned round = 1; round < ROUNDS; round++)
      block = mlbf_aes_round(block, round_key(schedule, round));
    out[i] = last_round(block, round_key(schedule, ROUNDS));
  }
}
