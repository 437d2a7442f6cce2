/* See needs.h. Sizes of records are those that their files assert. Called by `strata replay` before it begins. */
#include "datasets/replay/needs.h"
#include "datasets/replay/statistics.h"
#include "datasets/sort/sorter.h"

#include <assert.h>

enum {
  SEGMENTS = 6, /* a key; real lists have 4 to 5.5 */
  SORTERS = 3,
  OTHER_MEMORY = 48 << 20, /* program, batch, samples */
};

/* What a program is asked, at most, and answers: a line for each key, and one byte. */
static uint64_t program_bytes(uint64_t rows, uint64_t key_bytes, uint64_t n, uint64_t queries)
{
  enum { SIGN_AND_END = 2, ANSWER = 1, PROTOCOLS_OF_QUERIES = PROTOCOL_COUNT - 2 }; /* `paper` asks all rows */
  assert(rows > 0);
  uint64_t asked = 2 * n + PROTOCOLS_OF_QUERIES * queries + rows;
  return asked * (key_bytes / rows + 1 + SIGN_AND_END + ANSWER);
}

static uint64_t larger(uint64_t one, uint64_t other)
{
  return one > other ? one : other;
}

replay_needs needs_estimate(uint64_t rows, uint64_t key_bytes, uint64_t n, const char *const *filters,
                            size_t filter_count, uint64_t queries, const contender_setting *setting)
{
  uint64_t bits = 0, running = rows * LIST_KEPT_BYTES;
  bool has_program = false;
  for (size_t i = 0; i < filter_count; i++) {
    bits += contender_bits(filters[i], setting, n);
    has_program |= program_is_name(filters[i]);
  }
  if (has_program)
    running += program_bytes(rows, key_bytes, n, queries);
  uint64_t sorting = rows * LIST_SORTING_BYTES;
  uint64_t measuring = rows * (LIST_KEPT_BYTES + STATISTICS_SEGMENT_BYTES * SEGMENTS);
  return (replay_needs){
    .memory = bits / 8 + SORTERS * (uint64_t)SORTER_MEMORY + OTHER_MEMORY,
    .disk = key_bytes + LIST_KEY_BYTES * rows + larger(running, larger(sorting, measuring)),
  };
}
