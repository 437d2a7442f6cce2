/* See known_cache.h. Eight neighbouring slots are a set, a line of the processor's cache: the key that was asked for
 * last is in front, the last one makes room for a new one.
 *
 *     accepted ->| 0 1 2 3 |-> doubt ->| 4 5 6 7 |->      found: to the front
 *
 * A doubt begins in the middle: so the many keys that are asked for once do not drive out those asked for again and
 * again. Of a web with hosts in turn, 49 known links on a page and 10^7 known URLs, 46 % are not found in 2^19 slots,
 * 51 % if all begin in front; direct-mapped, 56 %. A new URL is likely to be found again soon, and begins in front.
 *
 * Always: a slot is 0, or the high half of a key whose low half leads to its set; no set has a key twice. A key whose
 * high half is 0 has the tag 1 instead: it shares it with one other key of 2^64. Any number of sets will do.
 *
 * Called under the handle's mutex. Nothing of it is on disk. */
#include "frontier/late/known_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WAYS = 8, MIDDLE = 4, LINE = 64, HUGE_PAGE = 1 << 21 };

typedef struct known_set {
  uint64_t tags[WAYS];
} known_set;
_Static_assert(sizeof(known_set) == LINE, "a set is a line");

struct known_cache {
  uint64_t count;
  known_set *sets;
};

known_cache *known_cache_create(size_t slots)
{
  assert(slots >= WAYS && slots % WAYS == 0);
  size_t size = slots * sizeof(uint64_t);
  bool is_large = size % HUGE_PAGE == 0;
  known_cache *c = malloc(sizeof *c);
  known_set *sets = aligned_alloc(is_large ? HUGE_PAGE : LINE, size);
  if (!c || !sets) {
    free(c);
    free(sets);
    return NULL;
  }
  if (is_large)
    madvise(sets, size, MADV_HUGEPAGE); /* a wish: else each key costs a walk through the page tables */
  memset(sets, 0, size);
  *c = (known_cache){.count = slots / WAYS, .sets = sets};
  return c;
}

void known_cache_free(known_cache *c)
{
  if (c)
    free(c->sets);
  free(c);
}

__extension__ typedef unsigned __int128 product;

static uint64_t *set_of(const known_cache *c, mlbf_hash128 key)
{
  return c->sets[(product)key.low * c->count >> 64].tags;
}

static uint64_t tag_of(mlbf_hash128 key)
{
  return key.high ? key.high : 1;
}

/* Its place; WAYS: it has none. */
static size_t find(const uint64_t *tags, uint64_t tag)
{
  unsigned at = 0;
  for (unsigned i = 0; i < WAYS; ++i)
    at |= (unsigned)(tags[i] == tag) << i;
  return at ? (size_t)__builtin_ctz(at) : WAYS;
}

/* It moves, or comes, to `to`; those between move up by one. */
static void move(uint64_t *tags, uint64_t tag, size_t from, size_t to)
{
  memmove(tags + to + 1, tags + to, (from - to) * sizeof *tags);
  tags[to] = tag;
}

void known_cache_fetch(const known_cache *c, mlbf_hash128 key)
{
  __builtin_prefetch(set_of(c, key), 1);
}

bool known_cache_has(known_cache *c, mlbf_hash128 key)
{
  uint64_t *tags = set_of(c, key), tag = tag_of(key);
  if (tags[0] == tag)
    return true;
  size_t at = find(tags, tag);
  if (at < WAYS)
    move(tags, tag, at, 0);
  return at < WAYS;
}

static void put(known_cache *c, mlbf_hash128 key, size_t place)
{
  uint64_t *tags = set_of(c, key), tag = tag_of(key);
  size_t at = find(tags, tag);
  if (at > place)
    move(tags, tag, at < WAYS ? at : WAYS - 1, place);
}

void known_cache_put(known_cache *c, mlbf_hash128 key)
{
  put(c, key, 0);
}

void known_cache_put_doubt(known_cache *c, mlbf_hash128 key)
{
  put(c, key, MIDDLE);
}

void known_cache_remove(known_cache *c, mlbf_hash128 key)
{
  uint64_t *tags = set_of(c, key);
  size_t at = find(tags, tag_of(key));
  if (at == WAYS)
    return;
  memmove(tags + at, tags + at + 1, (WAYS - 1 - at) * sizeof *tags);
  tags[WAYS - 1] = 0;
}
