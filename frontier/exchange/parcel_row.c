/* See parcel_row.h. */
#include "frontier/exchange/parcel_row.h"

#include "frontier/base/record.h"
#include "frontier/exchange.h"

enum { HAS_KEY = 1, HAS_PAYLOAD = 2, HAS_GROUP = 4, HAS_ORDER = 8, IS_OPAQUE = 16, KNOWN_FLAGS = 31 };
enum { ROW_HEAD = 7 }; /* flags, depth, hops, size of the text */

static uint8_t flags_of(const frontier_link *l)
{
  return (uint8_t)((l->key ? HAS_KEY : 0) | (l->payload_size ? HAS_PAYLOAD : 0) | (l->group_size ? HAS_GROUP : 0) |
                   (l->priority || l->not_before_ms ? HAS_ORDER : 0) | (l->target ? 0 : IS_OPAQUE));
}

static mlbf_span text_of(const frontier_link *l)
{
  return l->target ? (mlbf_span){l->target->fetch, l->target->fetch_size} : (mlbf_span){l->opaque, l->opaque_size};
}

size_t parcel_row_size(const frontier_link *l)
{
  uint8_t flags = flags_of(l);
  size_t key = 0;
  for (size_t i = 0; l->key && i < l->key_count; i++)
    key += l->key[i].size;
  if (l->key && (l->key_count > PARCEL_KEY_PARTS || key > PARCEL_KEY_MAX))
    return 0;
  return ROW_HEAD + text_of(l).size + (flags & HAS_KEY ? 1 + 2 * l->key_count + key : 0) +
         (flags & HAS_PAYLOAD ? 4 + l->payload_size : 0) + (flags & HAS_GROUP ? 1 + l->group_size : 0) +
         (flags & HAS_ORDER ? 12 : 0);
}

static uint8_t *put_number(uint8_t *at, uint64_t value, size_t bytes)
{
  put_le(at, value, bytes);
  return at + bytes;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size)
{
  if (size)
    memcpy(at, bytes, size);
  return at + size;
}

void parcel_row_write(const frontier_link *l, uint8_t *at)
{
  mlbf_span text = text_of(l);
  uint8_t flags = flags_of(l);
  *at++ = flags;
  at = put_number(at, l->origin.depth, 2);
  at = put_number(at, l->origin.hops, 2);
  at = put_number(at, text.size, 2);
  at = put_bytes(at, text.bytes, text.size);
  if (flags & HAS_KEY) {
    *at++ = (uint8_t)l->key_count;
    for (size_t i = 0; i < l->key_count; i++)
      at = put_number(at, l->key[i].size, 2);
    for (size_t i = 0; i < l->key_count; i++)
      at = put_bytes(at, l->key[i].bytes, l->key[i].size);
  }
  if (flags & HAS_PAYLOAD)
    at = put_bytes(put_number(at, l->payload_size, 4), l->payload, l->payload_size);
  if (flags & HAS_GROUP)
    at = put_bytes(put_number(at, l->group_size, 1), l->group, l->group_size);
  if (flags & HAS_ORDER)
    put_number(put_number(at, (uint32_t)l->priority, 4), l->not_before_ms, 8);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

typedef struct reader {
  const uint8_t *at, *end;
  bool is_short;
} reader;

static const uint8_t *take(reader *r, size_t size)
{
  const uint8_t *at = r->at;
  if (r->is_short || (size_t)(r->end - at) < size) {
    r->is_short = true;
    return NULL;
  }
  r->at += size;
  return at;
}

static uint64_t take_number(reader *r, size_t bytes)
{
  const uint8_t *at = take(r, bytes);
  return at ? get_le(at, bytes) : 0;
}

static bool take_key(reader *r, frontier_text *text, mlbf_span key[PARCEL_KEY_PARTS])
{
  size_t all = 0, count = take_number(r, 1);
  for (size_t i = 0; i < count; i++)
    all += key[i].size = take_number(r, 2);
  for (size_t i = 0; i < count && all <= PARCEL_KEY_MAX; i++)
    key[i].bytes = (const char *)take(r, key[i].size);
  text->key = key;
  text->key_count = count;
  return count && all <= PARCEL_KEY_MAX;
}

static bool take_more(reader *r, uint8_t flags, frontier_text *text, mlbf_span key[PARCEL_KEY_PARTS])
{
  if (flags & HAS_KEY && !take_key(r, text, key))
    return false;
  if (flags & HAS_PAYLOAD) {
    text->payload_size = take_number(r, 4);
    if (!text->payload_size || text->payload_size > FRONTIER_PAYLOAD_MAX)
      return false;
    text->payload = take(r, text->payload_size);
  }
  if (flags & HAS_GROUP) {
    text->group_size = take_number(r, 1);
    text->group = (const char *)take(r, text->group_size);
    if (!text->group || !text->group_size || memchr(text->group, '\0', text->group_size))
      return false;
  }
  if (flags & HAS_ORDER) {
    text->priority = (int32_t)take_number(r, 4);
    text->not_before_ms = take_number(r, 8);
  }
  return true;
}

bool parcel_row_read(const uint8_t **at, const uint8_t *end, frontier_text *text, mlbf_span key[PARCEL_KEY_PARTS])
{
  reader r = {.at = *at, .end = end};
  uint8_t flags = (uint8_t)take_number(&r, 1);
  *text = (frontier_text){.is_opaque = flags & IS_OPAQUE};
  text->origin.depth = (uint16_t)take_number(&r, 2);
  text->origin.hops = (uint16_t)take_number(&r, 2);
  text->href_size = take_number(&r, 2);
  text->href = (const char *)take(&r, text->href_size);
  if (flags & ~KNOWN_FLAGS || !text->href_size || text->href_size > URL_LENGTH_MAX ||
      !take_more(&r, flags, text, key) || r.is_short)
    return false;
  *at = r.at;
  return !text->is_opaque || (text->key && text->group_size);
}

bool parcel_is_sound(const uint8_t *body, size_t size)
{
  frontier_text text;
  mlbf_span key[PARCEL_KEY_PARTS];
  const uint8_t *at = body + PARCEL_COUNT, *end = body + size;
  uint64_t rows = 0;
  if (size <= PARCEL_COUNT)
    return false;
  while (at < end && parcel_row_read(&at, end, &text, key))
    rows++;
  return at == end && rows == get_le(body, PARCEL_COUNT) && rows <= FRONTIER_PARCEL_URLS;
}
