/* Inside the shelf: what a transaction is to change, gathered as it is said, and then sorted. */
#ifndef STRATA_FRONTIER_PACK_CHANGES_H
#define STRATA_FRONTIER_PACK_CHANGES_H

#include "frontier/store/store.h"

typedef struct shelf_row {
  uint64_t sequence;
  store_writer *write;  /* NULL: a copy of its body was kept */
  union {
    const void *source; /* for `write` */
    size_t at;          /* of the copy in `bytes` */
  };
  uint32_t size;
  uint8_t queue;        /* 1 to SHELF_QUEUES; 0: the history */
  uint8_t action;
  uint16_t row;         /* of a row for the history: its number */
} shelf_row;

typedef struct shelf_changes {
  shelf_row *all;
  size_t count, room;
  uint8_t *bytes;
  size_t size, bytes_room;
} shelf_changes;

/* false: no memory. */
bool shelf_changes_add(shelf_changes *c, shelf_row change);
bool shelf_changes_copy(shelf_changes *c, shelf_row change, const void *body); /* with `change.size` bytes at `body` */

/* What the i-th change is written from, as far as a URL of usual length goes, will be asked for. */
void shelf_changes_fetch(const shelf_changes *c, size_t i);

/* The body of a row, into `change->size` bytes. */
void shelf_changes_body(const shelf_changes *c, const shelf_row *change, uint8_t *body);

/* By sequence; those of one sequence stay in their order. false: no memory. */
bool shelf_changes_sort(shelf_changes *c);

void shelf_changes_free(shelf_changes *c);

#endif
