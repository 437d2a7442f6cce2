/* Where keys are exact: the runs, the links that are unconfirmed, and the files of both.
 *
 *     run_marks -> each run has the keys of its part of the log, in order      by sums of hashes, whatever their order
 *     late      -> all rows of `unconfirmed` that are not settled are there; each makes sense, and has its URL's key
 *               -> each file of doubts has the keys of its rows, in order
 *
 * A file that is missing is made again, and so is one that is damaged: it is reported like a filter file. Two different
 * sets of hashes have equal sums once in 2^128. */
#include "frontier/admin/check.h"
#include "frontier/admin/mdb_urls.h"
#include "frontier/base/vector.h"
#include "frontier/late/doubt_row.h"
#include "frontier/late/key_file.h"
#include "frontier/late/late_records.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PAGES = 64 /* of a file, that are read at once */ };

static key_place place_of(const check *c)
{
  return (key_place){.directory = c->f->directory, .id = mdb_urls_id(c->f)};
}

/* Its keys in order, until `visit` returns false. false: there is no such file, or it cannot be read to its end. */
typedef bool item_visitor(void *context, const numbered_key *item);

static bool read_file(check *c, key_file_kind kind, uint64_t number, uint64_t keys, item_visitor *visit, void *context)
{
  char message[FRONTIER_MESSAGE_SIZE];
  key_place place = place_of(c);
  key_file *file = NULL;
  const numbered_key *item = NULL;
  frontier_status status = key_file_open(&place, kind, number, &file, message);
  if (status == FRONTIER_NOT_FOUND)
    return false;
  if (status == FRONTIER_OK && key_file_count(file) != keys) {
    snprintf(message, sizeof message, "it has %" PRIu64 " keys, and should have %" PRIu64, key_file_count(file), keys);
    status = FRONTIER_DAMAGED;
  }
  key_cursor *cursor = status == FRONTIER_OK ? key_cursor_open(file, PAGES) : NULL;
  if (status == FRONTIER_OK && !cursor)
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for a piece of a file of keys");
  while (cursor && (status = key_cursor_get(cursor, &item, message)) == FRONTIER_OK && item && visit(context, item))
    key_cursor_step(cursor);
  char name[KEY_FILE_NAME];
  key_file_name(kind, number, name);
  if (status == FRONTIER_DAMAGED)
    check_say(c, IN_FILTER, "%s: %s", name, message);
  else if (status != FRONTIER_OK)
    check_fail(c, status, message);
  bool is_read = cursor && status == FRONTIER_OK && !item;
  key_cursor_close(cursor);
  key_file_close(file);
  return is_read;
}

/* ---- runs ----------------------------------------------------------------------------------------------------- */

typedef struct key_sum {
  uint64_t keys, low, high;
} key_sum;

static void add(key_sum *sum, mlbf_hash128 key)
{
  sum->low += key.low;
  sum->high += key.high + (sum->low < key.low);
  sum->keys++;
}

static bool add_item(void *context, const numbered_key *item)
{
  add(context, item->key);
  return true;
}

typedef struct log_sums {
  const check *c;
  size_t count, at; /* marks; the one that has key `key`, or the next */
  uint64_t key;
  key_sum *sums;
} log_sums;

static bool add_key(void *context, mlbf_hash128 whole)
{
  log_sums *l = context;
  while (l->at < l->count && run_marks_at(l->c->run_marks, l->at).to <= l->key)
    l->at++;
  if (l->at < l->count && run_marks_at(l->c->run_marks, l->at).from <= l->key)
    add(&l->sums[l->at], whole);
  l->key++;
  return true;
}

static bool add_chunk(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  log_sums *l = context;
  l->key = key;
  seen_each_key(body, size, add_key, l);
  return true;
}

/* Of a part of the log that is damaged itself, nothing more can be said. */
static void check_run(check *c, run_mark m, const key_sum *of_log)
{
  key_sum sum = {0};
  if (of_log->keys != m.to - m.from || !read_file(c, KEY_FILE_RUN, m.number, m.to - m.from, add_item, &sum) ||
      (sum.low == of_log->low && sum.high == of_log->high))
    return;
  check_say(c, IN_FILTER, "keys.%" PRIu64 ": it does not have keys %" PRIu64 " to %" PRIu64 " of the hash log",
            m.number, m.from, m.to - 1);
}

static void check_runs(check *c)
{
  log_sums l = {.c = c};
  if (!c->run_marks)
    return;
  if (!run_marks_read(c->run_marks, c->run_marks_size, c->stood.log_keys, &l.count)) {
    check_say(c, IN_DATA, "data.mdb: the record \"run_marks\" contradicts itself");
    return;
  }
  l.sums = calloc(l.count + 1, sizeof *l.sums);
  if (!l.sums) {
    check_fail(c, FRONTIER_NO_MEMORY, "out of memory for the sums of runs");
    return;
  }
  mdb_records_each(c->p, "hashes", add_chunk, &l);
  for (size_t i = 0; i < l.count && c->status == FRONTIER_OK; i++)
    check_run(c, run_marks_at(c->run_marks, i), &l.sums[i]);
  free(l.sums);
}

