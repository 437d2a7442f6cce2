/* Packs: the rows of queues and history in LMDB, and the places that say which row counts. packs.h has the idea.
 *
 *     a queue's value       key: sequence / 16      rows: place in the pack (1), size (4), body
 *     a value of history    key: a running number   rows: sequence (8), number of the row (2), size (4), body
 *     a value of places     key: sequence / 512     512 places: the queue it waits in, from 1 (3 bits); ended (1);
 *                                                               number of the row that counts (12)
 *
 * Always: a URL waits in one queue at most, since its place names one. A row in a queue's pack counts only if the
 * place names that queue; a row of the history only if the place says "ended", and that row's number. Values of the
 * history are appended and never changed.
 *
 * Called by store.c alone. Changes are gathered in memory (pack_changes.c) until packs_write. That goes through them
 * in groups of 512 sequence numbers: the places move; packs that get new rows are written; packs without a row that
 * waits are deleted, where few wait around them; the places are written. The rows of the history come last.
 *
 * After a crash: all of that is one LMDB transaction, so it is there whole or not at all. */
#include "frontier/store/packs.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

enum {
  QUEUE_ROW_HEAD = 5,
  HISTORY_ROW_HEAD = 14,
  SWEEP_AT = PLACES / 16, /* so many waiting or fewer: packs without one go */
};

struct packs {
  pack_changes changes;
  uint8_t *pack; /* one that is written again, as it stood */
  size_t pack_room;
};

packs *packs_create(void)
{
  return calloc(1, sizeof(packs));
}

void packs_free(packs *s)
{
  if (!s)
    return;
  pack_changes_free(&s->changes);
  free(s->pack);
  free(s);
}

void packs_forget(packs *s)
{
  s->changes.count = s->changes.size = 0;
}

static uint8_t queue_of(store_table table)
{
  assert(table >= STORE_QUEUE && table <= STORE_HISTORY);
  return table == STORE_HISTORY ? 0 : (uint8_t)(table - STORE_QUEUE + 1);
}

bool packs_change(packs *s, store_table table, pack_action action, uint64_t sequence, const void *body, size_t size)
{
  pack_row row = {.sequence = sequence, .size = (uint32_t)size, .queue = queue_of(table), .action = (uint8_t)action};
  return size < UINT32_MAX && pack_changes_copy(&s->changes, row, body);
}

bool packs_change_from(packs *s, store_table table, pack_action action, uint64_t sequence, size_t size,
                       store_writer *write, const void *source)
{
  pack_row row = {.sequence = sequence,
                  .write = write,
                  .source = source,
                  .size = (uint32_t)size,
                  .queue = queue_of(table),
                  .action = (uint8_t)action};
  return size < UINT32_MAX && pack_changes_add(&s->changes, row);
}

/* ---- values --------------------------------------------------------------------------------------------- */

/* A value whose checksum holds, at exactly this key; MDB_NOTFOUND, MDB_CORRUPTED. */
static int get_value(MDB_cursor *cursor, uint64_t number, const uint8_t **body, size_t *size)
{
  MDB_val key = {sizeof number, &number}, value;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY);
  if (error)
    return error;
  if (!record_is_whole(number, value.mv_data, value.mv_size))
    return MDB_CORRUPTED;
  *body = (const uint8_t *)value.mv_data + RECORD_HEAD;
  *size = value.mv_size - RECORD_HEAD;
  return 0;
}

/* Room in a page for a value with a body of this size, which the caller fills and seals before LMDB is told anything
 * else. */
static int reserve_value(MDB_cursor *cursor, uint64_t number, size_t size, unsigned flags, uint8_t **body)
{
  MDB_val key = {sizeof number, &number}, value = {.mv_size = RECORD_HEAD + size};
  int error = mdb_cursor_put(cursor, &key, &value, flags | MDB_RESERVE);
  *body = error ? NULL : (uint8_t *)value.mv_data + RECORD_HEAD;
  return error;
}

static void seal_value(uint64_t number, uint8_t *body, size_t size)
{
  record_seal(number, body - RECORD_HEAD, RECORD_HEAD + size);
}

/* The first key above all that are there. */
static int end_of(MDB_cursor *cursor, uint64_t *end)
{
  MDB_val key, value;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
  *end = 0;
  if (error)
    return error == MDB_NOTFOUND ? 0 : error;
  memcpy(end, key.mv_data, sizeof *end);
  ++*end;
  return 0;
}

/* ---- places --------------------------------------------------------------------------------------------- */

