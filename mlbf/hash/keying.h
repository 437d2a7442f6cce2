/* mlbf/hash/keying.h: which secret a structure has, where it came from, and what a file says of it. Internal to
 * mlbf/. */
#ifndef STRATA_MLBF_KEYING_H
#define STRATA_MLBF_KEYING_H

#include "mlbf/hash/keyed_hash.h"

/* Numbers in files. */
typedef enum mlbf_secret_origin {
  MLBF_SECRET_NONE = 0,   /* not keyed: structures without hashes of keys */
  MLBF_SECRET_GIVEN = 1,  /* the caller keeps it; files have its check value alone */
  MLBF_SECRET_DRAWN = 2,  /* drawn here, so files have it, and only their owner may read them */
  MLBF_SECRET_SEEDED = 3, /* from a seed, which files have */
} mlbf_secret_origin;

typedef enum mlbf_hash_id {
  MLBF_HASH_NONE = 1, /* of structures without hashes of keys */
  MLBF_HASH_AES4 = 2, /* keyed_hash.h */
} mlbf_hash_id;

typedef struct mlbf_keying {
  mlbf_secret_origin origin;
  uint64_t seed; /* of SEEDED, and of NONE; else 0 */
  uint8_t secret[MLBF_SECRET_BYTES];
  mlbf_hash_keys keys;
} mlbf_keying;

extern const mlbf_keying mlbf_keying_none; /* with seed 0 */

/* With `secret` if it is not NULL, else from `seed` if it is not 0, else drawn. MLBF_IO: the system gave no random
 * bytes. */
mlbf_status mlbf_keying_make(const uint8_t *secret, uint64_t seed, mlbf_keying *keying);

/* The same hashes? */
bool mlbf_keying_equal(const mlbf_keying *a, const mlbf_keying *b);

/* In a header, beside its field `seed`. */
typedef struct mlbf_key_fields {
  uint32_t hash, origin;
  mlbf_hash128 check;
  uint8_t secret[MLBF_SECRET_BYTES]; /* of DRAWN; else 0 */
} mlbf_key_fields;

void mlbf_keying_encode(const mlbf_keying *keying, mlbf_key_fields *fields);

/* `given` is the caller's secret, or NULL. MLBF_SECRET: it is needed, or it is another; MLBF_DAMAGED. */
mlbf_status mlbf_keying_decode(const mlbf_key_fields *fields, uint64_t seed, const uint8_t *given, mlbf_keying *keying);

/* Who may read a file with these fields: mode bits for open(). */
unsigned mlbf_keying_mode(const mlbf_keying *keying);

#endif
