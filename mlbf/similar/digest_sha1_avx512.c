/* SHA-1 in 16 lanes. Always compiled for AVX-512, and called by digest.c only on processors with AVX-512. */
#include "mlbf/similar/digest_sha1.h"

#define LANES 16
#include "mlbf/similar/digest_sha1_lanes.h"

static bool is_usable(void)
{
  return __builtin_cpu_supports("avx512f");
}

const digest_sha1_path digest_sha1_avx512 = {{"avx512", MLBF_CPU_AVX512, is_usable}, hash_many};
