/* See entry.h. */
#include "frontier/hosts/entry.h"

#include <assert.h>
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

entry *entry_create(entry_pool *pool, uint64_t sequence, const char *fetch, uint32_t url_size, uint32_t host_begin,
                    uint32_t host_end, frontier_origin origin, size_t fields_size)
{
  size_t size = sizeof(entry) + url_size + 1 + fields_size;
  entry *e = pool ? entry_pool_take(pool, size) : malloc(size);
  if (!e)
    return NULL;
  *e = (entry){.pool = pool,
               .sequence = sequence,
               .origin = origin,
               .host_begin = host_begin,
               .host_end = host_end,
               .url_size = url_size,
               .fields_size = (uint32_t)fields_size};
  memcpy(e->url, fetch, url_size);
  e->url[url_size] = '\0';
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
    entry_pool_give(e->pool, e, sizeof *e + e->url_size + 1 + e->fields_size);
  else
    free(e);
}

uint8_t *entry_fields(entry *e)
{
  return (uint8_t *)e->url + e->url_size + 1;
}

field entry_field(const entry *e, field_tag tag)
{
  return field_find((const uint8_t *)e->url + e->url_size + 1, e->fields_size, tag);
}
