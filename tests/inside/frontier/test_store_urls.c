/* frontier/store/store_urls.h, in real directories: against a plain model of what became of each URL, with endings
 * folded or not, gaps, folding that was cut short, and damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lmdb.h>

#include "frontier/base/record.h"
#include "frontier/store/store_rows.h"
#include "frontier/store/store_urls.h"
#include "tests/site/random.h"
#include "tests/support/store_case.h"
#include "tests/support/test.h"

enum { URLS = 3000 };

static uint64_t dice;

/* ---- the model ------------------------------------------------------------------------------------------------- */

typedef struct model {
  struct {
    bool is_there;
    url_state state;
    unsigned text;        /* its row was made with this number, */
    frontier_class class; /* and this class; */
    unsigned text_again;  /* its newer row */
    frontier_class class_again;
  } urls[URLS];
  uint64_t next, next_row;
} model;

static model now;

static url_row row_of(unsigned number, frontier_class class, char text[200])
{
  int size = snprintf(text, 200, "/%u%.*s", number, (int)(number % 150),
                      "..........................................."
                      "..........................................."
                      "..........................................."
                      ".....................");
  return (url_row){.host = number % 1000,
                   .origin = {.via = number / 2, .depth = (uint16_t)(number % 9)},
                   .verdict = {FRONTIER_NEW, number % 5},
                   .class = class,
                   .text = text,
                   .text_size = (size_t)size};
}

static void write_row(rows_writer *w, uint64_t sequence)
{
  char text[200];
  url_row row = row_of(now.urls[sequence].text, now.urls[sequence].class, text);
  size_t size = url_row_size(&row, sequence);
  assert_true(rows_make_room(w, size));
  url_row_write(&row, sequence, rows_add(w, size, row.class));
}

static void append(store *s, store_table table, rows_writer *w)
{
  size_t size;
  if (!w->count)
    return;
  uint64_t first = w->first;
  uint8_t *value = rows_finish(w, &size);
  store_append_raw(s, table, first, value, size);
  rows_clear(w);
}

/* So many new URLs into what is gathered, most of this class. */
static void accept(store *s, size_t count, unsigned usual)
{
  rows_writer w = {.kind = ROWS_TEXT, .id = STORE_CASE_ID, .first = now.next};
  for (; count && now.next < URLS; count--, now.next++) {
    now.urls[now.next].is_there = true;
    now.urls[now.next].text = random_below(&dice, 1000000);
    now.urls[now.next].class = (frontier_class)(random_below(&dice, 100) ? usual
                                                                         : random_below(&dice, FRONTIER_CLASSES));
    write_row(&w, now.next);
  }
  append(s, STORE_TEXT, &w);
  rows_free(&w);
}

static bool any_url(uint64_t *sequence)
{
  if (now.next < 2)
    return false;
  *sequence = 1 + random_below(&dice, (unsigned)now.next - 1);
  return now.urls[*sequence].is_there;
}

/* It ends, or waits again. */
static void change(store *s, rows_writer *ended, uint64_t sequence, bool ends)
{
  char text[200];
  uint8_t bytes[300];
  url_state to = {.what = URL_WAITS_AGAIN};
  if (ends) {
    to = (url_state){.what = (uint8_t)(1 + random_below(&dice, 4)),
                     .was_trap = random_below(&dice, 2) != 0,
                     .code = (uint16_t)random_next(&dice)};
    store_delete(s, STORE_AGAIN, sequence);
  } else {
    now.urls[sequence].text_again = random_below(&dice, 1000000);
    now.urls[sequence].class_again = (frontier_class)random_below(&dice, FRONTIER_CLASSES);
    url_row row = row_of(now.urls[sequence].text_again, now.urls[sequence].class_again, text);
    url_row_write(&row, sequence, bytes);
    store_put(s, STORE_AGAIN, sequence, bytes, url_row_size(&row, sequence));
  }
  now.urls[sequence].state = to;
  assert_true(rows_make_room(ended, ENDED_ROW));
  put_le(rows_add(ended, ENDED_ROW, 0), url_ended_pack(sequence, to), ENDED_ROW);
}

