/* Lines of a mapped filter with unchecked blocks, read word by word. A damaged block answers "known"; the filter
 * asks the guard afterwards and answers MLBF_UNKNOWN. */
#include "mlbf/filter/lazy_verify.h"
#include "mlbf/filter/line.h"

static bool is_usable(void)
{
  return true;
}

static bool lines_are_sound(const mlbf_array *array, mlbf_hash128 hash)
{
  if (array->layout == MLBF_LAYOUT_LINE)
    return mlbf_guard_touch(array->guard, mlbf_line_of(array, hash));
  mlbf_two_lines lines = mlbf_two_lines_of(array, hash);
  return mlbf_guard_touch(array->guard, lines.first) && mlbf_guard_touch(array->guard, lines.second);
}

static uint64_t guarded_test(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++)
    known |= (uint64_t)(!lines_are_sound(array, hashes[i]) || mlbf_line_scalar.test(array, &hashes[i], 1)) << i;
  return known;
}

static uint64_t guarded_insert(mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++)
    were_new |= (uint64_t)(lines_are_sound(array, hashes[i]) && mlbf_line_scalar.insert(array, &hashes[i], 1)) << i;
  return were_new;
}

const mlbf_line_path mlbf_line_guarded = {"guarded", MLBF_CPU_PORTABLE, is_usable, guarded_test, guarded_insert};
