/* URLs out of a damaged data.mdb, into text of their own: repair.h has the steps.
 *
 *     blocks of `text`, wherever they lie -> from[sequence]: those that the trees lead to first
 *     names in their rows                 -> hosts whose records are lost
 *     `states`, `ended`, `again`          -> state[sequence]
 *     in order of sequence                -> text, ended and again of the new file; counts
 *
 * A URL is kept if the block of its row is whole and the name of its host is known. What became of a URL may be lost
 * with a block of `ended` or `states`: then it waits again. Stray blocks of those two may be from before the last fold,
 * so they count only where the trees could not be read.
 *
 * Always: of a URL with several rows the first one wins, and its host has the same name as every other whose id it has.
 * A value of the new file ends before a gap. Memory: 8 bytes a URL and 24 a block. */
#include "frontier/admin/repair.h"

#include "frontier/admin/mdb_urls.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VALUE_ROWS = 8192, VALUE_BYTES = 4 << 20 };
/* Of each URL: its state, as table `states` packs it, and */
enum {
  IS_OF_TREE = 1 << 24, /* a tree leads to it */
  HAS_AGAIN = 1 << 25,  /* it has a newer row, */
  IS_WRITTEN = 1 << 26, /* which is in the new file */
  MARKS = IS_OF_TREE | HAS_AGAIN | IS_WRITTEN,
};

typedef struct url_salvage {
  salvage *s;
  uint64_t id;  /* the directory's */
  uint64_t end; /* sequences are below it */
  found_blocks text;
  block_reader reader;
  uint32_t *from;  /* by sequence: 1 + the block that has its row; 0: none */
  uint32_t *state; /* by sequence */
  bool *is_named;  /* by id of the new file: a row has its name */
  rows_writer rows, ended;
  bool states_are_whole, ended_is_whole, again_is_whole; /* their trees */
  bool lacks_names;                                      /* of hosts that rows have */
  uint64_t nameless;                                     /* URLs whose host has no name */
  uint64_t ended_then;                                   /* URLs, as the numbers say */
  char fetch[URL_LENGTH_MAX + 1];
} url_salvage;

static bool no_memory(const url_salvage *u)
{
  return salvage_fail(u->s, FRONTIER_NO_MEMORY, "out of memory for eight bytes for each URL");
}

/* ---- the trees ---------------------------------------------------------------------------------------------- */

static void pass_over(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  (void)context, (void)key, (void)key_size, (void)value, (void)size;
}

/* Once every table was visited, the pages of no table are known. */
static bool is_whole(pages *p, store_table table)
{
  const char *name = store_table_name(table);
  uint64_t before = mdb_pages_faults(p);
  mdb_pages_each(p, name, pass_over, NULL);
  return mdb_pages_were_walked(p, name) && mdb_pages_faults(p) == before;
}

static bool pass_block(void *context, rows_block *block)
{
  (void)context, (void)block;
  return true;
}

static void visit_all(url_salvage *u)
{
  pages *p = u->s->p;
  uint64_t before = mdb_pages_faults(p);
  mdb_urls_each_block(p, STORE_ENDED, ROWS_ENDED, u->id, pass_block, NULL);
  u->ended_is_whole = mdb_pages_faults(p) == before && is_whole(p, STORE_ENDED);
  before = mdb_pages_faults(p);
  mdb_urls_each_block(p, STORE_UNCONFIRMED, ROWS_DOUBT, u->id, pass_block, NULL);
  u->s->doubts_are_whole = mdb_pages_faults(p) == before && is_whole(p, STORE_UNCONFIRMED);
  u->states_are_whole = is_whole(p, STORE_STATES);
  u->again_is_whole = is_whole(p, STORE_AGAIN);
  const char *name;
  for (size_t i = 0; (name = mdb_pages_table(p, i)); i++)
    mdb_pages_each(p, name, pass_over, NULL);
}

/* ---- rows and hosts ----------------------------------------------------------------------------------------- */

bool salvage_know_host(salvage *s, uint64_t id, host *who)
{
  size_t before = s->host_room;
  if (id > UINT32_MAX || !HAS_ROOM(s->hosts_by_id, s->host_room, (size_t)id + 1))
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more host");
  memset(s->hosts_by_id + before, 0, (s->host_room - before) * sizeof(host *));
  s->hosts_by_id[id] = who;
  return true;
}

