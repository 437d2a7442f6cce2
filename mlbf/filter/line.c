/* The kind `line`: one array whose keys lie in one or two cache lines (line.h), nothing else. And the choice of a path.
 *
 * Always: every path sets and tests the same bits for a hash, so a filter that one processor made is right on another.
 * mlbf_line_paths ends with the scalar path, which every machine can use, and NULL. A test changes nothing. What an
 * insertion calls new had a bit missing before.
 *
 * Called by filter.c and filter_batch.c through mlbf_line_operations. The functions on wholes serve mlbf.c, too, whose
 * array 0 lies in lines as well. */
#include "mlbf/filter/line.h"

#include "mlbf/filter/inside.h"

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
  const mlbf_line_path *const *path = mlbf_line_paths;
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the last, scalar, always is
  while (!mlbf_cpu_allows((*path)->level) || !(*path)->is_usable())
    path++;
  return *path;
}

static void line_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  hashes->whole = mlbf_hash_whole(&filter->keying.keys, segments, count);
  hashes->depth = 0;
}

static mlbf_verdict line_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool is_known = mlbf_line_test(&filter->arrays[0], &hashes->whole);
  return (mlbf_verdict){is_known ? MLBF_SEEN : MLBF_NEW, 0};
}

static mlbf_verdict line_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool was_new = mlbf_line_insert(&filter->arrays[0], &hashes->whole);
  return (mlbf_verdict){was_new ? MLBF_NEW : MLBF_SEEN, 0};
}

void mlbf_line_prefetch_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  const mlbf_array array = filter->arrays[0]; /* a copy: nothing in the loop could change it */
  for (size_t i = 0; i < count; i++)
    mlbf_line_prefetch(&array, wholes[i]);
}

static void line_prefetch(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  mlbf_line_prefetch(&filter->arrays[0], hashes->whole);
}

uint64_t mlbf_line_test_wholes(const mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  const mlbf_array *array = &filter->arrays[0];
  return array->path->test(array, wholes, count);
}

uint64_t mlbf_line_insert_wholes(mlbf_filter *filter, const mlbf_hash128 *wholes, size_t count)
{
  mlbf_array *array = &filter->arrays[0];
  return array->path->insert(array, wholes, count);
}

const mlbf_operations mlbf_line_operations = {
  .hash = line_hash,
  .test = line_test,
  .insert = line_insert,
  .prefetch = line_prefetch,
  .prefetch_wholes = mlbf_line_prefetch_wholes,
  .test_wholes = mlbf_line_test_wholes,
  .insert_wholes = mlbf_line_insert_wholes,
};
