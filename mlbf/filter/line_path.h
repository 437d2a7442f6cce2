/* mlbf/filter/line_path.h: one path of line.h, from two primitives. Each line_*.c defines these for one line, then
 * includes this file once:
 *
 *   MLBF_LINE_INLINE bool line_test(const uint64_t *line, uint64_t number, unsigned hashes);
 *   MLBF_LINE_INLINE bool line_insert(uint64_t *line, uint64_t number, unsigned hashes);
 *
 * `hashes`, bits of a key in the line, is a constant in each loop below, so that nothing in a loop depends on the
 * layout; and all is compiled for that file's processors. */
#include <assert.h>

MLBF_LINE_INLINE uint64_t test_in_one(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count, unsigned bits)
{
  const mlbf_array one = *array; /* a copy: nothing in the loop could change it */
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++)
    known |= (uint64_t)line_test(mlbf_line_of(&one, hashes[i]), hashes[i].high, bits) << i;
  return known;
}

MLBF_LINE_INLINE uint64_t test_in_two(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count, unsigned bits)
{
  const mlbf_array two = *array;
  uint64_t known = 0;
  for (size_t i = 0; i < count; i++) {
    mlbf_two_lines lines = mlbf_two_lines_of(&two, hashes[i]);
    bool in_first = line_test(lines.first, hashes[i].high, bits);
    bool in_second = line_test(lines.second, mlbf_line_other_half(hashes[i].high), bits);
    known |= (uint64_t)(in_first & in_second) << i;
  }
  return known;
}

MLBF_LINE_INLINE uint64_t insert_in_one(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count,
                                        unsigned bits)
{
  const mlbf_array one = *array;
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++)
    were_new |= (uint64_t)line_insert(mlbf_line_of(&one, hashes[i]), hashes[i].high, bits) << i;
  return were_new;
}

MLBF_LINE_INLINE uint64_t insert_in_two(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count,
                                        unsigned bits)
{
  const mlbf_array two = *array;
  uint64_t were_new = 0;
  for (size_t i = 0; i < count; i++) {
    mlbf_two_lines lines = mlbf_two_lines_of(&two, hashes[i]);
    bool first_new = line_insert(lines.first, hashes[i].high, bits);
    bool second_new = line_insert(lines.second, mlbf_line_other_half(hashes[i].high), bits);
    were_new |= (uint64_t)(first_new | second_new) << i;
  }
  return were_new;
}

static uint64_t path_test(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  assert(count <= MLBF_KEYS_AT_ONCE);
  if (array->layout == MLBF_LAYOUT_LINE)
    switch (array->hashes) {
    case 1: return test_in_one(array, hashes, count, 1);
    case 2: return test_in_one(array, hashes, count, 2);
    case 4: return test_in_one(array, hashes, count, 4);
    case 8: return test_in_one(array, hashes, count, 8);
    default: return test_in_one(array, hashes, count, 12);
    }
  switch (array->hashes / 2) {
  case 1: return test_in_two(array, hashes, count, 1);
  case 2: return test_in_two(array, hashes, count, 2);
  case 4: return test_in_two(array, hashes, count, 4);
  case 8: return test_in_two(array, hashes, count, 8);
  default: return test_in_two(array, hashes, count, 12);
  }
}

static uint64_t path_insert(mlbf_array *array, const mlbf_hash128 *hashes, size_t count)
{
  assert(count <= MLBF_KEYS_AT_ONCE);
  if (array->layout == MLBF_LAYOUT_LINE)
    switch (array->hashes) {
    case 1: return insert_in_one(array, hashes, count, 1);
    case 2: return insert_in_one(array, hashes, count, 2);
    case 4: return insert_in_one(array, hashes, count, 4);
    case 8: return insert_in_one(array, hashes, count, 8);
    default: return insert_in_one(array, hashes, count, 12);
    }
  switch (array->hashes / 2) {
  case 1: return insert_in_two(array, hashes, count, 1);
  case 2: return insert_in_two(array, hashes, count, 2);
  case 4: return insert_in_two(array, hashes, count, 4);
  case 8: return insert_in_two(array, hashes, count, 8);
  default: return insert_in_two(array, hashes, count, 12);
  }
}
