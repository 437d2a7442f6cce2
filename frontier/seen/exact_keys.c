/* See exact_keys.h. */
#include "frontier/seen/exact_keys.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

/* 0 is of keys without a host. */
static uint64_t host_hash(const mlbf_hasher *hasher, const frontier_link *link)
{
  const url *u = link->target;
  mlbf_span host = {NULL, 0};
  if (!link->key)
    host = (mlbf_span){u->key + u->segment_begin[0], u->segment_begin[1] - u->segment_begin[0]};
  else if (link->key_count)
    host = link->key[0];
  uint64_t hash = mlbf_hasher_hash(hasher, 0, host).low;
  return hash ? hash : 1;
}

static store_exact_key make_key(uint64_t host, mlbf_hash128 whole)
{
  store_exact_key key = {{0}};
  put_le(key.bytes, host, 8);
  put_le(key.bytes + 8, whole.low, 8);
  put_le(key.bytes + 16, whole.high, 8);
  return key;
}

store_exact_key exact_key_of(const mlbf_hasher *hasher, const frontier_link *link, mlbf_hash128 whole)
{
  return make_key(host_hash(hasher, link), whole);
}

store_exact_key exact_key_of_url(const mlbf_hasher *hasher, const url *u, mlbf_hash128 whole)
{
  return make_key(host_hash(hasher, &(frontier_link){.target = u}), whole);
}

store_exact_key exact_key_unused(mlbf_hash128 whole)
{
  return make_key(0, whole);
}

bool exact_is_of_nobody(const store_exact_key *key)
{
  return get_le(key->bytes, 8) == 0;
}

mlbf_hash128 exact_whole(const store_exact_key *key)
{
  return (mlbf_hash128){get_le(key->bytes + 8, 8), get_le(key->bytes + 16, 8)};
}

bool exact_make_room(exact *e)
{
  return HAS_ROOM(e->added, e->room, e->count + 1);
}

void exact_add(exact *e, store_exact_key key)
{
  assert(e->count < e->room);
  e->added[e->count++] = key;
}

static int by_bytes(const void *a, const void *b)
{
  return memcmp(a, b, sizeof(store_exact_key));
}

void exact_write(exact *e, store *s)
{
  if (e->count)
    qsort(e->added, e->count, sizeof *e->added, by_bytes); /* neighbours share a page */
  for (size_t i = 0; i < e->count; i++)
    store_put_exact(s, &e->added[i]);
}

void exact_settle(exact *e)
{
  e->count = 0;
}

void exact_free(exact *e)
{
  free(e->added);
  *e = (exact){0};
}
