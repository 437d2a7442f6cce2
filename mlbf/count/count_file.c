/* A counting filter in a file. FORMAT.md, "Other structures".
 *
 *     cells | how many entries each chunk has, 2 bytes | entries of chunk 0 | of chunk 1 | ...
 *
 * Always: no chunk points beyond the body, and what is loaded is as count.c would have made it: entries ascend, each
 * belongs to a flagged cell and to no other, none is beyond the limit. An attacker's file may have correct checksums.
 *
 * Called by frontier/links/inlinks.c. A save replaces the file as a whole: a crash leaves the old one or the new. */
#include "mlbf/count/count_inside.h"

#include <fcntl.h>
#include <stdlib.h>

static uint64_t cells_bytes(const mlbf_count *count)
{
  return mlbf_cells_bytes(count->cells.count, count->cells.bits);
}

mlbf_status mlbf_count_save(const mlbf_count *count, const char *path)
{
  const mlbf_overflow *overflow = &count->overflow;
  uint16_t *counts = calloc(1, count_chunk_bytes(count->cells.count));
  mlbf_span *parts = malloc((overflow->chunk_count + 2) * sizeof *parts);
  mlbf_status status = MLBF_NO_MEMORY;
  uint64_t entries = 0;
  if (counts && parts) {
    parts[0] = (mlbf_span){count->file.body, cells_bytes(count)};
    parts[1] = (mlbf_span){counts, count_chunk_bytes(count->cells.count)};
    for (uint64_t i = 0; i < overflow->chunk_count; i++) {
      counts[i] = overflow->chunks[i].count;
      parts[2 + i] = (mlbf_span){overflow->chunks[i].entries, counts[i] * sizeof(uint32_t)};
      entries += counts[i];
    }
    assert(entries == overflow->entries && entries <= count->cells.count);
    mlbf_block_file file = count->file;
    file.numbers[OVERFLOWS] = overflow->entries;
    status = mlbf_block_file_save(AT_FDCWD, path, &file, parts, overflow->chunk_count + 2);
  }
  free(counts);
  free(parts);
  return status;
}

/* Entries of one chunk: ascending, each of a flagged cell, each with a high part, none beyond the limit. */
static bool chunk_is_sound(const mlbf_count *count, uint64_t number)
{
  const mlbf_chunk *chunk = &count->overflow.chunks[number];
  uint64_t first = number * MLBF_CHUNK_CELLS, limit = count->file.numbers[LIMIT];
  for (uint32_t i = 0; i < chunk->count; i++) {
    uint64_t cell = first + (chunk->entries[i] >> 16);
    bool is_ordered = i == 0 || chunk->entries[i - 1] >> 16 < chunk->entries[i] >> 16;
    if (!is_ordered || chunk->entries[i] >> 16 >= MLBF_CHUNK_CELLS || cell >= count->cells.count ||
        !(chunk->entries[i] & 0xffff) || !(mlbf_cells_get(&count->cells, cell) >> count->base_bits) ||
        count_get_cell(count, cell) > limit)
      return false;
  }
  return true;
}

/* Points the chunks into the body, having checked what they will find there. */
static bool read_overflow(mlbf_count *count)
{
  uint64_t counts_at = cells_bytes(count), entries_at = counts_at + count_chunk_bytes(count->cells.count);
  uint64_t entries = count->file.numbers[OVERFLOWS], taken = 0;
  for (uint64_t i = 0; i < count->overflow.chunk_count; i++) {
    mlbf_chunk *chunk = &count->overflow.chunks[i];
    memcpy(&chunk->count, count->file.body + counts_at + 2 * i, sizeof chunk->count);
    if (chunk->count > entries - taken || chunk->count > MLBF_CHUNK_CELLS)
      return false;
    chunk->entries = (uint32_t *)(void *)(count->file.body + entries_at + 4 * taken);
    taken += chunk->count;
    assert(taken <= entries && entries_at + 4 * taken <= count->file.body_bytes);
    if (!chunk_is_sound(count, i))
      return false;
  }
  count->overflow.entries = entries;
  return taken == entries;
}

/* A flagged cell without an entry would have lost the rest of its count. */
static bool flags_are_sound(const mlbf_count *count)
{
  uint64_t flagged = 0;
  for (uint64_t cell = 0; cell < count->cells.count; cell++)
    flagged += mlbf_cells_get(&count->cells, cell) >> count->base_bits;
  return flagged == count->overflow.entries;
}

mlbf_status mlbf_count_load(const char *path, const uint8_t *secret, mlbf_count **count)
{
  mlbf_block_file file;
  mlbf_count *made;
  mlbf_status status = mlbf_block_file_load(path, MLBF_FILE_COUNT, secret, count_body_bytes, &file);
  if (status == MLBF_OK)
    status = count_wrap(&file, &made);
  if (status != MLBF_OK)
    return status;
  if (!read_overflow(made) || !flags_are_sound(made)) {
    mlbf_count_free(made);
    return MLBF_DAMAGED;
  }
  *count = made;
  return MLBF_OK;
}
