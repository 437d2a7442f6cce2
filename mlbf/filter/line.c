/* The choice of a path: how keys' bits are tested and set in an array.
 *
 * Always: every path of lines sets and tests the same bits for a hash, so a filter that one processor made is right on
 * another. mlbf_line_paths ends with the scalar path, which every machine can use, and NULL. A test changes nothing.
 * What an insertion calls new had a bit missing before.
 *
 * Called when a filter is made (filter.c); its paths by layers.c. */
#include "mlbf/filter/line.h"

const mlbf_line_path *const mlbf_line_paths[] = {
#ifdef __x86_64__
  &mlbf_line_avx512,
  &mlbf_line_avx2,
#elif defined __aarch64__
  &mlbf_line_neon,
#endif
  &mlbf_line_scalar,
  NULL,
};

const mlbf_line_path *mlbf_line_path_best(void)
{
  return mlbf_cpu_best(mlbf_line_paths);
}

static uint64_t classic_test(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++)
    known |= (uint64_t)mlbf_classic_test(array, hashes[i]) << i;
  return known;
}

static uint64_t classic_insert(mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++)
    were_new |= (uint64_t)mlbf_classic_insert(array, hashes[i]) << i;
  return were_new;
}

static const mlbf_line_path classic = {{"classic", MLBF_CPU_PORTABLE, mlbf_cpu_any}, classic_test, classic_insert};

const mlbf_line_path *mlbf_array_path(mlbf_layout layout)
{
  return layout == MLBF_LAYOUT_CLASSIC ? &classic : mlbf_line_path_best();
}
