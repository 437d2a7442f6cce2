/* All that one transaction changes, gathered before it begins: it refers to nothing outside but the handles of
 * tables. So it may be written by another thread, and written again after a failure. */
#ifndef STRATA_FRONTIER_WRITE_SET_H
#define STRATA_FRONTIER_WRITE_SET_H

#include <lmdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum write_what {
  WRITE_PUT,
  WRITE_APPEND, /* its key is above all others of the table */
  WRITE_DELETE, /* fine if the key is not there */
} write_what;

typedef struct write_op {
  const MDB_dbi *table; /* its number may be another once the environment was opened again */
  write_what what;
  size_t key, key_size; /* where in `bytes`, */
  size_t value, value_size;
} write_op;

typedef struct write_set {
  write_op *ops;
  size_t count, ops_room;
  uint8_t *bytes;
  size_t size, room;
  size_t weight;   /* bytes of all values */
  bool has_failed; /* out of memory: it must not be written */
} write_set;       /* all zeros is an empty one */

/* Where the value is to be written, at once. NULL: no memory, which the set remembers. */
uint8_t *write_set_put(write_set *w, const MDB_dbi *table, write_what what, const void *key, size_t key_size,
                       size_t value_size);
/* Into the transaction, in order; LMDB's error. */
int write_set_apply(const write_set *w, MDB_txn *txn);

void write_set_clear(write_set *w); /* some of its room stays */
void write_set_free(write_set *w);

static inline bool write_set_is_empty(const write_set *w)
{
  return w->count == 0 && !w->has_failed;
}

#endif
