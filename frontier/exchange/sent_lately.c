/* See sent_lately.h. */
#include "frontier/exchange/sent_lately.h"

#include "frontier/base/limits.h"

#include <stdlib.h>

enum { SLOTS = FRONTIER_LIMIT(1 << 18, 64) }; /* 2 MiB, of which only touched pages are there */

static uint64_t stored(uint64_t hash)
{
  return hash ? hash : 1; /* 0 is an empty slot */
}

bool sent_lately_has(const sent_lately *s, uint64_t hash)
{
  return s->hashes && s->hashes[hash % SLOTS] == stored(hash);
}

void sent_lately_put(sent_lately *s, uint64_t hash)
{
  if (!s->hashes)
    s->hashes = calloc(SLOTS, sizeof *s->hashes);
  if (s->hashes)
    s->hashes[hash % SLOTS] = stored(hash);
}

void sent_lately_free(sent_lately *s)
{
  free(s->hashes);
  s->hashes = NULL;
}