static void change_some(store *s, size_t count)
{
  rows_writer w = {.kind = ROWS_ENDED, .id = STORE_CASE_ID, .first = now.next_row};
  for (uint64_t sequence; count; count--)
    if (any_url(&sequence))
      change(s, &w, sequence, random_below(&dice, 4) != 0);
  append(s, STORE_ENDED, &w);
  now.next_row = w.first;
  rows_free(&w);
}

static void begin_commit(store *s)
{
  assert_int_equal(store_begin(s), FRONTIER_OK);
}

static void commit(store *s)
{
  if (store_commit(s) != FRONTIER_OK)
    fail_msg("%s", store_message(s));
}

static void build(store *s, size_t urls, bool has_gaps)
{
  now = (model){.next = 1};
  while (now.next < urls) {
    begin_commit(s);
    accept(s, 1 + random_below(&dice, random_below(&dice, 5) ? 20 : 300), random_below(&dice, FRONTIER_CLASSES));
    change_some(s, random_below(&dice, 2) ? 0 : random_below(&dice, 200));
    commit(s);
    if (has_gaps && random_below(&dice, 3) == 0)
      now.next += random_below(&dice, 150);
    now.next = now.next < URLS ? now.next : URLS;
  }
}

/* All that can be folded, or so many steps; each is committed. */
static bool fold(store *s, size_t rows, size_t groups, size_t steps)
{
  ended_fold f = {0};
  bool is_over = false;
  for (; steps && !is_over; steps--) {
    begin_commit(s);
    assert_int_equal(store_fold_some(s, &f, rows, groups, &is_over), FRONTIER_OK);
    commit(s);
  }
  store_fold_free(&f);
  return is_over;
}

/* ---- what a reader must find ----------------------------------------------------------------------------------- */

static void check_row(uint64_t sequence, const url_row *row, bool is_again)
{
  char text[200];
  const unsigned number = is_again ? now.urls[sequence].text_again : now.urls[sequence].text;
  url_row wanted = row_of(number, is_again ? now.urls[sequence].class_again : now.urls[sequence].class, text);
  assert_int_equal(row->host, wanted.host);
  assert_int_equal(row->origin.via, wanted.origin.via);
  assert_int_equal(row->origin.depth, wanted.origin.depth);
  assert_int_equal(row->verdict.layer, wanted.verdict.layer);
  assert_int_equal(row->class, wanted.class);
  assert_int_equal(row->text_size, wanted.text_size);
  assert_memory_equal(row->text, text, wanted.text_size);
}

typedef struct check {
  uint64_t next; /* the first sequence that may come */
  unsigned wanted;
  size_t left; /* for the visitor */
} check;

static bool is_wanted(uint64_t sequence, unsigned wanted)
{
  if (!now.urls[sequence].is_there)
    return false;
  return wanted & (url_state_is_ended(now.urls[sequence].state) ? STORED_ENDED : STORED_WAITING);
}

static void skip_to(check *c, uint64_t sequence)
{
  for (; c->next < sequence; c->next++)
    if (is_wanted(c->next, c->wanted))
      fail_msg("URL %llu is missing", (unsigned long long)c->next);
  c->next++;
}

static bool check_url(void *context, const stored_url *u)
{
  check *c = context;
  assert_true(u->sequence < URLS && is_wanted(u->sequence, c->wanted));
  skip_to(c, u->sequence);
  const url_state *wanted = &now.urls[u->sequence].state;
  assert_true(u->state.what == wanted->what && u->state.code == wanted->code && u->state.was_trap == wanted->was_trap);
  check_row(u->sequence, &u->row, wanted->what == URL_WAITS_AGAIN);
  return --c->left > 0;
}

static void check_walk(store *s, unsigned wanted, uint64_t from, size_t most)
{
  check c = {.next = from, .wanted = wanted, .left = most};
  if (store_each_url(s, wanted, from, check_url, &c) != FRONTIER_OK)
    fail_msg("%s", store_message(s));
  if (c.left)
    skip_to(&c, URLS);
}

typedef struct reading {
  bool found[URLS];
  frontier_class class;
  uint64_t last;
  size_t before_stop; /* the visitor then takes no URL, once */
} reading;

