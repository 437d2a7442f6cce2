/* See route.h. */
#include "frontier/exchange/route.h"

#include "frontier/base/record.h"
#include "frontier/exchange.h"

enum { GROUP = '/' };

void router_begin(router *r, const uint8_t key[FRONTIER_ROUTE_KEY_BYTES], uint32_t partitions)
{
  r->partitions = partitions;
  for (size_t i = 0; i < ROUTE_SECRET_BYTES / 8; i++)
    put_le(r->secret + 8 * i, XXH3_64bits_withSeed(key, FRONTIER_ROUTE_KEY_BYTES, i), 8);
  r->crawl = XXH3_64bits_withSeed(r->secret, sizeof r->secret, partitions);
}

uint32_t router_find(const router *r, const char *name, size_t size)
{
  uint64_t hash = XXH3_64bits_withSecret(name, size, r->secret, sizeof r->secret);
  return (uint32_t)((hash >> 32) * r->partitions >> 32);
}

/* Of "http://host:8/a", or "//host/a": the profile decides how a key begins. */
static uint32_t find_key(const router *r, const url *u)
{
  const char *end = u->key + u->key_size, *begin = memmem(u->key, u->key_size, "//", 2);
  begin = begin ? begin + 2 : u->key;
  const char *slash = memchr(begin, '/', (size_t)(end - begin));
  return router_find(r, begin, (size_t)((slash ? slash : end) - begin));
}

uint32_t router_find_link(const router *r, const frontier_link *link)
{
  char name[1 + FRONTIER_GROUP_MAX] = {GROUP};
  const url *u = link->target;
  if (link->group_size) {
    memcpy(name + 1, link->group, link->group_size);
    return router_find(r, name, 1 + link->group_size);
  }
  return link->key ? router_find(r, u->fetch + u->host_begin, u->host_end - u->host_begin) : find_key(r, u);
}

uint32_t frontier_route(const uint8_t route_key[FRONTIER_ROUTE_KEY_BYTES], uint32_t partitions, const char *host,
                        size_t size)
{
  router r;
  router_begin(&r, route_key, partitions);
  return router_find(&r, host, size);
}
