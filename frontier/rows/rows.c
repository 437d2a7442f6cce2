/* See rows.h.
 *
 * Always: a closed block has its checksum, and its place in the foot. The open block has neither its sizes nor its
 * checksum yet. No row is taken back.
 *
 * Called by the store's tables under the handle's mutex; a value that was taken is read by any thread. */
#include "frontier/rows/rows.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

/* A value begins with
 *
 *     0  magic "SV", kind, 1     4  checksum of bytes 8 to 31     8  first row     16  rows     24  blocks (4), zeros
 *
 * and a block with
 *
 *     0  magic "SB", kind, 1     4  checksum of byte 8 to its end     8  first row     16  bytes of rows (4)
 *     20 rows (2), zeros */
enum { SUM_AT = 4, SUMMED_AT = 8, FIRST_AT = 8, ROWS_AT = 16, BLOCKS_AT = 24, BLOCK_SIZE_AT = 16, BLOCK_ROWS_AT = 20 };
enum { ROOM_KEPT = 1 << 23 }; /* bytes */
enum { OFFSET_BITS = 28, OFFSET_MASK = (1 << OFFSET_BITS) - 1 };

const uint8_t *rows_get_number(const uint8_t *at, const uint8_t *end, uint64_t *number)
{
  *number = 0;
  for (unsigned shift = 0; at && at < end && shift < 64; shift += 7) {
    *number |= (uint64_t)(*at & 127) << shift;
    if (*at++ < 128)
      return shift < 63 || at[-1] < 2 ? at : NULL;
  }
  return NULL;
}

static uint32_t sum_of(uint64_t id, const uint8_t *from, const uint8_t *end)
{
  return (uint32_t)XXH3_64bits_withSeed(from, (size_t)(end - from), id);
}

static void put_magic(uint8_t *at, char what, rows_kind kind)
{
  at[0] = 'S';
  at[1] = (uint8_t)what;
  at[2] = (uint8_t)kind;
  at[3] = 1;
}

static bool has_magic(const uint8_t *at, char what, rows_kind kind)
{
  return at[0] == 'S' && at[1] == (uint8_t)what && at[2] == (uint8_t)kind && at[3] == 1;
}

/* Of each row of this kind; 0: rows differ. */
static size_t fixed_size(rows_kind kind)
{
  return kind == ROWS_ENDED ? 8 : 0;
}

/* ---- to write ----------------------------------------------------------------------------------------------- */

/* More rows may follow: its head is then written again. */
static void seal_block(rows_writer *w)
{
  uint8_t *block = w->bytes + w->block, *end = w->bytes + w->size;
  put_le(block + BLOCK_SIZE_AT, (uint64_t)(end - block) - ROWS_BLOCK_HEAD, 4);
  put_le(block + SUM_AT, sum_of(w->id, block + SUMMED_AT, end), 4);
}

static void open_block(rows_writer *w)
{
  uint8_t *block = w->bytes + w->size;
  w->block = w->size;
  memset(block, 0, ROWS_BLOCK_HEAD);
  put_magic(block, 'B', w->kind);
  put_le(block + FIRST_AT, w->first + w->count, 8);
  w->foot[w->blocks++] = (uint32_t)w->size;
  w->size += ROWS_BLOCK_HEAD;
}

bool rows_make_room(rows_writer *w, size_t size)
{
  size_t wanted = w->size + ROWS_HEAD + ROWS_BLOCK_HEAD + ROWS_NUMBER_MAX + size + (w->blocks + 2) * ROWS_FOOT;
  return wanted <= ROWS_SIZE_MAX && HAS_ROOM(w->bytes, w->room, wanted) &&
         HAS_ROOM(w->foot, w->foot_room, w->blocks + 1);
}

uint8_t *rows_add(rows_writer *w, size_t size, unsigned mark)
{
  size_t fixed = fixed_size(w->kind);
  assert(mark < 4 && (!fixed || size == fixed));
  if (!w->size) {
    memset(w->bytes, 0, ROWS_HEAD);
    w->size = ROWS_HEAD;
  }
  if (w->block && get_le(w->bytes + w->block + BLOCK_ROWS_AT, 2) == ROWS_IN_BLOCK) {
    seal_block(w);
    w->block = 0;
  }
  if (!w->block)
    open_block(w);
  uint8_t *block = w->bytes + w->block, *row = w->bytes + w->size;
  if (!fixed)
    row = rows_put_number(row, size);
  put_le(block + BLOCK_ROWS_AT, get_le(block + BLOCK_ROWS_AT, 2) + 1, 2);
  w->foot[w->blocks - 1] |= UINT32_C(1) << (OFFSET_BITS + mark);
  w->size = (size_t)(row - w->bytes) + size;
  assert(w->size <= w->room);
  w->count++;
  return row;
}

