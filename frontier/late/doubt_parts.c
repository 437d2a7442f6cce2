/* See doubt_parts.h.
 *
 *     nowhere --read from the table--> in memory --sorted--> --written, in steps--> a file
 *        ^                                                                            |
 *        '------------------------------ damaged or gone -----------------------------'
 *
 * Always: parts do not overlap, and lie in order of their rows, all of which are on disk. What is in a pass does not
 * grow, and becomes no file. A failure leaves a part as it was, to be tried again.
 *
 * After a crash: a file that no record names yet is unlinked at the next opening, and its rows are read again. */
#include "frontier/late/doubt_parts.h"

#include "frontier/late/doubt_row.h"
#include "frontier/store/store_rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_A_STEP = FRONTIER_LIMIT(16384, 7), KEYS_A_PIECE = 512 };

static frontier_status no_memory(char message[FRONTIER_MESSAGE_SIZE])
{
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for links that are not confirmed yet");
  return FRONTIER_NO_MEMORY;
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static void drop_keys(doubt_part *part)
{
  free(part->keys);
  part->keys = NULL;
  part->is_loaded = part->is_sorted = false;
  part->count = part->room = 0;
}

void doubt_part_free(doubt_part *part)
{
  if (!part)
    return;
  key_file_close(part->file);
  free(part->keys);
  free(part);
}

static void stop_making(doubt_parts *p)
{
  key_writer_end(p->writer);
  p->writer = NULL;
  p->made = NULL;
  p->written = 0;
}

void doubt_parts_free(doubt_parts *p)
{
  stop_making(p);
  while (p->first) {
    doubt_part *part = p->first;
    p->first = part->next;
    doubt_part_free(part);
  }
  p->last = NULL;
}

static bool is_in_pass(const doubt_parts *p, const doubt_part *part)
{
  return part->end <= p->in_pass;
}

/* After each change: there may be hundreds of parts, and each page of links asks. */
static void find_to_make(doubt_parts *p)
{
  doubt_part *part = p->first;
  while (part && (part->file || is_in_pass(p, part) ||
                  (part->is_loaded && (part->count == 0 || (part->count < DOUBTS_KEYS && !part->next)))))
    part = part->next;
  p->to_make = part;
}

/* ---- parts that come ---------------------------------------------------------------------------------------- */

static doubt_part *append(doubt_parts *p, uint64_t first, uint64_t end)
{
  doubt_part *part = calloc(1, sizeof *part);
  if (!part)
    return NULL;
  assert(first < end && (!p->last || p->last->end <= first));
  part->first = first;
  part->end = end;
  if (p->last)
    p->last->next = part;
  else
    p->first = part;
  p->last = part;
  return part;
}

frontier_status doubt_parts_add(doubt_parts *p, uint64_t first, uint64_t end, uint64_t file_keys,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  doubt_part *part = append(p, first, end);
  if (!part)
    return no_memory(message);
  frontier_status status = FRONTIER_OK;
  if (file_keys)
    status = key_file_open(&p->place, KEY_FILE_DOUBTS, first, &part->file, message);
  if (part->file && key_file_count(part->file) != file_keys)
    doubt_part_spoil(part);
  find_to_make(p);
  return status == FRONTIER_NOT_FOUND || status == FRONTIER_DAMAGED ? FRONTIER_OK : status;
}

static bool may_grow(const doubt_parts *p)
{
  const doubt_part *last = p->last;
  return last && last->is_loaded && !last->file && last->count < DOUBTS_KEYS && last != p->made && !is_in_pass(p, last);
}

bool doubt_parts_may_take(const doubt_parts *p, size_t count)
{
  return count && (count >= DOUBTS_KEYS || p->in_pass == 0 || may_grow(p));
}

bool doubt_parts_take(doubt_parts *p, const numbered_key *keys, size_t count)
{
  uint64_t first = keys[0].number, end = keys[count - 1].number + 1;
  numbered_key *fresh = NULL;
  doubt_part *part = p->last;
  size_t room = larger(DOUBTS_KEYS, may_grow(p) ? part->count + count : count);
  if (!may_grow(p)) {
    fresh = malloc(room * sizeof *fresh);
    part = fresh ? append(p, first, end) : NULL;
    if (!part) {
      free(fresh);
      return false;
    }
    part->keys = fresh;
    part->room = room;
    part->is_loaded = true;
  } else if (part->room < room) {
    fresh = realloc(part->keys, room * sizeof *fresh);
    if (!fresh)
      return false;
    part->keys = fresh;
    part->room = room;
  }
  assert(part->count == 0 || part->end == first);
  memcpy(part->keys + part->count, keys, count * sizeof *keys);
  part->count += count;
  part->end = end;
  part->is_sorted = false;
  find_to_make(p);
  return true;
}

/* ---- keys that are read again ------------------------------------------------------------------------------- */

typedef struct reading {
  doubt_part *part;
  bool is_damaged;
} reading;

static bool read_block(void *context, uint64_t value, rows_block *block)
{
  reading *r = context;
  doubt_part *part = r->part;
  (void)value;
  for (uint64_t number = block->first; number < block->first + block->count && number < part->end; ++number) {
    mlbf_hash128 key;
    size_t size;
    const uint8_t *row = rows_next(block, &size);
    if (!row || !doubt_row_key(&key, row, size))
      r->is_damaged = true;
    if (r->is_damaged)
      return false;
    if (number >= part->first)
      part->keys[part->count++] = (numbered_key){key, number};
  }
  return block->first + block->count < part->end;
}

static frontier_status load(doubt_parts *p, doubt_part *part, char message[FRONTIER_MESSAGE_SIZE])
{
  reading r = {.part = part};
  size_t rows = (size_t)(part->end - part->first);
  drop_keys(part);
  part->keys = malloc(rows * sizeof *part->keys);
  if (!part->keys)
    return no_memory(message);
  part->room = rows;
  frontier_status status = store_each_block(p->store, STORE_UNCONFIRMED, ROWS_DOUBT, part->first, read_block, &r);
  part->is_loaded = status == FRONTIER_OK && !r.is_damaged;
  if (part->is_loaded)
    return FRONTIER_OK;
  drop_keys(part);
  if (status != FRONTIER_OK)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(p->store));
  else
    snprintf(message, FRONTIER_MESSAGE_SIZE, "a row of table unconfirmed makes no sense; strata check says more");
  return status == FRONTIER_OK ? FRONTIER_DAMAGED : status;
}

