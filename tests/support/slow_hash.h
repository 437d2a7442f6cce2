/* The keyed hash a second time, read from mlbf/FORMAT.md, "Hash": byte by byte, nothing shared with the library. */
#ifndef STRATA_TESTS_SLOW_HASH_H
#define STRATA_TESTS_SLOW_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/one_key.h"

enum { SLOW_KEYS = 57 };

typedef struct slow_block {
  uint8_t bytes[16];
} slow_block;

/* A secret, expanded: check, four rounds, whole, segment, piece, 17 layers, 32 blocks. */
typedef struct slow_hash_keys {
  slow_block key[SLOW_KEYS];
} slow_hash_keys;

uint8_t slow_sbox(uint8_t byte);
slow_block slow_aes_round(slow_block state, slow_block key);
slow_block slow_aes256(const uint8_t key[32], slow_block text);

void slow_hash_keys_make(const uint8_t secret[32], slow_hash_keys *keys);

/* Those of a file whose secret came from a seed. */
void slow_hash_keys_seeded(uint64_t seed, slow_hash_keys *keys);

/* Of a key with layers: of all its segments, too. */
void slow_hash_layers(const slow_hash_keys *keys, const mlbf_span *segments, size_t count, one_key *hashes);

/* Of kinds without layers. */
mlbf_hash128 slow_hash_whole(const slow_hash_keys *keys, const mlbf_span *segments, size_t count);

#endif
