/* mlbf/count/count_inside.h: the struct of a counting filter. Internal to mlbf/.
 *
 *   count.c         creates, adds, gets                  count_merge.c   a + b, a - b, cell by cell
 *   count_file.c    saves and loads                      overflow.c      counts that overflow their cells */
#ifndef STRATA_MLBF_COUNT_INSIDE_H
#define STRATA_MLBF_COUNT_INSIDE_H

#include <assert.h>

#include "mlbf/filter/cells.h"
#include "mlbf/count.h"
#include "mlbf/count/overflow.h"
#include "mlbf/file/block_file.h"

enum { COUNT_MINIMAL = 1, COUNT_DELTA = 2 }; /* file.numbers[FLAGS] */

/* file.numbers */
enum { KEYS, CELLS, HASHES, BASE_BITS, LIMIT, FLAGS, RATE, ADDITIONS, OVERFLOWS, NUMBERS };

struct mlbf_count {
  mlbf_block_file file; /* its body: cells | entries a chunk, 2 bytes each | entries */
  mlbf_cells cells;
  mlbf_overflow overflow;
  uint32_t base_bits;
};

/* The numbers are a file's, checked by count_body_bytes before there is a filter. */
static inline void assert_count(const mlbf_count *count)
{
  assert(count->cells.count == count->file.numbers[CELLS] && count->cells.bits == count->base_bits + 1);
  assert(count->base_bits == count->file.numbers[BASE_BITS] && count->cells.bytes == count->file.body);
  assert(count->file.numbers[HASHES] >= 1 && count->file.numbers[HASHES] <= MLBF_HASHES_MAX);
  assert(count->file.numbers[LIMIT] <= MLBF_COUNT_LIMIT_MOST);
  assert(count->overflow.chunk_count == mlbf_overflow_chunks(count->cells.count));
  assert(count->overflow.entries <= count->cells.count);
  (void)count;
}

static inline bool count_is_minimal(const mlbf_count *count)
{
  return count->file.numbers[FLAGS] & COUNT_MINIMAL;
}

static inline uint32_t count_get_cell(const mlbf_count *count, uint64_t cell)
{
  uint32_t raw = (uint32_t)mlbf_cells_get(&count->cells, cell), flag = UINT32_C(1) << count->base_bits;
  if (!(raw & flag))
    return raw;
  return (raw & (flag - 1)) | mlbf_overflow_get(&count->overflow, cell) << count->base_bits;
}

/* After mlbf_overflow_reserve. A cell never falls. */
static inline void count_set_cell(mlbf_count *count, uint64_t cell, uint32_t value)
{
  assert(value <= count->file.numbers[LIMIT]);
  uint32_t flag = UINT32_C(1) << count->base_bits, high = value >> count->base_bits;
  assert(value >= count_get_cell(count, cell));
  if (high > 0)
    mlbf_overflow_set(&count->overflow, cell, high);
  mlbf_cells_set(&count->cells, cell, (value & (flag - 1)) | (high > 0 ? flag : 0));
}

static inline uint32_t count_saturated(const mlbf_count *count, uint64_t sum)
{
  uint64_t limit = count->file.numbers[LIMIT];
  return (uint32_t)(sum < limit ? sum : limit);
}

/* Of the chunks' entry counts in a file. */
static inline uint64_t count_chunk_bytes(uint64_t cells)
{
  return (mlbf_overflow_chunks(cells) * sizeof(uint16_t) + 63) / 64 * 64;
}

/* How long a file's body of these numbers is; 0: there can be no such filter. */
uint64_t count_body_bytes(const mlbf_block_file *file);

/* An empty filter of this geometry. */
mlbf_status count_make(const uint64_t *numbers, const mlbf_keying *keying, const char *profile, mlbf_count **count);

/* Takes the file over, also if there is no memory. */
mlbf_status count_wrap(mlbf_block_file *file, mlbf_count **count);

#endif
