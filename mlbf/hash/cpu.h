/* mlbf/hash/cpu.h: which processor's instructions may be used. Internal to mlbf/.
 *
 * The environment variable STRATA_CPU limits them: "portable" to plain C, "avx2" to AVX2 and AES-NI; else all that the
 * processor has. Results are the same, only the speed differs. */
#ifndef STRATA_MLBF_CPU_H
#define STRATA_MLBF_CPU_H

#include <stdbool.h>

typedef enum mlbf_cpu_level {
  MLBF_CPU_PORTABLE,
  MLBF_CPU_AVX2,   /* with AES-NI; or NEON */
  MLBF_CPU_AVX512, /* with VAES */
} mlbf_cpu_level;

/* One of several ways to compute the same, each for some processors: a struct of functions that begins with this. */
typedef struct mlbf_cpu_path {
  const char *name;
  mlbf_cpu_level level;
  bool (*is_usable)(void); /* on this machine */
} mlbf_cpu_path;

bool mlbf_cpu_any(void); /* is_usable of plain C: true */

/* The path to take: the first that is usable and not above the limit. `paths` are pointers to structs that begin with
 * an mlbf_cpu_path, the best first; one of MLBF_CPU_PORTABLE and mlbf_cpu_any is among them. */
const void *mlbf_cpu_best(const void *paths);

#endif
