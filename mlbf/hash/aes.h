/* mlbf/hash/aes.h: the AES (FIPS 197) in portable C. Internal to mlbf/.
 *
 * A block is 16 bytes as two little-endian numbers, `low` first, as processors load it. The round is the one that
 * x86 calls aesenc. Tables are looked up by secret bytes: who measures the processor's cache from inside may learn
 * them; who sends URLs may not. */
#ifndef STRATA_MLBF_AES_H
#define STRATA_MLBF_AES_H

#include "mlbf/filter.h"

/* SubBytes, ShiftRows, MixColumns, then XOR with the key. */
mlbf_hash128 mlbf_aes_round(mlbf_hash128 block, mlbf_hash128 key);

/* AES-256 in counter mode: `out[i]` is the number i, encrypted. */
void mlbf_aes256_counter(const uint8_t key[32], mlbf_hash128 *out, size_t count);

#endif