static bool take_waiting(void *context, const stored_url *u)
{
  reading *r = context;
  if (--r->before_stop == 0) {
    r->before_stop = 1 + random_below(&dice, 100);
    return false;
  }
  assert_true(u->sequence > r->last);
  assert_false(r->found[u->sequence]);
  assert_int_equal(u->row.class, r->class);
  check_row(u->sequence, &u->row, false);
  r->found[r->last = u->sequence] = true;
  return true;
}

/* The queue of a class, in steps of `most`. */
static void check_queue(store *s, frontier_class class, size_t most)
{
  static reading r;
  uint64_t from = 0, next;
  r = (reading){.class = class, .before_stop = 1 + random_below(&dice, 100)};
  bool is_over = false;
  for (size_t steps = 0; !is_over; steps++, from = next) {
    assert_int_equal(store_read_waiting(s, class, from, most, take_waiting, &r, &next, &is_over), FRONTIER_OK);
    assert_true(next >= from);
    assert_true(steps < 4 * URLS); /* it comes to its end */
  }
  for (uint64_t i = 0; i < URLS; i++)
    assert_true(r.found[i] ==
                (now.urls[i].is_there && now.urls[i].state.what == URL_WAITS && now.urls[i].class == class));
}

typedef struct finding {
  const uint64_t *sequences;
  size_t at;
} finding;

static bool check_found(void *context, const stored_url *u)
{
  finding *f = context;
  while (f->sequences[f->at] != u->sequence) {
    assert_true(f->sequences[f->at] >= URLS || !now.urls[f->sequences[f->at]].is_there);
    f->at++;
  }
  check_row(u->sequence, &u->row, now.urls[u->sequence].state.what == URL_WAITS_AGAIN);
  f->at++;
  return true;
}

static void check_found_urls(store *s)
{
  uint64_t sequences[301] = {0};
  for (size_t i = 0; i < 300; i++)
    sequences[i] = i < 290 ? random_below(&dice, URLS) : URLS + random_next(&dice) % UINT32_MAX;
  finding f = {.sequences = sequences};
  assert_int_equal(store_find_urls(s, sequences, 300, check_found, &f), FRONTIER_OK);
  for (; f.at < 300; f.at++)
    assert_true(sequences[f.at] >= URLS || !now.urls[sequences[f.at]].is_there);
  for (int i = 0; i < 20; i++) {
    uint64_t sequence = random_below(&dice, URLS + 10);
    check c = {.next = sequence, .wanted = STORED_WAITING | STORED_ENDED, .left = 2};
    bool is_there = sequence < URLS && now.urls[sequence].is_there;
    assert_int_equal(store_find_url(s, sequence, check_url, &c), is_there ? FRONTIER_OK : FRONTIER_NOT_FOUND);
    assert_int_equal(c.left, is_there ? 1 : 2);
  }
}

static void check_all(store *s)
{
  for (unsigned wanted = 1; wanted <= 3; wanted++) {
    check_walk(s, wanted, 0, SIZE_MAX);
    for (int i = 0; i < 10; i++)
      check_walk(s, wanted, random_below(&dice, URLS + 10), 1 + random_below(&dice, 100));
  }
  store_forget_tail(s);
  for (int class = 0; class < FRONTIER_CLASSES; ++class)
    check_queue(s, (frontier_class) class, 1 + random_below(&dice, random_below(&dice, 2) ? 10 : 1000));
  check_found_urls(s);
}

/* ---- the tests -------------------------------------------------------------------------------------------------- */

