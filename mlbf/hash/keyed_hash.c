/* The choice of a path, the expansion of a secret, and the hash alone for callers' own tables (secret.h). keyed_hash.h
 * says what the hash is.
 *
 * Always: every path gives the same hashes, so a file that one processor made is right on another. mlbf_hash_paths ends
 * with the portable path, which every machine can use, and NULL. Keys change only as a whole, by mlbf_hash_keys_make,
 * which also chooses the path; hashing changes nothing, so any number of threads may hash.
 *
 * Called where a structure or a hasher is made (keying.c, callers of secret.h); the paths by whoever has keys. */
#include "mlbf/hash/keyed_hash.h"

#include <stdlib.h>

#include "mlbf/hash/aes.h"

const mlbf_hash_path *const mlbf_hash_paths[] = {
#ifdef __x86_64__
  &mlbf_hash_vaes,
  &mlbf_hash_aesni,
#endif
  &mlbf_hash_portable,
  NULL,
};

void mlbf_hash_keys_make(const uint8_t secret[MLBF_SECRET_BYTES], mlbf_hash_keys *keys)
{
  mlbf_aes256_counter(secret, keys->blocks, sizeof keys->blocks / sizeof keys->blocks[0]);
  keys->path = mlbf_cpu_best(mlbf_hash_paths);
}

/* ---- hashers -------------------------------------------------------------------------------------------- */

struct mlbf_hasher {
  mlbf_hash_keys keys;
};

mlbf_hasher *mlbf_hasher_create(const uint8_t secret[MLBF_SECRET_BYTES])
{
  mlbf_hasher *made = malloc(sizeof *made);
  if (made)
    mlbf_hasher_rekey(made, secret);
  return made;
}

void mlbf_hasher_free(mlbf_hasher *hasher)
{
  free(hasher);
}

void mlbf_hasher_rekey(mlbf_hasher *hasher, const uint8_t secret[MLBF_SECRET_BYTES])
{
  mlbf_hash_keys_make(secret, &hasher->keys);
}

mlbf_hash128 mlbf_hasher_hash(const mlbf_hasher *hasher, uint64_t number, mlbf_span text)
{
  return hasher->keys.path->text(&hasher->keys, number, text);
}

bool mlbf_hash_is_slow(void)
{
  static const uint8_t any[MLBF_SECRET_BYTES];
  mlbf_hash_keys keys;
  mlbf_hash_keys_make(any, &keys);
  return keys.path == &mlbf_hash_portable;
}
