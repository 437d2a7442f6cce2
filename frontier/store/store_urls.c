/* See store_urls.h. A walk goes over the blocks of table `text`, with the tail of `ended` and the groups of `states`
 * beside it, all in order of sequence; a block of which no URL is wanted is not read. */
#include "frontier/store/store_inside.h"
#include "frontier/store/store_urls.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the tail ----------------------------------------------------------------------------------------------- */

static int add_tail(void *context, const rows_value *v)
{
  ended_tail *t = context;
  rows_block b;
  size_t size;
  for (size_t i = 0; i < v->blocks; i++) {
    if (!rows_block_open(v, i, &b))
      return MDB_CORRUPTED;
    for (const uint8_t *row; (row = rows_next(&b, &size));)
      if (!tail_add(t, get_le(row, ENDED_ROW)))
        return ENOMEM;
  }
  return 0;
}

static int load_tail(const store *s, MDB_txn *txn, ended_tail *t)
{
  t->count = 0;
  int error = store_each_rows(s, txn, STORE_ENDED, ROWS_ENDED, 0, add_tail, t);
  return !error && !tail_sort(t) ? ENOMEM : error;
}

/* ---- states by sequence ------------------------------------------------------------------------------------- */

typedef struct states {
  const store *store;
  MDB_txn *txn;
  const ended_tail *tail;
  size_t at;      /* in the tail: the first row of a later sequence than the last one asked for */
  uint64_t group; /* that `value` is of */
  bool has_group;
  const uint8_t *value; /* in the map; NULL: nothing in it has a state */
  unsigned checked;     /* its blocks that are whole, a set */
  int error;
} states;

static void states_begin(states *st, const store *s, MDB_txn *txn, const ended_tail *tail, uint64_t from)
{
  *st = (states){.store = s, .txn = txn, .tail = tail, .at = tail_find(tail, from)};
}

static const uint8_t *group_value(states *st, uint64_t group)
{
  MDB_val key = {sizeof group, &group}, value;
  if (st->has_group && st->group == group)
    return st->value;
  int error = mdb_get(st->txn, st->store->table[STORE_STATES], &key, &value);
  st->has_group = true;
  st->group = group;
  st->checked = 0;
  st->value = error ? NULL : value.mv_data;
  if (error && error != MDB_NOTFOUND)
    st->error = error;
  if (!error && value.mv_size != STATES_SIZE) {
    st->value = NULL;
    st->error = MDB_CORRUPTED;
  }
  return st->value;
}

/* Sequences are asked for in order. */
static url_state state_of(states *st, uint64_t sequence)
{
  const ended_tail *t = st->tail;
  while (st->at < t->count && url_ended_sequence(t->rows[st->at]) < sequence)
    st->at++;
  if (st->at < t->count && url_ended_sequence(t->rows[st->at]) == sequence)
    return url_ended_state(t->rows[st->at]);
  const uint8_t *value = group_value(st, sequence / STATES_GROUP);
  if (!value)
    return (url_state){0};
  unsigned place = (unsigned)(sequence % STATES_GROUP), block = place / STATES_BLOCK;
  if (!(st->checked >> block & 1) && !states_block_is_whole(value, st->store->id, st->group, block))
    st->error = MDB_CORRUPTED;
  st->checked |= 1u << block;
  return states_get(value, place);
}

/* ---- the walk ----------------------------------------------------------------------------------------------- */

enum { SKIPPED_COST = 1 }; /* a block that is not read, in rows */

typedef struct walk {
  store *store;
  MDB_txn *txn;
  ended_tail *tail;
  size_t *commit; /* that the tail is of; NULL: of whichever there was */
  states states;
  unsigned wanted;
  int class; /* of the rows wanted, which are not in `again`; -1: any, wherever */
  uint64_t from;
  size_t left; /* rows to look at */
  uint64_t next;
  bool is_enough; /* the visitor said so */
  store_table at; /* that is being read: where damage is */
  store_url_visitor *visit;
  void *context;
} walk;

static bool is_wanted(const walk *w, url_state state)
{
  if (w->class >= 0)
    return state.what == URL_WAITS;
  return w->wanted & (url_state_is_ended(state) ? STORED_ENDED : STORED_WAITING);
}

