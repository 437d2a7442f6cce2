/* The choice of a path: which instructions may be used, by the environment and the processor. cpu.h says the words.
 *
 * Always: plain C may be, so there is a choice. All paths of a table give the same results; only their speed differs.
 *
 * Called when a structure is made (keyed_hash.c, line.c, digest.c), and not while it is used: the environment is not to
 * be read by threads while somebody may change it. */
#include "mlbf/hash/cpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_allowed(mlbf_cpu_level level)
{
  const char *limit = getenv("STRATA_CPU"); // NOLINT(concurrency-mt-unsafe): who changes it meanwhile gets either
  if (limit && strcmp(limit, "portable") == 0)
    return level == MLBF_CPU_PORTABLE;
  return !limit || strcmp(limit, "avx2") != 0 || level <= MLBF_CPU_AVX2;
}

bool mlbf_cpu_any(void)
{
  return true;
}

const void *mlbf_cpu_best(const void *paths)
{
  const mlbf_cpu_path *const *path = paths;
  for (; !is_allowed((*path)->level) || !(*path)->is_usable(); path++)
    assert(path[1]); /* plain C is still to come */
  return *path;
}