uint8_t *rows_finish(rows_writer *w, size_t *size)
{
  assert(w->count);
  assert(w->size + (w->blocks + 1) * ROWS_FOOT <= w->room);
  seal_block(w);
  uint8_t *value = w->bytes, *foot = value + w->size, *at = foot;
  for (size_t i = 0; i < w->blocks; i++, at += ROWS_FOOT)
    put_le(at, w->foot[i], ROWS_FOOT);
  put_le(at, sum_of(w->id, foot, at), ROWS_FOOT);
  put_magic(value, 'V', w->kind);
  put_le(value + FIRST_AT, w->first, 8);
  put_le(value + ROWS_AT, w->count, 8);
  put_le(value + BLOCKS_AT, w->blocks, 4);
  put_le(value + SUM_AT, sum_of(w->id, value + SUMMED_AT, value + ROWS_HEAD), 4);
  *size = (size_t)(at - value) + ROWS_FOOT;
  return value;
}

void rows_clear(rows_writer *w)
{
  w->first += w->count;
  w->count = w->size = w->blocks = w->block = 0;
  if (w->room <= ROOM_KEPT)
    return;
  free(w->bytes);
  w->bytes = NULL;
  w->room = 0;
}

void rows_free(rows_writer *w)
{
  free(w->bytes);
  free(w->foot);
  *w = (rows_writer){.kind = w->kind, .id = w->id};
}

/* ---- to read ------------------------------------------------------------------------------------------------ */

bool rows_open(rows_value *v, rows_kind kind, uint64_t id, uint64_t first, const void *bytes, size_t size)
{
  const uint8_t *at = bytes;
  if (size < ROWS_HEAD + ROWS_FOOT || size > ROWS_SIZE_MAX || !has_magic(at, 'V', kind) ||
      get_le(at + SUM_AT, 4) != sum_of(id, at + SUMMED_AT, at + ROWS_HEAD) || get_le(at + FIRST_AT, 8) != first)
    return false;
  uint64_t blocks = get_le(at + BLOCKS_AT, 4), foot_size = (blocks + 1) * ROWS_FOOT;
  if (blocks == 0 || foot_size > size - ROWS_HEAD)
    return false;
  *v = (rows_value){.kind = kind,
                    .id = id,
                    .first = first,
                    .count = get_le(at + ROWS_AT, 8),
                    .bytes = at,
                    .size = size - foot_size,
                    .blocks = blocks,
                    .foot = at + size - foot_size};
  const uint8_t *sum = v->foot + blocks * ROWS_FOOT;
  return v->count > (blocks - 1) * ROWS_IN_BLOCK && v->count <= blocks * ROWS_IN_BLOCK &&
         get_le(sum, ROWS_FOOT) == sum_of(id, v->foot, sum);
}

unsigned rows_marks(const rows_value *v, size_t block)
{
  assert(block < v->blocks);
  return (unsigned)get_le(v->foot + block * ROWS_FOOT, ROWS_FOOT) >> OFFSET_BITS;
}

bool rows_block_find(rows_kind kind, uint64_t id, const void *bytes, size_t room, rows_block *out, size_t *size)
{
  const uint8_t *at = bytes;
  if (room < ROWS_BLOCK_HEAD || !has_magic(at, 'B', kind))
    return false;
  size_t of_rows = (size_t)get_le(at + BLOCK_SIZE_AT, 4);
  if (of_rows > room - ROWS_BLOCK_HEAD)
    return false;
  *size = ROWS_BLOCK_HEAD + of_rows;
  *out = (rows_block){.kind = kind,
                      .first = get_le(at + FIRST_AT, 8),
                      .count = (size_t)get_le(at + BLOCK_ROWS_AT, 2),
                      .at = at + ROWS_BLOCK_HEAD,
                      .end = at + *size};
  return out->count >= 1 && out->count <= ROWS_IN_BLOCK &&
         get_le(at + SUM_AT, 4) == sum_of(id, at + SUMMED_AT, out->end);
}

size_t rows_block_size(const void *head)
{
  return ROWS_BLOCK_HEAD + (size_t)get_le((const uint8_t *)head + BLOCK_SIZE_AT, 4);
}

bool rows_block_open(const rows_value *v, size_t block, rows_block *out)
{
  assert(block < v->blocks);
  size_t size, offset = (size_t)get_le(v->foot + block * ROWS_FOOT, ROWS_FOOT) & OFFSET_MASK;
  uint64_t before = (uint64_t)block * ROWS_IN_BLOCK, left = v->count - before;
  return offset >= ROWS_HEAD && offset < v->size &&
         rows_block_find(v->kind, v->id, v->bytes + offset, v->size - offset, out, &size) &&
         out->first == v->first + before && out->count == (left < ROWS_IN_BLOCK ? left : ROWS_IN_BLOCK);
}

const uint8_t *rows_next(rows_block *b, size_t *size)
{
  uint64_t n = fixed_size(b->kind);
  const uint8_t *row = n ? b->at : rows_get_number(b->at, b->end, &n);
  if (!row || b->at == b->end || n > (size_t)(b->end - row))
    return NULL;
  b->at = row + n;
  *size = (size_t)n;
  return row;
}
