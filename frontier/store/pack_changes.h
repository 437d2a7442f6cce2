/* Inside packs.c: gathers the changes of a transaction to queues and history, and sorts them. */
#ifndef STRATA_FRONTIER_PACK_CHANGES_H
#define STRATA_FRONTIER_PACK_CHANGES_H

#include "frontier/store/store.h"

typedef struct pack_row {
  uint64_t sequence;
  store_writer *write; /* NULL: a copy of its body was kept */
  union {
    const void *source; /* for `write` */
    size_t at;          /* of the copy in `bytes` */
  };
  uint32_t size;
  uint8_t queue; /* 1 to PACK_QUEUES; 0: the history */
  uint8_t action;
  uint16_t row; /* of a row for the history: its number */
} pack_row;

typedef struct pack_changes {
  pack_row *all;
  size_t count, room;
  uint8_t *bytes;
  size_t size, bytes_room;
} pack_changes;

/* false: no memory. */
bool pack_changes_add(pack_changes *c, pack_row change);
bool pack_changes_copy(pack_changes *c, pack_row change, const void *body); /* with `change.size` bytes at `body` */

/* What the i-th change is written from, as far as a URL of usual length goes, will be asked for. */
void pack_changes_fetch(const pack_changes *c, size_t i);

/* The body of a row, into `change->size` bytes. */
void pack_changes_body(const pack_changes *c, const pack_row *change, uint8_t *body);

/* By sequence; those of one sequence stay in their order. false: no memory. */
bool pack_changes_sort(pack_changes *c);

void pack_changes_free(pack_changes *c);

#endif
