/* Which partition has a host: a keyed hash, so that one who chooses hosts cannot choose it. */
#ifndef STRATA_FRONTIER_ROUTE_H
#define STRATA_FRONTIER_ROUTE_H

#include "frontier/frontier.h"

enum { ROUTE_SECRET_BYTES = 136 }; /* the least that XXH3 takes */

typedef struct router {
  uint32_t partitions;
  uint64_t crawl; /* a number for partitions and key: other crawls have other numbers */
  uint8_t secret[ROUTE_SECRET_BYTES];
} router;

void router_begin(router *r, const uint8_t key[FRONTIER_ROUTE_KEY_BYTES], uint32_t partitions);
uint32_t router_find(const router *r, const char *name, size_t size);

/* The partition of a link: by its group, the host of its URL's key, or, where the key is the caller's, of its URL. */
uint32_t router_find_link(const router *r, const frontier_link *link);

#endif