static void sort(doubt_part *part)
{
  if (!part->is_sorted)
    numbered_keys_sort(part->keys, part->count);
  part->is_sorted = true;
}

frontier_status doubt_part_need(doubt_parts *p, doubt_part *part, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = part->is_loaded || part->file ? FRONTIER_OK : load(p, part, message);
  if (status == FRONTIER_OK && part->is_loaded)
    sort(part);
  find_to_make(p);
  return status;
}

void doubt_part_spoil(doubt_part *part)
{
  key_file_close(part->file);
  part->file = NULL;
}

/* ---- a pass --------------------------------------------------------------------------------------------------- */

frontier_status doubt_parts_begin_pass(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = FRONTIER_OK;
  stop_making(p);
  for (doubt_part *part = p->first; part && status == FRONTIER_OK; part = part->next)
    status = doubt_part_need(p, part, message);
  if (status == FRONTIER_OK && p->last)
    p->in_pass = p->last->end;
  find_to_make(p);
  return status;
}

void doubt_parts_end_pass(doubt_parts *p)
{
  p->in_pass = 0;
  for (doubt_part *part = p->first; part; part = part->next)
    if (part->file && part->is_loaded)
      doubt_part_spoil(part); /* it was damaged, but the pass had it open */
  find_to_make(p);
}

doubt_part *doubt_parts_settle_pass(doubt_parts *p)
{
  doubt_part *settled = NULL, **end = &settled;
  while (p->first && is_in_pass(p, p->first)) {
    *end = p->first;
    end = &p->first->next;
    p->first = *end;
  }
  *end = NULL;
  if (!p->first)
    p->last = NULL;
  doubt_parts_end_pass(p);
  return settled;
}

/* ---- look-ups ------------------------------------------------------------------------------------------------- */

