/* See store_rows.h. Which value has a row is found by the values' keys; which block, by the value's head and foot. */
#include "frontier/store/store_rows.h"
#include "frontier/store/store_inside.h"

#include <stdio.h>
#include <string.h>

/* ---- inside the store ---------------------------------------------------------------------------------------- */

static uint64_t key_of(const MDB_val *key)
{
  uint64_t number;
  memcpy(&number, key->mv_data, sizeof number);
  return number;
}

/* The value that has row `number`, or else the first after it. */
static int find_value(MDB_cursor *cursor, uint64_t number, MDB_val *key, MDB_val *value)
{
  *key = (MDB_val){sizeof number, &number};
  int error = mdb_cursor_get(cursor, key, value, MDB_SET_RANGE);
  if (error ? error != MDB_NOTFOUND : key_of(key) == number)
    return error;
  int before = mdb_cursor_get(cursor, key, value, error ? MDB_LAST : MDB_PREV);
  return before == MDB_NOTFOUND ? mdb_cursor_get(cursor, key, value, MDB_FIRST) : before;
}

static bool open_value(const store *s, rows_kind kind, const MDB_val *key, const MDB_val *value, rows_value *out)
{
  return rows_open(out, kind, s->id, key_of(key), value->mv_data, value->mv_size);
}

size_t store_block_of(const rows_value *v, uint64_t number)
{
  return number > v->first ? (size_t)((number - v->first) / ROWS_IN_BLOCK) : 0;
}

bool store_rows_end_before(const rows_value *v, uint64_t number)
{
  return number >= v->first && number - v->first >= v->count;
}

int store_each_rows(const store *s, MDB_txn *txn, store_table table, rows_kind kind, uint64_t from,
                    store_rows_visitor *visit, void *context)
{
  MDB_cursor *cursor;
  MDB_val key, value;
  rows_value v;
  int error = mdb_cursor_open(txn, s->table[table], &cursor);
  if (error)
    return error;
  for (error = find_value(cursor, from, &key, &value); !error; error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
    error = open_value(s, kind, &key, &value, &v) ? visit(context, &v) : MDB_CORRUPTED;
    if (error)
      break;
  }
  mdb_cursor_close(cursor);
  return error == MDB_NOTFOUND || error == STORE_ENOUGH ? 0 : error;
}

int store_find_bytes(const store *s, MDB_cursor *cursor, rows_kind kind, uint64_t number, const uint8_t **bytes,
                     size_t *size)
{
  MDB_val key, value;
  rows_value v;
  rows_block b;
  int error = find_value(cursor, number, &key, &value);
  if (error)
    return error;
  if (!open_value(s, kind, &key, &value, &v))
    return MDB_CORRUPTED;
  if (number < v.first || store_rows_end_before(&v, number))
    return MDB_NOTFOUND;
  if (!rows_block_open(&v, store_block_of(&v, number), &b))
    return MDB_CORRUPTED;
  for (uint64_t i = b.first; i <= number; i++)
    if (!(*bytes = rows_next(&b, size)))
      return MDB_CORRUPTED;
  return 0;
}

frontier_status store_rows_status(store *s, int error, store_table table)
{
  if (error != MDB_CORRUPTED)
    return error ? store_failed(s, error, "reading") : FRONTIER_OK;
  snprintf(s->message, sizeof s->message, "a record of table %s is damaged; strata check says more",
           store_table_name(table));
  return FRONTIER_DAMAGED;
}

/* ---- the calls ----------------------------------------------------------------------------------------------- */

/* What a call reads, and for whom. */
typedef struct rows_reading {
  store *s;
  MDB_txn *txn;
  store_table table;
  rows_kind kind;
  uint64_t from; /* a row */
  uint64_t first, next;
  store_block_visitor *visit;
  store_row_visitor *visit_row;
  void *context;
  size_t values, bytes;
  bool is_over;
} rows_reading;

static frontier_status read_rows(rows_reading *r, store_call *call)
{
  if (!r->s->has_table[r->table])
    return FRONTIER_OK;
  int error = store_begin_reading(r->s, &r->txn);
  if (error)
    return store_failed(r->s, error, "reading");
  error = store_guarded(r->s, call, r);
  store_end_reading(r->s, r->txn);
  return error == MDB_NOTFOUND ? FRONTIER_NOT_FOUND : store_rows_status(r->s, error, r->table);
}