/* Of sequence numbers from `group` * PLACES on; all zero if nothing was said of them yet. */
static int get_places(MDB_cursor *cursor, uint64_t group, place places[PLACES])
{
  const uint8_t *body;
  size_t size = 0;
  int error = get_value(cursor, group, &body, &size);
  if (error == MDB_NOTFOUND) {
    memset(places, 0, PLACES_SIZE);
    return 0;
  }
  if (error || size != PLACES_SIZE)
    return error ? error : MDB_CORRUPTED;
  memcpy(places, body, PLACES_SIZE);
  for (size_t i = 0; i < PLACES; i++)
    places[i] = le16toh(places[i]);
  return 0;
}

static int put_places(MDB_cursor *cursor, uint64_t group, place places[PLACES])
{
  uint8_t *body;
  int error = reserve_value(cursor, group, PLACES_SIZE, 0, &body);
  if (error)
    return error;
  for (size_t i = 0; i < PLACES; i++)
    places[i] = htole16(places[i]);
  memcpy(body, places, PLACES_SIZE);
  seal_value(group, body, PLACES_SIZE);
  return 0;
}

/* Does it go into the history? */
static bool is_ended(const pack_row *c)
{
  return c->action == PACK_END || (!c->queue && c->action != PACK_DELETE);
}

/* One change moves its URL. */
static int move(pack_row *c, place *at)
{
  assert(c->queue <= PACK_QUEUES);
  unsigned queue = *at >> PLACE_QUEUE_SHIFT, rest = *at & (PLACE_ENDED | PLACE_ROW);
  if (c->queue && c->action == PACK_APPEND && queue)
    return MDB_KEYEXIST;
  if (c->queue && (c->action == PACK_PUT || c->action == PACK_APPEND))
    queue = c->queue;
  else if (c->queue && queue == c->queue)
    queue = 0;
  if (is_ended(c)) {
    c->row = (uint16_t)((rest + 1) & PLACE_ROW);
    rest = PLACE_ENDED | c->row;
  } else if (!c->queue) {
    rest &= PLACE_ROW;
  }
  *at = (place)(queue << PLACE_QUEUE_SHIFT | rest);
  return 0;
}

static bool waits_in(place where, unsigned queue)
{
  return where >> PLACE_QUEUE_SHIFT == queue;
}

static unsigned count_waiting(const place *places, size_t count, unsigned queue)
{
  unsigned waiting = 0;
  for (size_t i = 0; i < count; i++)
    waiting += waits_in(places[i], queue);
  return waiting;
}

/* ---- packs of the queue --------------------------------------------------------------------------------- */

typedef struct row {
  const uint8_t *body;    /* where it stood, */
  const pack_row *change; /* or what it comes of; both NULL: there is none */
  size_t size;
} row;

/* A queue while changes are written. */
typedef struct queue_writing {
  MDB_cursor *cursor;
  uint64_t end; /* no pack has this number or a higher one */
} queue_writing;

static bool read_pack(const uint8_t *body, size_t size, row rows[PACK_ROWS])
{
  memset(rows, 0, PACK_ROWS * sizeof *rows);
  for (size_t at = 0; at < size;) {
    size_t left = size - at - QUEUE_ROW_HEAD, row_size;
    if (size - at < QUEUE_ROW_HEAD || body[at] >= PACK_ROWS || (row_size = (size_t)get_le(body + at + 1, 4)) > left)
      return false;
    rows[body[at]] = (row){.body = body + at + QUEUE_ROW_HEAD, .size = row_size};
    at += QUEUE_ROW_HEAD + row_size;
  }
  return true;
}

static bool stands(const row *r, place where, unsigned queue)
{
  return (r->body || r->change) && waits_in(where, queue);
}

/* The rows whose places say that they wait in this queue. */
static int write_pack(const packs *s, MDB_cursor *cursor, uint64_t number, const row *rows, const place *places,
                      unsigned queue, unsigned flags)
{
  uint8_t *body;
  size_t size = 0;
  for (int i = 0; i < PACK_ROWS; i++)
    if (stands(&rows[i], places[i], queue))
      size += QUEUE_ROW_HEAD + rows[i].size;
  int error = size ? reserve_value(cursor, number, size, flags, &body) : 0;
  if (error || size == 0)
    return error;
  uint8_t *at = body;
  for (int i = 0; i < PACK_ROWS; i++)
    if (stands(&rows[i], places[i], queue)) {
      *at = (uint8_t)i;
      put_le(at + 1, rows[i].size, 4);
      at += QUEUE_ROW_HEAD;
      if (rows[i].change)
        pack_changes_body(&s->changes, rows[i].change, at);
      else
        memcpy(at, rows[i].body, rows[i].size);
      at += rows[i].size;
    }
  assert(at == body + size);
  seal_value(number, body, size);
  return 0;
}

