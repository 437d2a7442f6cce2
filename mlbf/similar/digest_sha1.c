/* Chooses the SHA-1 implementation, and has the portable one. */
#include "mlbf/similar/digest_sha1.h"

#define LANES 4
#include "mlbf/similar/digest_sha1_lanes.h"

static const digest_sha1_path plain = {{"plain", MLBF_CPU_PORTABLE, mlbf_cpu_any}, hash_many};

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
  return mlbf_cpu_best(digest_sha1_paths);
}
