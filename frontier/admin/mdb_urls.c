/* See mdb_urls.h. FORMAT.md, tables "places", "waiting", "ended". */
#include "frontier/admin/mdb_urls.h"

#include "frontier/base/record.h"
#include "frontier/store/packs.h"

#include <inttypes.h>
#include <stdlib.h>

enum { QUEUE_ROW_HEAD = 5, HISTORY_ROW_HEAD = 14 };

/* ---- places --------------------------------------------------------------------------------------------- */

typedef struct places_reading {
  pages *p;
  row_places *places;
} places_reading;

static bool read_places(void *context, uint64_t group, const uint8_t *body, size_t size)
{
  const places_reading *r = context;
  if (group >= r->places->groups || size != PLACES_SIZE) {
    mdb_pages_say(r->p, "record %" PRIu64 " of table places makes no sense", group);
    return true;
  }
  r->places->is_known[group] = true;
  for (size_t i = 0; i < PLACES; i++)
    r->places->at[group * PLACES + i] = (uint16_t)get_le(body + 2 * i, 2);
  return true;
}

bool row_places_read(pages *p, uint64_t sequences, row_places *places)
{
  uint64_t groups = sequences / PLACES + 1;
  *places = (row_places){0};
  if (groups > SIZE_MAX / PLACES_SIZE)
    return false;
  places->at = calloc((size_t)groups * PLACES, sizeof *places->at);
  places->is_known = calloc((size_t)groups, sizeof *places->is_known);
  if (!places->at || !places->is_known) {
    row_places_free(places);
    return false;
  }
  places->groups = groups;
  mdb_records_each(p, store_table_name(STORE_PLACES), read_places, &(places_reading){p, places});
  return true;
}

void row_places_free(row_places *places)
{
  free(places->at);
  free(places->is_known);
}

/* The place of a sequence; false: it is not known. */
static bool place_of(const row_places *places, uint64_t sequence, uint16_t *where)
{
  uint64_t group = sequence / PLACES;
  if (group >= places->groups || !places->is_known[group])
    return false;
  *where = places->at[sequence];
  return true;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

bool mdb_urls_of_queue(uint64_t key, const uint8_t *body, size_t size, store_visitor *visit, void *context)
{
  if (key > UINT64_MAX / PACK_ROWS - 1)
    return false;
  for (size_t at = 0, row; at < size; at += QUEUE_ROW_HEAD + row) {
    if (size - at < QUEUE_ROW_HEAD || body[at] >= PACK_ROWS)
      return false;
    row = get_le(body + at + 1, 4);
    if (row > size - at - QUEUE_ROW_HEAD ||
        !visit(context, key * PACK_ROWS + body[at], body + at + QUEUE_ROW_HEAD, row))
      return false;
  }
  return size > 0;
}

/* The row with its number in front, which says whether it counts. */
static bool numbered_rows_of_history(const uint8_t *body, size_t size, store_visitor *visit, void *context)
{
  for (size_t at = 0, row; at < size; at += HISTORY_ROW_HEAD + row) {
    if (size - at < HISTORY_ROW_HEAD)
      return false;
    row = get_le(body + at + 10, 4);
    if (row > size - at - HISTORY_ROW_HEAD || !visit(context, get_le(body + at, 8), body + at + 8, 6 + row))
      return false;
  }
  return size > 0;
}

typedef struct row_walk {
  pages *p;
  const row_places *places;
  const char *table;
  unsigned queue; /* from 1, as in a place; 0: the history */
  bool is_over;
  store_visitor *visit;
  void *context;
} row_walk;

static bool hand_over(row_walk *w, uint64_t sequence, const uint8_t *body, size_t size)
{
  w->is_over = !w->visit(w->context, sequence, body, size);
  return !w->is_over;
}

static bool visit_numbered(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  row_walk *w = context;
  uint16_t where;
  bool counts = !w->places || !place_of(w->places, sequence, &where) ||
                (where & PLACE_ENDED && (where & PLACE_ROW) == get_le(body, 2));
  return !counts || hand_over(w, sequence, body + 6, size - 6);
}

bool mdb_urls_of_history(const uint8_t *body, size_t size, store_visitor *visit, void *context)
{
  row_walk w = {.visit = visit, .context = context};
  return numbered_rows_of_history(body, size, visit_numbered, &w);
}

static bool visit_waiting(void *context, uint64_t sequence, const uint8_t *body, size_t size)
{
  row_walk *w = context;
  uint16_t where;
  bool counts = !place_of(w->places, sequence, &where) || where >> PLACE_QUEUE_SHIFT == w->queue;
  return !counts || hand_over(w, sequence, body, size);
}

static bool visit_pack(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  row_walk *w = context;
  bool is_pack = w->queue ? mdb_urls_of_queue(key, body, size, visit_waiting, w)
                          : numbered_rows_of_history(body, size, visit_numbered, w);
  if (!is_pack && !w->is_over)
    mdb_pages_say(w->p, "pack %" PRIu64 " of table %s makes no sense", key, w->table);
  return !w->is_over;
}

void mdb_urls_each(pages *p, const row_places *places, store_table table, store_visitor *visit, void *context)
{
  row_walk w = {.p = p,
                .places = places,
                .table = store_table_name(table),
                .visit = visit,
                .context = context,
                .queue = table == STORE_HISTORY ? 0 : (unsigned)(table - STORE_QUEUE) + 1};
  mdb_records_each(p, w.table, visit_pack, &w);
}
