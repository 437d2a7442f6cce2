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
  return mlbf_guard_touch(array->guard, mlbf_line_first(array, hash)) &&
         (array->layout != MLBF_LAYOUT_TWO_LINES || mlbf_guard_touch(array->guard, mlbf_line_second(array, hash)));
}

static bool guarded_test(const mlbf_array *array, mlbf_hash128 hash)
{
  return !lines_are_sound(array, hash) || mlbf_line_scalar.test(array, hash);
}

static bool guarded_insert(mlbf_array *array, mlbf_hash128 hash)
{
  return lines_are_sound(array, hash) && mlbf_line_scalar.insert(array, hash);
}

static void guarded_test_many(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *is_known)
{
  for (size_t i = 0; i < count; i++)
    is_known[i] = guarded_test(array, hashes[i]);
}

static void guarded_insert_many(mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *was_new)
{
  for (size_t i = 0; i < count; i++)
    was_new[i] = guarded_insert(array, hashes[i]);
}

const mlbf_line_path mlbf_line_guarded = {
  "guarded", is_usable, guarded_test, guarded_insert, guarded_test_many, guarded_insert_many,
};
