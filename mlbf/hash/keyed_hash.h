/* mlbf/hash/keyed_hash.h: 128-bit hashes of byte spans, keyed with a secret. Internal to mlbf/.
 *
 *   segment 1 --blocks, AES4, layer key 1--> sum --+--AES4--> layer[0]
 *   segment 2 --blocks, AES4, layer key 2--> sum --+--AES4--> layer[1]        AES4: four AES rounds, secret round keys
 *   segment 3 --blocks, AES4, layer key 3--> sum --+--AES4--> layer[2]
 *                                                  |
 *                                                 XOR, number of segments --AES4--> key, of the integrity layer
 *
 * A sum is the XOR of a segment's blocks of 16 bytes, each XORed with the keys of its layer and of its place and then
 * encrypted by AES4. Four AES rounds map any chosen difference of two blocks to any chosen difference with probability
 * at most 2^-113 (Keliher, Sui, "Exact maximum expected differential and linear probability for two-round AES", 2007;
 * used so by Minematsu, Tsunoo, "Provably secure MACs from differentially uniform permutations", 2006): without the
 * secret no two different keys of anyone's choice agree more often than that. Sums are linear in what encrypted blocks
 * are, so AES4 follows once more: of keys that were recombined from the parts of others, the hashes are not linear.
 *
 * Always
 *   - Every path (processor) gives the same hashes, so a file made with one is right with every other.
 *   - The layer is part of the key: (a,b) and (b,a) differ, (a,a) is not (b,b). So are the place of a block and, by the
 *     padding, the length of a segment.
 *   - Nothing here knows a filter's size: a log of hashes rebuilds a larger one.
 *
 * FORMAT.md, "Hash", has every bit. Its id there is MLBF_HASH_AES4. */
#ifndef STRATA_MLBF_KEYED_HASH_H
#define STRATA_MLBF_KEYED_HASH_H

#include "mlbf/hash/cpu.h"
#include "mlbf/secret.h"

enum {
  MLBF_HASH_BLOCK = 16,
  MLBF_HASH_PIECE = 512,                                /* bytes after which block keys begin again */
  MLBF_HASH_BLOCKS = MLBF_HASH_PIECE / MLBF_HASH_BLOCK, /* in a piece */
  MLBF_HASH_ROUNDS = 4,
};

typedef struct mlbf_hash_path mlbf_hash_path;

/* A secret, expanded by AES-256 in counter mode: encrypted counters 0, 1, ... in this order. */
typedef struct mlbf_hash_keys {
  union {
    mlbf_hash128 blocks[1 + MLBF_HASH_ROUNDS + 3 + MLBF_LAYERS_MAX + 1 + MLBF_HASH_BLOCKS];
    struct {
      mlbf_hash128 check; /* says which secret it is, and nothing about it */
      mlbf_hash128 round[MLBF_HASH_ROUNDS];
      mlbf_hash128 whole, segment, piece;      /* for AES4 of a whole, a segment, a piece's number */
      mlbf_hash128 layer[MLBF_LAYERS_MAX + 1]; /* the last: of kinds without layers */
      mlbf_hash128 block[MLBF_HASH_BLOCKS];
    };
  };
  const mlbf_hash_path *path;
} mlbf_hash_keys;

/* With the fastest path that this processor has and cpu.h allows. */
void mlbf_hash_keys_make(const uint8_t secret[MLBF_SECRET_BYTES], mlbf_hash_keys *keys);

/* Inlined whatever its size: a call costs as much as the hash of a segment, and gcc drops calls of functions that only
 * prefetch. */
#define MLBF_INLINE static inline __attribute__((always_inline))

/* An implementation for some processors. */
struct mlbf_hash_path {
  mlbf_cpu_path cpu;
  /* `count` keys of a filter with so many layers, 0, 1 or all; or as many as have room for their segments: returns how
   * many. `following` more stand behind them and come next, so their bytes are fetched meanwhile. */
  size_t (*hash)(const mlbf_hash_keys *secret, const mlbf_key *keys, size_t count, size_t following, uint32_t layers,
                 size_t room, mlbf_hashes *hashes);
  /* of these bytes and a number: as a key without layers whose depth is that number */
  mlbf_hash128 (*text)(const mlbf_hash_keys *secret, uint64_t number, mlbf_span text);
};

extern const mlbf_hash_path mlbf_hash_portable;
extern const mlbf_hash_path mlbf_hash_aesni;
extern const mlbf_hash_path mlbf_hash_vaes;

/* All paths compiled in, best first, up to a NULL. */
extern const mlbf_hash_path *const mlbf_hash_paths[];

/* Of a text alone: as a key without layers. */
static inline mlbf_hash128 mlbf_hash_text(const mlbf_hash_keys *secret, mlbf_span text)
{
  return secret->path->text(secret, 0, text);
}

#endif
