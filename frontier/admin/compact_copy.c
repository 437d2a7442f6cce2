/* See compact_copy.h. Each table is read in order of key and appended, so that its pages are full.
 *
 *     text, ended, states -> each URL with its row and state -> text: values of 16,384 rows
 *                                                               states: those with a state
 *     hosts, host-changes -> each host as it is now          -> hosts
 *     unconfirmed         -> links that are not settled      -> unconfirmed, with the same numbers
 *     all others          -> as they are
 *
 * Called by compact.c while it holds the directory's LOCK. A transaction is written every 16 MB; a crash leaves a new
 * file that nobody reads. */
#include "frontier/admin/compact_copy.h"

#include "frontier/base/limits.h"
#include "frontier/base/record.h"
#include "frontier/hosts/fields.h"
#include "frontier/hosts/host_changes.h"
#include "frontier/rows/rows.h"
#include "frontier/store/store_rows.h"
#include "frontier/store/store_urls.h"
#include "frontier/store/url_states.h"

#include <stdlib.h>

enum { VALUE_ROWS = FRONTIER_LIMIT(16384, 200), VALUE_BYTES = 8 << 20 };
enum { LOT_BYTES = FRONTIER_LIMIT(16 << 20, 1 << 14), RECORD_COST = 64 };

typedef struct copying {
  store *from, *to;
  const mlbf_hasher *hasher;
  store_table table;
  size_t bytes; /* gathered */
  compact_counts *counts;
  uint8_t *was_visited; /* a bit for each sequence below visit_end */
  uint64_t visit_end;
  rows_writer rows;
  uint64_t settled; /* rows of `unconfirmed` before this one */
  uint64_t group;   /* that `states` is of */
  uint8_t states[STATES_SIZE];
  bool has_states;
  uint8_t key_field[FIELD_HEAD + 16];
  frontier_status status; /* of `to`, or of memory */
} copying;

/* Now and then: the next transaction. */
static bool gathered(copying *c, size_t bytes)
{
  c->bytes += bytes + RECORD_COST;
  c->counts->bytes += bytes;
  if (c->bytes < LOT_BYTES)
    return true;
  c->bytes = 0;
  watch_tell(&c->counts->told, c->counts->bytes, 2 * c->counts->whole);
  c->status = store_commit(c->to);
  if (c->status == FRONTIER_OK)
    c->status = store_begin(c->to);
  return c->status == FRONTIER_OK;
}

/* ---- as they are -------------------------------------------------------------------------------------------- */

static bool copy_record(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  copying *c = context;
  store_append(c->to, c->table, key, body, size);
  return gathered(c, size);
}

static bool copy_visit(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  copying *c = context;
  if (sequence < c->visit_end)
    c->was_visited[sequence / 8] |= (uint8_t)(1 << sequence % 8);
  return copy_record(context, sequence, body, size);
}

static bool copy_meta(void *context, const char *name, const uint8_t *body, size_t size)
{
  copying *c = context;
  store_put_meta(c->to, name, body, size);
  return gathered(c, size);
}

static bool note_last(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  copying *c = context;
  (void)body, (void)size;
  c->visit_end = sequence + 1;
  return true;
}

static frontier_status copy_visits(copying *c)
{
  frontier_status status = store_each(c->from, STORE_VISITS, 0, note_last, c);
  if (status != FRONTIER_OK)
    return status;
  c->was_visited = calloc((size_t)(c->visit_end / 8) + 1, 1);
  if (!c->was_visited) {
    c->status = FRONTIER_NO_MEMORY;
    return status;
  }
  c->table = STORE_VISITS;
  return store_each(c->from, STORE_VISITS, 0, copy_visit, c);
}

/* The log is among them, whole. */
static frontier_status copy_tables(copying *c)
{
  static const store_table tables[] = {STORE_HASHES, STORE_REVOKED, STORE_DUE, STORE_AGAIN, STORE_OUTBOX, STORE_MARKS};
  frontier_status status = FRONTIER_OK;
  for (size_t i = 0; i < sizeof tables / sizeof *tables && status == FRONTIER_OK && c->status == FRONTIER_OK; i++) {
    c->table = tables[i];
    status = store_each(c->from, c->table, 0, copy_record, c);
  }
  return status;
}

static bool put_hosts(copying *c, const hosts *all)
{
  uint8_t body[HOST_HEAD_2 + URL_LENGTH_MAX];
  const host *who;
  for (uint32_t id = 0; (who = hosts_at(all, id)); id++) {
    size_t size = host_write(who, body);
    store_append(c->to, STORE_HOSTS, id, body, size);
    if (!gathered(c, size))
      return false;
  }
  c->counts->hosts = hosts_count(all);
  return true;
}

static frontier_status copy_hosts(copying *c)
{
  bool of_store;
  host_changes changes = {0};
  hosts *all = hosts_create(0, 1, c->hasher);
  frontier_status status = all ? host_changes_load(&changes, all, c->from, &of_store) : FRONTIER_OK;
  if (!all || status == FRONTIER_NO_MEMORY) {
    c->status = FRONTIER_NO_MEMORY;
    status = FRONTIER_OK;
  } else if (status == FRONTIER_OK) {
    put_hosts(c, all);
  }
  host_changes_free(&changes);
  hosts_free(all);
  return status;
}

/* ---- URLs --------------------------------------------------------------------------------------------------- */

static bool write_rows(copying *c, store_table table)
{
  size_t size;
  if (!c->rows.count)
    return true;
  uint64_t next = c->rows.first + c->rows.count;
  const uint8_t *value = rows_finish(&c->rows, &size);
  store_append_raw(c->to, table, c->rows.first, value, size);
  rows_free(&c->rows);
  c->rows.first = next;
  return gathered(c, size);
}

