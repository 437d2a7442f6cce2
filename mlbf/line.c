#include "mlbf/line.h"

#include "mlbf/inside.h"

enum { LINE_WORDS = MLBF_LINE_BITS / 64 };

/* Powers of 2^32 / golden ratio: the position of bit i is the top 9 bits of half * multiplier[i], which
 * depend on all 32 bits of the half. 32 bits a line are enough: two keys of one line share all its
 * bits with probability 2^-32, and there are some 50 keys in a line. */
static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {
  0x9e3779b9, 0xe35e67b1, 0x734297e9, 0x35fbe861, 0xdeb7c719, 0x0448b211, 0x3459b749, 0xab25f4c1,
  0x52941879, 0x9c95e071, 0xf5ab9aa9, 0x2d6ba521, 0x8bededd9, 0x9bfb72d1, 0x3ae1c209, 0x7fca7981,
};

static unsigned position(uint32_t half, uint32_t i)
{
  return half * multipliers[i] >> 23;
}

static uint64_t *line_at(const mlbf_array *array, uint64_t place)
{
  return array->words + mlbf_scale(place, array->bits / MLBF_LINE_BITS) * LINE_WORDS;
}

static uint64_t lane_mask(uint64_t high, unsigned lane)
{
  return UINT64_C(1) << (high >> 6 * lane & 63);
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  uint64_t missing = 0;
  for (unsigned i = 0; i < LINE_WORDS; i++)
    missing |= lane_mask(high, i) & ~line[i];
  return !missing;
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  uint64_t missing = 0;
  for (unsigned i = 0; i < LINE_WORDS; i++) {
    missing |= lane_mask(high, i) & ~line[i];
    line[i] |= lane_mask(high, i);
  }
  return missing;
}

static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes)
{
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = position(half, i);
    if (!(line[bit / 64] >> (bit % 64) & 1))
      return false;
  }
  return true;
}

static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes)
{
  uint64_t missing = 0;
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = position(half, i);
    uint64_t mask = UINT64_C(1) << (bit % 64);
    missing |= mask & ~line[bit / 64];
    line[bit / 64] |= mask;
  }
  return missing;
}

static uint64_t *second_line(const mlbf_array *array, mlbf_hash128 hash)
{
  return line_at(array, mlbf_rotate(hash.low, 32));
}

bool mlbf_line_test(const mlbf_array *array, mlbf_hash128 hash)
{
  const uint64_t *line = line_at(array, hash.low);
  uint32_t upper = (uint32_t)(hash.high >> 32), lower = (uint32_t)hash.high;
  switch (array->layout) {
  case MLBF_LAYOUT_LANES:
    return lanes_test(line, hash.high);
  case MLBF_LAYOUT_LINE:
    return free_test(line, upper, array->hashes);
  default:
    return free_test(line, upper, array->hashes / 2) &&
           free_test(second_line(array, hash), lower, array->hashes / 2);
  }
}

bool mlbf_line_insert(mlbf_array *array, mlbf_hash128 hash)
{
  uint64_t *line = line_at(array, hash.low);
  uint32_t upper = (uint32_t)(hash.high >> 32), lower = (uint32_t)hash.high;
  switch (array->layout) {
  case MLBF_LAYOUT_LANES:
    return lanes_insert(line, hash.high);
  case MLBF_LAYOUT_LINE:
    return free_insert(line, upper, array->hashes);
  default: {
    bool first_new = free_insert(line, upper, array->hashes / 2);
    bool second_new = free_insert(second_line(array, hash), lower, array->hashes / 2);
    return first_new || second_new;
  }
  }
}

void mlbf_line_prefetch(const mlbf_array *array, mlbf_hash128 hash)
{
  __builtin_prefetch(line_at(array, hash.low), 1);
  if (array->layout == MLBF_LAYOUT_TWO_LINES)
    __builtin_prefetch(second_line(array, hash), 1);
}

/* The kind `line`: one array in these layouts, nothing else. */

static void line_hash(const mlbf_filter *filter, const mlbf_span *segments, size_t count, mlbf_hashes *hashes)
{
  hashes->whole = mlbf_hash_bytes(segments, count, filter->seed);
  hashes->depth = 0;
}

static mlbf_verdict line_test(const mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool is_known = mlbf_line_test(&filter->arrays[0], hashes->whole);
  return (mlbf_verdict){ is_known ? MLBF_SEEN : MLBF_NEW, 0 };
}

static bool line_insert_whole(mlbf_filter *filter, mlbf_hash128 whole)
{
  return mlbf_line_insert(&filter->arrays[0], whole);
}

static mlbf_verdict line_insert(mlbf_filter *filter, const mlbf_hashes *hashes)
{
  bool was_new = line_insert_whole(filter, hashes->whole);
  return (mlbf_verdict){ was_new ? MLBF_NEW : MLBF_SEEN, 0 };
}

const mlbf_operations mlbf_line_operations = {
  .hash = line_hash,
  .test = line_test,
  .insert = line_insert,
  .insert_whole = line_insert_whole,
};
