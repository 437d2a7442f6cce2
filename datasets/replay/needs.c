#include "datasets/replay/needs.h"
#include "datasets/sort/sorter.h"

/* Bytes of a row or key in the files, by the records of list.c, statistics.c and replay.c. */
enum {
  KEY_SIZE = 2,                /* before each key */
  LIST = 2 * 32 + 3 * 24 - 16, /* while it is sorted: two lots of rows, stream, ranks, truth, and truth in runs */
  KEPT = 8 + 8 + 24,           /* stream, ranks, truth */
  SEGMENT = 24,
  SEGMENTS = 6, /* a key; real lists have 4 to 5.5 */
  SORTERS = 3,
  OTHER_MEMORY = 48 << 20, /* program, batch, samples */
};

replay_needs needs_estimate(uint64_t rows, uint64_t key_bytes, uint64_t n, const char *const *filters,
                            size_t filter_count, const contender_setting *setting)
{
  uint64_t bits = 0, keys = key_bytes + KEY_SIZE * rows;
  for (size_t i = 0; i < filter_count; i++)
    bits += contender_bits(filters[i], setting, n);
  uint64_t sorting = rows * LIST, measuring = rows * (KEPT + SEGMENT * SEGMENTS);
  return (replay_needs){
    .memory = bits / 8 + SORTERS * (uint64_t)SORTER_MEMORY + OTHER_MEMORY,
    .disk = keys + (sorting > measuring ? sorting : measuring),
  };
}
