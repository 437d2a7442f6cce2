/* See origin_table.h. A tree by name, and two lists by when they were asked for last: of origins whose rules are small
 * enough for the file, and of others. Either may take half of the memory whatever the other needs, so long robots.txt
 * files do not drive out what is known of other hosts. */
#include "crawler/robots/origin_table.h"

#include "crawler/robots/robots_store.h"

#include <assert.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  NODE_BYTES = 64,   /* of the tree, and what malloc takes for itself */
  STORE_FACTOR = 16, /* the file, in memories */
  INDEX_PART = 5,    /* of the memory, for finding what is in the file */
  NAME_ROOM = 16384, /* of an origin: a URL's, at most */
};

struct origin_table {
  void *tree; /* of origin *, by name */
  struct list {
    origin *oldest, *newest;
    uint64_t bytes;
  } lists[2]; /* by origin.is_large */
  uint64_t bytes_max;
  robots_store *store; /* NULL: none */
  robots_cache *owner;
};

static int compare(const void *a, const void *b)
{
  return strcmp((const char *)a + offsetof(origin, name), (const char *)b + offsetof(origin, name));
}

static void origin_free(void *node)
{
  origin *one = node;
  for (waiter *w = one->waiting; w;) {
    waiter *next = w->next;
    free(w);
    w = next;
  }
  robots_free(one->rules);
  free(one->explanation);
  free(one->address);
  free(one->body);
  free(one);
}

origin_table *origin_table_create(uint64_t memory_bytes, const char *directory, const uint8_t *secret,
                                  robots_cache *owner)
{
  origin_table *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->owner = owner;
  t->bytes_max = memory_bytes;
  if (directory && secret)
    t->store = robots_store_create(directory, memory_bytes * STORE_FACTOR, memory_bytes / INDEX_PART, secret);
  if (t->store)
    t->bytes_max -= memory_bytes / INDEX_PART;
  return t;
}

void origin_table_free(origin_table *t)
{
  if (!t)
    return;
  tdestroy(t->tree, origin_free);
  robots_store_free(t->store);
  free(t);
}

uint64_t origin_table_bytes(const origin_table *t)
{
  return t->lists[0].bytes + t->lists[1].bytes;
}

/* ---- the lists ----------------------------------------------------------------------------------------------- */

static void take_out(origin_table *t, origin *one)
{
  struct list *l = &t->lists[one->is_large];
  *(one->newer ? &one->newer->older : &l->newest) = one->older;
  *(one->older ? &one->older->newer : &l->oldest) = one->newer;
  assert(l->bytes >= one->cost);
  l->bytes -= one->cost;
}

static void put_newest(origin_table *t, origin *one)
{
  struct list *l = &t->lists[one->is_large];
  one->older = l->newest;
  one->newer = NULL;
  *(l->newest ? &l->newest->newer : &l->oldest) = one;
  l->newest = one;
  l->bytes += one->cost;
}

static size_t cost_of(const origin *one)
{
  size_t cost = sizeof *one + strlen(one->name) + 1 + NODE_BYTES;
  cost += one->rules ? robots_memory(one->rules) : 0;
  cost += one->explanation ? strlen(one->explanation) + 17 : 0;
  return cost + (one->address ? strlen(one->address) + 17 : 0);
}

void origin_table_weigh(origin_table *t, origin *one)
{
  take_out(t, one);
  one->cost = cost_of(one);
  one->is_large = one->rules && robots_memory(one->rules) > ROBOTS_STORED_MAX;
  put_newest(t, one);
}

static void forget(origin_table *t, origin *one)
{
  assert(one->state != ON_ITS_WAY && !one->waiting);
  if (one->state == KNOWN && t->store && !one->is_stored)
    robots_store_put(t->store, one->name, one->rules, one->known_ms);
  tdelete(one, &t->tree, compare);
  take_out(t, one);
  origin_free(one);
}

/* The oldest of a list go, until all fit or it takes half of the memory. Those on their way are as many as visits at
 * most. */
static void trim(origin_table *t, bool is_large, const origin *kept)
{
  const struct list *l = &t->lists[is_large];
  for (origin *one = l->oldest, *next; one && l->bytes > t->bytes_max / 2; one = next) {
    next = one->newer;
    if (origin_table_bytes(t) <= t->bytes_max)
      return;
    if (one != kept && one->state != ON_ITS_WAY)
      forget(t, one);
  }
}

/* ---- the tree ------------------------------------------------------------------------------------------------ */

origin *origin_table_find(origin_table *t, const char *name, size_t size)
{
  char key[offsetof(origin, name) + NAME_ROOM]; /* `compare` looks at nothing but the name */
  if (size >= NAME_ROOM)
    return NULL;
  memcpy(key + offsetof(origin, name), name, size);
  key[offsetof(origin, name) + size] = '\0';
  origin **node = tfind(key, &t->tree, compare);
  return node ? *node : NULL;
}

static origin *add(origin_table *t, const char *name, size_t size)
{
  origin *one = calloc(1, sizeof *one + size + 1);
  if (!one)
    return NULL;
  memcpy(one->name, name, size);
  if (!tsearch(one, &t->tree, compare)) {
    free(one);
    return NULL;
  }
  one->owner = t->owner;
  one->last_waiting = &one->waiting;
  one->rules = t->store ? robots_store_get(t->store, one->name, &one->known_ms) : NULL;
  one->is_stored = one->rules != NULL;
  one->state = one->rules ? KNOWN : UNKNOWN;
  one->cost = cost_of(one);
  put_newest(t, one);
  return one;
}

origin *origin_table_find_or_add(origin_table *t, const char *name, size_t size)
{
  origin *one = origin_table_find(t, name, size);
  if (one) {
    take_out(t, one);
    put_newest(t, one);
  } else if (!(one = add(t, name, size))) {
    return NULL;
  }
  trim(t, true, one);
  trim(t, false, one);
  return one;
}