CASE(an_empty_directory_has_no_urls)
{
  uint64_t first = 9, next = 9;
  store *s = store_case_open(false);
  now = (model){.next = 1};
  check_all(s);
  assert_int_equal(store_row_span(s, STORE_ENDED, ROWS_ENDED, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0);
  assert_true(fold(s, 100, 1, 1));
  store_close(s);
}

CASE(any_mix_of_endings)
{
  for (int i = 0; i < 12; i++) {
    store *s = store_case_open(false);
    build(s, i < 4 ? 200 : URLS, i % 2);
    check_all(s);
    while (random_below(&dice, 4)) { /* part of it is folded, and more ends */
      fold(s, 1 + random_below(&dice, 2000), 1 + random_below(&dice, 4), 1 + random_below(&dice, 10));
      check_all(s);
      begin_commit(s);
      change_some(s, random_below(&dice, 500));
      commit(s);
      check_all(s);
    }
    store_close(s);
    s = store_case_open(false);
    check_all(s);
    store_close(s);
    store_case_end(NULL);
    store_case_begin(NULL);
  }
}

/* Of the groups as they lie on disk. */
static uint64_t sum_of_states(store *s)
{
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key, value;
  uint64_t sum = 0, group;
  assert_int_equal(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), 0);
  assert_int_equal(mdb_cursor_open(txn, s->table[STORE_STATES], &cursor), 0);
  while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
    memcpy(&group, key.mv_data, sizeof group);
    sum += XXH3_64bits_withSeed(value.mv_data, value.mv_size, group) | 1;
  }
  mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return sum;
}

CASE(folding_may_be_cut_short_anywhere)
{
  char whole[SCRATCH_PATH];
  uint64_t first, next, wanted = 0;
  store *s = store_case_open(false);
  build(s, URLS, true);
  store_close(s);
  scratch_make_fast(whole);
  scratch_copy(store_case_directory, whole);
  bool is_over = false;
  for (size_t steps = 0; !is_over; steps++) { /* 0: at once, to compare with */
    scratch_copy(whole, store_case_directory);
    s = store_case_open(false);
    is_over = fold(s, SIZE_MAX, 1, steps ? steps : SIZE_MAX) && steps;
    store_close(s);
    s = store_case_open(false);
    check_all(s);
    if (steps && !is_over)
      assert_true(fold(s, SIZE_MAX, 2, SIZE_MAX));
    assert_int_equal(store_row_span(s, STORE_ENDED, ROWS_ENDED, &first, &next), FRONTIER_OK);
    assert_true(first == 0 && next == 0);
    check_all(s);
    if (!steps)
      wanted = sum_of_states(s);
    assert_true(wanted && sum_of_states(s) == wanted);
    store_close(s);
  }
  scratch_remove(whole);
}

CASE(a_fold_that_is_not_committed_changes_nothing)
{
  ended_fold f = {0};
  bool is_over = false;
  uint64_t first, next;
  store *s = store_case_open(false);
  build(s, 1500, false);
  while (!is_over) {
    begin_commit(s);
    assert_int_equal(store_fold_some(s, &f, SIZE_MAX, 1, &is_over), FRONTIER_OK);
    store_fail(s);
    assert_int_equal(store_commit(s), FRONTIER_NO_MEMORY);
  }
  store_fold_free(&f);
  assert_int_equal(store_row_span(s, STORE_ENDED, ROWS_ENDED, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == now.next_row);
  assert_int_equal(sum_of_states(s), 0);
  check_all(s);
  assert_true(fold(s, SIZE_MAX, 1, SIZE_MAX));
  check_all(s);
  store_close(s);
}

typedef struct block_check {
  uint64_t from, next;
  unsigned left;
} block_check;

static bool check_text_block(void *context, uint64_t key, rows_block *b)
{
  block_check *c = context;
  size_t size;
  assert_true(key <= b->first && b->first >= c->next && b->first + b->count > c->from);
  for (uint64_t i = c->next > c->from ? c->next : c->from; i < b->first; i++)
    assert_false(now.urls[i].is_there);
  for (uint64_t i = 0; i < b->count; i++) {
    url_row row;
    const uint8_t *bytes = rows_next(b, &size);
    assert_non_null(bytes);
    assert_true(url_row_read(&row, b->first + i, bytes, size));
    check_row(b->first + i, &row, false);
  }
  c->next = b->first + b->count;
  return --c->left;
}

CASE(blocks_come_in_order)
{
  store *s = store_case_open(false);
  build(s, URLS, true);
  for (int i = 0; i < 200; i++) {
    block_check c = {.from = i ? random_below(&dice, URLS) : 0, .left = i % 2 ? 1 : UINT32_MAX};
    assert_int_equal(store_each_block(s, STORE_TEXT, ROWS_TEXT, c.from, check_text_block, &c), FRONTIER_OK);
    for (; c.left && c.next < URLS; c.next++)
      assert_false(c.next >= c.from && now.urls[c.next].is_there);
  }
  store_close(s);
}

/* ---- damage ----------------------------------------------------------------------------------------------------- */

/* A bit of byte `at` (from the end, if negative) of the last value with a key up to this one. */
static void flip(store *s, store_table table, uint64_t number, long at)
{
  MDB_txn *txn;
  MDB_cursor *cursor;
  MDB_val key = {sizeof number, &number}, value;
  assert_int_equal(mdb_txn_begin(s->env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_cursor_open(txn, s->table[table], &cursor), 0);
  assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE), 0);
  uint8_t *copy = malloc(value.mv_size);
  assert_non_null(copy);
  memcpy(copy, value.mv_data, value.mv_size);
  copy[at < 0 ? (long)value.mv_size + at : at] ^= 4;
  value.mv_data = copy;
  assert_int_equal(mdb_cursor_put(cursor, &key, &value, MDB_CURRENT), 0);
  mdb_cursor_close(cursor);
  assert_int_equal(mdb_txn_commit(txn), 0);
  free(copy);
}