static bool is_among(const doubt_part *part, mlbf_hash128 key)
{
  size_t from = 0, to = part->count;
  if (!part->is_sorted) {
    while (from < to && key_compare(part->keys[from].key, key) != 0)
      ++from;
    return from < to;
  }
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (key_compare(part->keys[middle].key, key) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from < part->count && key_compare(part->keys[from].key, key) == 0;
}

static frontier_status seek(const doubt_part *part, mlbf_hash128 key, bool *has, char message[FRONTIER_MESSAGE_SIZE])
{
  const numbered_key *item = NULL;
  key_cursor *cursor = key_cursor_open(part->file, 1);
  if (!cursor)
    return no_memory(message);
  frontier_status status = key_cursor_seek(cursor, key, message);
  if (status == FRONTIER_OK)
    status = key_cursor_get(cursor, &item, message);
  *has = status == FRONTIER_OK && item && key_compare(item->key, key) == 0;
  key_cursor_close(cursor);
  return status;
}

static frontier_status has_part(doubt_parts *p, doubt_part *part, mlbf_hash128 key, bool *has,
                                char message[FRONTIER_MESSAGE_SIZE])
{
  if (part->file && !part->is_loaded) {
    frontier_status status = seek(part, key, has, message);
    if (status != FRONTIER_DAMAGED)
      return status;
    if (!is_in_pass(p, part))
      doubt_part_spoil(part);
  }
  frontier_status status = part->is_loaded ? FRONTIER_OK : load(p, part, message);
  *has = status == FRONTIER_OK && is_among(part, key);
  find_to_make(p);
  return status;
}

frontier_status doubt_parts_have(doubt_parts *p, mlbf_hash128 key, bool *has, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_status status = FRONTIER_OK;
  *has = false;
  for (doubt_part *part = p->first; part && !*has && status == FRONTIER_OK; part = part->next)
    status = has_part(p, part, key, has, message);
  return status;
}

/* ---- files ---------------------------------------------------------------------------------------------------- */

bool doubt_parts_can_step(const doubt_parts *p)
{
  return p->to_make != NULL;
}

static frontier_status write_some(doubt_parts *p, size_t count, char message[FRONTIER_MESSAGE_SIZE])
{
  mlbf_hash128 keys[KEYS_A_PIECE];
  uint64_t numbers[KEYS_A_PIECE];
  for (size_t piece; count; count -= piece) {
    piece = count < KEYS_A_PIECE ? count : KEYS_A_PIECE;
    for (size_t i = 0; i < piece; ++i) {
      keys[i] = p->made->keys[p->written + i].key;
      numbers[i] = p->made->keys[p->written + i].number;
    }
    frontier_status status = key_writer_add(p->writer, keys, numbers, piece, message);
    if (status != FRONTIER_OK)
      return status;
    p->written += piece;
  }
  return FRONTIER_OK;
}

static frontier_status finish(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE])
{
  doubt_part *part = p->made;
  frontier_status status = key_writer_finish(p->writer, message);
  if (status != FRONTIER_OK)
    return status;
  p->writer = NULL;
  stop_making(p);
  status = key_file_open(&p->place, KEY_FILE_DOUBTS, part->first, &part->file, message);
  if (status != FRONTIER_OK)
    return status;
  drop_keys(part);
  p->is_changed = true;
  return FRONTIER_OK;
}

static frontier_status make_some(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE])
{
  const doubt_part *part = p->made;
  frontier_status status = FRONTIER_OK;
  if (!p->writer)
    status = key_writer_begin(&p->place, KEY_FILE_DOUBTS, part->first, part->count, &p->writer, message);
  if (status != FRONTIER_OK)
    return status;
  size_t left = part->count - p->written;
  return left ? write_some(p, left < KEYS_A_STEP ? left : KEYS_A_STEP, message) : finish(p, message);
}

frontier_status doubt_parts_step(doubt_parts *p, char message[FRONTIER_MESSAGE_SIZE])
{
  doubt_part *part = p->made ? p->made : p->to_make;
  frontier_status status = FRONTIER_OK;
  if (!part)
    return status;
  if (!part->is_loaded) {
    status = load(p, part, message);
    find_to_make(p);
    return status;
  }
  if (!part->is_sorted) {
    sort(part);
    return FRONTIER_OK;
  }
  p->made = part;
  status = make_some(p, message);
  if (status != FRONTIER_OK)
    stop_making(p);
  find_to_make(p);
  return status;
}
