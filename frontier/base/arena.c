/* See arena.h. */
#include "frontier/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SMALL = 1 << 16, HUGE_PAGE = 1 << 21, ALIGNMENT = _Alignof(max_align_t) };

typedef struct arena_piece {
  struct arena_piece *next;
  bool is_huge;
  _Alignas(max_align_t) char bytes[];
} arena_piece;

/* Small ones while little is taken. Under the sanitizer each block is a piece of its own, to be watched over. */
static size_t piece_size(const arena *a, size_t size)
{
#ifdef __SANITIZE_ADDRESS__
  (void)a;
  return sizeof(arena_piece) + size;
#else
  size_t wanted = a->taken < HUGE_PAGE ? SMALL : HUGE_PAGE;
  return wanted - sizeof(arena_piece) < size ? sizeof(arena_piece) + size : wanted;
#endif
}

/* Exactly one huge page, if the kernel has one. */
static void *map_huge(void)
{
  char *all = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED)
    return NULL;
  size_t before = HUGE_PAGE - (uintptr_t)all % HUGE_PAGE;
  munmap(all, before);
  if (before < HUGE_PAGE)
    munmap(all + before + HUGE_PAGE, HUGE_PAGE - before);
  madvise(all + before, HUGE_PAGE, MADV_HUGEPAGE);
  return all + before;
}

void *arena_take(arena *a, size_t size)
{
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (a->rest_size < size) { /* what is left of the piece is too small, and is left */
    size_t all = piece_size(a, size);
    arena_piece *piece = all == HUGE_PAGE ? map_huge() : malloc(all);
    if (!piece)
      return NULL;
    piece->next = a->pieces;
    piece->is_huge = all == HUGE_PAGE;
    a->pieces = piece;
    a->taken += all;
    a->rest = piece->bytes;
    a->rest_size = all - sizeof *piece;
  }
  char *block = a->rest;
  a->rest += size;
  a->rest_size -= size;
  return block;
}

void arena_free(arena *a)
{
  for (arena_piece *piece = a->pieces, *next; piece; piece = next) {
    next = piece->next;
    if (piece->is_huge)
      munmap(piece, HUGE_PAGE);
    else
      free(piece);
  }
  *a = (arena){0};
}