/* The value has one byte. */
static void cut(store *s, store_table table, uint64_t number)
{
  MDB_txn *txn;
  MDB_val key = {sizeof number, &number}, value = {1, &number};
  assert_int_equal(mdb_txn_begin(s->env, NULL, 0, &txn), 0);
  assert_int_equal(mdb_put(txn, s->table[table], &key, &value, 0), 0);
  assert_int_equal(mdb_txn_commit(txn), 0);
}

static bool count_url(void *context, const stored_url *u)
{
  (void)u;
  ++*(size_t *)context;
  return true;
}

static void assert_damaged(store *s, frontier_status status, const char *table)
{
  assert_int_equal(status, FRONTIER_DAMAGED);
  char wanted[64];
  snprintf(wanted, sizeof wanted, "table %s is damaged", table);
  if (!strstr(store_message(s), wanted))
    fail_msg("\"%s\", not \"%s\"", store_message(s), wanted);
}

/* 200 URLs of one commit, of which 100 ended, and one waits again. */
static store *open_small(bool is_folded)
{
  store *s = store_case_open(false);
  rows_writer ended = {.kind = ROWS_ENDED, .id = STORE_CASE_ID};
  now = (model){.next = 1};
  begin_commit(s);
  accept(s, 200, FRONTIER_NORMAL);
  for (uint64_t i = 1; i <= 100; i++)
    change(s, &ended, i, true);
  change(s, &ended, 150, false);
  append(s, STORE_ENDED, &ended);
  rows_free(&ended);
  commit(s);
  if (is_folded)
    assert_true(fold(s, SIZE_MAX, 1, SIZE_MAX));
  return s;
}

CASE(a_damaged_block_of_text)
{
  static const uint64_t before[] = {1, 64}, inside[] = {1, 65}, after[] = {129, 200};
  size_t found = 0;
  store *s = open_small(false);
  rows_value v;
  MDB_txn *txn;
  uint64_t first = 1;
  MDB_val key = {sizeof first, &first}, value;
  assert_int_equal(mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn), 0);
  assert_int_equal(mdb_get(txn, s->table[STORE_TEXT], &key, &value), 0);
  assert_true(rows_open(&v, ROWS_TEXT, STORE_CASE_ID, 1, value.mv_data, value.mv_size));
  long second = (long)(get_le(v.foot + ROWS_FOOT, ROWS_FOOT) & 0xfffffff);
  mdb_txn_abort(txn);
  flip(s, STORE_TEXT, 1, second + ROWS_BLOCK_HEAD);

  assert_damaged(s, store_each_url(s, 3, 1, count_url, &found), "text");
  assert_int_equal(found, 64);
  found = 0;
  assert_int_equal(store_each_url(s, 3, 129, count_url, &found), FRONTIER_OK);
  assert_int_equal(found, 72);
  assert_int_equal(store_find_urls(s, before, 2, count_url, &found), FRONTIER_OK);
  assert_int_equal(store_find_urls(s, after, 2, count_url, &found), FRONTIER_OK);
  assert_int_equal(found, 76);
  assert_damaged(s, store_find_urls(s, inside, 2, count_url, &found), "text");
  assert_damaged(s, store_find_url(s, 70, count_url, &found), "text");
  block_check c = {.left = 9};
  assert_damaged(s, store_each_block(s, STORE_TEXT, ROWS_TEXT, 0, check_text_block, &c), "text");
  assert_int_equal(c.next, 65);
  flip(s, STORE_TEXT, 1, second + ROWS_BLOCK_HEAD);
  flip(s, STORE_TEXT, 1, -1); /* its foot */
  assert_damaged(s, store_find_urls(s, before, 2, count_url, &found), "text");
  store_close(s);
}

