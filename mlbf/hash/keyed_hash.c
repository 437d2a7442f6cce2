/* The choice of a path, and the expansion of a secret. keyed_hash.h says what the hash is. */
#include "mlbf/hash/keyed_hash.h"

#include "mlbf/hash/aes.h"

const mlbf_hash_path *const mlbf_hash_paths[] = {
#ifdef __x86_64__
  &mlbf_hash_vaes,
  &mlbf_hash_aesni,
#endif
  &mlbf_hash_portable,
  NULL,
};

static const mlbf_hash_path *best_path(void)
{
  const mlbf_hash_path *const *path = mlbf_hash_paths;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the last, portable, always is
  while (!mlbf_cpu_allows((*path)->level) || !(*path)->is_usable())
    path++;
  return *path;
}

void mlbf_hash_keys_make(const uint8_t secret[MLBF_SECRET_BYTES], mlbf_hash_keys *keys)
{
  mlbf_aes256_counter(secret, keys->blocks, sizeof keys->blocks / sizeof keys->blocks[0]);
  keys->path = best_path();
}
