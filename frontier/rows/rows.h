/* A value made of rows, in blocks of up to 64. What a commit adds to a table is one such value, so it is written to
 * pages of its own, in one piece, and never changed.
 *
 *     value   head | block | block | ... | foot: where each block begins, and which marks its rows have
 *     block   magic, checksum, number of its first row, sizes | row, row, ... 64 at most
 *     row     its size, its bytes; rows of kind ENDED have 8 bytes each, and no size
 *
 * A block can be found by its magic and checked without the value around it, so damage costs the rows of one block.
 * Checksums are seeded with the directory's id: a block of another directory counts as damaged. FORMAT.md, "rows". */
#ifndef STRATA_FRONTIER_ROWS_H
#define STRATA_FRONTIER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rows_kind {
  ROWS_TEXT = 'T',  /* URLs; the number of a row is its URL's sequence */
  ROWS_ENDED = 'E', /* how URLs ended */
  ROWS_DOUBT = 'U', /* links that wait until it is certain whether their keys are known */
} rows_kind;

enum {
  ROWS_IN_BLOCK = 64,
  ROWS_HEAD = 32,         /* of a value */
  ROWS_BLOCK_HEAD = 24,   /* of a block */
  ROWS_FOOT = 4,          /* a block's part of the foot, which ends with a checksum */
  ROWS_NUMBER_MAX = 10,   /* bytes of a number */
  ROWS_SIZE_MAX = 1 << 28 /* of a value */
};

/* ---- numbers: seven bits a byte, the lowest first; the last byte is below 128 ------------------------------- */

static inline uint8_t *rows_put_number(uint8_t *at, uint64_t number)
{
  for (; number >= 128; number >>= 7)
    *at++ = (uint8_t)(number | 128);
  *at++ = (uint8_t)number;
  return at;
}

static inline size_t rows_number_size(uint64_t number)
{
  size_t size = 1;
  for (; number >= 128; number >>= 7)
    ++size;
  return size;
}

/* The byte behind it; NULL: it does not end before `end`, is too large, or `at` is NULL. */
const uint8_t *rows_get_number(const uint8_t *at, const uint8_t *end, uint64_t *number);

/* ---- a value to be ------------------------------------------------------------------------------------------ */

typedef struct rows_writer {
  rows_kind kind;
  uint64_t id;    /* the directory's */
  uint64_t first; /* number of the first row */
  uint64_t count; /* rows */
  uint8_t *bytes; /* the value so far, without foot */
  size_t size, room;
  size_t block;   /* where the open block begins; 0: none is open */
  uint32_t *foot; /* of closed blocks, and of the open one */
  size_t blocks, foot_room;
} rows_writer; /* all zeros but kind and id is an empty one */

/* Room for one more row of so many bytes, so that rows_add cannot fail. false: no memory. */
bool rows_make_room(rows_writer *w, size_t size);
/* The next row: `size` bytes, to be written at once where the return value points. `mark`, 0 to 3, is for the foot. */
uint8_t *rows_add(rows_writer *w, size_t size, unsigned mark);
/* The value, complete, in the writer's memory; there is room for it. More rows may be added after. */
uint8_t *rows_finish(rows_writer *w, size_t *size);
/* The writer is empty: its next row is number first + count. Its memory stays, unless it is much. */
void rows_clear(rows_writer *w);
void rows_free(rows_writer *w);

/* ---- a value that is ---------------------------------------------------------------------------------------- */

typedef struct rows_value {
  rows_kind kind;
  uint64_t id;
  uint64_t first, count;
  const uint8_t *bytes;
  size_t size;
  size_t blocks;
  const uint8_t *foot;
} rows_value;

/* false: it is no value of this kind and directory that begins with this row, or its head or foot is damaged. Blocks
 * are checked as they are read. */
bool rows_open(rows_value *v, rows_kind kind, uint64_t id, uint64_t first, const void *bytes, size_t size);

/* Which marks the rows of a block have: a set of bits. */
unsigned rows_marks(const rows_value *v, size_t block);

typedef struct rows_block {
  rows_kind kind;
  uint64_t first; /* number of its first row */
  size_t count;
  const uint8_t *at, *end;
} rows_block;

/* false: it is damaged. */
bool rows_block_open(const rows_value *v, size_t block, rows_block *out);
/* The same of bytes that no value says anything about: the block that begins here, of any number. Its size in all in
 * *size. */
bool rows_block_find(rows_kind kind, uint64_t id, const void *bytes, size_t room, rows_block *out, size_t *size);
/* As the block says whose head this is, ROWS_BLOCK_HEAD bytes, sound or not. */
size_t rows_block_size(const void *head);

/* The next row of a block: its bytes and their number. NULL: there is no more; `at` beyond `end` never. */
const uint8_t *rows_next(rows_block *b, size_t *size);

#endif