/* By its id in the damaged file. */
static host *host_of(const salvage *s, uint32_t id)
{
  return id < s->host_room ? s->hosts_by_id[id] : NULL;
}

/* false: its names are not those that are known, so it is of no use; or there is no memory. */
static bool learn_names(url_salvage *u, const found_block *from)
{
  rows_block b;
  url_row row;
  size_t size;
  if (!block_reader_read(&u->reader, from, &b))
    return false;
  uint64_t sequence = from->first;
  for (const uint8_t *bytes; (bytes = rows_next(&b, &size)); sequence++) {
    if (!url_row_read(&row, sequence, bytes, size))
      continue;
    host *who = host_of(u->s, row.host);
    u->lacks_names |= !who && !row.host_name;
    if (!row.host_name)
      continue;
    if (who && (who->name_size != row.host_name_size || memcmp(who->name, row.host_name, who->name_size) != 0))
      return false;
    if (who)
      continue;
    who = hosts_find(u->s->f->hosts, row.host_name, row.host_name_size);
    if (!who)
      return salvage_fail(u->s, FRONTIER_NO_MEMORY, "out of memory for one more host");
    if (!salvage_know_host(u->s, row.host, who))
      return false;
  }
  return true;
}

/* Where each URL's row is. */
static bool find_rows(url_salvage *u)
{
  salvage *s = u->s;
  if (!found_blocks_make(s->p, STORE_TEXT, ROWS_TEXT, u->id, &u->text))
    return no_memory(u);
  u->end = s->has_progress ? s->stood.next_sequence : 1;
  for (size_t i = 0; i < u->text.count && !s->has_progress; i++) {
    uint64_t end = u->text.at[i].first + u->text.at[i].count;
    u->end = end > u->end && end >> URL_SEQUENCE_BITS == 0 ? end : u->end;
  }
  u->from = u->end < SIZE_MAX / 8 ? calloc((size_t)u->end, sizeof *u->from) : NULL;
  u->state = u->from ? calloc((size_t)u->end, sizeof *u->state) : NULL;
  if (!u->state)
    return no_memory(u);
  for (size_t i = 0; i < u->text.count && s->status == FRONTIER_OK; i++) {
    const found_block *b = &u->text.at[i];
    bool is_of_use = learn_names(u, b);
    if (u->reader.has_failed)
      return no_memory(u);
    if (!is_of_use && b->is_stray)
      continue;
    for (uint64_t sequence = b->first; sequence - b->first < b->count && sequence < u->end; sequence++)
      if (sequence && !u->from[sequence])
        u->from[sequence] = (uint32_t)i + 1;
  }
  return s->status == FRONTIER_OK;
}

/* A row whose text is a URL, of the host that it says. */
static host *sound_host(url_salvage *u, const url_row *row)
{
  salvage *s = u->s;
  host *who = host_of(s, row->host);
  size_t size = who ? url_row_url(row, who->name, who->name_size, u->fetch) : 0;
  if (size == 0 || !fields_are_whole(row->fields, row->fields_size) ||
      (!url_row_is_opaque(row, field_find(row->fields, row->fields_size, FIELD_KEY).bytes, who->name) &&
       url_parse(u->fetch, size, s->f->options.profile, s->u) != URL_OK))
    return NULL;
  bool is_of_host = row->form >= URL_FORM_WHOLE ||
                    (s->u->host_end - s->u->host_begin == who->name_size &&
                     memcmp(s->u->fetch + s->u->host_begin, who->name, who->name_size) == 0);
  return is_of_host ? who : NULL;
}

/* ---- what became of them ------------------------------------------------------------------------------------ */

static bool is_ended(uint32_t state)
{
  return url_state_is_ended(url_state_unpack(state));
}

static void take_states(void *context, uint64_t first, const url_state states[STATES_BLOCK])
{
  const url_salvage *u = context;
  for (unsigned i = 0; i < STATES_BLOCK && first + i < u->end; i++)
    u->state[first + i] = url_state_pack(states[i]) | IS_OF_TREE;
}

