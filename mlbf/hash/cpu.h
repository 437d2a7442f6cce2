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

/* May a path of this level be taken? It need not be there. */
bool mlbf_cpu_allows(mlbf_cpu_level level);

#endif
