#include "mlbf/hash/cpu.h"

#include <stdlib.h>
#include <string.h>

bool mlbf_cpu_allows(mlbf_cpu_level level)
{
  const char *limit = getenv("STRATA_CPU"); // NOLINT(concurrency-mt-unsafe): who changes it meanwhile gets either
  if (limit && strcmp(limit, "portable") == 0)
    return level == MLBF_CPU_PORTABLE;
  return !limit || strcmp(limit, "avx2") != 0 || level <= MLBF_CPU_AVX2;
}
