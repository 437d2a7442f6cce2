/* See mdb_urls.h. FORMAT.md, "rows" and table "states". */
#include "frontier/admin/mdb_urls.h"

#include "frontier/base/limits.h"
#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "frontier/core/state.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t mdb_urls_id(const frontier *f)
{
  return get_le(f->identity.directory_id, 8);
}

/* ---- values ------------------------------------------------------------------------------------------------- */

typedef struct value_walk {
  pages *p;
  const char *table;
  rows_kind kind;
  uint64_t id;
  bool is_quiet, is_over;
  mdb_block_visitor *visit;
  void *context;
} value_walk;

static void say_block(const value_walk *w, const rows_value *v, size_t block)
{
  uint64_t first = v->first + block * ROWS_IN_BLOCK, end = v->first + v->count;
  uint64_t last = end - first < ROWS_IN_BLOCK ? end - 1 : first + ROWS_IN_BLOCK - 1;
  if (!w->is_quiet)
    mdb_pages_say(w->p, "rows %" PRIu64 " to %" PRIu64 " of table %s are damaged", first, last, w->table);
}

static void visit_blocks(value_walk *w, const rows_value *v)
{
  rows_block b;
  for (size_t i = 0; i < v->blocks && !w->is_over; i++)
    if (rows_block_open(v, i, &b))
      w->is_over = !w->visit(w->context, &b);
    else
      say_block(w, v, i);
}

/* Nothing is known of the value but what its blocks say. */
static void search_blocks(value_walk *w, const uint8_t *value, size_t size)
{
  rows_block b;
  size_t of_block;
  for (size_t at = 0; at + ROWS_BLOCK_HEAD <= size && !w->is_over; at++)
    if (rows_block_find(w->kind, w->id, value + at, size - at, &b, &of_block)) {
      w->is_over = !w->visit(w->context, &b);
      at += of_block - 1;
    }
}

static void read_value(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  value_walk *w = context;
  rows_value v;
  uint64_t number = key_size == 8 ? get_le(key, 8) : 0;
  if (w->is_over)
    return;
  if (key_size == 8 && rows_open(&v, w->kind, w->id, number, value, size)) {
    visit_blocks(w, &v);
    return;
  }
  if (!w->is_quiet)
    mdb_pages_say(w->p, "the beginning or the end of value %" PRIu64 " of table %s is damaged", number, w->table);
  search_blocks(w, value, size);
}

void mdb_urls_each_block(pages *p, store_table table, rows_kind kind, uint64_t id, mdb_block_visitor *visit,
                         void *context)
{
  const char *name = store_table_name(table);
  value_walk w = {.p = p,
                  .table = name,
                  .kind = kind,
                  .id = id,
                  .is_quiet = mdb_pages_were_walked(p, name),
                  .visit = visit,
                  .context = context};
  mdb_pages_each(p, name, read_value, &w);
}

/* ---- states ------------------------------------------------------------------------------------------------- */

typedef struct states_walk {
  pages *p;
  uint64_t id;
  bool is_quiet;
  mdb_states_visitor *visit;
  mdb_lost_visitor *lost;
  void *context;
} states_walk;

void mdb_urls_of_states(uint64_t group, const uint8_t *value, size_t size, uint64_t id, mdb_states_visitor *visit,
                        mdb_lost_visitor *lost, void *context)
{
  url_state states[STATES_BLOCK];
  if (group >= (UINT64_C(1) << URL_SEQUENCE_BITS) / STATES_GROUP)
    return;
  for (unsigned i = 0; i < STATES_BLOCKS; i++) {
    uint64_t first = group * STATES_GROUP + i * STATES_BLOCK;
    if (size == STATES_SIZE && states_block_is_whole(value, id, group, i)) {
      for (unsigned k = 0; k < STATES_BLOCK; k++)
        states[k] = states_get(value, i * STATES_BLOCK + k);
      visit(context, first, states);
    } else if (lost) {
      lost(context, first);
    }
  }
}

static void say_lost(void *context, uint64_t first)
{
  const states_walk *w = context;
  if (!w->is_quiet)
    mdb_pages_say(w->p, "how URLs %" PRIu64 " to %" PRIu64 " ended is damaged in table states", first,
                  first + STATES_BLOCK - 1);
  if (w->lost)
    w->lost(w->context, first);
}

static void pass_states(void *context, uint64_t first, const url_state states[STATES_BLOCK])
{
  const states_walk *w = context;
  w->visit(w->context, first, states);
}

static void read_group(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  states_walk *w = context;
  uint64_t group = key_size == 8 ? get_le(key, 8) : UINT64_MAX;
  if (group >= (UINT64_C(1) << URL_SEQUENCE_BITS) / STATES_GROUP && !w->is_quiet)
    mdb_pages_say(w->p, "record %" PRIu64 " of table states makes no sense", group);
  mdb_urls_of_states(group, value, size, w->id, pass_states, say_lost, w);
}

void mdb_urls_each_states(pages *p, uint64_t id, mdb_states_visitor *visit, mdb_lost_visitor *lost, void *context)
{
  const char *name = store_table_name(STORE_STATES);
  states_walk w = {
    .p = p, .id = id, .is_quiet = mdb_pages_were_walked(p, name), .visit = visit, .lost = lost, .context = context};
  mdb_pages_each(p, name, read_group, &w);
}

