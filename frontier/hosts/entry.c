/* Queue records: 24 bytes of head, fields if there are any, then the fetch URL. FORMAT.md, table "waiting". */
#include "frontier/hosts/hosts.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <stdlib.h>

/* A bit of the field with the host's begin: fields follow the head. A host begins at 8 at most. */
static const uint32_t has_fields = (uint32_t)1 << 31;

/* The verdict is in the bits above the host's end: a host ends within URL_LENGTH_MAX. */
enum { OUTCOME_SHIFT = 24, LAYER_SHIFT = 27, OUTCOME_MASK = 7, END_MASK = (1 << OUTCOME_SHIFT) - 1 };

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

size_t entry_size(const entry *e)
{
  return ENTRY_HEAD + (e->fields_size ? 4 + e->fields_size : 0) + e->url_size;
}

void entry_write(const entry *e, uint8_t *body)
{
  assert_entry(e);
  assert(e->host_begin < has_fields && e->verdict.layer < 1u << (32 - LAYER_SHIFT));
  put_le(body + 0, e->host->id, 4);
  put_le(body + 4, e->origin.depth, 2);
  put_le(body + 6, e->origin.hops, 2);
  put_le(body + 8, e->origin.via, 8);
  put_le(body + 16, e->host_begin | (e->fields_size ? has_fields : 0), 4);
  put_le(body + 20, e->host_end | (uint32_t)e->verdict.outcome << OUTCOME_SHIFT | e->verdict.layer << LAYER_SHIFT, 4);
  body += ENTRY_HEAD;
  if (e->fields_size) {
    put_le(body, e->fields_size, 4);
    memcpy(body + 4, e->url + e->url_size + 1, e->fields_size);
    body += 4 + e->fields_size;
  }
  memcpy(body, e->url, e->url_size);
}

uint32_t entry_host_id(const uint8_t *body)
{
  return (uint32_t)get_le(body, 4);
}

frontier_status entry_read(entry_pool *pool, uint64_t sequence, const uint8_t *body, size_t size, entry **out)
{
  if (size < ENTRY_HEAD)
    return FRONTIER_DAMAGED;
  uint32_t host_begin = (uint32_t)get_le(body + 16, 4), end_and_verdict = (uint32_t)get_le(body + 20, 4);
  uint32_t host_end = end_and_verdict & END_MASK, outcome = end_and_verdict >> OUTCOME_SHIFT & OUTCOME_MASK;
  frontier_origin origin = {
    .depth = (uint16_t)get_le(body + 4, 2), .hops = (uint16_t)get_le(body + 6, 2), .via = get_le(body + 8, 8)};
  field fields = {0};
  field rest = {body + ENTRY_HEAD, size - ENTRY_HEAD};
  if (host_begin & has_fields && !fields_cut(&rest, &fields))
    return FRONTIER_DAMAGED;
  host_begin &= ~has_fields;
  if (rest.size > URL_LENGTH_MAX || host_begin > host_end || host_end > rest.size || outcome >= FRONTIER_OUTCOMES)
    return FRONTIER_DAMAGED;
  entry *e = entry_create(pool, sequence, (const char *)rest.bytes, (uint32_t)rest.size, host_begin, host_end, origin,
                          fields.size);
  if (!e)
    return FRONTIER_NO_MEMORY;
  e->verdict = (frontier_verdict){(frontier_outcome)outcome, end_and_verdict >> LAYER_SHIFT};
  if (fields.size)
    memcpy(entry_fields(e), fields.bytes, fields.size);
  *out = e;
  return FRONTIER_OK;
}