/* What stands in a pack, copied: its page will change. MDB_NOTFOUND, MDB_CORRUPTED. */
static int copy_pack(packs *s, MDB_cursor *cursor, uint64_t number, row rows[PACK_ROWS])
{
  const uint8_t *body;
  size_t size;
  int error = get_value(cursor, number, &body, &size);
  if (error)
    return error;
  if (!HAS_ROOM(s->pack, s->pack_room, size))
    return ENOMEM;
  memcpy(s->pack, body, size);
  return read_pack(s->pack, size, rows) ? 0 : MDB_CORRUPTED;
}

/* Is this a new row of a queue? */
static bool is_queued(const pack_row *c)
{
  return c->queue && (c->action == PACK_PUT || c->action == PACK_APPEND);
}

/* New rows of this queue among changes first..last - 1, all of one pack, beside what stands there. */
static int update_pack(packs *s, queue_writing *w, unsigned queue, const pack_row *first, const pack_row *last,
                       const place *places)
{
  row rows[PACK_ROWS] = {0};
  assert(first < last && first->sequence / PACK_ROWS == last[-1].sequence / PACK_ROWS);
  uint64_t number = first->sequence / PACK_ROWS;
  bool is_new = number >= w->end;
  int error = is_new ? 0 : copy_pack(s, w->cursor, number, rows);
  if (error && error != MDB_NOTFOUND)
    return error;
  for (const pack_row *c = first; c < last; c++)
    if (is_queued(c) && c->queue == queue)
      rows[c->sequence % PACK_ROWS] = (row){.change = c, .size = c->size};
  if (is_new)
    w->end = number + 1;
  return write_pack(s, w->cursor, number, rows, places, queue, is_new ? MDB_APPEND : 0);
}

/* The same of every queue that has new rows. */
static int update_packs(packs *s, queue_writing queues[PACK_QUEUES], const pack_row *first, const pack_row *last,
                        const place *places)
{
  unsigned with_rows = 0;
  int error = 0;
  for (const pack_row *c = first; c < last; c++)
    with_rows |= (unsigned)is_queued(c) << c->queue;
  for (unsigned queue = 1; queue <= PACK_QUEUES && !error; queue++)
    if (with_rows >> queue & 1)
      error = update_pack(s, &queues[queue - 1], queue, first, last, places);
  return error;
}

