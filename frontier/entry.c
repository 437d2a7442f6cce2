/* Queue records: 24 bytes of head, then the fetch URL. FORMAT.md, table "queue". */
#include "frontier/hosts.h"

#include "frontier/record.h"

#include <stdlib.h>

entry *entry_create(uint64_t sequence, const char *fetch, uint32_t url_size, uint32_t host_begin, uint32_t host_end,
                    frontier_origin origin)
{
  entry *e = malloc(sizeof *e + url_size + 1);
  if (!e)
    return NULL;
  *e = (entry){.sequence = sequence, .origin = origin, .host_begin = host_begin, .host_end = host_end,
               .url_size = url_size};
  memcpy(e->url, fetch, url_size);
  e->url[url_size] = '\0';
  return e;
}

void entry_write(const entry *e, uint8_t *body)
{
  put_le(body + 0, e->host->id, 4);
  put_le(body + 4, e->origin.depth, 2);
  put_le(body + 6, e->origin.hops, 2);
  put_le(body + 8, e->origin.via, 8);
  put_le(body + 16, e->host_begin, 4);
  put_le(body + 20, e->host_end, 4);
  memcpy(body + ENTRY_HEAD, e->url, e->url_size);
}

frontier_status entry_read(uint64_t sequence, const uint8_t *body, size_t size, entry **out)
{
  if (size < ENTRY_HEAD)
    return FRONTIER_DAMAGED;
  uint64_t url_size = size - ENTRY_HEAD, host_begin = get_le(body + 16, 4), host_end = get_le(body + 20, 4);
  if (url_size > URL_LENGTH_MAX || host_begin > host_end || host_end > url_size)
    return FRONTIER_DAMAGED;
  frontier_origin origin = {.depth = (uint16_t)get_le(body + 4, 2),
                            .hops = (uint16_t)get_le(body + 6, 2),
                            .via = get_le(body + 8, 8)};
  entry *e = entry_create(sequence, (const char *)body + ENTRY_HEAD, (uint32_t)url_size, (uint32_t)host_begin,
                          (uint32_t)host_end, origin);
  if (!e)
    return FRONTIER_NO_MEMORY;
  *out = e;
  return FRONTIER_OK;
}
