/* SHA-1 in 8 lanes. Always compiled for AVX2, and called by digest.c only on processors with AVX2. */
#include "mlbf/similar/digest_sha1.h"

#define LANES 8
#include "mlbf/similar/digest_sha1_lanes.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx2");
}

const digest_sha1_path digest_sha1_avx2 = {{"avx2", MLBF_CPU_AVX2, is_usable}, hash_many};
