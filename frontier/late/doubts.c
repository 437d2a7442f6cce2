/* See doubts.h.
 *
 *     doubts_add -> rows, young --put, sealed, landed--> on disk: young -> the last part (doubt_parts.h)
 *     pass: all parts --end--> dropped --sealed--> leaving --landed--> their files are unlinked
 *
 * Always: rows before `settled` are of no interest, and lie in no part. Those from there on are in the parts, then in
 * `young`, in order: first such as have landed, then such as are sealed (before sealed_end), then those of `rows`.
 *
 * Called under the handle's mutex. A failure changes nothing that counts.
 *
 * After a crash: rows, `settled` and the acceptance of late URLs are of one commit. A pass that had not ended is done
 * again; what it accepted is counted in the record, so that it is not taken for known ones when the pass ends. */
#include "frontier/late/doubts.h"

#include "frontier/base/vector.h"
#include "frontier/late/doubt_pass.h"
#include "frontier/late/late_records.h"
#include "frontier/store/store_rows.h"

#include <assert.h>
#include <stdio.h>

/* To be deleted with one commit: it writes few pages for it. */
enum { DELETE_VALUES = FRONTIER_LIMIT(1024, 3), DELETE_BYTES = FRONTIER_LIMIT(4 << 20, 4096) };

struct doubts {
  doubt_parts parts;
  bool is_writer;
  rows_writer rows; /* since the last seal */
  numbered_key *young;
  size_t young_count, young_room;
  uint64_t sealed_end, landed_end;
  uint64_t settled;
  uint64_t accepted;        /* of the rows that are not */
  uint64_t late;            /* ever */
  bool is_changed;          /* the record is */
  bool has_old, gets_clean; /* there are rows to be deleted; all that is left of them, by what was put */
  doubt_part *dropped, *leaving;
  doubt_pass *pass; /* NULL: there is none */
  uint64_t pass_end;
  uint8_t *row; /* the last that was read */
  size_t row_size, row_room;
};

static uint64_t next_row(const doubts *d)
{
  return d->rows.first + d->rows.count;
}

static void assert_doubts(const doubts *d)
{
  assert(1 <= d->settled && d->settled <= d->landed_end && d->landed_end <= d->sealed_end);
  assert(d->sealed_end == d->rows.first && d->accepted <= d->landed_end - d->settled);
  assert(!d->pass || (d->settled <= d->pass_end && d->pass_end <= d->landed_end));
  (void)d;
}

doubts *doubts_create(const key_place *place)
{
  doubts *d = calloc(1, sizeof *d);
  char *directory = strdup(place->directory);
  if (!d || !directory) {
    free(d);
    free(directory);
    return NULL;
  }
  d->parts.place = *place;
  d->parts.place.directory = directory;
  d->rows = (rows_writer){.kind = ROWS_DOUBT, .first = 1};
  d->settled = d->landed_end = d->sealed_end = 1;
  return d;
}

static void free_list(doubt_part *part)
{
  while (part) {
    doubt_part *next = part->next;
    doubt_part_free(part);
    part = next;
  }
}

void doubts_free(doubts *d)
{
  if (!d)
    return;
  union {
    const char *in;
    void *out;
  } directory = {.in = d->parts.place.directory}; /* our copy */
  doubt_pass_free(d->pass);
  doubt_parts_free(&d->parts);
  free_list(d->dropped);
  free_list(d->leaving);
  rows_free(&d->rows);
  free(directory.out);
  free(d->young);
  free(d->row);
  free(d);
}

static frontier_status store_says(const doubts *d, frontier_status status, char message[FRONTIER_MESSAGE_SIZE])
{
  if (status != FRONTIER_OK)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(d->parts.store));
  return status;
}

/* ---- the record ----------------------------------------------------------------------------------------------- */

static size_t files(const doubts *d)
{
  size_t count = 0;
  for (const doubt_part *part = d->parts.first; part; part = part->next)
    count += part->file != NULL;
  return count;
}