static void take_stray_states(void *context, uint64_t first, const url_state states[STATES_BLOCK])
{
  const url_salvage *u = context;
  for (unsigned i = 0; i < STATES_BLOCK && first + i < u->end; i++)
    if (!(u->state[first + i] & IS_OF_TREE) && !is_ended(u->state[first + i]))
      u->state[first + i] = url_state_pack(states[i]);
}

static void lose_states(void *context, uint64_t first)
{
  url_salvage *u = context;
  (void)first;
  u->states_are_whole = false;
}

static void read_stray_states(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  const url_salvage *u = context;
  if (key_size == 8 && size == STATES_SIZE)
    mdb_urls_of_states(get_le(key, 8), value, size, u->id, take_stray_states, NULL, context);
}

static void read_states(url_salvage *u)
{
  mdb_urls_each_states(u->s->p, u->id, take_states, lose_states, u);
  if (!u->states_are_whole)
    mdb_pages_each_stray(u->s->p, read_stray_states, u);
}

static void take_ended(url_salvage *u, rows_block *b, bool is_stray)
{
  size_t size;
  for (const uint8_t *row; (row = rows_next(b, &size));) {
    uint64_t ended = get_le(row, ENDED_ROW), sequence = url_ended_sequence(ended);
    if (sequence == 0 || sequence >= u->end)
      continue;
    uint32_t *state = &u->state[sequence], now = url_state_pack(url_ended_state(ended));
    if (!is_stray)
      *state = now | IS_OF_TREE;
    else if (!(*state & IS_OF_TREE) || !is_ended(*state))
      *state = now | (*state & IS_OF_TREE);
  }
}

/* Of one number, that of the table is last. */
static int compare_ended(const void *a, const void *b)
{
  const found_block *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return (int)right->is_stray - (int)left->is_stray;
}

static bool read_ended(url_salvage *u)
{
  found_blocks all;
  rows_block b;
  block_reader reader = {.p = u->s->p, .kind = ROWS_ENDED, .id = u->id};
  if (!found_blocks_make(u->s->p, STORE_ENDED, ROWS_ENDED, u->id, &all))
    return no_memory(u);
  if (all.count)
    qsort(all.at, all.count, sizeof *all.at, compare_ended);
  for (size_t i = 0; i < all.count; i++) {
    const found_block *at = &all.at[i];
    if ((at->is_stray && u->ended_is_whole) || !block_reader_read(&reader, at, &b))
      continue;
    take_ended(u, &b, at->is_stray);
  }
  bool has_failed = reader.has_failed;
  block_reader_free(&reader);
  found_blocks_free(&all);
  return !has_failed || no_memory(u);
}

static void note_order(salvage *s, const url_row *row)
{
  s->has_ordered |= is_ordered(field_order((field){row->fields, row->fields_size}));
}

/* ---- those that wait again ---------------------------------------------------------------------------------- */

static host *again_host(url_salvage *u, uint64_t sequence, const uint8_t *body, size_t size, url_row *row)
{
  bool is_kept = sequence && sequence < u->end && u->from[sequence];
  return is_kept && url_row_read(row, sequence, body, size) ? sound_host(u, row) : NULL;
}

static bool mark_again(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_salvage *u = context;
  url_row row;
  if (again_host(u, sequence, body, size, &row))
    u->state[sequence] |= HAS_AGAIN;
  return true;
}

static bool write_again(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  url_salvage *u = context;
  url_row row;
  host *who = again_host(u, sequence, body, size, &row);
  if (!who || !(u->state[sequence] & HAS_AGAIN) || u->state[sequence] & IS_WRITTEN)
    return true;
  row.host = who->id;
  size_t own_size = url_row_size(&row, sequence);
  uint8_t *own = host_reserve(who, row.class) ? malloc(own_size) : NULL;
  if (!own)
    return salvage_fail(u->s, FRONTIER_NO_MEMORY, "out of memory for one more URL");
  url_row_write(&row, sequence, own);
  if (salvage_begin_record(u->s)) {
    u->state[sequence] |= IS_WRITTEN;
    note_order(u->s, &row);
    host_line(who, row.class)->queued++;
    store_put(u->s->to, STORE_AGAIN, sequence, own, own_size);
  }
  free(own);
  return u->s->status == FRONTIER_OK;
}

