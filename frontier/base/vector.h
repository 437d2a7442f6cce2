/* Arrays that grow: to twice what is wanted, so that one more item costs constant time on average. */
#ifndef STRATA_FRONTIER_VECTOR_H
#define STRATA_FRONTIER_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Is there room for `wanted` items in `at`, which has room for `room` (a size_t)? It is made. False: no memory, and
 * both are as they were. */
#define HAS_ROOM(at, room, wanted) ((wanted) <= (room) || vector_enlarge(&(at), &(room), (wanted), sizeof *(at)))

static inline bool vector_enlarge(void *array, size_t *room, size_t wanted, size_t item_size)
{
  enum { ITEMS_MIN = 64 };
  void *at;
  memcpy(&at, array, sizeof at); /* a pointer to whatever items */
  void *larger = wanted < SIZE_MAX / 4 / item_size ? realloc(at, (2 * wanted + ITEMS_MIN) * item_size) : NULL;
  if (!larger)
    return false;
  memcpy(array, &larger, sizeof larger);
  *room = 2 * wanted + ITEMS_MIN;
  return true;
}

#endif
