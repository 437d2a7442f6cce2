/* See address_share.h. Times are in microseconds. Of each address only the time is kept from which on it has its whole
 * share again (the generic cell rate algorithm of ATM), in a table of 4 slots to a hash. */
#include "crawler/http/address_share.h"

#include "mlbf/secret.h"

#include <stdlib.h>

enum { SLOTS = 1 << 14, WAYS = 4, LINE_MAX_US = 60 * 1000 * 1000 };

typedef struct slot {
  uint64_t key; /* 0: free */
  uint64_t whole_us;
  uint64_t line_us; /* when the last of those that were refused was told to come */
} slot;

struct address_share {
  mlbf_hasher *hasher;
  uint64_t each_us, all_us; /* what one request takes of a share, and the whole */
  slot slots[SLOTS];
};

address_share *address_share_create(unsigned hosts, uint64_t delay_ms)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  address_share *a = mlbf_secret_draw(secret) == MLBF_OK ? calloc(1, sizeof *a) : NULL;
  if (!a)
    return NULL;
  a->each_us = (delay_ms * 1000 + hosts - 1) / hosts;
  a->all_us = a->each_us * hosts;
  a->hasher = mlbf_hasher_create(secret);
  if (a->hasher)
    return a;
  free(a);
  return NULL;
}

void address_share_free(address_share *a)
{
  if (a)
    mlbf_hasher_free(a->hasher);
  free(a);
}

/* Its own, or one whose address has its whole share, or one that it shares. */
static slot *slot_of(address_share *a, uint64_t key, uint64_t now_us)
{
  uint64_t hash = mlbf_hasher_hash(a->hasher, 0, (mlbf_span){(const char *)&key, sizeof key}).low;
  slot *set = &a->slots[hash % (SLOTS / WAYS) * WAYS], *over = NULL;
  for (unsigned i = 0; i < WAYS; i++) {
    if (set[i].key == key)
      return &set[i];
    if (!over && set[i].whole_us <= now_us)
      over = &set[i];
  }
  if (over)
    *over = (slot){.key = key};
  return over ? over : set;
}

bool address_share_take(address_share *a, uint64_t key, uint64_t now_ms, uint64_t *wait_ms)
{
  uint64_t now_us = now_ms * 1000;
  slot *s = slot_of(a, key, now_us);
  uint64_t from_us = s->whole_us > now_us ? s->whole_us : now_us;
  if (from_us + a->each_us <= now_us + a->all_us) {
    s->whole_us = from_us + a->each_us;
    return true;
  }
  uint64_t free_us = from_us + a->each_us - a->all_us;
  s->line_us = s->line_us < free_us ? free_us : s->line_us + a->each_us;
  if (s->line_us > now_us + LINE_MAX_US)
    s->line_us = now_us + LINE_MAX_US;
  *wait_ms = (s->line_us - now_us) / 1000 + 1;
  return false;
}
