/* Lines that many threads change at once, each without a lock of that line: the hosts of a shared filter. Each word is
 * set by one atomic OR, and only if a bit is missing, so that for seen ones the cores share cache lines instead of
 * moving them. Of several threads that set one host more than one may find it new. */
#include "mlbf/filter/line.h"

static uint64_t load(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* True: some bit of the mask was missing, and this call set it. */
static bool set(uint64_t *word, uint64_t mask)
{
  return (load(word) & mask) != mask && (__atomic_fetch_or(word, mask, __ATOMIC_RELAXED) & mask) != mask;
}

MLBF_LINE_INLINE bool lanes_test(const uint64_t *line, uint64_t number, unsigned lanes)
{
  for (unsigned i = 0; i < lanes; i++) {
    unsigned bit = mlbf_lane_bit(number, lanes, i);
    if (!(load(&line[bit / 64]) >> (bit % 64) & 1))
      return false;
  }
  return true;
}

MLBF_LINE_INLINE bool lanes_insert(uint64_t *line, uint64_t number, unsigned lanes)
{
  bool was_new = false;
  for (unsigned i = 0; i < lanes; i++) {
    unsigned bit = mlbf_lane_bit(number, lanes, i);
    was_new |= set(&line[bit / 64], UINT64_C(1) << (bit % 64));
  }
  return was_new;
}

#include "mlbf/filter/line_words.h"

static bool is_usable(void)
{
  return true;
}

const mlbf_line_path mlbf_line_shared = {"shared", MLBF_CPU_PORTABLE, is_usable, path_test, path_insert};
