/* Links made for a hash, by someone who knows the filter's secret: keyed_hash.h's sums are linear in their encrypted
 * blocks, so of many blocks with two alternatives each, linear algebra over GF(2) finds those whose XOR is as wanted.
 * */
#ifndef STRATA_TESTS_FORGED_LINK_H
#define STRATA_TESTS_FORGED_LINK_H

#include "mlbf/hash/keyed_hash.h"

enum {
  FORGED_BLOCKS = 160, /* for 128 equations: random ones are dependent with probability 2^-32 */
  FORGED_TEXT = (FORGED_BLOCKS + 1) * MLBF_HASH_BLOCK,
};

typedef struct forged_link {
  mlbf_span segments[MLBF_LAYERS_MAX];
  size_t count;
  char text[FORGED_TEXT];
} forged_link;

/* The sum of a text at a layer, 0-based; MLBF_LAYERS_MAX: of kinds without layers. */
mlbf_hash128 forged_sum(const mlbf_hash_keys *keys, uint32_t layer, const void *text, size_t size);

/* `host`, then one long segment with this sum at the second layer: its hash there and the link's are those of any key
 * of this host whose second segment has this sum. */
bool forge_deep(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made);

/* `host`, then fifteen segments whose sums' XOR is `sum`. */
bool forge_wide(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made);

/* For kinds without layers: one text with this sum, that begins with `host`, of 16 bytes. */
bool forge_bytes(const mlbf_hash_keys *keys, const char *host, mlbf_hash128 sum, forged_link *made);

#endif