static void put_record(const doubts *d, store *s)
{
  late_record r = {
    .settled = d->settled, .next = next_row(d), .accepted = d->accepted, .late = d->late, .files = files(d)};
  size_t size = late_record_size(r.files), i = 0;
  uint8_t *body = malloc(size);
  if (!body) {
    store_fail(s);
    return;
  }
  late_record_write(&r, body);
  for (const doubt_part *part = d->parts.first; part; part = part->next)
    if (part->file)
      late_record_put_file(body, i++, (doubts_mark){part->first, part->end, key_file_count(part->file)});
  store_put_meta(s, "late", body, size);
  free(body);
}

/* Rows of which no file is named. So many that a file could be made of them are read when they are needed. */
static frontier_status cover(doubts *d, uint64_t from, uint64_t to, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = FRONTIER_OK;
  for (uint64_t end; from < to && status == FRONTIER_OK; from = end) {
    end = to - from < DOUBTS_KEYS ? to : from + DOUBTS_KEYS;
    status = doubt_parts_add(&d->parts, from, end, 0, message);
    if (status == FRONTIER_OK && end == to)
      status = doubt_part_need(&d->parts, d->parts.last, message);
  }
  return status;
}

/* The parts, up to row `next`. Files of rows that are gone are left out. */
static frontier_status make_parts(doubts *d, const uint8_t *body, size_t count, uint64_t next,
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  uint64_t from = d->settled;
  frontier_status status = FRONTIER_OK;
  for (size_t i = 0; i < count && status == FRONTIER_OK; ++i) {
    doubts_mark file = late_record_file(body, i);
    if (file.first < from || file.end > next)
      continue;
    status = cover(d, from, file.first, message);
    if (status == FRONTIER_OK)
      status = doubt_parts_add(&d->parts, file.first, file.end, file.keys, message);
    from = file.end;
  }
  return status == FRONTIER_OK ? cover(d, from, next, message) : status;
}

static void sweep(const doubts *d)
{
  uint64_t *kept = malloc((files(d) + 1) * sizeof *kept);
  size_t count = 0;
  if (!kept)
    return; /* next time */
  for (const doubt_part *part = d->parts.first; part; part = part->next)
    if (part->file)
      kept[count++] = part->first;
  key_files_sweep(&d->parts.place, KEY_FILE_DOUBTS, kept, count);
  free(kept);
}

/* Which rows there are is for the table to say: a repair may have dropped some, or the record. */
static frontier_status read_numbers(doubts *d, const late_record *r, uint64_t *next,
                                    char message[FRONTIER_MESSAGE_SIZE])
{
  uint64_t first, end;
  frontier_status status = store_row_span(d->parts.store, STORE_UNCONFIRMED, ROWS_DOUBT, &first, &end);
  if (status != FRONTIER_OK)
    return store_says(d, status, message);
  d->has_old = d->is_writer && first && first < r->settled;
  *next = !first ? r->next : end > r->settled ? end : r->settled;
  d->settled = !first ? *next : first > r->settled ? first : r->settled;
  d->accepted = r->accepted < *next - d->settled ? r->accepted : *next - d->settled;
  d->late = r->late;
  d->rows.id = store_id(d->parts.store);
  d->rows.first = d->sealed_end = d->landed_end = *next;
  return FRONTIER_OK;
}

frontier_status doubts_open(doubts *d, store *s, const uint8_t *body, size_t size, bool is_writer,
                            char message[FRONTIER_MESSAGE_SIZE])
{
  uint64_t next;
  late_record r = {.settled = 1, .next = 1};
  d->parts.store = s;
  d->is_writer = is_writer;
  if (body && !late_record_read(&r, body, size)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "the record \"late\" makes no sense");
    return FRONTIER_DAMAGED;
  }
  frontier_status status = store_find_table(s, STORE_UNCONFIRMED, is_writer);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return store_says(d, status, message);
  status = read_numbers(d, &r, &next, message);
  if (status == FRONTIER_OK)
    status = make_parts(d, body, r.files, next, message);
  if (status == FRONTIER_OK && is_writer)
    sweep(d);
  return status;
}

