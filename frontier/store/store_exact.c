/* The store's table of exact keys: host-clustered, and made only where somebody wants it. */
#include "frontier/store/store_inside.h"

#include "frontier/base/record.h"

frontier_status store_find_exact(store *s, bool may_make)
{
  MDB_txn *txn;
  if (s->has_exact || !may_make)
    return s->has_exact ? FRONTIER_OK : FRONTIER_NOT_FOUND;
  int error = mdb_txn_begin(s->env, NULL, 0, &txn);
  if (error)
    return store_failed(s, error, "beginning a transaction");
  error = mdb_dbi_open(txn, "exact", MDB_CREATE, &s->exact);
  if (error)
    mdb_txn_abort(txn);
  else
    error = mdb_txn_commit(txn);
  s->has_exact = !error;
  return error ? store_failed(s, error, "making a table") : FRONTIER_OK;
}

frontier_status store_has_exact(store *s, const store_exact_key *keys, size_t count, bool *has)
{
  MDB_txn *txn;
  MDB_val value;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  for (size_t i = 0; i < count && (!error || error == MDB_NOTFOUND); i++) {
    store_exact_key copy = keys[i];
    MDB_val key = {sizeof copy.bytes, copy.bytes};
    error = store_mdb_get(s, txn, s->exact, &key, &value);
    has[i] = !error;
  }
  store_end_reading(s, txn);
  return error && error != MDB_NOTFOUND ? store_failed(s, error, "reading") : FRONTIER_OK;
}

frontier_status store_count_exact(store *s, uint64_t *keys)
{
  MDB_txn *txn;
  MDB_stat stat;
  *keys = 0;
  if (!s->has_exact)
    return FRONTIER_OK;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  error = mdb_stat(txn, s->exact, &stat);
  store_end_reading(s, txn);
  if (!error)
    *keys = stat.ms_entries;
  return error ? store_failed(s, error, "reading") : FRONTIER_OK;
}

/* The checksum is of the key alone: there is nothing else. */
void store_put_exact(store *s, const store_exact_key *key)
{
  store_exact_key copy = *key;
  MDB_val k = {sizeof copy, copy.bytes};
  store_put_sealed(s, &s->exact, WRITE_NEW, k, XXH3_64bits(&copy, sizeof copy), NULL, 0);
}

void store_delete_exact(store *s, const store_exact_key *key)
{
  write_set_put(&s->gathered, &s->exact, WRITE_DELETE, key->bytes, sizeof key->bytes, 0);
}

typedef struct exact_reading {
  store *s;
  MDB_txn *txn;
  store_exact_visitor *visit;
  void *context;
} exact_reading;

static int each_key(void *context)
{
  const exact_reading *r = context;
  MDB_cursor *cursor;
  MDB_val k, v;
  int error = mdb_cursor_open(r->txn, r->s->exact, &cursor);
  if (error)
    return error;
  error = mdb_cursor_get(cursor, &k, &v, MDB_FIRST);
  for (bool go_on = true; !error && go_on;) {
    store_exact_key key;
    if (k.mv_size != sizeof key.bytes || !record_is_whole(XXH3_64bits(k.mv_data, k.mv_size), v.mv_data, v.mv_size)) {
      error = MDB_CORRUPTED;
      break;
    }
    memcpy(key.bytes, k.mv_data, sizeof key.bytes);
    if ((go_on = r->visit(r->context, &key)))
      error = mdb_cursor_get(cursor, &k, &v, MDB_NEXT);
  }
  mdb_cursor_close(cursor);
  return error == MDB_NOTFOUND ? 0 : error;
}

frontier_status store_each_exact(store *s, store_exact_visitor *visit, void *context)
{
  MDB_txn *txn;
  if (!s->has_exact)
    return FRONTIER_OK;
  int error = store_begin_reading(s, &txn);
  if (error)
    return store_failed(s, error, "reading");
  error = store_guarded(s, each_key, &(exact_reading){s, txn, visit, context});
  store_end_reading(s, txn);
  return error ? store_failed(s, error, "reading table exact") : FRONTIER_OK;
}
