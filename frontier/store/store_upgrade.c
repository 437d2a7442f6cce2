/* The store's directories of formats 1 and 2: one record a value, moved onto the shelf. */
#include "frontier/store/store_inside.h"

#include "frontier/base/record.h"

#include <errno.h>

/* Up to `limit` records of an old table, as they stand there, onto the shelf; how many they were. */
static int move_old(store *s, MDB_dbi from, store_table to, size_t limit, size_t *moved)
{
  MDB_cursor *cursor;
  MDB_val k, v;
  uint64_t key;
  int error = mdb_cursor_open(s->writing, from, &cursor);
  if (error)
    return error;
  for (*moved = 0; *moved < limit && !(error = mdb_cursor_get(cursor, &k, &v, MDB_FIRST)); ++*moved) {
    if (k.mv_size == sizeof key)
      memcpy(&key, k.mv_data, sizeof key);
    if (k.mv_size != sizeof key || !record_is_whole(key, v.mv_data, v.mv_size))
      error = MDB_CORRUPTED;
    else if (!shelf_change(s->shelf, to, SHELF_PUT, key, (const uint8_t *)v.mv_data + RECORD_HEAD,
                           v.mv_size - RECORD_HEAD))
      error = ENOMEM;
    else
      error = mdb_cursor_del(cursor, 0);
    if (error)
      break;
  }
  mdb_cursor_close(cursor);
  return error == MDB_NOTFOUND ? 0 : error;
}

frontier_status store_upgrade(store *s, const void *identity, size_t identity_size)
{
  enum { LOT = 8192 };
  static const char *const names[STORE_OLD_TABLES] = {"queue", "queue-high", "queue-low", "queue-trap", "history"};
  for (size_t moved = LOT; moved;) {
    frontier_status status = store_begin(s);
    if (status != FRONTIER_OK)
      return status;
    moved = 0;
    for (int i = 0; i < STORE_OLD_TABLES && !moved && !s->error; i++) {
      MDB_dbi old;
      s->error = mdb_dbi_open(s->writing, names[i], MDB_INTEGERKEY, &old);
      if (!s->error)
        s->error = move_old(s, old, (store_table)(STORE_QUEUE + i), LOT, &moved);
      else if (s->error == MDB_NOTFOUND)
        s->error = 0; /* format 1 had one queue */
    }
    if (!moved)
      store_put_meta(s, "identity", identity, identity_size);
    status = store_commit(s);
    if (status != FRONTIER_OK)
      return status;
  }
  return FRONTIER_OK;
}
