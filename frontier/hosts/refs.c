/* See refs.h.
 *
 *     list ----> head: first, last, count        block        block        block
 *                front ------------------------> [....dddd]-> [dddddddd]-> [ddd.....]
 *                back  --------------------------------------------------'
 *                      begin: of the first difference in `front`     end: behind the last one in `back`
 *
 * Always: a list that is not empty has a head, its first sequence stands there and all others as differences to the one
 * before; of one sequence there are no blocks. A difference may lie in two blocks. Called by core/ under the handle's
 * mutex. Nothing of it is on disk. */
#include "frontier/hosts/refs.h"

#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

enum {
  BLOCK = 32,
  BLOCK_BYTES = BLOCK - 4,
  SLAB_SHIFT = 11, /* blocks in a slab: 64 KiB */
  SLAB_BLOCKS = 1 << SLAB_SHIFT,
  DIFFERENCE_MAX = 10, /* bytes, and so one more block at most */
};

typedef struct refs_head {
  uint64_t first, last;
  uint32_t count;
  uint32_t front, back; /* 0: no differences */
  uint8_t begin, end;
} refs_head;

typedef union refs_block {
  refs_head head;
  struct {
    uint32_t next;
    uint8_t bytes[BLOCK_BYTES];
  } part;
} refs_block;

_Static_assert(sizeof(refs_block) == BLOCK, "a head is as large as a block");

/* ---- blocks --------------------------------------------------------------------------------------------- */

static refs_block *block_at(const refs_memory *m, uint32_t number)
{
  assert(number && number < m->unused);
  return &m->slabs[number >> SLAB_SHIFT][number & (SLAB_BLOCKS - 1)];
}

/* 0: no memory. Number 0 stays unused. */
static uint32_t take_block(refs_memory *m)
{
  uint32_t number = m->free;
  if (number) {
    m->free = block_at(m, number)->part.next;
  } else {
    if (m->unused >> SLAB_SHIFT == m->slab_count) {
      refs_block *slab = HAS_ROOM(m->slabs, m->slab_room, m->slab_count + 1) && m->unused < UINT32_MAX - SLAB_BLOCKS
                           ? malloc(SLAB_BLOCKS * sizeof *slab)
                           : NULL;
      if (!slab)
        return 0;
      m->slabs[m->slab_count++] = slab;
    }
    m->unused += m->unused == 0;
    number = m->unused++;
  }
  m->taken++;
  block_at(m, number)->part.next = 0;
  return number;
}

static void give_block(refs_memory *m, uint32_t number)
{
  block_at(m, number)->part.next = m->free;
  m->free = number;
  m->taken--;
}

size_t refs_bytes(const refs_memory *m)
{
  return (size_t)m->taken * BLOCK;
}

void refs_free(refs_memory *m)
{
  for (size_t i = 0; i < m->slab_count; i++)
    free(m->slabs[i]);
  free(m->slabs);
  *m = (refs_memory){0};
}

/* ---- differences ---------------------------------------------------------------------------------------- */

static size_t write_difference(uint64_t from, uint64_t to, uint8_t bytes[DIFFERENCE_MAX])
{
  uint64_t rest = to >= from ? (to - from) << 1 : (from - to) << 1 | 1;
  size_t size = 0;
  assert(from >> 63 == 0 && to >> 63 == 0);
  for (; rest >> 7; rest >>= 7)
    bytes[size++] = (uint8_t)(rest | 0x80);
  bytes[size++] = (uint8_t)rest;
  return size;
}

/* Where reading is in a list's string of bytes. */
typedef struct place_in {
  uint32_t block;
  uint8_t at;
} place_in;

static uint64_t read_next(const refs_memory *m, place_in *p, uint64_t from)
{
  uint64_t difference = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (p->at == BLOCK_BYTES)
      *p = (place_in){block_at(m, p->block)->part.next, 0};
    uint8_t byte = block_at(m, p->block)->part.bytes[p->at++];
    difference |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return difference & 1 ? from - (difference >> 1) : from + (difference >> 1);
  }
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

/* A list of this one alone. */
static bool begin(refs_memory *m, refs *list, uint64_t sequence)
{
  *list = take_block(m);
  if (*list)
    block_at(m, *list)->head = (refs_head){.first = sequence, .last = sequence, .count = 1};
  return *list != 0;
}

bool refs_append(refs_memory *m, refs *list, uint64_t sequence)
{
  uint8_t bytes[DIFFERENCE_MAX];
  if (!*list)
    return begin(m, list, sequence);
  refs_head *head = &block_at(m, *list)->head;
  size_t size = write_difference(head->last, sequence, bytes);
  uint32_t more = !head->back || size > (size_t)BLOCK_BYTES - head->end ? take_block(m) : 0;
  if (!more && (!head->back || size > (size_t)BLOCK_BYTES - head->end))
    return false;
  if (!head->back) {
    head->front = head->back = more;
    head->begin = head->end = 0;
  }
  for (size_t i = 0; i < size; i++) {
    if (head->end == BLOCK_BYTES) {
      block_at(m, head->back)->part.next = more;
      head->back = more;
      head->end = 0;
    }
    block_at(m, head->back)->part.bytes[head->end++] = bytes[i];
  }
  head->last = sequence;
  head->count++;
  return true;
}

/* The string is written backwards, from its last byte. */
bool refs_prepend(refs_memory *m, refs *list, uint64_t sequence)
{
  uint8_t bytes[DIFFERENCE_MAX];
  if (!*list)
    return begin(m, list, sequence);
  refs_head *head = &block_at(m, *list)->head;
  size_t size = write_difference(sequence, head->first, bytes);
  uint32_t more = !head->front || size > head->begin ? take_block(m) : 0;
  if (!more && (!head->front || size > head->begin))
    return false;
  if (!head->front) {
    head->front = head->back = more;
    head->begin = head->end = BLOCK_BYTES;
  }
  while (size) {
    if (head->begin == 0) {
      block_at(m, more)->part.next = head->front;
      head->front = more;
      head->begin = BLOCK_BYTES;
    }
    block_at(m, head->front)->part.bytes[--head->begin] = bytes[--size];
  }
  head->first = sequence;
  head->count++;
  return true;
}

size_t refs_first(const refs_memory *m, refs list, uint64_t *sequences, size_t most)
{
  if (!list || !most)
    return 0;
  const refs_head *head = &block_at(m, list)->head;
  place_in p = {head->front, head->begin};
  size_t count = head->count < most ? head->count : most;
  sequences[0] = head->first;
  for (size_t i = 1; i < count; i++)
    sequences[i] = read_next(m, &p, sequences[i - 1]);
  return count;
}

static void drop_one(refs_memory *m, refs_head *head)
{
  place_in p = {head->front, head->begin};
  head->first = read_next(m, &p, head->first);
  head->count--;
  while (head->front != p.block) {
    uint32_t front = head->front;
    head->front = block_at(m, front)->part.next;
    give_block(m, front);
  }
  head->begin = p.at;
}

void refs_drop(refs_memory *m, refs *list, size_t count)
{
  if (!count)
    return;
  refs_head *head = &block_at(m, *list)->head;
  assert(count <= head->count);
  for (; count && head->count > 1; count--)
    drop_one(m, head);
  if (head->count > 1)
    return;
  if (head->front) { /* all differences were read */
    give_block(m, head->front);
    head->front = head->back = 0;
  }
  if (count) {
    give_block(m, *list);
    *list = 0;
  }
}
