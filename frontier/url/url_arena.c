/* A bump allocator behind uriparser's memory manager. Each piece carries its size in front, for realloc. */
#include "frontier/url/url_arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = alignof(max_align_t), BLOCK_SIZE = 1 << 16 };

struct url_arena_block {
  struct url_arena_block *older;
  alignas(max_align_t) char bytes[];
};

static bool add_block(url_arena *arena, size_t size)
{
  size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
  struct url_arena_block *block = malloc(sizeof *block + room);
  if (!block)
    return false;
  block->older = arena->blocks;
  arena->blocks = block;
  arena->next = block->bytes;
  arena->left = room;
  return true;
}

static void *arena_malloc(UriMemoryManager *manager, size_t size)
{
  url_arena *arena = manager->userData;
  if (size > SIZE_MAX / 2)
    return NULL;
  size_t room = ALIGNMENT + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (room > arena->left && !add_block(arena, room))
    return NULL;
  char *piece = arena->next;
  memcpy(piece, &size, sizeof size);
  arena->next += room;
  arena->left -= room;
  return piece + ALIGNMENT;
}

static void *arena_calloc(UriMemoryManager *manager, size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size)
    return NULL;
  void *piece = arena_malloc(manager, count * size);
  if (piece)
    memset(piece, 0, count * size);
  return piece;
}

static void *arena_realloc(UriMemoryManager *manager, void *piece, size_t size)
{
  void *moved = arena_malloc(manager, size);
  if (moved && piece) {
    size_t old;
    memcpy(&old, (char *)piece - ALIGNMENT, sizeof old);
    memcpy(moved, piece, old < size ? old : size);
  }
  return moved;
}

static void *arena_reallocarray(UriMemoryManager *manager, void *piece, size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size)
    return NULL;
  return arena_realloc(manager, piece, count * size);
}

static void arena_free_nothing(UriMemoryManager *manager, void *piece)
{
  (void)manager;
  (void)piece;
}

void url_arena_init(url_arena *arena)
{
  arena->manager = (UriMemoryManager){
    .malloc = arena_malloc,
    .calloc = arena_calloc,
    .realloc = arena_realloc,
    .reallocarray = arena_reallocarray,
    .free = arena_free_nothing,
    .userData = arena,
  };
  arena->blocks = NULL;
  arena->next = arena->first;
  arena->left = sizeof arena->first;
}

void url_arena_free(url_arena *arena)
{
  while (arena->blocks) {
    struct url_arena_block *older = arena->blocks->older;
    free(arena->blocks);
    arena->blocks = older;
  }
}
