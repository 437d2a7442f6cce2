/* See doubt_row.h.
 *
 *     head (1)  key (16)  depth  via  [hops]  [layers, 16 each]  [payload size, payload]  [group size, group]
 *     [priority  not before]  URL
 *
 * head       bit 0: to note; 1: own key, its layers follow; 2: hops follow; 3: a payload follows; 4: known before;
 *            5: a group follows; 6: priority and time follow; 7: opaque
 *
 * Numbers are those of rows.h. */
#include "frontier/late/doubt_row.h"

#include "frontier/base/record.h"
#include "frontier/rows/rows.h"

#include <assert.h>

enum {
  TO_NOTE = 1,
  HAS_OWN_KEY = 2,
  HAS_HOPS = 4,
  HAS_PAYLOAD = 8,
  KNOWN_BEFORE = 16,
  HAS_GROUP = 32,
  HAS_ORDER = 64,
  IS_OPAQUE = 128
};
enum { HASH = 16, KEY_AT = 1, NUMBERS_AT = KEY_AT + HASH };

static uint8_t *put_hash(uint8_t *at, mlbf_hash128 hash)
{
  put_le(at, hash.low, 8);
  put_le(at + 8, hash.high, 8);
  return at + HASH;
}

static mlbf_hash128 get_hash(const uint8_t *at)
{
  return (mlbf_hash128){get_le(at, 8), get_le(at + 8, 8)};
}

static bool has_order(const doubt_row *row)
{
  return row->priority || row->not_before_ms;
}

size_t doubt_row_size(const doubt_row *row)
{
  size_t size = NUMBERS_AT + rows_number_size(row->origin.depth) + rows_number_size(row->origin.via) + row->url_size;
  if (row->origin.hops)
    size += rows_number_size(row->origin.hops);
  if (row->has_own_key)
    size += rows_number_size(row->hashes.depth) + HASH * row->hashes.depth;
  if (row->payload_size)
    size += rows_number_size(row->payload_size) + row->payload_size;
  if (row->group_size)
    size += rows_number_size(row->group_size) + row->group_size;
  if (has_order(row))
    size += rows_number_size((uint32_t)row->priority) + rows_number_size(row->not_before_ms);
  return size;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size)
{
  at = rows_put_number(at, size);
  memcpy(at, bytes, size);
  return at + size;
}

void doubt_row_write(const doubt_row *row, uint8_t *at)
{
  assert(row->url_size >= 1 && row->url_size <= URL_LENGTH_MAX && row->payload_size <= FRONTIER_PAYLOAD_MAX);
  assert(!row->has_own_key || row->hashes.depth <= MLBF_LAYERS_MAX);
  *at = (uint8_t)((row->purpose == DOUBT_TO_NOTE ? TO_NOTE : 0) | (row->has_own_key ? HAS_OWN_KEY : 0) |
                  (row->origin.hops ? HAS_HOPS : 0) | (row->payload_size ? HAS_PAYLOAD : 0) |
                  (row->was_known_before ? KNOWN_BEFORE : 0) | (row->group_size ? HAS_GROUP : 0) |
                  (has_order(row) ? HAS_ORDER : 0) | (row->is_opaque ? IS_OPAQUE : 0));
  at = put_hash(at + KEY_AT, row->hashes.whole);
  at = rows_put_number(at, row->origin.depth);
  at = rows_put_number(at, row->origin.via);
  if (row->origin.hops)
    at = rows_put_number(at, row->origin.hops);
  if (row->has_own_key) {
    at = rows_put_number(at, row->hashes.depth);
    for (uint32_t i = 0; i < row->hashes.depth; ++i)
      at = put_hash(at, row->hashes.layer[i]);
  }
  if (row->payload_size)
    at = put_bytes(at, row->payload, row->payload_size);
  if (row->group_size)
    at = put_bytes(at, row->group, row->group_size);
  if (has_order(row))
    at = rows_put_number(rows_put_number(at, (uint32_t)row->priority), row->not_before_ms);
  memcpy(at, row->url, row->url_size);
}

bool doubt_row_key(mlbf_hash128 *key, const uint8_t *bytes, size_t size)
{
  if (size <= NUMBERS_AT)
    return false;
  *key = get_hash(bytes + KEY_AT);
  return true;
}

/* Of a number and then so many items; NULL: they do not end before `end`, or are too many. */
static const uint8_t *get_count(const uint8_t *at, const uint8_t *end, size_t item, uint64_t max, uint64_t *count)
{
  at = rows_get_number(at, end, count);
  return at && *count <= max && *count * item <= (size_t)(end - at) ? at : NULL;
}

/* Not none of them. NULL: they are not there, or too many; or `at` is NULL. */
static const uint8_t *get_bytes(const uint8_t *at, const uint8_t *end, uint64_t max, const void **bytes, size_t *size)
{
  uint64_t count = 0;
  at = get_count(at, end, 1, max, &count);
  if (!at || !count)
    return NULL;
  *bytes = at;
  *size = (size_t)count;
  return at + count;
}

bool doubt_row_read(doubt_row *row, const uint8_t *bytes, size_t size)
{
  const uint8_t *at, *end = bytes + size;
  uint64_t depth = 0, via = 0, hops = 0, count = 0, priority = 0;
  const void *group = NULL;
  *row = (doubt_row){0};
  if (!doubt_row_key(&row->hashes.whole, bytes, size))
    return false;
  row->purpose = *bytes & TO_NOTE ? DOUBT_TO_NOTE : DOUBT_TO_QUEUE;
  row->has_own_key = (*bytes & HAS_OWN_KEY) != 0;
  row->was_known_before = (*bytes & KNOWN_BEFORE) != 0;
  at = rows_get_number(bytes + NUMBERS_AT, end, &depth);
  at = rows_get_number(at, end, &via);
  if (at && *bytes & HAS_HOPS)
    at = rows_get_number(at, end, &hops);
  if (at && row->has_own_key && (at = get_count(at, end, HASH, MLBF_LAYERS_MAX, &count)) != NULL) {
    row->hashes.depth = (uint32_t)count;
    for (uint64_t i = 0; i < count; ++i, at += HASH)
      row->hashes.layer[i] = get_hash(at);
  }
  if (*bytes & HAS_PAYLOAD)
    at = get_bytes(at, end, FRONTIER_PAYLOAD_MAX, &row->payload, &row->payload_size);
  if (*bytes & HAS_GROUP)
    at = get_bytes(at, end, FRONTIER_GROUP_MAX, &group, &row->group_size);
  row->group = group;
  if (*bytes & HAS_ORDER)
    at = rows_get_number(rows_get_number(at, end, &priority), end, &row->not_before_ms);
  row->priority = (int32_t)(uint32_t)priority;
  row->is_opaque = (*bytes & IS_OPAQUE) != 0;
  if ((row->is_opaque && (!row->has_own_key || !group)) || priority > UINT32_MAX ||
      (group && memchr(group, '\0', row->group_size)))
    return false;
  if (!at || depth > UINT16_MAX || hops > UINT16_MAX || at == end || end - at > URL_LENGTH_MAX)
    return false;
  row->origin = (frontier_origin){.via = via, .depth = (uint16_t)depth, .hops = (uint16_t)hops};
  row->url = (const char *)at;
  row->url_size = (size_t)(end - at);
  return true;
}
