/* mlbf/secret.h: the 32 bytes that decide where keys lie in a filter.
 *
 * A filter whose places everybody can calculate can be aimed at: some chosen keys set all bits of a key that was never
 * inserted, and it is taken for seen. With a secret that the one who chooses keys does not know, chosen keys agree no
 * more often than others.
 *
 * Filters have one unless told otherwise. Equal secrets give equal hashes: needed to merge filters, and to use the
 * hashes of one in another. */
#ifndef STRATA_MLBF_SECRET_H
#define STRATA_MLBF_SECRET_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Random bytes of the operating system. MLBF_IO: it gave none; errno says why. */
mlbf_status mlbf_secret_draw(uint8_t secret[MLBF_SECRET_BYTES]);

/* From a number that everybody may know: for results that others repeat, not against attackers. */
void mlbf_secret_from_seed(uint64_t seed, uint8_t secret[MLBF_SECRET_BYTES]);

/* From a file: 32 bytes, or 64 hexadecimal digits and perhaps an end of line. MLBF_IO; MLBF_BAD_ARGUMENT: it holds
 * something else. `secret` is set only on success. */
mlbf_status mlbf_secret_read(const char *path, uint8_t secret[MLBF_SECRET_BYTES]);

/* The keyed hash alone, for tables of the caller's own: of bytes, and of a number that says which table or which of its
 * entries they are for. Any number of threads may hash at once. */
typedef struct mlbf_hasher mlbf_hasher;
mlbf_hasher *mlbf_hasher_create(const uint8_t secret[MLBF_SECRET_BYTES]); /* NULL: no memory */
void mlbf_hasher_free(mlbf_hasher *hasher);                               /* NULL is fine */
void mlbf_hasher_rekey(mlbf_hasher *hasher, const uint8_t secret[MLBF_SECRET_BYTES]);
mlbf_hash128 mlbf_hasher_hash(const mlbf_hasher *hasher, uint64_t number, mlbf_span text);

/* Has this processor no instructions for AES that may be used? Then hashing takes several times as long. */
bool mlbf_hash_is_slow(void);

#ifdef __cplusplus
}
#endif
#endif
