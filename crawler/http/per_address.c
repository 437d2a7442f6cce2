/* See per_address.h. */
#include "crawler/http/per_address.h"

#include "crawler/http/address_key.h"
#include "crawler/scope/domain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAMES = 1 << 16,  /* hosts and domains whose address is remembered */
  PLACES = 1 << 14, /* per_address */
  TURN_MS = 100,    /* so many visits as the limit are called again every time it is over */
  TURNS_MAX = 20,
};

typedef struct name {
  uint32_t check; /* of the name's hash, what is not its index */
  address_place where;
} name; /* zeros: of no name */

struct per_address {
  mlbf_hasher *hasher;
  unsigned limit;
  struct {
    unsigned inside, waiting; /* visits under way, and those told to wait since */
  } places[PLACES];
  name names[NAMES];
};

per_address *per_address_create(unsigned limit, const uint8_t secret[MLBF_SECRET_BYTES])
{
  per_address *a = calloc(1, sizeof *a);
  assert(limit);
  if (!a)
    return NULL;
  a->limit = limit;
  a->hasher = mlbf_hasher_create(secret);
  if (a->hasher)
    return a;
  free(a);
  return NULL;
}

void per_address_free(per_address *a)
{
  if (a)
    mlbf_hasher_free(a->hasher);
  free(a);
}

/* Its upper bits are an index. */
static uint64_t hash_of(const per_address *a, const char *bytes, size_t size)
{
  return mlbf_hasher_hash(a->hasher, 0, (mlbf_span){bytes, size}).low;
}

/* Where a host or domain was met; false: it was not, or is forgotten. */
static bool recall(const per_address *a, uint64_t hash, address_place *where)
{
  const name *n = &a->names[hash >> 48];
  *where = n->where;
  return n->check == (uint32_t)hash && n->check;
}

static void remember(per_address *a, uint64_t hash, address_place where)
{
  a->names[hash >> 48] = (name){.check = (uint32_t)hash, .where = where};
}

static uint64_t hash_of_domain(const per_address *a, const char *host, size_t size)
{
  char domain[DOMAIN_SIZE];
  domain_of_host(host, size, domain);
  return hash_of(a, domain, strlen(domain));
}

static address_place place_of(uint64_t hash)
{
  return hash % PLACES;
}

void per_address_learn(per_address *a, const char *host, size_t size, const char *address)
{
  uint64_t hash = hash_of(a, host, size);
  uint64_t key = address_key_of_text(address);
  address_place where = place_of(hash_of(a, (const char *)&key, sizeof key)), before;
  if (!key || (recall(a, hash, &before) && before == where))
    return;
  remember(a, hash, where);
  remember(a, hash_of_domain(a, host, size), where);
}

static address_place find_place(const per_address *a, const char *host, size_t size)
{
  address_place where;
  uint64_t key = address_key_of_host(host, size);
  if (key)
    return place_of(hash_of(a, (const char *)&key, sizeof key));
  if (recall(a, hash_of(a, host, size), &where))
    return where;
  uint64_t domain = hash_of_domain(a, host, size);
  return recall(a, domain, &where) ? where : place_of(domain);
}

bool per_address_enter(per_address *a, const char *host, size_t size, address_place *where, uint64_t *wait_ms)
{
  address_place place = find_place(a, host, size);
  if (a->places[place].inside >= a->limit) {
    unsigned turns = 1 + a->places[place].waiting++ / a->limit;
    *wait_ms = TURN_MS * (uint64_t)(turns < TURNS_MAX ? turns : TURNS_MAX);
    return false;
  }
  a->places[place].inside++;
  assert(place < PLACES && a->places[place].inside <= a->limit);
  *where = place;
  return true;
}

void per_address_leave(per_address *a, address_place where)
{
  assert(where < PLACES && a->places[where].inside && a->places[where].inside <= a->limit);
  a->places[where].inside--;
  if (a->places[where].waiting)
    a->places[where].waiting--;
}