/* Packs of this group and queue in which no row waits. */
static int sweep(MDB_cursor *cursor, unsigned queue, uint64_t group, const place places[PLACES])
{
  uint64_t first = group * PLACES / PACK_ROWS, number = first;
  MDB_val key = {sizeof number, &number}, value;
  int error = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (!error) {
    memcpy(&number, key.mv_data, sizeof number);
    if (number >= first + PLACES / PACK_ROWS)
      return 0;
    if (count_waiting(places + (number - first) * PACK_ROWS, PACK_ROWS, queue) == 0)
      error = mdb_cursor_del(cursor, 0);
    if (!error)
      error = mdb_cursor_get(cursor, &key, &value, MDB_NEXT); /* after a deletion: the one that took its place */
  }
  return error == MDB_NOTFOUND ? 0 : error;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

typedef struct writing {
  queue_writing queues[PACK_QUEUES];
  MDB_cursor *history, *places;
} writing;

/* Of the queues which URLs left: where few wait, the packs in which none does. */
static int sweep_queues(writing *w, uint64_t group, unsigned left, const place places[PLACES])
{
  int error = 0;
  for (unsigned queue = 1; queue <= PACK_QUEUES && !error; queue++)
    if (left >> queue & 1 && count_waiting(places, PLACES, queue) <= SWEEP_AT)
      error = sweep(w->queues[queue - 1].cursor, queue, group, places);
  return error;
}

/* Changes first..last - 1, all of one group, except the rows of the history. */
static int write_group(packs *s, writing *w, pack_row *first, pack_row *last)
{
  place places[PLACES];
  uint64_t group = first->sequence / PLACES;
  assert(first < last && last[-1].sequence / PLACES == group);
  unsigned left = 0; /* a bit for each queue */
  int error = get_places(w->places, group, places);
  for (pack_row *c = first; c < last && !error; c++) {
    place *at = &places[c->sequence % PLACES], before = *at;
    error = move(c, at);
    left |= (unsigned)!waits_in(*at, before >> PLACE_QUEUE_SHIFT) << (before >> PLACE_QUEUE_SHIFT);
  }
  for (const pack_row *c = first, *next; c < last && !error; c = next) {
    for (next = c; next < last && next->sequence / PACK_ROWS == c->sequence / PACK_ROWS; next++)
      if (is_queued(next))
        pack_changes_fetch(&s->changes, (size_t)(next - s->changes.all) + PACK_ROWS); /* for the next pack */
    error = update_packs(s, w->queues, c, next, places + c->sequence / PACK_ROWS * PACK_ROWS % PLACES);
  }
  if (!error)
    error = sweep_queues(w, group, left, places);
  return error ? error : put_places(w->places, group, places);
}

/* The rows that ended, up to PACK_ROWS of them from change `*first` on, as one value. */
static int write_ended(const packs *s, MDB_cursor *cursor, size_t *first, uint64_t number)
{
  const pack_row *rows[PACK_ROWS];
  size_t size = 0, count = 0, end = *first;
  for (; end < s->changes.count && count < PACK_ROWS; end++)
    if (is_ended(&s->changes.all[end])) {
      pack_changes_fetch(&s->changes, end + PACK_ROWS); /* for the next value */
      rows[count] = &s->changes.all[end];
      size += HISTORY_ROW_HEAD + rows[count++]->size;
    }
  *first = end;
  uint8_t *body;
  int error = count ? reserve_value(cursor, number, size, MDB_APPEND, &body) : 0;
  if (error || count == 0)
    return error;
  uint8_t *at = body;
  for (size_t i = 0; i < count; i++) {
    put_le(at, rows[i]->sequence, 8);
    put_le(at + 8, rows[i]->row, 2);
    put_le(at + 10, rows[i]->size, 4);
    pack_changes_body(&s->changes, rows[i], at + HISTORY_ROW_HEAD);
    at += HISTORY_ROW_HEAD + rows[i]->size;
  }
  assert(at == body + size);
  seal_value(number, body, size);
  return 0;
}

static int write_all(packs *s, writing *w)
{
  uint64_t history_end = 0;
  int error = end_of(w->history, &history_end);
  for (int i = 0; i < PACK_QUEUES && !error; i++)
    error = end_of(w->queues[i].cursor, &w->queues[i].end);
  if (!error && !pack_changes_sort(&s->changes))
    error = ENOMEM;
  for (size_t first = 0, last = 0; !error && first < s->changes.count; first = last) {
    while (last < s->changes.count && s->changes.all[last].sequence / PLACES == s->changes.all[first].sequence / PLACES)
      last++;
    assert(!first || s->changes.all[first - 1].sequence / PLACES < s->changes.all[first].sequence / PLACES);
    error = write_group(s, w, s->changes.all + first, s->changes.all + last);
  }
  for (size_t first = 0; !error && first < s->changes.count; history_end++)
    error = write_ended(s, w->history, &first, history_end);
  return error;
}

int packs_write(packs *s, MDB_txn *txn, const pack_tables *tables)
{
  writing w = {0};
  if (s->changes.count == 0)
    return 0;
  int error = mdb_cursor_open(txn, tables->history, &w.history);
  if (!error)
    error = mdb_cursor_open(txn, tables->places, &w.places);
  for (int i = 0; i < PACK_QUEUES && !error; i++)
    error = mdb_cursor_open(txn, tables->queue[i], &w.queues[i].cursor);
  if (!error)
    error = write_all(s, &w);
  for (int i = 0; i < PACK_QUEUES; i++)
    mdb_cursor_close(w.queues[i].cursor); /* NULL is fine */
  mdb_cursor_close(w.places);
  mdb_cursor_close(w.history);
  packs_forget(s);
  return error;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct reading {
  MDB_cursor *packs, *places;
  unsigned queue;
  uint64_t group; /* whose places these are, + 1 */
  place of_group[PLACES];
  uint64_t from;
  store_visitor *visit;
  void *context;
  bool is_over;
} reading;

static int place_of(reading *r, uint64_t sequence, place *where)
{
  int error = 0;
  if (r->group != sequence / PLACES + 1) {
    error = get_places(r->places, sequence / PLACES, r->of_group);
    r->group = error ? 0 : sequence / PLACES + 1;
  }
  *where = r->of_group[sequence % PLACES];
  return error;
}

static int visit_queue_pack(reading *r, uint64_t number, const uint8_t *body, size_t size)
{
  row rows[PACK_ROWS];
  place where;
  if (!read_pack(body, size, rows))
    return MDB_CORRUPTED;
  for (uint64_t i = 0; i < PACK_ROWS && !r->is_over; i++) {
    uint64_t sequence = number * PACK_ROWS + i;
    int error = place_of(r, sequence, &where);
    if (error)
      return error;
    if (rows[i].body && waits_in(where, r->queue) && sequence >= r->from)
      r->is_over = !r->visit(r->context, sequence, rows[i].body, rows[i].size);
  }
  return 0;
}

static int visit_history_pack(reading *r, uint64_t number, const uint8_t *body, size_t size)
{
  (void)number;
  for (size_t at = 0, row_size; at < size && !r->is_over; at += HISTORY_ROW_HEAD + row_size) {
    place where;
    size_t left = size - at - HISTORY_ROW_HEAD;
    if (size - at < HISTORY_ROW_HEAD || (row_size = (size_t)get_le(body + at + 10, 4)) > left)
      return MDB_CORRUPTED;
    uint64_t sequence = get_le(body + at, 8);
    int error = place_of(r, sequence, &where);
    if (error)
      return error;
    if (where & PLACE_ENDED && (where & PLACE_ROW) == get_le(body + at + 8, 2) && sequence >= r->from)
      r->is_over = !r->visit(r->context, sequence, body + at + HISTORY_ROW_HEAD, row_size);
  }
  return 0;
}

static int visit_one(reading *r, uint64_t sequence)
{
  row rows[PACK_ROWS];
  place where;
  const uint8_t *body;
  size_t size;
  int error = place_of(r, sequence, &where);
  if (error || !waits_in(where, r->queue))
    return error;
  error = get_value(r->packs, sequence / PACK_ROWS, &body, &size);
  if (error)
    return error == MDB_NOTFOUND ? MDB_CORRUPTED : error;
  if (!read_pack(body, size, rows) || !rows[sequence % PACK_ROWS].body)
    return MDB_CORRUPTED;
  const row *found = &rows[sequence % PACK_ROWS];
  r->is_over = !r->visit(r->context, sequence, found->body, found->size);
  return 0;
}

static int visit_packs(reading *r, uint64_t first, int (*visit)(reading *, uint64_t, const uint8_t *, size_t))
{
  MDB_val key = {sizeof first, &first}, value;
  int error = mdb_cursor_get(r->packs, &key, &value, MDB_SET_RANGE);
  while (!error && !r->is_over) {
    uint64_t number;
    memcpy(&number, key.mv_data, sizeof number);
    if (!record_is_whole(number, value.mv_data, value.mv_size))
      return MDB_CORRUPTED;
    error = visit(r, number, (const uint8_t *)value.mv_data + RECORD_HEAD, value.mv_size - RECORD_HEAD);
    if (!error)
      error = mdb_cursor_get(r->packs, &key, &value, MDB_NEXT);
  }
  return error == MDB_NOTFOUND ? 0 : error;
}

static int open_cursors(reading *r, MDB_txn *txn, const pack_tables *tables)
{
  int error = mdb_cursor_open(txn, r->queue ? tables->queue[r->queue - 1] : tables->history, &r->packs);
  return error ? error : mdb_cursor_open(txn, tables->places, &r->places);
}

int packs_find(MDB_txn *txn, const pack_tables *tables, store_table queue, const uint64_t *sequences, size_t count,
               store_visitor *visit, void *context)
{
  reading r = {.queue = queue_of(queue), .visit = visit, .context = context};
  assert(r.queue);
  int error = open_cursors(&r, txn, tables);
  for (size_t i = 0; i < count && !error && !r.is_over; i++)
    error = visit_one(&r, sequences[i]);
  mdb_cursor_close(r.places);
  mdb_cursor_close(r.packs);
  return error;
}

int packs_each(MDB_txn *txn, const pack_tables *tables, store_table table, uint64_t from, store_visitor *visit,
               void *context)
{
  reading r = {.queue = queue_of(table), .from = from, .visit = visit, .context = context};
  int error = open_cursors(&r, txn, tables);
  if (!error)
    error = r.queue ? visit_packs(&r, from / PACK_ROWS, visit_queue_pack) : visit_packs(&r, 0, visit_history_pack);
  mdb_cursor_close(r.places);
  mdb_cursor_close(r.packs);
  return error;
}
