/* mlbf/filter/line_path.h: one path of line.h, from four primitives. Each line_*.c defines these for one line and a
 * part of a key's hash, then includes this file once:
 *
 *   static bool lanes_test(const uint64_t *line, uint64_t high);
 *   static bool lanes_insert(uint64_t *line, uint64_t high);
 *   static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes);
 *   static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes);
 *
 * So they are inlined in the loops over many keys, and compiled for that file's processors. */
static bool lanes_test_key(const mlbf_array *array, mlbf_hash128 hash)
{
  return lanes_test(mlbf_line_first(array, hash), hash.high);
}

static bool lanes_insert_key(const mlbf_array *array, mlbf_hash128 hash)
{
  return lanes_insert(mlbf_line_first(array, hash), hash.high);
}

static bool line_test_key(const mlbf_array *array, mlbf_hash128 hash)
{
  return free_test(mlbf_line_first(array, hash), (uint32_t)(hash.high >> 32), array->hashes);
}

static bool line_insert_key(const mlbf_array *array, mlbf_hash128 hash)
{
  return free_insert(mlbf_line_first(array, hash), (uint32_t)(hash.high >> 32), array->hashes);
}

static bool two_lines_test_key(const mlbf_array *array, mlbf_hash128 hash)
{
  uint32_t hashes = array->hashes / 2;
  return free_test(mlbf_line_first(array, hash), (uint32_t)(hash.high >> 32), hashes) &&
         free_test(mlbf_line_second(array, hash), (uint32_t)hash.high, hashes);
}

static bool two_lines_insert_key(const mlbf_array *array, mlbf_hash128 hash)
{
  uint32_t hashes = array->hashes / 2;
  bool first_new = free_insert(mlbf_line_first(array, hash), (uint32_t)(hash.high >> 32), hashes);
  bool second_new = free_insert(mlbf_line_second(array, hash), (uint32_t)hash.high, hashes);
  return first_new || second_new;
}

static bool path_test(const mlbf_array *array, mlbf_hash128 hash)
{
  if (array->layout == MLBF_LAYOUT_LANES)
    return lanes_test_key(array, hash);
  return array->layout == MLBF_LAYOUT_LINE ? line_test_key(array, hash) : two_lines_test_key(array, hash);
}

static bool path_insert(mlbf_array *array, mlbf_hash128 hash)
{
  if (array->layout == MLBF_LAYOUT_LANES)
    return lanes_insert_key(array, hash);
  return array->layout == MLBF_LAYOUT_LINE ? line_insert_key(array, hash) : two_lines_insert_key(array, hash);
}

static void path_test_many(const mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *is_known)
{
  if (array->layout == MLBF_LAYOUT_LANES)
    for (size_t i = 0; i < count; i++)
      is_known[i] = lanes_test_key(array, hashes[i]);
  else if (array->layout == MLBF_LAYOUT_LINE)
    for (size_t i = 0; i < count; i++)
      is_known[i] = line_test_key(array, hashes[i]);
  else
    for (size_t i = 0; i < count; i++)
      is_known[i] = two_lines_test_key(array, hashes[i]);
}

static void path_insert_many(mlbf_array *array, const mlbf_hash128 *hashes, size_t count, bool *was_new)
{
  if (array->layout == MLBF_LAYOUT_LANES)
    for (size_t i = 0; i < count; i++)
      was_new[i] = lanes_insert_key(array, hashes[i]);
  else if (array->layout == MLBF_LAYOUT_LINE)
    for (size_t i = 0; i < count; i++)
      was_new[i] = line_insert_key(array, hashes[i]);
  else
    for (size_t i = 0; i < count; i++)
      was_new[i] = two_lines_insert_key(array, hashes[i]);
}