CASE(damage_is_said_to_be_where_it_is)
{
  static const struct {
    store_table table;
    uint64_t key;
    long at;
    bool is_folded;
  } rows[] = {
    {STORE_ENDED, 0, ROWS_HEAD + ROWS_BLOCK_HEAD, false},
    {STORE_ENDED, 0, 4, false},
    {STORE_ENDED, 0, -2, false},
    {STORE_AGAIN, 150, 5, false},
    {STORE_AGAIN, 150, 0, true},
    {STORE_STATES, 0, 3, true},
    {STORE_STATES, 0, 2 * STATES_BLOCK_SIZE + 9, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    store *s = open_small(rows[i].is_folded);
    const char *name = store_table_name(rows[i].table);
    uint64_t again = 150, next, first;
    size_t found = 0;
    bool is_over;
    ended_fold f = {0};
    flip(s, rows[i].table, rows[i].key, rows[i].at);
    assert_damaged(s, store_each_url(s, 3, 1, count_url, &found), name);
    if (rows[i].table == STORE_AGAIN) {
      assert_damaged(s, store_find_urls(s, &again, 1, count_url, &found), name);
    } else {
      frontier_status status = FRONTIER_OK;
      uint64_t from = 0;
      for (is_over = false; !is_over && status == FRONTIER_OK; from = next)
        status = store_read_waiting(s, FRONTIER_NORMAL, from, 10, count_url, &found, &next, &is_over);
      assert_damaged(s, status, name);
    }
    if (rows[i].table == STORE_ENDED) {
      begin_commit(s);
      assert_damaged(s, store_fold_some(s, &f, 10, 1, &is_over), name);
      assert_false(is_over);
      store_fold_free(&f);
      assert_int_equal(store_commit(s), FRONTIER_OK);
      assert_int_equal(store_row_span(s, STORE_ENDED, ROWS_ENDED, &first, &next) == FRONTIER_OK, rows[i].at > 4);
    }
    store_close(s);
    store_case_end(NULL);
    store_case_begin(NULL);
  }
}

/* A group of states that is damaged is not overwritten as if it were not. */
CASE(damage_is_not_folded_over)
{
  ended_fold f = {0};
  bool is_over;
  store *s = open_small(true);
  rows_writer ended = {.kind = ROWS_ENDED, .id = STORE_CASE_ID, .first = 101};
  begin_commit(s);
  change(s, &ended, 180, true);
  append(s, STORE_ENDED, &ended);
  rows_free(&ended);
  commit(s);
  flip(s, STORE_STATES, 0, 40);
  for (int is_short = 0; is_short < 2; ++is_short) {
    if (is_short)
      cut(s, STORE_STATES, 0);
    uint64_t before = sum_of_states(s);
    begin_commit(s);
    assert_damaged(s, store_fold_some(s, &f, 10, 1, &is_over), "states");
    assert_false(is_over);
    store_fold_free(&f);
    commit(s);
    assert_true(sum_of_states(s) == before);
  }
  store_close(s);
}

CASE(rows_of_another_directory_are_refused)
{
  size_t found = 0;
  store *s = open_small(true);
  s->id = STORE_CASE_ID + 1;
  assert_damaged(s, store_each_url(s, 3, 1, count_url, &found), "text");
  assert_int_equal(found, 0);
  store_close(s);
}

static int prepare(void **state)
{
  (void)state;
  dice = random_seed();
  return 0;
}

ALL_CASES(prepare, NULL)
EACH_CASE(store_case_begin, store_case_end)
