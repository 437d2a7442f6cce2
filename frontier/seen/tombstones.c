/* See tombstones.h. A row of the table has the low half of a hash as its key, and the high halves of all forgotten
 * hashes with that low half: nearly always one. */
#include "frontier/seen/tombstones.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <stdlib.h>

enum { HIGHS_MAX = 64 }; /* of one low half: a 65th, which only malice can find, is not forgotten */

void tombstones_free(tombstones *r)
{
  hash_set_free(&r->set);
  free(r->changed);
  *r = (tombstones){0};
}

bool tombstones_has(const tombstones *r, mlbf_hash128 hash)
{
  return hash_set_has(&r->set, hash);
}

bool tombstones_make_room(tombstones *r)
{
  return HAS_ROOM(r->changed, r->changed_room, r->changed_count + 1);
}

bool tombstones_put(tombstones *r, mlbf_hash128 hash)
{
  uint64_t highs[HIGHS_MAX];
  if (hash_set_has(&r->set, hash))
    return true;
  if (!tombstones_make_room(r) || hash_set_highs(&r->set, hash.low, highs, HIGHS_MAX) == HIGHS_MAX ||
      !hash_set_put(&r->set, hash))
    return false;
  r->changed[r->changed_count++] = hash.low;
  return true;
}

void tombstones_remove(tombstones *r, mlbf_hash128 hash)
{
  if (!hash_set_has(&r->set, hash))
    return;
  assert(r->changed_count < r->changed_room);
  hash_set_remove(&r->set, hash);
  r->changed[r->changed_count++] = hash.low;
}

/* Who is pushed into a slot that is freed is asked there; who is pushed round the end, once more. */
bool tombstones_drop(tombstones *r, tombstones_test *is_needed, void *context)
{
  for (size_t i = 0; i < r->set.size; i++)
    for (mlbf_hash128 hash; hash_set_at(&r->set, i, &hash) && !is_needed(context, hash);) {
      if (!tombstones_make_room(r))
        return false;
      tombstones_remove(r, hash);
    }
  return true;
}

bool tombstones_choose(const tombstones *from, tombstones_test *is_wanted, void *context, tombstones *to)
{
  mlbf_hash128 hash;
  for (size_t i = 0; i < from->set.size; i++)
    if (hash_set_at(&from->set, i, &hash) && is_wanted(context, hash) && !hash_set_put(&to->set, hash))
      return false;
  return true;
}

/* ---- on disk -------------------------------------------------------------------------------------------- */

void tombstones_write(const tombstones *r, store *s)
{
  for (size_t i = 0; i < r->changed_count; i++) {
    uint64_t highs[HIGHS_MAX];
    uint8_t body[8 * HIGHS_MAX];
    size_t count = hash_set_highs(&r->set, r->changed[i], highs, HIGHS_MAX);
    for (size_t j = 0; j < count; j++)
      put_le(body + 8 * j, highs[j], 8);
    if (count)
      store_put(s, STORE_REVOKED, r->changed[i], body, 8 * count);
    else
      store_delete(s, STORE_REVOKED, r->changed[i]);
  }
}

void tombstones_settle(tombstones *r)
{
  r->changed_count = 0;
}

typedef struct loading {
  hash_set *set;
  frontier_status status;
} loading;

static bool load_row(void *context, uint64_t low, const uint8_t *body, size_t size)
{
  loading *l = context;
  if (size == 0 || size % 8 || size > 8 * HIGHS_MAX)
    l->status = FRONTIER_DAMAGED;
  for (size_t i = 0; i < size && l->status == FRONTIER_OK; i += 8)
    if (!hash_set_put(l->set, (mlbf_hash128){low, get_le(body + i, 8)}))
      l->status = FRONTIER_NO_MEMORY;
  return l->status == FRONTIER_OK;
}

frontier_status tombstones_load(tombstones *r, store *s)
{
  loading l = {.set = &r->set};
  frontier_status status = store_each(s, STORE_REVOKED, 0, load_row, &l);
  return status == FRONTIER_OK ? l.status : status;
}