/* ---- all that lie in the file ------------------------------------------------------------------------------- */

enum { PIECE = FRONTIER_LIMIT(1 << 20, 1 << 12), PAGE = 4096 };
enum { BLOCK_MAX = 1 << 23 }; /* the largest of 64 rows are some 5 MB */

typedef struct search {
  const pages *p;
  rows_kind kind;
  uint64_t id;
  bool is_stray, has_failed;
  found_blocks *all;
  uint8_t *piece;      /* PIECE bytes */
  block_reader larger; /* for blocks that go on behind it */
} search;

static void note_block(search *s, uint64_t offset, const rows_block *b, size_t size)
{
  found_blocks *all = s->all;
  if (!HAS_ROOM(all->at, all->room, all->count + 1)) {
    s->has_failed = true;
    return;
  }
  all->at[all->count++] = (found_block){
    .first = b->first, .offset = offset, .size = (uint32_t)size, .count = (uint8_t)b->count, .is_stray = s->is_stray};
}

/* The block that begins at `at` of the piece, which ends at `room`, the run ending `left` bytes behind `at`. How many
 * bytes it has; 0: there is none. */
static size_t try_block(search *s, uint64_t offset, size_t at, size_t room, uint64_t left)
{
  rows_block b;
  if (room - at < ROWS_BLOCK_HEAD)
    return 0;
  size_t size = rows_block_size(s->piece + at);
  bool is_whole = rows_block_find(s->kind, s->id, s->piece + at, room - at, &b, &size);
  if (!is_whole && size > room - at && size <= left && size <= BLOCK_MAX)
    is_whole = block_reader_read(&s->larger, &(found_block){.offset = offset + at, .size = (uint32_t)size}, &b);
  if (!is_whole)
    return 0;
  note_block(s, offset + at, &b, size);
  return size;
}

/* How far the piece at `offset` was searched. */
static uint64_t search_piece(search *s, uint64_t offset, size_t size, uint64_t end)
{
  const uint8_t magic[] = {'S', 'B', (uint8_t)s->kind, 1};
  for (size_t at = 0; !s->has_failed && at + sizeof magic <= size;) {
    const uint8_t *hit = memmem(s->piece + at, size - at, magic, sizeof magic);
    if (!hit)
      break;
    at = (size_t)(hit - s->piece);
    if (size - at < ROWS_BLOCK_HEAD && offset + size < end)
      return offset + at;
    size_t of_block = try_block(s, offset, at, size, end - offset - at);
    at += of_block ? of_block : 1;
    if (at >= size)
      return offset + at;
  }
  return offset + size == end ? end : offset + size - sizeof magic + 1;
}

static void search_run(void *context, uint64_t offset, uint64_t size)
{
  search *s = context;
  for (uint64_t end = offset + size; offset + ROWS_BLOCK_HEAD <= end && !s->has_failed;) {
    size_t piece = end - offset < PIECE ? (size_t)(end - offset) : PIECE;
    if (!mdb_pages_read(s->p, offset, s->piece, piece)) { /* the file ends before, or the disk is damaged there */
      piece = piece < PAGE ? piece : PAGE;
      if (!mdb_pages_read(s->p, offset, s->piece, piece)) {
        offset += piece;
        continue;
      }
    }
    offset = search_piece(s, offset, piece, end);
  }
}

static int compare_blocks(const void *a, const void *b)
{
  const found_block *left = a, *right = b;
  if (left->is_stray != right->is_stray)
    return left->is_stray ? 1 : -1;
  return left->first < right->first ? -1 : left->first > right->first;
}

bool found_blocks_make(const pages *p, store_table table, rows_kind kind, uint64_t id, found_blocks *all)
{
  search s = {.p = p, .kind = kind, .id = id, .all = all, .piece = malloc(PIECE)};
  s.larger = (block_reader){.p = p, .kind = kind, .id = id};
  *all = (found_blocks){0};
  s.has_failed = !s.piece;
  if (!s.has_failed)
    mdb_pages_each_run(p, store_table_name(table), search_run, &s);
  s.is_stray = true;
  if (!s.has_failed)
    mdb_pages_each_run(p, NULL, search_run, &s);
  s.has_failed |= s.larger.has_failed;
  block_reader_free(&s.larger);
  free(s.piece);
  if (all->count)
    qsort(all->at, all->count, sizeof *all->at, compare_blocks);
  if (s.has_failed)
    found_blocks_free(all);
  return !s.has_failed;
}

void found_blocks_free(found_blocks *all)
{
  free(all->at);
  *all = (found_blocks){0};
}

bool block_reader_read(block_reader *r, const found_block *b, rows_block *out)
{
  size_t size;
  r->has_failed |= !HAS_ROOM(r->bytes, r->room, b->size);
  return !r->has_failed && mdb_pages_read(r->p, b->offset, r->bytes, b->size) &&
         rows_block_find(r->kind, r->id, r->bytes, b->size, out, &size);
}

void block_reader_free(block_reader *r)
{
  free(r->bytes);
  *r = (block_reader){0};
}