/* Its newer row, which is in the map. */
static int read_again(const store *s, MDB_txn *txn, uint64_t sequence, url_row *row)
{
  MDB_val key = {sizeof sequence, &sequence}, value;
  int error = mdb_get(txn, s->table[STORE_AGAIN], &key, &value);
  if (error)
    return error;
  const uint8_t *body = value.mv_data;
  bool is_whole = record_is_whole(sequence, body, value.mv_size) &&
                  url_row_read(row, sequence, body + RECORD_HEAD, value.mv_size - RECORD_HEAD);
  return is_whole ? 0 : MDB_CORRUPTED;
}

static int visit_row(walk *w, uint64_t sequence, url_state state, const uint8_t *bytes, size_t size)
{
  stored_url u = {.sequence = sequence, .state = state};
  if (!url_row_read(&u.row, sequence, bytes, size))
    return MDB_CORRUPTED;
  if (w->class >= 0 && ((int)u.row.class != w->class || u.row.is_noted))
    return 0;
  bool has_newer = state.what == URL_WAITS_AGAIN && !(w->wanted & STORED_AS_ACCEPTED);
  int error = has_newer ? read_again(w->store, w->txn, sequence, &u.row) : 0;
  if (error) {
    w->at = STORE_AGAIN;
    return error == MDB_NOTFOUND ? MDB_CORRUPTED : error;
  }
  w->is_enough = !w->visit(w->context, &u);
  return 0;
}

static int visit_block(walk *w, rows_block *b, const url_state *of, const bool *wanted)
{
  uint64_t first = b->first;
  int error = 0;
  for (size_t i = 0, size; i < b->count && !error && !w->is_enough; i++) {
    const uint8_t *row = rows_next(b, &size);
    if (!row)
      return MDB_CORRUPTED;
    if (!wanted[i])
      continue;
    error = visit_row(w, first + i, of[i], row, size);
    w->left -= w->left > 0;
    if (!w->is_enough)
      w->next = first + i + 1;
  }
  return error;
}

static int look_at_block(walk *w, const rows_value *v, size_t i)
{
  rows_block b;
  url_state of[ROWS_IN_BLOCK];
  bool wanted[ROWS_IN_BLOCK] = {false}, any = false;
  uint64_t first = v->first + i * ROWS_IN_BLOCK, end = v->first + v->count;
  size_t count = end - first < ROWS_IN_BLOCK ? (size_t)(end - first) : ROWS_IN_BLOCK;
  bool has_class = w->class < 0 || (rows_marks(v, i) >> w->class & 1);
  for (size_t k = 0; k < count && has_class; k++) {
    if (first + k < w->from)
      continue;
    of[k] = state_of(&w->states, first + k);
    wanted[k] = is_wanted(w, of[k]);
    any |= wanted[k];
  }
  if (w->states.error) {
    w->at = STORE_STATES;
    return w->states.error;
  }
  int error = 0;
  if (any)
    error = rows_block_open(v, i, &b) ? visit_block(w, &b, of, wanted) : MDB_CORRUPTED;
  else
    w->left -= w->left < SKIPPED_COST ? w->left : SKIPPED_COST;
  if (!error && !w->is_enough)
    w->next = first + count;
  return error;
}

static int look_at_value(void *context, const rows_value *v)
{
  walk *w = context;
  int error = 0;
  if (store_rows_end_before(v, w->from))
    return 0;
  for (size_t i = store_block_of(v, w->from); i < v->blocks && !error && !w->is_enough && w->left; i++)
    error = look_at_block(w, v, i);
  return error ? error : w->is_enough || !w->left ? STORE_ENOUGH : 0;
}

static int walk_all(void *context)
{
  walk *w = context;
  size_t commit = mdb_txn_id(w->txn);
  if (w->commit && *w->commit != commit) {
    tail_free(w->tail);
    *w->commit = commit;
  }
  w->at = STORE_ENDED;
  int error = w->tail->is_loaded ? 0 : load_tail(w->store, w->txn, w->tail);
  if (error)
    return error;
  w->at = STORE_TEXT;
  states_begin(&w->states, w->store, w->txn, w->tail, w->from);
  return store_each_rows(w->store, w->txn, STORE_TEXT, ROWS_TEXT, w->from, look_at_value, w);
}

static frontier_status walk_text(store *s, walk *w, ended_tail *tail)
{
  int error = store_begin_reading(s, &w->txn);
  if (error)
    return store_failed(s, error, "reading");
  w->tail = tail;
  error = store_guarded(s, walk_all, w);
  store_end_reading(s, w->txn);
  return store_rows_status(s, error, w->at);
}

