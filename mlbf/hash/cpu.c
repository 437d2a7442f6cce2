/* Which instructions may be used, by the environment. cpu.h says by which words.
 *
 * Always: plain C may be. The answer depends on STRATA_CPU alone; whether the processor has the instructions each path
 * knows itself. Asked once when a structure is made (keyed_hash.c, line.c, digest.c), and not while it is used: the
 * environment is not to be read by threads while somebody may change it. */
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
