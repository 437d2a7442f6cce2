/* See history.h. Of an entry's fields only the hash of its key is kept, which frontier_forget_host and _prefix need. */
#include "frontier/hosts/history.h"

#include "frontier/base/record.h"

/* A bit of the field with the state: fields follow the head. */
static const unsigned has_fields = 0x8000;
/* It was of class TRAP. */
static const unsigned was_trap = 0x4000;

size_t history_size(const entry *e)
{
  field key = entry_field(e, FIELD_KEY);
  return HISTORY_HEAD + (key.bytes ? 4 + FIELD_HEAD + key.size : 0) + e->url_size;
}

void history_write(const entry *e, uint8_t *body)
{
  field key = entry_field(e, FIELD_KEY);
  uint8_t *at = body + HISTORY_HEAD;
  put_le(body + 0, (unsigned)e->state | (key.bytes ? has_fields : 0) | (e->class == FRONTIER_TRAP ? was_trap : 0), 2);
  put_le(body + 2, e->code, 2);
  put_le(body + 4, e->origin.depth, 2);
  put_le(body + 6, e->origin.hops, 2);
  put_le(body + 8, e->origin.via, 8);
  if (key.bytes) {
    put_le(at, FIELD_HEAD + key.size, 4);
    at = field_put(at + 4, FIELD_KEY, key.bytes, key.size);
  }
  memcpy(at, e->url, e->url_size);
}

/* Fetch URLs are "http://host:port/..." or "https://...". */
void history_host(const char *fetch, size_t size, uint32_t *begin, uint32_t *end)
{
  const char *slashes = memchr(fetch, '/', size);
  size_t at = slashes ? (size_t)(slashes - fetch) + 2 : size;
  *begin = (uint32_t)(at < size ? at : size);
  const char *slash = memchr(fetch + *begin, '/', size - *begin);
  *end = (uint32_t)(slash ? (size_t)(slash - fetch) : size);
}

entry *history_entry(uint64_t sequence, const ended_url *ended)
{
  uint32_t host_begin, host_end;
  const char *fetch = (const char *)ended->url.bytes;
  history_host(fetch, ended->url.size, &host_begin, &host_end);
  entry *e = entry_create(NULL, sequence, fetch, (uint32_t)ended->url.size, host_begin, host_end, ended->origin,
                          ended->key.bytes ? FIELD_HEAD + ended->key.size : 0);
  if (!e)
    return NULL;
  e->class = ended->class;
  if (ended->key.bytes)
    field_put(entry_fields(e), FIELD_KEY, ended->key.bytes, ended->key.size);
  return e;
}

bool history_read(const uint8_t *body, size_t size, ended_url *out)
{
  field fields = {body, 0};
  if (size < HISTORY_HEAD)
    return false;
  field rest = {body + HISTORY_HEAD, size - HISTORY_HEAD};
  unsigned state = (unsigned)get_le(body, 2);
  if (state & has_fields && !fields_cut(&rest, &fields))
    return false;
  *out = (ended_url){
    .state = (frontier_state)(state & ~(has_fields | was_trap)),
    .code = (uint16_t)get_le(body + 2, 2),
    .class = state & was_trap ? FRONTIER_TRAP : FRONTIER_NORMAL,
    .origin = {.depth = (uint16_t)get_le(body + 4, 2),
               .hops = (uint16_t)get_le(body + 6, 2),
               .via = get_le(body + 8, 8)},
    .url = rest,
    .key = field_find(fields.bytes, fields.size, FIELD_KEY),
  };
  return true;
}