frontier_status store_each_url(store *s, unsigned wanted, uint64_t from, store_url_visitor *visit, void *context)
{
  ended_tail tail = {0};
  walk w = {
    .store = s, .wanted = wanted, .class = -1, .from = from, .left = SIZE_MAX, .visit = visit, .context = context};
  frontier_status status = walk_text(s, &w, &tail);
  tail_free(&tail);
  return status;
}

frontier_status store_next_urls(store *s, unsigned wanted, store_steps *steps, store_url_visitor *visit, void *context)
{
  walk w = {.store = s,
            .commit = &steps->commit,
            .wanted = wanted,
            .class = -1,
            .from = steps->next,
            .left = SIZE_MAX,
            .next = steps->next,
            .visit = visit,
            .context = context};
  frontier_status status = walk_text(s, &w, &steps->tail);
  assert(w.next >= steps->next);
  steps->next = w.next;
  steps->is_over = status == FRONTIER_OK && !w.is_enough;
  return status;
}

void store_end_steps(store_steps *steps)
{
  tail_free(&steps->tail);
}

frontier_status store_read_waiting(store *s, frontier_class class, uint64_t from, size_t most, store_url_visitor *visit,
                                   void *context, uint64_t *next, bool *is_over)
{
  walk w = {
    .store = s, .class = (int)class, .from = from, .left = most, .next = from, .visit = visit, .context = context};
  frontier_status status = walk_text(s, &w, &s->tail_at_open);
  *next = w.next;
  *is_over = status == FRONTIER_OK && w.left && !w.is_enough;
  return status;
}

void store_forget_tail(store *s)
{
  tail_free(&s->tail_at_open);
}

/* ---- single ones -------------------------------------------------------------------------------------------- */

static int find_row(const store *s, MDB_cursor *cursor, uint64_t sequence, url_row *row)
{
  const uint8_t *bytes;
  size_t size;
  int error = store_find_bytes(s, cursor, ROWS_TEXT, sequence, &bytes, &size);
  return error ? error : url_row_read(row, sequence, bytes, size) ? 0 : MDB_CORRUPTED;
}

typedef struct finding {
  const store *s;
  MDB_txn *txn;
  const uint64_t *sequences;
  size_t count;
  store_url_visitor *visit;
  void *context;
  store_table at;
} finding;

static int find_each(void *context)
{
  finding *f = context;
  MDB_cursor *cursor;
  int error = mdb_cursor_open(f->txn, f->s->table[STORE_TEXT], &cursor);
  if (error)
    return error;
  for (size_t i = 0; i < f->count; i++) {
    stored_url u = {.sequence = f->sequences[i]};
    error = read_again(f->s, f->txn, u.sequence, &u.row);
    if (!error)
      u.state.what = URL_WAITS_AGAIN;
    else if (error == MDB_NOTFOUND)
      error = find_row(f->s, cursor, u.sequence, &u.row);
    else
      f->at = STORE_AGAIN;
    if (error == MDB_NOTFOUND) {
      error = 0;
      continue;
    }
    if (error || !f->visit(f->context, &u))
      break;
  }
  mdb_cursor_close(cursor);
  return error;
}

frontier_status store_find_urls(store *s, const uint64_t *sequences, size_t count, store_url_visitor *visit,
                                void *context)
{
  finding f = {.s = s, .sequences = sequences, .count = count, .visit = visit, .context = context, .at = STORE_TEXT};
  int error = store_begin_reading(s, &f.txn);
  if (error)
    return store_failed(s, error, "reading");
  error = store_guarded(s, find_each, &f);
  store_end_reading(s, f.txn);
  return store_rows_status(s, error, f.at);
}

typedef struct one_url {
  uint64_t sequence;
  store_url_visitor *visit;
  void *context;
  bool is_there;
} one_url;

static bool take_one(void *context, const stored_url *u)
{
  one_url *one = context;
  one->is_there = u->sequence == one->sequence;
  if (one->is_there)
    one->visit(one->context, u);
  return false;
}

frontier_status store_find_url(store *s, uint64_t sequence, store_url_visitor *visit, void *context)
{
  one_url one = {.sequence = sequence, .visit = visit, .context = context};
  frontier_status status = store_each_url(s, STORED_WAITING | STORED_ENDED, sequence, take_one, &one);
  return status == FRONTIER_OK && !one.is_there ? FRONTIER_NOT_FOUND : status;
}

/* ---- folding ------------------------------------------------------------------------------------------------ */