static int with_cursor(rows_reading *r, int (*read)(rows_reading *r, MDB_cursor *cursor))
{
  MDB_cursor *cursor;
  int error = mdb_cursor_open(r->txn, r->s->table[r->table], &cursor);
  if (error)
    return error;
  error = read(r, cursor);
  mdb_cursor_close(cursor);
  return error;
}

static int visit_blocks(void *context, const rows_value *v)
{
  const rows_reading *r = context;
  rows_block b;
  if (store_rows_end_before(v, r->from))
    return 0;
  for (size_t i = store_block_of(v, r->from); i < v->blocks; i++) {
    if (!rows_block_open(v, i, &b))
      return MDB_CORRUPTED;
    if (!r->visit(r->context, v->first, &b))
      return STORE_ENOUGH;
  }
  return 0;
}

static int walk_blocks(void *context)
{
  rows_reading *r = context;
  return store_each_rows(r->s, r->txn, r->table, r->kind, r->from, visit_blocks, r);
}

frontier_status store_each_block(store *s, store_table table, rows_kind kind, uint64_t from, store_block_visitor *visit,
                                 void *context)
{
  rows_reading r = {.s = s, .table = table, .kind = kind, .from = from, .visit = visit, .context = context};
  return read_rows(&r, walk_blocks);
}

/* Behind the rows of this value. */
static int end_of(const rows_reading *r, const MDB_val *key, const MDB_val *value, uint64_t *end)
{
  rows_value v;
  if (!open_value(r->s, r->kind, key, value, &v))
    return MDB_CORRUPTED;
  *end = v.first + v.count;
  return 0;
}

static int read_span(rows_reading *r, MDB_cursor *cursor)
{
  MDB_val key, value;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  if (error)
    return error == MDB_NOTFOUND ? 0 : error;
  r->first = key_of(&key);
  error = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
  return error ? error : end_of(r, &key, &value, &r->next);
}

static int span(void *context)
{
  return with_cursor(context, read_span);
}

frontier_status store_row_span(store *s, store_table table, rows_kind kind, uint64_t *first, uint64_t *next)
{
  rows_reading r = {.s = s, .table = table, .kind = kind};
  frontier_status status = read_rows(&r, span);
  *first = r.first;
  *next = r.next;
  return status;
}

static int read_row(rows_reading *r, MDB_cursor *cursor)
{
  const uint8_t *bytes = NULL;
  size_t size = 0;
  int error = store_find_bytes(r->s, cursor, r->kind, r->from, &bytes, &size);
  if (!error)
    r->visit_row(r->context, bytes, size);
  return error;
}

static int one_row(void *context)
{
  return with_cursor(context, read_row);
}

frontier_status store_find_row(store *s, store_table table, rows_kind kind, uint64_t number, store_row_visitor *visit,
                               void *context)
{
  rows_reading r = {.s = s, .table = table, .kind = kind, .from = number, .visit_row = visit, .context = context};
  return s->has_table[table] ? read_rows(&r, one_row) : FRONTIER_NOT_FOUND;
}

static int delete_values(rows_reading *r, MDB_cursor *cursor)
{
  MDB_val key, value;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  while (!error && r->values && r->bytes) {
    uint64_t number = key_of(&key), end = 0;
    MDB_val last = value;
    error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    if (!error)
      end = key_of(&key);
    else if (error != MDB_NOTFOUND || end_of(r, &(MDB_val){sizeof number, &number}, &last, &end) != 0)
      break;
    if (end > r->from)
      return MDB_NOTFOUND;
    store_delete(r->s, r->table, number);
    r->values--;
    r->bytes -= last.mv_size < r->bytes ? last.mv_size : r->bytes;
  }
  return error;
}

static int some_values(void *context)
{
  rows_reading *r = context;
  int error = with_cursor(r, delete_values);
  r->is_over = error == MDB_NOTFOUND;
  return r->is_over ? 0 : error;
}

frontier_status store_delete_rows(store *s, store_table table, rows_kind kind, uint64_t end, size_t values,
                                  size_t bytes, bool *is_over)
{
  rows_reading r = {.s = s, .table = table, .kind = kind, .from = end, .values = values, .bytes = bytes};
  r.is_over = !s->has_table[table];
  frontier_status status = read_rows(&r, some_values);
  *is_over = r.is_over;
  return status;
}
