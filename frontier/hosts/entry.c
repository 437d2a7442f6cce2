/* See entry.h. */
#include "frontier/hosts/entry.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Every record relies on these limits: FORMAT.md has no room for more. */
static void assert_entry(const entry *e)
{
  assert(e->url_size <= URL_LENGTH_MAX && e->host_begin <= e->host_end && e->host_end <= e->url_size);
  assert(e->url[e->url_size] == '\0');
  assert(e->fields_size <= FIELDS_SIZE_MAX);
  assert((unsigned)e->verdict.outcome < FRONTIER_OUTCOMES);
  (void)e;
}

/* Blocks are aligned as the payload is to be, so the gap depends on sizes alone. */
static_assert(_Alignof(max_align_t) % PAYLOAD_ALIGNMENT == 0, "malloc and the arena align to this");

static size_t gap_before(uint32_t url_size, field fields)
{
  field payload = field_find(fields.bytes, fields.size, FIELD_PAYLOAD);
  size_t before = offsetof(entry, url) + url_size + 1;
  return payload.bytes ? -(before + (size_t)(payload.bytes - fields.bytes)) % PAYLOAD_ALIGNMENT : 0;
}

entry *entry_create(entry_pool *pool, uint64_t sequence, const char *fetch, uint32_t url_size, uint32_t host_begin,
                    uint32_t host_end, frontier_origin origin, field fields)
{
  size_t gap = gap_before(url_size, fields), size = sizeof(entry) + url_size + 1 + gap + fields.size;
  entry *e = pool ? entry_pool_take(pool, size) : malloc(size);
  if (!e)
    return NULL;
  *e = (entry){.pool = pool,
               .sequence = sequence,
               .origin = origin,
               .host_begin = host_begin,
               .host_end = host_end,
               .gap = (uint8_t)gap,
               .url_size = url_size,
               .fields_size = (uint32_t)fields.size};
  memcpy(e->url, fetch, url_size);
  e->url[url_size] = '\0';
  if (fields.size)
    memcpy(e->url + url_size + 1 + gap, fields.bytes, fields.size);
  assert_entry(e);
  return e;
}

void entry_free(entry *e)
{
  if (!e)
    return;
  assert_entry(e);
  free(e->note);
  if (e->pool)
    entry_pool_give(e->pool, e, sizeof *e + e->url_size + 1 + e->gap + e->fields_size);
  else
    free(e);
}

field entry_fields(const entry *e)
{
  return (field){(const uint8_t *)e->url + e->url_size + 1 + e->gap, e->fields_size};
}

field entry_field(const entry *e, field_tag tag)
{
  field all = entry_fields(e);
  return field_find(all.bytes, all.size, tag);
}