/* A stray one may be old: it counts if its URL waits again, and no other was found. */
static void read_stray_again(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size,
                             store_visitor *visit)
{
  url_salvage *u = context;
  uint64_t sequence = key_size == 8 ? get_le(key, 8) : 0;
  if (u->s->status == FRONTIER_OK && sequence && sequence < u->end && record_is_whole(sequence, value, size) &&
      url_state_unpack(u->state[sequence]).what == URL_WAITS_AGAIN)
    visit(u, sequence, value + RECORD_HEAD, size - RECORD_HEAD);
}

static void mark_stray(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  read_stray_again(context, key, key_size, value, size, mark_again);
}

static void write_stray(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  read_stray_again(context, key, key_size, value, size, write_again);
}

static void each_again(url_salvage *u, store_visitor *visit, mdb_pages_visitor *visit_stray)
{
  mdb_records_each(u->s->p, store_table_name(STORE_AGAIN), visit, u);
  if (!u->again_is_whole)
    mdb_pages_each_stray(u->s->p, visit_stray, u);
}

/* ---- the new file ------------------------------------------------------------------------------------------- */

static bool flush(url_salvage *u, store_table table, rows_writer *w)
{
  size_t size;
  if (!w->count)
    return true;
  uint64_t next = w->first + w->count;
  const uint8_t *value = rows_finish(w, &size);
  store_append_raw(u->s->to, table, w->first, value, size);
  rows_free(w);
  w->first = next;
  return salvage_commit(u->s);
}

static uint8_t *add_row(url_salvage *u, store_table table, rows_writer *w, size_t size, unsigned mark)
{
  bool is_full = w->count >= VALUE_ROWS || w->size >= VALUE_BYTES;
  if (is_full && !flush(u, table, w))
    return NULL;
  if (rows_make_room(w, size))
    return rows_add(w, size, mark);
  salvage_fail(u->s, FRONTIER_NO_MEMORY, "out of memory for one more URL");
  return NULL;
}

static bool write_ended(url_salvage *u, uint64_t sequence, url_state state)
{
  uint8_t *at = add_row(u, STORE_ENDED, &u->ended, ENDED_ROW, 0);
  if (at)
    put_le(at, url_ended_pack(sequence, state), ENDED_ROW);
  return at != NULL;
}

/* As long as only the text of a URL is whole, it waits, unless it was noted. */
static url_state state_of(const url_salvage *u, uint64_t sequence, const url_row *row)
{
  url_state state = url_state_unpack(u->state[sequence]);
  if (u->state[sequence] & HAS_AGAIN)
    return (url_state){.what = URL_WAITS_AGAIN};
  if (url_state_is_ended(state))
    return state;
  return (url_state){.what = row->is_noted ? FRONTIER_NOTED : URL_WAITS};
}

static void count_ended(salvage *s, host *who, url_state state)
{
  progress *p = &s->stood;
  bool was_fetched = state.what != FRONTIER_NOTED;
  who->done += state.what == FRONTIER_DONE;
  who->failed += state.what == FRONTIER_FAILED;
  who->skipped += state.what == FRONTIER_SKIPPED;
  who->trap_ended += was_fetched && state.was_trap;
  p->done += state.what == FRONTIER_DONE;
  p->failed += state.what == FRONTIER_FAILED;
  p->skipped += state.what == FRONTIER_SKIPPED;
  p->noted += !was_fetched;
}

static bool write_row(url_salvage *u, uint64_t sequence, url_row *row, host *who)
{
  row->host = who->id;
  row->host_name = u->is_named[who->id] ? NULL : who->name;
  row->host_name_size = row->host_name ? who->name_size : 0;
  if (sequence != u->rows.first + u->rows.count) {
    if (!flush(u, STORE_TEXT, &u->rows))
      return false;
    u->rows.first = sequence;
  }
  size_t size = url_row_size(row, sequence);
  uint8_t *at = add_row(u, STORE_TEXT, &u->rows, size, row->class);
  if (!at)
    return false;
  url_row_write(row, sequence, at);
  u->is_named[who->id] = true;
  return true;
}