/* ---- unconfirmed links ------------------------------------------------------------------------------------------ */

typedef struct row_walk {
  check *c;
  late_record now;
  uint64_t next;
  numbered_key *keys; /* of rows that make sense and are not settled, in their order */
  size_t count, room;
} row_walk;

/* An own key has no text to be compared with. */
static bool is_sound(check *c, const uint8_t *bytes, size_t size, doubt_row *row)
{
  key_hashes hashes;
  if (!doubt_row_read(row, bytes, size))
    return false;
  if (row->has_own_key || !c->from_log)
    return true;
  if (url_parse(row->url, row->url_size, c->f->options.profile, c->u) != URL_OK)
    return false;
  seen_hash(seen_filter(c->from_log), c->u, &hashes);
  return key_compare(hashes.whole, row->hashes.whole) == 0;
}

static void take_row(row_walk *w, uint64_t number, const uint8_t *bytes, size_t size)
{
  doubt_row row;
  if (number < w->next) {
    check_say(w->c, IN_DATA, "table unconfirmed: row %" PRIu64 " is there twice", number);
    return;
  }
  if (number != w->next)
    check_say(w->c, IN_DATA, "table unconfirmed: rows %" PRIu64 " to %" PRIu64 " are missing", w->next, number - 1);
  w->next = number + 1;
  if (!is_sound(w->c, bytes, size, &row))
    check_say(w->c, IN_DATA, "table unconfirmed: row %" PRIu64 " makes no sense", number);
  else if (HAS_ROOM(w->keys, w->room, w->count + 1))
    w->keys[w->count++] = (numbered_key){row.hashes.whole, number};
  else
    check_fail(w->c, FRONTIER_NO_MEMORY, "out of memory for the keys of unconfirmed links");
}

static bool take_block(void *context, rows_block *block)
{
  row_walk *w = context;
  size_t size;
  uint64_t number = block->first;
  if (!w->now.settled) /* there is no record: nothing is settled */
    w->now.settled = w->next = number;
  for (const uint8_t *bytes; w->c->status == FRONTIER_OK && (bytes = rows_next(block, &size)); number++)
    if (number >= w->now.settled)
      take_row(w, number, bytes, size);
  return w->c->status == FRONTIER_OK;
}

static void check_rows(row_walk *w)
{
  check *c = w->c;
  if (c->late && !late_record_read(&w->now, c->late, c->late_size))
    check_say(c, IN_DATA, "data.mdb: the record \"late\" contradicts itself");
  w->next = w->now.settled;
  mdb_urls_each_block(c->p, STORE_UNCONFIRMED, ROWS_DOUBT, mdb_urls_id(c->f), take_block, w);
  if (w->now.next && w->next != w->now.next && c->status == FRONTIER_OK)
    check_say(c, IN_DATA, "table unconfirmed: it ends before row %" PRIu64 ", not before row %" PRIu64, w->next,
              w->now.next);
}

typedef struct file_walk {
  const row_walk *rows;
  doubts_mark mark;
  numbered_key last;
  bool is_wrong;
} file_walk;

static int compare_numbers(const void *a, const void *b)
{
  const numbered_key *left = a, *right = b;
  return left->number < right->number ? -1 : left->number > right->number;
}

static bool compare_item(void *context, const numbered_key *item)
{
  file_walk *f = context;
  const row_walk *w = f->rows;
  int order = key_compare(f->last.key, item->key);
  f->is_wrong = item->number < f->mark.first || item->number >= f->mark.end ||
                (f->last.number && (order > 0 || (order == 0 && f->last.number >= item->number)));
  f->last = *item;
  const numbered_key *row = w->count ? bsearch(item, w->keys, w->count, sizeof *w->keys, compare_numbers) : NULL;
  f->is_wrong |= row && key_compare(row->key, item->key) != 0;
  return !f->is_wrong;
}

/* Files of settled rows are of no interest. */
static void check_file(const row_walk *w, doubts_mark m)
{
  file_walk f = {.rows = w, .mark = m};
  if (m.end <= w->now.settled)
    return;
  bool is_read = read_file(w->c, KEY_FILE_DOUBTS, m.first, m.keys, compare_item, &f);
  if (f.is_wrong || (is_read && m.keys != m.end - m.first))
    check_say(w->c, IN_FILTER, "doubts.%" PRIu64 ": it does not have the keys of rows %" PRIu64 " to %" PRIu64, m.first,
              m.first, m.end - 1);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

/* Without exact keys there is neither; what is there all the same has its pages read. */
void check_late(check *c)
{
  row_walk w = {.c = c};
  if (c->f->options.exact)
    check_runs(c);
  if (c->status == FRONTIER_OK)
    check_rows(&w);
  for (size_t i = 0; i < w.now.files && c->status == FRONTIER_OK; i++)
    check_file(&w, late_record_file(c->late, i));
  free(w.keys);
}