typedef struct fold_read {
  ended_fold *fold;
  ended_tail tail;
  size_t most;
} fold_read;

static int take_value(void *context, const rows_value *v)
{
  fold_read *r = context;
  if (r->tail.count >= r->most)
    return STORE_ENOUGH;
  if (!HAS_ROOM(r->fold->keys, r->fold->key_room, r->fold->key_count + 1))
    return ENOMEM;
  r->fold->keys[r->fold->key_count++] = v->first;
  r->fold->end = v->first + v->count;
  return add_tail(&r->tail, v);
}

static uint64_t group_of(uint64_t row)
{
  return url_ended_sequence(row) / STATES_GROUP;
}

static int begin_fold(const store *s, MDB_txn *txn, ended_fold *fold, size_t rows)
{
  fold_read r = {.fold = fold, .most = rows};
  fold->key_count = 0;
  int error = store_each_rows(s, txn, STORE_ENDED, ROWS_ENDED, 0, take_value, &r);
  if (!error && !tail_sort(&r.tail))
    error = ENOMEM;
  if (error) {
    tail_free(&r.tail);
    return error;
  }
  fold->rows = r.tail.rows;
  fold->count = r.tail.count;
  for (size_t i = 0; i < fold->count; i++)
    fold->groups += i == 0 || group_of(fold->rows[i]) != group_of(fold->rows[i - 1]);
  return 0;
}

/* As it is on disk; or else nothing in it has a state. */
static int read_group(const store *s, MDB_txn *txn, uint64_t group, uint8_t to[STATES_SIZE])
{
  MDB_val key = {sizeof group, &group}, value;
  int error = mdb_get(txn, s->table[STORE_STATES], &key, &value);
  if (error == MDB_NOTFOUND)
    states_init(to, s->id, group);
  else if (error || value.mv_size != STATES_SIZE)
    return error ? error : MDB_CORRUPTED;
  else
    memcpy(to, value.mv_data, STATES_SIZE);
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    if (!states_block_is_whole(to, s->id, group, i))
      return MDB_CORRUPTED;
  return 0;
}

/* One group: the rows from `fold->at` on that are of it. On failure nothing was gathered. */
static int fold_group(store *s, MDB_txn *txn, ended_fold *fold)
{
  uint8_t value[STATES_SIZE];
  uint64_t group = group_of(fold->rows[fold->at]);
  int error = read_group(s, txn, group, value);
  uint8_t *to = error
                  ? NULL
                  : write_set_put(&s->gathered, &s->table[STORE_STATES], WRITE_PUT, &group, sizeof group, STATES_SIZE);
  if (!to)
    return error ? error : ENOMEM;
  for (; fold->at < fold->count && group_of(fold->rows[fold->at]) == group; fold->at++)
    states_set(value, (unsigned)(url_ended_sequence(fold->rows[fold->at]) % STATES_GROUP),
               url_ended_state(fold->rows[fold->at]));
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    states_block_seal(value, s->id, group, i);
  memcpy(to, value, STATES_SIZE);
  return 0;
}

typedef struct fold_step {
  store *s;
  MDB_txn *txn;
  ended_fold *fold;
  size_t rows, groups;
  store_table at;
} fold_step;

static int fold_groups(void *context)
{
  fold_step *f = context;
  int error = f->fold->rows ? 0 : begin_fold(f->s, f->txn, f->fold, f->rows);
  if (error)
    return error;
  f->at = STORE_STATES;
  for (; f->groups && f->fold->at < f->fold->count && !error; f->groups--)
    error = fold_group(f->s, f->txn, f->fold);
  return error;
}

frontier_status store_fold_some(store *s, ended_fold *fold, size_t rows, size_t groups, bool *is_over)
{
  fold_step f = {.s = s, .fold = fold, .rows = rows, .groups = groups, .at = STORE_ENDED};
  int error = store_begin_reading(s, &f.txn);
  if (error)
    return store_failed(s, error, "reading");
  error = store_guarded(s, fold_groups, &f);
  store_end_reading(s, f.txn);
  *is_over = !error && fold->at == fold->count;
  for (size_t i = 0; *is_over && i < fold->key_count; i++)
    store_delete(s, STORE_ENDED, fold->keys[i]);
  return store_rows_status(s, error, f.at);
}

void store_fold_free(ended_fold *fold)
{
  free(fold->rows);
  free(fold->keys);
  *fold = (ended_fold){0};
}