static bool keep_url(url_salvage *u, uint64_t sequence, const uint8_t *bytes, size_t size)
{
  salvage *s = u->s;
  url_row row;
  if (!url_row_read(&row, sequence, bytes, size))
    return true;
  u->nameless += host_of(s, row.host) == NULL;
  host *who = sound_host(u, &row);
  if (!who)
    return true;
  url_state state = state_of(u, sequence, &row);
  if (!write_row(u, sequence, &row, who) || (state.what != URL_WAITS && !write_ended(u, sequence, state)))
    return false;
  if (!byte_row_reach(&s->places, sequence) || !host_reserve(who, row.class))
    return no_memory(u);
  s->places.at[sequence] = url_state_is_ended(state) ? SALVAGED_ENDED : SALVAGED_WAITING;
  s->done->kept++;
  s->done->found_again += u->text.at[u->from[sequence] - 1].is_stray;
  note_order(s, &row);
  if (url_state_is_ended(state))
    count_ended(s, who, state);
  else if (state.what == URL_WAITS)
    host_line(who, row.class)->queued++;
  return true;
}

static bool write_urls(url_salvage *u)
{
  rows_block b = {0};
  uint32_t open = 0;
  uint64_t at = 0; /* sequence of the next row in it */
  const uint8_t *bytes = NULL;
  size_t size = 0;
  for (uint64_t i = 1; i < u->end && u->s->status == FRONTIER_OK; i++) {
    if (!u->from[i])
      continue;
    if (u->from[i] != open) {
      open = u->from[i];
      at = u->text.at[open - 1].first;
      if (!block_reader_read(&u->reader, &u->text.at[open - 1], &b))
        return salvage_fail(u->s, FRONTIER_IO, "data.mdb cannot be read any more");
    }
    for (; at <= i; at++)
      bytes = rows_next(&b, &size);
    if (bytes && !keep_url(u, i, bytes, size))
      return false;
    u->from[i] = bytes && i < u->s->places.count && u->s->places.at[i] ? u->from[i] : 0; /* it is kept */
  }
  return u->s->status == FRONTIER_OK && flush(u, STORE_TEXT, &u->rows) && flush(u, STORE_ENDED, &u->ended);
}

static void say_lost(const url_salvage *u)
{
  if (u->nameless)
    salvage_say(u->s, "gone: %" PRIu64 " URLs of hosts whose names nothing readable has", u->nameless);
  uint64_t ended_now = u->s->stood.done + u->s->stood.failed + u->s->stood.skipped;
  if (ended_now < u->ended_then)
    salvage_say(u->s, "lost: how %" PRIu64 " URLs ended; those that are left wait, and are fetched again",
                u->ended_then - ended_now);
}

static bool salvage_all(url_salvage *u)
{
  progress *p = &u->s->stood;
  u->ended_then = p->done + p->failed + p->skipped;
  p->done = p->failed = p->skipped = p->noted = 0;
  visit_all(u);
  if (!find_rows(u) || (u->lacks_names && !salvage_stray_hosts(u->s)))
    return false;
  u->is_named = calloc((size_t)hosts_count(u->s->f->hosts) + 1, 1);
  if (!u->is_named)
    return no_memory(u);
  read_states(u);
  if (!read_ended(u))
    return false;
  each_again(u, mark_again, mark_stray);
  if (!write_urls(u))
    return false;
  each_again(u, write_again, write_stray);
  say_lost(u);
  return u->s->status == FRONTIER_OK;
}

bool salvage_urls(salvage *s)
{
  url_salvage *u = calloc(1, sizeof *u);
  if (!u)
    return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory");
  u->s = s;
  u->id = mdb_urls_id(s->f);
  u->reader = (block_reader){.p = s->p, .kind = ROWS_TEXT, .id = u->id};
  u->rows = (rows_writer){.kind = ROWS_TEXT, .id = u->id};
  u->ended = (rows_writer){.kind = ROWS_ENDED, .id = u->id};
  bool is_done = salvage_all(u);
  rows_free(&u->rows);
  rows_free(&u->ended);
  block_reader_free(&u->reader);
  found_blocks_free(&u->text);
  free(u->from);
  free(u->state);
  free(u->is_named);
  free(u);
  return is_done;
}
