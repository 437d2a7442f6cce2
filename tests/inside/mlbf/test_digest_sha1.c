/* mlbf/similar/digest_sha1.h: each path that this processor can take, against the standard word for word. */
#include <stdio.h>
#include <string.h>

#include "mlbf/similar/digest_sha1.h"
#include "tests/support/dice.h"
#include "tests/support/test.h"

/* FIPS 180-4, word for word. */
static void slow_sha1(const uint8_t message[64], digest_sha1 hash)
{
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  uint8_t blocks[128] = {0};
  memcpy(blocks, message, 64);
  blocks[64] = 0x80;
  blocks[126] = 2; /* 512 bits */
  for (int block = 0; block < 2; block++) {
    uint32_t w[80], v[5];
    for (int t = 0; t < 80; t++)
      if (t < 16) {
        const uint8_t *at = blocks + 64 * block + 4 * t;
        w[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
      } else {
        uint32_t x = w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16];
        w[t] = x << 1 | x >> 31;
      }
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 80; t++) {
      uint32_t f = t < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                   : t < 40 ? v[1] ^ v[2] ^ v[3]
                   : t < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                            : v[1] ^ v[2] ^ v[3];
      static const uint32_t k[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      uint32_t next = (v[0] << 5 | v[0] >> 27) + f + v[4] + k[t / 20] + w[t];
      v[4] = v[3], v[3] = v[2], v[2] = v[1] << 30 | v[1] >> 2, v[1] = v[0], v[0] = next;
    }
    for (int i = 0; i < 5; i++)
      h[i] += v[i];
  }
  memcpy(hash, h, sizeof h);
}

/* printf 'x%.0s' $(seq 64) | sha1sum */
CASE(the_slow_sha1_is_sha1)
{
  static const digest_sha1 wanted = {0xbb2fa3ee, 0x7afb9f54, 0xc6dfb5d0, 0x21f14b1f, 0xfe40c163};
  uint8_t message[64];
  digest_sha1 hash;
  memset(message, 'x', sizeof message);
  slow_sha1(message, hash);
  assert_memory_equal(hash, wanted, sizeof hash);
}

CASE(every_path_hashes_alike)
{
  unsigned paths = 0;
  dice_begin(random_commit_seed());
  for (const digest_sha1_path *const *path = digest_sha1_paths; *path; path++) {
    if (!(*path)->cpu.is_usable())
      continue;
    for (int round = 0; round < 50; round++) {
      uint8_t bytes[1024];
      const uint8_t *messages[DIGEST_SHA1_MANY];
      digest_sha1 hashes[DIGEST_SHA1_MANY], wanted;
      for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)dice_throw(256);
      for (int i = 0; i < DIGEST_SHA1_MANY; i++)
        messages[i] = bytes + dice_throw(sizeof bytes - 64);
      (*path)->hash(messages, hashes);
      for (int i = 0; i < DIGEST_SHA1_MANY; i++) {
        slow_sha1(messages[i], wanted);
        assert_memory_equal(hashes[i], wanted, sizeof wanted);
      }
    }
    paths++;
  }
  printf("%u paths on this machine\n", paths);
  assert_true(paths > 0);
}