/* ---- the transaction ---------------------------------------------------------------------------------------- */

bool doubts_is_dirty(const doubts *d)
{
  return d->rows.count || d->is_changed || d->parts.is_changed || d->has_old;
}

void doubts_put(doubts *d, store *s)
{
  size_t size;
  assert_doubts(d);
  d->gets_clean = true;
  if (d->has_old && store_delete_rows(s, STORE_UNCONFIRMED, ROWS_DOUBT, d->settled, DELETE_VALUES, DELETE_BYTES,
                                      &d->gets_clean) != FRONTIER_OK)
    d->gets_clean = true; /* what is left goes after the next pass, or the next opening */
  if (d->rows.count) {
    const uint8_t *value = rows_finish(&d->rows, &size);
    store_append_raw(s, STORE_UNCONFIRMED, d->rows.first, value, size);
  }
  if (d->rows.count || d->is_changed || d->parts.is_changed)
    put_record(d, s);
}

/* One list behind the other. */
static void join(doubt_part **to, doubt_part **from)
{
  while (*to)
    to = &(*to)->next;
  *to = *from;
  *from = NULL;
}

void doubts_sealed(doubts *d)
{
  d->has_old = d->has_old && !d->gets_clean;
  d->is_changed = d->parts.is_changed = false;
  rows_clear(&d->rows);
  d->sealed_end = d->rows.first;
  join(&d->leaving, &d->dropped);
}

/* Where there is no memory, or a pass goes on, they stay young. */
static bool take_landed(doubts *d, bool is_wanted)
{
  uint64_t landed = d->young_count ? d->landed_end - d->young[0].number : 0;
  size_t count = landed < d->young_count ? (size_t)landed : d->young_count;
  if (count == 0 || (!is_wanted && !doubt_parts_may_take(&d->parts, count)))
    return true;
  if (!doubt_parts_take(&d->parts, d->young, count))
    return false;
  d->young_count -= count;
  memmove(d->young, d->young + count, d->young_count * sizeof *d->young);
  return true;
}

void doubts_landed(doubts *d)
{
  d->landed_end = d->sealed_end;
  for (const doubt_part *part = d->leaving; part; part = part->next)
    key_file_unlink(&d->parts.place, KEY_FILE_DOUBTS, part->first);
  free_list(d->leaving);
  d->leaving = NULL;
  take_landed(d, false);
  assert_doubts(d);
}

/* ---- adding, and numbers ------------------------------------------------------------------------------------ */

bool doubts_add(doubts *d, const doubt_row *row)
{
  size_t size = doubt_row_size(row);
  if (!rows_make_room(&d->rows, size) || !HAS_ROOM(d->young, d->young_room, d->young_count + 1))
    return false;
  d->young[d->young_count++] = (numbered_key){row->hashes.whole, next_row(d)};
  doubt_row_write(row, rows_add(&d->rows, size, 0));
  return true;
}

size_t doubts_batch_bytes(const doubts *d)
{
  return d->rows.size;
}

uint64_t doubts_waiting(const doubts *d)
{
  return next_row(d) - d->settled - d->accepted;
}

uint64_t doubts_on_disk(const doubts *d)
{
  return d->landed_end - d->settled;
}

uint64_t doubts_late(const doubts *d)
{
  return d->late;
}

/* ---- a pass ------------------------------------------------------------------------------------------------- */

bool doubts_is_passing(const doubts *d)
{
  return d->pass != NULL;
}

frontier_status doubts_begin(doubts *d, char message[FRONTIER_MESSAGE_SIZE])
{
  assert(!d->pass && d->is_writer);
  if (!take_landed(d, true)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for links that are not confirmed yet");
    return FRONTIER_NO_MEMORY;
  }
  frontier_status status = doubt_parts_begin_pass(&d->parts, message);
  if (status == FRONTIER_OK)
    status = doubt_pass_create(&d->parts, &d->pass, message);
  if (status != FRONTIER_OK)
    doubt_parts_end_pass(&d->parts);
  d->pass_end = d->landed_end;
  return status;
}

