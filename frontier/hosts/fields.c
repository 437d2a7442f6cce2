/* See fields.h. Four fields at most: a walk finds them as fast as anything. */
#include "frontier/hosts/fields.h"

#include "frontier/frontier.h"
#include "frontier/base/record.h"

enum { PRIORITY_SIZE = 4, TIME_SIZE = 8 };

uint8_t *field_put(uint8_t *at, field_tag tag, const void *bytes, size_t size)
{
  *at = (uint8_t)tag;
  put_le(at + 1, size, 4);
  memcpy(at + FIELD_HEAD, bytes, size);
  return at + FIELD_HEAD + size;
}

/* The field at `at`, its bytes NULL if it does not end before `end`. */
static field field_at(const uint8_t *at, const uint8_t *end)
{
  size_t left = (size_t)(end - at), size = left >= FIELD_HEAD ? (size_t)get_le(at + 1, 4) : 0;
  return left >= FIELD_HEAD && size <= left - FIELD_HEAD ? (field){at + FIELD_HEAD, size} : (field){0};
}

/* No fields may be at NULL, to which C does not let us add 0. */
static const uint8_t *end_of(const uint8_t *fields, size_t size)
{
  return size ? fields + size : fields;
}

field field_find(const uint8_t *fields, size_t size, field_tag tag)
{
  for (const uint8_t *at = fields, *end = end_of(fields, size); at < end;) {
    field found = field_at(at, end);
    if (!found.bytes || *at == tag)
      return found;
    at = found.bytes + found.size;
  }
  return (field){0};
}

static bool has_size(uint8_t tag, size_t size)
{
  switch (tag) {
  case FIELD_KEY: return size == sizeof(mlbf_hash128);
  case FIELD_PAYLOAD: return size <= FRONTIER_PAYLOAD_MAX;
  case FIELD_PRIORITY: return size == PRIORITY_SIZE;
  case FIELD_NOT_BEFORE: return size == TIME_SIZE;
  default: return false;
  }
}

bool fields_are_whole(const uint8_t *fields, size_t size)
{
  for (const uint8_t *at = fields, *end = end_of(fields, size); at < end;) {
    field found = field_at(at, end);
    if (!found.bytes || !has_size(*at, found.size))
      return false;
    at = found.bytes + found.size;
  }
  return true;
}

url_order field_order(field all)
{
  field priority = field_find(all.bytes, all.size, FIELD_PRIORITY);
  field not_before = field_find(all.bytes, all.size, FIELD_NOT_BEFORE);
  return (url_order){priority.size == PRIORITY_SIZE ? (int32_t)(uint32_t)get_le(priority.bytes, PRIORITY_SIZE) : 0,
                     not_before.size == TIME_SIZE ? get_le(not_before.bytes, TIME_SIZE) : 0};
}

static size_t size_of(size_t bytes)
{
  return bytes ? FIELD_HEAD + bytes : 0;
}

size_t fields_size(field own, field payload, url_order order)
{
  return size_of(own.size) + size_of(order.priority ? PRIORITY_SIZE : 0) +
         size_of(order.not_before_ms ? TIME_SIZE : 0) + size_of(payload.size);
}

void fields_write(uint8_t *at, field own, field payload, url_order order)
{
  uint8_t number[TIME_SIZE];
  if (own.size)
    at = field_put(at, FIELD_KEY, own.bytes, own.size);
  if (order.priority) {
    put_le(number, (uint32_t)order.priority, PRIORITY_SIZE);
    at = field_put(at, FIELD_PRIORITY, number, PRIORITY_SIZE);
  }
  if (order.not_before_ms) {
    put_le(number, order.not_before_ms, TIME_SIZE);
    at = field_put(at, FIELD_NOT_BEFORE, number, TIME_SIZE);
  }
  if (payload.size)
    field_put(at, FIELD_PAYLOAD, payload.bytes, payload.size);
}

bool field_hash(field key, mlbf_hash128 *hash)
{
  if (!key.bytes || key.size != sizeof *hash)
    return false;
  *hash = (mlbf_hash128){get_le(key.bytes, 8), get_le(key.bytes + 8, 8)};
  return true;
}
