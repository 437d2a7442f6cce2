/* What check, repair and compact need of a store besides (store.h): a new file is filled from an old one, in order of
 * key. */
#include "frontier/store/store_inside.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <stdio.h>

frontier_status store_each_meta(store *s, store_meta_visitor *visit, void *context)
{
  enum { NAME_MAX_SIZE = 512 };
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val k, v;
  char name[NAME_MAX_SIZE] = "";
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  error = mdb_cursor_open(txn, s->meta, &cursor);
  if (!error) {
    while (!(error = mdb_cursor_get(cursor, &k, &v, MDB_NEXT))) {
      snprintf(name, sizeof name, "%.*s", (int)k.mv_size, (const char *)k.mv_data);
      if (!record_is_whole(XXH3_64bits(k.mv_data, k.mv_size), v.mv_data, v.mv_size))
        error = MDB_CORRUPTED;
      if (error || !visit(context, name, (const uint8_t *)v.mv_data + RECORD_HEAD, v.mv_size - RECORD_HEAD))
        break;
    }
    mdb_cursor_close(cursor);
  }
  store_end_reading(s, txn);
  if (!error || error == MDB_NOTFOUND)
    return FRONTIER_OK;
  if (error != MDB_CORRUPTED)
    return store_failed(s, error, "reading");
  snprintf(s->message, sizeof s->message, "the record \"%.400s\" is damaged", name);
  return FRONTIER_DAMAGED;
}
