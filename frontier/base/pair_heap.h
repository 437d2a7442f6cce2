/* Pairs of numbers, of which the smallest is at hand: by the first number, then by the second. */
#ifndef STRATA_FRONTIER_PAIR_HEAP_H
#define STRATA_FRONTIER_PAIR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pair {
  uint64_t first, second;
} pair;

typedef struct pair_heap {
  pair *at; /* a binary heap: none is smaller than the one at half its place */
  size_t count, room;
} pair_heap; /* all zeros is an empty one */

/* Room for one more, which then cannot fail. false: no memory. */
bool pair_heap_make_room(pair_heap *h);
void pair_heap_push(pair_heap *h, pair item);
pair pair_heap_pop(pair_heap *h); /* the smallest; there is one. Room for it stays until the next call */
void pair_heap_free(pair_heap *h);

#endif