frontier_status doubts_next(doubts *d, numbered_key *keys, size_t max, size_t *count,
                            char message[FRONTIER_MESSAGE_SIZE])
{
  assert(d->pass);
  return doubt_pass_next(d->pass, keys, max, count, message);
}

void doubts_accepted(doubts *d)
{
  assert(d->pass && d->accepted < d->pass_end - d->settled);
  d->accepted++;
  d->late++;
  d->is_changed = true;
}

uint64_t doubts_end(doubts *d)
{
  assert(d->pass);
  uint64_t known = d->pass_end - d->settled - d->accepted;
  d->is_changed |= d->settled < d->pass_end;
  d->has_old |= d->settled < d->pass_end;
  d->settled = d->pass_end;
  d->accepted = 0;
  doubt_pass_free(d->pass);
  d->pass = NULL;
  doubt_part *settled = doubt_parts_settle_pass(&d->parts);
  join(&d->dropped, &settled);
  take_landed(d, false);
  assert_doubts(d);
  return known;
}

void doubts_abandon(doubts *d)
{
  assert(d->pass);
  doubt_pass_free(d->pass);
  d->pass = NULL;
  doubt_parts_end_pass(&d->parts);
  take_landed(d, false);
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static void copy_row(void *context, const uint8_t *row, size_t size)
{
  doubts *d = context;
  d->row_size = HAS_ROOM(d->row, d->row_room, size) ? size : 0;
  if (d->row_size)
    memcpy(d->row, row, size);
}

frontier_status doubts_row(doubts *d, store *s, uint64_t number, doubt_row *row, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = store_find_row(s, STORE_UNCONFIRMED, ROWS_DOUBT, number, copy_row, d);
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return store_says(d, status, message);
  if (status == FRONTIER_OK && !d->row_size) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for a link that is not confirmed yet");
    return FRONTIER_NO_MEMORY;
  }
  if (status == FRONTIER_OK && doubt_row_read(row, d->row, d->row_size))
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "row %llu of table unconfirmed is %s; strata check says more",
           (unsigned long long)number, status == FRONTIER_OK ? "damaged" : "missing");
  return FRONTIER_DAMAGED;
}

typedef struct each {
  const doubts *d;
  doubts_visitor *visit;
  void *context;
  bool is_damaged;
} each;

static bool visit_block(void *context, uint64_t value, rows_block *block)
{
  each *e = context;
  (void)value;
  for (uint64_t number = block->first; number < block->first + block->count; ++number) {
    doubt_row row;
    size_t size;
    const uint8_t *bytes = rows_next(block, &size);
    e->is_damaged = !bytes || !doubt_row_read(&row, bytes, size);
    if (e->is_damaged || (number >= e->d->settled && !e->visit(e->context, number, &row)))
      return false;
  }
  return true;
}

frontier_status doubts_each(doubts *d, store *s, doubts_visitor *visit, void *context)
{
  each e = {.d = d, .visit = visit, .context = context};
  frontier_status status = store_each_block(s, STORE_UNCONFIRMED, ROWS_DOUBT, d->settled, visit_block, &e);
  return status == FRONTIER_OK && e.is_damaged ? FRONTIER_DAMAGED : status;
}

frontier_status doubts_has(doubts *d, mlbf_hash128 key, bool *has, char message[FRONTIER_MESSAGE_SIZE])
{
  *has = false;
  for (size_t i = 0; i < d->young_count && !*has; ++i)
    *has = key_compare(d->young[i].key, key) == 0;
  return *has ? FRONTIER_OK : doubt_parts_have(&d->parts, key, has, message);
}

/* ---- upkeep ------------------------------------------------------------------------------------------------- */

bool doubts_can_step(const doubts *d)
{
  return d->is_writer && doubt_parts_can_step(&d->parts);
}

frontier_status doubts_step(doubts *d, char message[FRONTIER_MESSAGE_SIZE])
{
  return d->is_writer ? doubt_parts_step(&d->parts, message) : FRONTIER_OK;
}
