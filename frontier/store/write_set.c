/* See write_set.h. */
#include "frontier/store/write_set.h"

#include "frontier/base/vector.h"

#include <errno.h>

enum { ROOM_KEPT = 1 << 23 }; /* bytes; more is given back when the set is written */

static write_op *add(write_set *w, const MDB_dbi *table, write_what what, const void *key, size_t key_size, size_t more)
{
  if (!HAS_ROOM(w->ops, w->ops_room, w->count + 1) || !HAS_ROOM(w->bytes, w->room, w->size + key_size + more)) {
    w->has_failed = true;
    return NULL;
  }
  write_op *op = &w->ops[w->count++];
  *op = (write_op){.table = table, .what = what, .key = w->size, .key_size = key_size};
  memcpy(w->bytes + w->size, key, key_size);
  w->size += key_size;
  return op;
}

uint8_t *write_set_put(write_set *w, const MDB_dbi *table, write_what what, const void *key, size_t key_size,
                       size_t value_size)
{
  write_op *op = add(w, table, what, key, key_size, value_size);
  if (!op)
    return NULL;
  op->value = w->size;
  op->value_size = value_size;
  w->size += value_size;
  w->weight += value_size;
  return w->bytes + op->value;
}

static int apply(const write_set *w, const write_op *op, MDB_txn *txn)
{
  MDB_val key = {op->key_size, w->bytes + op->key};
  MDB_val value = {op->value_size, w->bytes + op->value};
  if (op->what == WRITE_DELETE) {
    int error = mdb_del(txn, *op->table, &key, NULL);
    return error == MDB_NOTFOUND ? 0 : error;
  }
  return mdb_put(txn, *op->table, &key, &value, op->what == WRITE_APPEND ? MDB_APPEND : 0);
}

int write_set_apply(const write_set *w, MDB_txn *txn)
{
  int error = w->has_failed ? ENOMEM : 0;
  for (size_t i = 0; i < w->count && !error; i++)
    error = apply(w, &w->ops[i], txn);
  return error;
}

void write_set_clear(write_set *w)
{
  if (w->room > ROOM_KEPT) {
    free(w->bytes);
    w->bytes = NULL;
    w->room = 0;
  }
  w->count = w->size = w->weight = 0;
  w->has_failed = false;
}

void write_set_free(write_set *w)
{
  free(w->ops);
  free(w->bytes);
  *w = (write_set){0};
}
