/* The keyed hash for callers' own tables: secret.h. A hasher changes in mlbf_hasher_rekey alone. */
#include <stdlib.h>

#include "mlbf/hash/keyed_hash.h"

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
