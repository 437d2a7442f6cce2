/* Two counting filters, cell by cell: their sum, and what one has more than the other.
 *
 * Always: both are of one geometry, limit, secret and profile, and neither is changed before the result is there: it is
 * made beside them, and then takes their place or is thrown away. No cell of a sum is below either of its two, none of
 * a difference above the first.
 *
 * Called by frontier/links/inlinks.c, where crawls are merged. Memory alone. */
#include "mlbf/count/count_inside.h"

static mlbf_status check_pair(const mlbf_count *a, const mlbf_count *b)
{
  static const int equal[] = {CELLS, HASHES, BASE_BITS, LIMIT};
  bool is_equal = mlbf_keying_equal(&a->file.keying, &b->file.keying) &&
                  strcmp(a->file.profile, b->file.profile) == 0 && count_is_minimal(a) == count_is_minimal(b);
  for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
    is_equal = is_equal && a->file.numbers[equal[i]] == b->file.numbers[equal[i]];
  return is_equal ? MLBF_OK : MLBF_MISMATCH;
}

/* Every cell of `made` becomes a + b, saturated; or, with `minus`, a - b. */
static mlbf_status combine(const mlbf_count *a, const mlbf_count *b, bool minus, mlbf_count *made)
{
  for (uint64_t cell = 0; cell < made->cells.count; cell++) {
    uint32_t x = count_get_cell(a, cell), y = count_get_cell(b, cell);
    if (x == 0 && y == 0)
      continue;
    if (minus && x < y)
      return MLBF_MISMATCH;
    if (!mlbf_overflow_reserve(&made->overflow, cell, 1))
      return MLBF_NO_MEMORY;
    uint32_t value = minus ? x - y : count_saturated(made, (uint64_t)x + y);
    assert(minus ? value <= x : value >= x && value >= y);
    count_set_cell(made, cell, value);
  }
  return MLBF_OK;
}

static mlbf_status make_from(const mlbf_count *a, const mlbf_count *b, bool minus, mlbf_count **made)
{
  mlbf_count *fresh;
  mlbf_status status = check_pair(a, b);
  if (status == MLBF_OK)
    status = count_make(a->file.numbers, &a->file.keying, a->file.profile, &fresh);
  if (status != MLBF_OK)
    return status;
  assert(fresh->cells.count == a->cells.count && fresh->cells.count == b->cells.count);
  status = combine(a, b, minus, fresh);
  if (status == MLBF_OK)
    *made = fresh;
  else
    mlbf_count_free(fresh);
  return status;
}

mlbf_status mlbf_count_merge(mlbf_count *into, const mlbf_count *from)
{
  mlbf_count *merged, kept;
  mlbf_status status = make_from(into, from, false, &merged);
  if (status != MLBF_OK)
    return status;
  merged->file.numbers[ADDITIONS] = into->file.numbers[ADDITIONS] + from->file.numbers[ADDITIONS];
  kept = *into;
  *into = *merged;
  *merged = kept;
  mlbf_count_free(merged);
  return MLBF_OK;
}

mlbf_status mlbf_count_difference(const mlbf_count *later, const mlbf_count *earlier, mlbf_count **delta)
{
  mlbf_count *made;
  mlbf_status status = make_from(later, earlier, true, &made);
  if (status != MLBF_OK)
    return status;
  uint64_t before = earlier->file.numbers[ADDITIONS], after = later->file.numbers[ADDITIONS];
  made->file.numbers[ADDITIONS] = after > before ? after - before : 0;
  made->file.numbers[FLAGS] |= COUNT_DELTA;
  *delta = made;
  return MLBF_OK;
}
