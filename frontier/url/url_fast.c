/* The fast path for every processor, and the choice between the two: AVX2 takes a tenth to a fifth less time
 * (bench_url). */
#define URL_FAST_PATH url_fast_any
#include "frontier/url/url_fast_path.h"

#ifdef STRATA_HAS_AVX2
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The processor's word, and that of STRATA_CPU as mlbf/hash/cpu.h says; asked for once. */
static bool has_avx2(void)
{
  enum { UNKNOWN, NO, YES };
  static atomic_int known;
  int is_so = atomic_load_explicit(&known, memory_order_relaxed);
  if (is_so == UNKNOWN) {
    const char *limit = getenv("STRATA_CPU"); // NOLINT(concurrency-mt-unsafe): who changes it meanwhile gets either
    bool is_allowed = !limit || strcmp(limit, "portable") != 0;
    is_so = is_allowed && __builtin_cpu_supports("avx2") ? YES : NO;
    atomic_store_explicit(&known, is_so, memory_order_relaxed);
  }
  return is_so == YES;
}
#endif

bool url_fast_resolve(const url_base *base, const char *href, size_t size, url *out)
{
#ifdef STRATA_HAS_AVX2
  if (has_avx2())
    return url_fast_avx2(base, href, size, out);
#endif
  return url_fast_any(base, href, size, out);
}
