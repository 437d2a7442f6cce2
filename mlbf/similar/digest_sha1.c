/* SHA-1 of many messages at once: the choice of a path, and the portable one.
 *
 * Always: every path gives the hashes of FIPS 180-4. digest_sha1_paths ends with the portable path, and NULL.
 *
 * Why each number of lanes has a file of its own: one source of 16 lanes, compiled for AVX2 by a function's attribute,
 * keeps half of its lanes in memory and takes 350 ns a hash in place of 89.
 *
 * Called by digest.c, once for a digest; its paths for sixteen features at a time. */
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