/* Where row `number` of so many bytes is to be written; NULL: `status` says why not. */
static uint8_t *add_row(copying *c, store_table table, uint64_t number, size_t size, unsigned mark)
{
  bool is_next = number == c->rows.first + c->rows.count;
  if ((!is_next || c->rows.count >= VALUE_ROWS || c->rows.size >= VALUE_BYTES) && !write_rows(c, table))
    return NULL;
  if (!c->rows.count)
    c->rows.first = number;
  if (rows_make_room(&c->rows, size))
    return rows_add(&c->rows, size, mark);
  c->status = FRONTIER_NO_MEMORY;
  return NULL;
}

static bool write_states(copying *c)
{
  uint64_t id = store_id(c->to);
  if (!c->has_states)
    return true;
  for (unsigned i = 0; i < STATES_BLOCKS; i++)
    states_block_seal(c->states, id, c->group, i);
  store_append_raw(c->to, STORE_STATES, c->group, c->states, sizeof c->states);
  c->has_states = false;
  return gathered(c, sizeof c->states);
}

static bool put_state(copying *c, uint64_t sequence, url_state state)
{
  uint64_t group = sequence / STATES_GROUP;
  if (state.what == URL_WAITS)
    return true;
  if (c->has_states && c->group != group && !write_states(c))
    return false;
  if (!c->has_states) {
    c->group = group;
    c->has_states = true;
    states_init(c->states, store_id(c->to), group);
  }
  states_set(c->states, (unsigned)(sequence % STATES_GROUP), state);
  c->counts->states++;
  return true;
}

/* Its payload was for the one who fetches it. */
static void drop_payload(copying *c, url_row *row)
{
  field key = field_find(row->fields, row->fields_size, FIELD_KEY);
  row->fields_size = 0;
  if (key.size != sizeof c->key_field - FIELD_HEAD)
    return;
  row->fields_size = (size_t)(field_put(c->key_field, FIELD_KEY, key.bytes, key.size) - c->key_field);
  row->fields = c->key_field;
}

static bool was_visited(const copying *c, uint64_t sequence)
{
  return sequence < c->visit_end && c->was_visited[sequence / 8] >> sequence % 8 & 1;
}

static bool copy_url(void *context, const stored_url *u)
{
  copying *c = context;
  url_row row = u->row;
  if (url_state_is_ended(u->state) && !was_visited(c, u->sequence))
    drop_payload(c, &row);
  uint8_t *at = add_row(c, STORE_TEXT, u->sequence, url_row_size(&row, u->sequence), row.class);
  if (!at)
    return false;
  url_row_write(&row, u->sequence, at);
  c->counts->urls++;
  return put_state(c, u->sequence, u->state);
}

/* ---- doubts ------------------------------------------------------------------------------------------------- */

static bool copy_doubts_of(void *context, uint64_t key, rows_block *block)
{
  copying *c = context;
  size_t size;
  uint64_t number = block->first;
  (void)key;
  for (const uint8_t *row; (row = rows_next(block, &size)); number++) {
    uint8_t *at = number < c->settled ? NULL : add_row(c, STORE_UNCONFIRMED, number, size, 0);
    if (at)
      memcpy(at, row, size);
    c->counts->doubts += at != NULL;
    if (c->status != FRONTIER_OK)
      return false;
  }
  return true;
}

static frontier_status copy_doubts(copying *c)
{
  frontier_status status = store_find_table(c->from, STORE_UNCONFIRMED, false);
  if (status != FRONTIER_OK)
    return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
  c->rows = (rows_writer){.kind = ROWS_DOUBT, .id = c->rows.id};
  status = store_each_block(c->from, STORE_UNCONFIRMED, ROWS_DOUBT, c->settled, copy_doubts_of, c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    write_rows(c, STORE_UNCONFIRMED);
  return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static frontier_status copy_all(copying *c)
{
  frontier_status status = copy_hosts(c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    status = copy_tables(c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    status = copy_visits(c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    status = store_each_url(c->from, STORED_WAITING | STORED_ENDED | STORED_AS_ACCEPTED, 0, copy_url, c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK && write_rows(c, STORE_TEXT) && write_states(c))
    status = copy_doubts(c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    status = store_each_meta(c->from, copy_meta, c);
  return status;
}

/* So that either of the file's two roots leads to all of it. */
static frontier_status commit_twice(copying *c)
{
  frontier_status status = FRONTIER_OK;
  c->status = store_commit(c->to);
  if (c->status == FRONTIER_OK)
    c->status = store_begin(c->to);
  if (c->status == FRONTIER_OK)
    status = store_each_meta(c->from, copy_meta, c);
  if (status == FRONTIER_OK && c->status == FRONTIER_OK)
    c->status = store_commit(c->to);
  return status;
}

frontier_status compact_copy(store *from, store *to, const mlbf_hasher *hasher, compact_counts *counts, bool *reading)
{
  copying c = {
    .from = from, .to = to, .hasher = hasher, .counts = counts, .rows = {.kind = ROWS_TEXT, .id = store_id(to)}};
  *counts = (compact_counts){.told = counts->told, .whole = counts->whole};
  frontier_status status = store_pin(from);
  *reading = status != FRONTIER_OK;
  if (status == FRONTIER_OK && (c.status = store_begin(to)) == FRONTIER_OK) {
    status = copy_all(&c);
    if (status == FRONTIER_OK && c.status == FRONTIER_OK)
      status = commit_twice(&c);
    *reading = status != FRONTIER_OK;
  }
  store_unpin(from);
  rows_free(&c.rows);
  free(c.was_visited);
  return status == FRONTIER_OK ? c.status : status;
}
