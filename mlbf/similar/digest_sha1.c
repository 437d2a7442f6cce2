/* Chooses the SHA-1 implementation, and has the portable one. */
#include "mlbf/similar/digest_sha1.h"

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

const digest_sha1_path *digest_sha1_path_best(void)
{
  const digest_sha1_path *const *path = digest_sha1_paths;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the last, plain, always is
  while (!mlbf_cpu_allows((*path)->level) || !(*path)->is_usable())
    path++;
  return *path;
}
