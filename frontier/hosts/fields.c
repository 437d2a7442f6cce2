/* See fields.h. Two fields at most: a walk finds them as fast as anything. */
#include "frontier/hosts/fields.h"

#include "frontier/frontier.h"
#include "frontier/base/record.h"

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

field field_find(const uint8_t *fields, size_t size, field_tag tag)
{
  for (const uint8_t *at = fields, *end = fields + size; at < end;) {
    field found = field_at(at, end);
    if (!found.bytes || *at == tag)
      return found;
    at = found.bytes + found.size;
  }
  return (field){0};
}

bool fields_are_whole(const uint8_t *fields, size_t size)
{
  for (const uint8_t *at = fields, *end = fields + size; at < end;) {
    field found = field_at(at, end);
    bool is_known = *at == FIELD_KEY       ? found.size == sizeof(mlbf_hash128)
                    : *at == FIELD_PAYLOAD ? found.size <= FRONTIER_PAYLOAD_MAX
                                           : false;
    if (!found.bytes || !is_known)
      return false;
    at = found.bytes + found.size;
  }
  return true;
}

bool fields_cut(field *rest, field *fields)
{
  if (rest->size < 4)
    return false;
  size_t size = (size_t)get_le(rest->bytes, 4);
  if (size > rest->size - 4 || !fields_are_whole(rest->bytes + 4, size))
    return false;
  *fields = (field){rest->bytes + 4, size};
  *rest = (field){rest->bytes + 4 + size, rest->size - 4 - size};
  return true;
}

bool field_hash(field key, mlbf_hash128 *hash)
{
  if (!key.bytes || key.size != sizeof *hash)
    return false;
  *hash = (mlbf_hash128){get_le(key.bytes, 8), get_le(key.bytes + 8, 8)};
  return true;
}
