/* Lines that many threads change at once: each word by one atomic OR, and only if a bit is missing, so that for
 * seen keys the cores share cache lines instead of moving them. */
#include "mlbf/filter/line.h"

static const uint32_t multipliers[MLBF_LINE_HASHES_MAX] = {MLBF_LINE_MULTIPLIERS};

static uint64_t load(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* True: some bit of the mask was missing, and this call set it. */
static bool set(uint64_t *word, uint64_t mask)
{
  return (load(word) & mask) != mask && (__atomic_fetch_or(word, mask, __ATOMIC_RELAXED) & mask) != mask;
}

static uint64_t lane_mask(uint64_t high, unsigned lane)
{
  return UINT64_C(1) << (high >> 6 * lane & 63);
}

static bool lanes_test(const uint64_t *line, uint64_t high)
{
  for (unsigned i = 0; i < MLBF_LANES; i++)
    if (!(load(&line[i]) & lane_mask(high, i)))
      return false;
  return true;
}

static bool lanes_insert(uint64_t *line, uint64_t high)
{
  bool was_new = false;
  for (unsigned i = 0; i < MLBF_LANES; i++)
    was_new |= set(&line[i], lane_mask(high, i));
  return was_new;
}

static bool free_test(const uint64_t *line, uint32_t half, uint32_t hashes)
{
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT;
    if (!(load(&line[bit / 64]) >> (bit % 64) & 1))
      return false;
  }
  return true;
}

static bool free_insert(uint64_t *line, uint32_t half, uint32_t hashes)
{
  bool was_new = false;
  for (uint32_t i = 0; i < hashes; i++) {
    unsigned bit = half * multipliers[i] >> MLBF_LINE_POSITION_SHIFT;
    was_new |= set(&line[bit / 64], UINT64_C(1) << (bit % 64));
  }
  return was_new;
}

#include "mlbf/filter/line_path.h"

static bool is_usable(void)
{
  return true;
}

const mlbf_line_path mlbf_line_shared = {
  "shared", is_usable, path_test, path_insert, path_test_many, path_insert_many,
};
