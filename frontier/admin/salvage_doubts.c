/* Unconfirmed links out of a damaged data.mdb, where keys are exact: see repair.h.
 *
 *     blocks of `unconfirmed`, wherever they lie -> rows that are whole, and not settled -> rows 1, 2, ... of the new
 *
 * No file is named in the new record `late`, and `run_marks` is left out: files are made again from the rows and from
 * the hash log. So a row may be settled a second time, which finds that its key is known. Blocks that
 * nothing leads to may be old: they count only where the tree could not be read, and those settled are left out. */
#include "frontier/admin/repair.h"

#include "frontier/admin/mdb_urls.h"
#include "frontier/late/doubts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VALUE_BYTES = 4 << 20 };

typedef struct doubt_salvage {
  salvage *s;
  rows_writer rows;
  uint64_t next; /* rows before this one were kept, or are settled; 0: not known */
  uint64_t kept, lost;
} doubt_salvage;

static bool flush(doubt_salvage *d)
{
  size_t size;
  if (!d->rows.count)
    return true;
  const uint8_t *value = rows_finish(&d->rows, &size);
  store_append_raw(d->s->to, STORE_UNCONFIRMED, d->rows.first, value, size);
  rows_clear(&d->rows);
  return salvage_commit(d->s);
}

static bool is_sound(const doubt_salvage *d, const uint8_t *bytes, size_t size)
{
  doubt_row row;
  return doubt_row_read(&row, bytes, size) &&
         (row.has_own_key || url_parse(row.url, row.url_size, d->s->f->options.profile, d->s->u) == URL_OK);
}

static bool keep(doubt_salvage *d, const uint8_t *bytes, size_t size)
{
  if (!is_sound(d, bytes, size)) {
    d->lost++;
    return true;
  }
  if (d->rows.size >= VALUE_BYTES && !flush(d))
    return false;
  if (!rows_make_room(&d->rows, size))
    return salvage_fail(d->s, FRONTIER_NO_MEMORY, "out of memory for an unconfirmed link");
  memcpy(rows_add(&d->rows, size, 0), bytes, size);
  d->kept++;
  return true;
}

/* Rows that are not kept yet. */
static bool keep_block(doubt_salvage *d, rows_block *b)
{
  size_t size;
  uint64_t number = b->first;
  for (const uint8_t *bytes; (bytes = rows_next(b, &size)); number++) {
    if (number < d->next)
      continue;
    d->lost += d->next ? number - d->next : 0;
    d->next = number + 1;
    if (!keep(d, bytes, size))
      return false;
  }
  return true;
}

/* Of one number, that of the table is first. */
static int compare_found(const void *a, const void *b)
{
  const found_block *left = a, *right = b;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->is_stray - right->is_stray;
}

static bool keep_all(doubt_salvage *d)
{
  const salvage *s = d->s;
  uint64_t id = mdb_urls_id(s->f);
  found_blocks all;
  rows_block b;
  block_reader reader = {.p = s->p, .kind = ROWS_DOUBT, .id = id};
  if (!found_blocks_make(s->p, STORE_UNCONFIRMED, ROWS_DOUBT, id, &all))
    return salvage_fail(d->s, FRONTIER_NO_MEMORY, "out of memory for unconfirmed links");
  if (all.count)
    qsort(all.at, all.count, sizeof *all.at, compare_found);
  for (size_t i = 0; i < all.count && s->status == FRONTIER_OK; i++) {
    const found_block *at = &all.at[i];
    if ((!at->is_stray || !s->doubts_are_whole) && block_reader_read(&reader, at, &b))
      keep_block(d, &b);
  }
  if (reader.has_failed)
    salvage_fail(d->s, FRONTIER_NO_MEMORY, "out of memory for unconfirmed links");
  block_reader_free(&reader);
  found_blocks_free(&all);
  return s->status == FRONTIER_OK && flush(d);
}

/* How often it happened stays known. */
static void write_record(const doubt_salvage *d)
{
  const late_record *then = &d->s->late;
  uint8_t body[LATE_RECORD_SIZE];
  late_record_write(&(late_record){.settled = 1,
                                   .next = d->kept + 1,
                                   .accepted = then->accepted < d->kept ? then->accepted : d->kept,
                                   .late = then->late},
                    body);
  store_put_meta(d->s->to, "late", body, sizeof body);
}

bool salvage_doubts(salvage *s)
{
  if (!s->f->options.exact)
    return true;
  doubt_salvage d = {
    .s = s, .rows = {.kind = ROWS_DOUBT, .id = mdb_urls_id(s->f), .first = 1}, .next = s->late.settled};
  bool is_done = keep_all(&d);
  rows_free(&d.rows);
  if (is_done)
    write_record(&d);
  if (is_done && d.next < s->late.next)
    d.lost += s->late.next - d.next;
  if (is_done && d.lost)
    salvage_say(s, "gone: %" PRIu64 " unconfirmed links of %" PRIu64 "; pages that have them are not fetched again",
                d.lost, d.lost + d.kept);
  return is_done;
}
