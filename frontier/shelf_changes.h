/* Inside the shelf: what a transaction is to change, gathered as it is said, and then sorted. */
#ifndef STRATA_FRONTIER_SHELF_CHANGES_H
#define STRATA_FRONTIER_SHELF_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct shelf_row {
  uint64_t sequence;
  size_t at;          /* of its body in `bytes` */
  uint32_t size;
  uint8_t queue;      /* 1 to SHELF_QUEUES; 0: the history */
  uint8_t action;
  uint16_t row;       /* of a row for the history: its number */
} shelf_row;

typedef struct shelf_changes {
  shelf_row *all;
  size_t count, room;
  uint8_t *bytes;
  size_t size, bytes_room;
} shelf_changes;

/* `change.size` bytes at `body`; false: no memory. */
bool shelf_changes_add(shelf_changes *c, shelf_row change, const void *body);

/* By sequence; those of one sequence stay in their order. false: no memory. */
bool shelf_changes_sort(shelf_changes *c);

void shelf_changes_free(shelf_changes *c);

#endif
