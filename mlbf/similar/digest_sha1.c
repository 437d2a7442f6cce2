/* Chooses the SHA-1 implementation, and has the portable one. */
#include "mlbf/similar/digest_sha1.h"

#include <stdatomic.h>

#define LANES 4
#include "mlbf/similar/digest_sha1_lanes.h"

static bool is_usable(void)
{
  return true;
}

static const digest_sha1_path plain = {"plain", MLBF_CPU_PORTABLE, is_usable, hash_many};

const digest_sha1_path *const digest_sha1_paths[] = {
#ifdef __x86_64__
  &digest_sha1_avx512,
  &digest_sha1_avx2,
#endif
  &plain,
  NULL,
};

static const digest_sha1_path *choose(void)
{
  for (const digest_sha1_path *const *path = digest_sha1_paths; *path; path++)
    if (mlbf_cpu_allows((*path)->level) && (*path)->is_usable())
      return *path;
  return &plain;
}

/* Asked for once: the environment is not to be read by threads while somebody may change it. */
const digest_sha1_path *digest_sha1_path_best(void)
{
  static _Atomic(const digest_sha1_path *) best;
  const digest_sha1_path *path = atomic_load_explicit(&best, memory_order_relaxed);
  if (!path) {
    path = choose();
    atomic_store_explicit(&best, path, memory_order_relaxed);
  }
  return path;
}
