/* See trap_marks.h. */
#include "frontier/traps/trap_marks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  TABLE_FIRST = 64,    /* a power of two; at most half full */
  RECORD_HEAD = 2 + 2, /* sizes of name and note */
  NAMES_MOST = 64,     /* directories of one URL that are looked up: none that is marked is deeper */
};

typedef struct kept_mark {
  uint16_t name_size, note_size;
  char bytes[]; /* name, note */
} kept_mark;

struct trap_marks {
  const mlbf_hasher *hasher;
  kept_mark **all; /* in order */
  size_t count, room;
  uint32_t *table; /* index + 1, 0: free */
  size_t table_size;
};

trap_marks *trap_marks_create(const mlbf_hasher *hasher)
{
  trap_marks *m = calloc(1, sizeof *m);
  if (m)
    m->hasher = hasher;
  return m;
}

void trap_marks_free(trap_marks *m)
{
  if (!m)
    return;
  for (size_t i = 0; i < m->count; i++)
    free(m->all[i]);
  free(m->all);
  free(m->table);
  free(m);
}

size_t trap_marks_count(const trap_marks *m)
{
  return m->count;
}

static frontier_mark say(const kept_mark *it)
{
  return (frontier_mark){
    .name = it->bytes, .name_size = it->name_size, .note = it->bytes + it->name_size, .note_size = it->note_size};
}

bool trap_marks_at(const trap_marks *m, size_t index, frontier_mark *mark)
{
  if (index >= m->count)
    return false;
  *mark = say(m->all[index]);
  return true;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* Where this name stands, or would stand. */
static uint32_t *place_of(const trap_marks *m, const char *name, size_t size)
{
  assert(2 * m->count <= m->table_size);
  size_t at = mlbf_hasher_hash(m->hasher, 0, (mlbf_span){name, size}).low;
  for (;; at++) {
    uint32_t *place = &m->table[at & (m->table_size - 1)];
    const kept_mark *it = *place ? m->all[*place - 1] : NULL;
    if (!it || (it->name_size == size && memcmp(it->bytes, name, size) == 0))
      return place;
  }
}

static bool grow(trap_marks *m)
{
  size_t size = m->table_size ? 2 * m->table_size : TABLE_FIRST;
  uint32_t *table = calloc(size, sizeof *table);
  kept_mark **all = table ? realloc(m->all, size / 2 * sizeof *all) : NULL;
  if (!all) {
    free(table);
    return false;
  }
  free(m->table);
  m->all = all;
  m->room = size / 2;
  m->table = table;
  m->table_size = size;
  for (size_t i = 0; i < m->count; i++)
    *place_of(m, m->all[i]->bytes, m->all[i]->name_size) = (uint32_t)i + 1;
  return true;
}

bool trap_marks_add(trap_marks *m, const frontier_mark *mark)
{
  assert(trap_marks_is_name(mark->name, mark->name_size) && mark->note_size <= FRONTIER_MARK_NOTE_MAX);
  if (m->count == m->room && !grow(m))
    return false;
  kept_mark *it = malloc(sizeof *it + mark->name_size + mark->note_size);
  if (!it)
    return false;
  it->name_size = (uint16_t)mark->name_size;
  it->note_size = (uint16_t)mark->note_size;
  memcpy(it->bytes, mark->name, mark->name_size);
  if (mark->note_size)
    memcpy(it->bytes + mark->name_size, mark->note, mark->note_size);
  uint32_t *place = place_of(m, it->bytes, it->name_size);
  assert(!*place);
  m->all[m->count++] = it;
  *place = (uint32_t)m->count;
  return true;
}

bool trap_marks_is_name(const char *name, size_t size)
{
  const char *slash = size && size <= FRONTIER_MARK_NAME_MAX ? memchr(name, '/', size) : NULL;
  return slash && slash > name && (name[size - 1] == '/' || name[size - 1] == '?');
}

bool trap_marks_find(const trap_marks *m, const char *where, size_t size, frontier_mark *mark)
{
  const kept_mark *longest = NULL;
  size_t most = size < FRONTIER_MARK_NAME_MAX ? size : FRONTIER_MARK_NAME_MAX;
  unsigned names = 0;
  bool is_query = false;
  for (size_t i = 0; m->count && i < most && !is_query && names < NAMES_MOST; i++) {
    is_query = where[i] == '?';
    if (where[i] != '/' && !is_query)
      continue;
    names++;
    uint32_t at = *place_of(m, where, i + 1);
    longest = at ? m->all[at - 1] : longest;
  }
  if (longest)
    *mark = say(longest);
  return longest;
}

/* ---- as bytes ------------------------------------------------------------------------------------------- */

static uint8_t *put_number(uint8_t *at, size_t number)
{
  *at++ = (uint8_t)number;
  *at++ = (uint8_t)(number >> 8);
  return at;
}

uint8_t *trap_marks_pack(const trap_marks *m, size_t from, size_t *size)
{
  size_t end = from + TRAP_MARKS_PACKED < m->count ? from + TRAP_MARKS_PACKED : m->count;
  *size = 0;
  for (size_t i = from; i < end; i++)
    *size += RECORD_HEAD + m->all[i]->name_size + (size_t)m->all[i]->note_size;
  uint8_t *bytes = malloc(*size + 1), *at = bytes;
  for (size_t i = from; at && i < end; i++) {
    const kept_mark *it = m->all[i];
    at = put_number(at, it->name_size);
    at = put_number(at, it->note_size);
    memcpy(at, it->bytes, (size_t)it->name_size + it->note_size);
    at += (size_t)it->name_size + it->note_size;
  }
  assert(!bytes || at == bytes + *size);
  return bytes;
}

static size_t get_number(const uint8_t *at)
{
  return at[0] | (size_t)at[1] << 8;
}

frontier_status trap_marks_unpack(trap_marks *m, const uint8_t *bytes, size_t size)
{
  while (size) {
    if (size < RECORD_HEAD)
      return FRONTIER_DAMAGED;
    frontier_mark it = {
      .name = (const char *)bytes + RECORD_HEAD, .name_size = get_number(bytes), .note_size = get_number(bytes + 2)};
    size_t used = RECORD_HEAD + it.name_size + it.note_size;
    if (used > size || !trap_marks_is_name(it.name, it.name_size) || it.note_size > FRONTIER_MARK_NOTE_MAX)
      return FRONTIER_DAMAGED;
    it.note = it.name + it.name_size;
    frontier_mark known;
    bool is_known = trap_marks_find(m, it.name, it.name_size, &known) && known.name_size == it.name_size;
    if (is_known || m->count == FRONTIER_MARKS_MAX)
      return FRONTIER_DAMAGED;
    if (!trap_marks_add(m, &it))
      return FRONTIER_NO_MEMORY;
    bytes += used;
    size -= used;
  }
  return FRONTIER_OK;
}
