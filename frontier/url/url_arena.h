/* frontier/url/url_arena.h: memory for one pass through uriparser, given back all at once.
 *
 * Ordinary URLs live in the block inside, on the caller's stack; one of thousands of segments takes further
 * blocks from the heap, bounded by URL_LENGTH_MAX. */
#ifndef STRATA_FRONTIER_URL_ARENA_H
#define STRATA_FRONTIER_URL_ARENA_H

#include <stdalign.h>
#include <stddef.h>
#include <uriparser/Uri.h>

typedef struct url_arena {
  UriMemoryManager manager; /* what uriparser is given: all five functions, or it refuses */
  struct url_arena_block *blocks;
  char *next;
  size_t left;
  alignas(max_align_t) char first[4096];
} url_arena;

void url_arena_init(url_arena *arena);
void url_arena_free(url_arena *arena);

#endif
