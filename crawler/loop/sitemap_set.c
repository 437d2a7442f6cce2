/* See sitemap_set.h. The hashes of the keys, keyed with the frontier's secret, in the order in which they came: so they
 * are in the setting, and a table beside them finds them.
 *
 * Always: both have the same hashes. harvest.c calls this, on the thread that crawls. After a crash the setting is as
 * of the last commit, as are the URLs. Where it is of another secret (the directory was merged), or there is none, as
 * in a directory of an older program, what is named again is asked for once more. */
#include "crawler/loop/sitemap_set.h"

#include "frontier/base/record.h"
#include "frontier/base/vector.h"
#include "mlbf/key_set.h"
#include "mlbf/secret.h"

#include <assert.h>
#include <stdlib.h>

enum { HASH_BYTES = 16 };

static const char setting_name[] = "sitemaps"; /* low half and high half of each hash, little-endian */

struct sitemap_set {
  frontier *frontier;
  mlbf_key_set *table;
  uint8_t *list; /* HASH_BYTES of each */
  size_t count, room;
  bool is_full, is_dirty;
};

static mlbf_hash128 hash_of(const sitemap_set *s, const url *u)
{
  return mlbf_key_set_hash(s->table, (mlbf_span){u->key, u->key_size});
}

static bool insert(sitemap_set *s, mlbf_hash128 hash)
{
  bool was_seen = false;
  size_t size = s->count * HASH_BYTES;
  assert(s->count < SITEMAP_SET_MAX && !s->is_full);
  if (!HAS_ROOM(s->list, s->room, size + HASH_BYTES) || mlbf_key_set_insert(s->table, hash, &was_seen) != MLBF_OK)
    return false;
  put_le(s->list + size, hash.low, 8);
  put_le(s->list + size + 8, hash.high, 8);
  s->count += !was_seen;
  s->is_full = s->count == SITEMAP_SET_MAX;
  return true;
}

static bool read_setting(sitemap_set *s)
{
  const void *kept;
  size_t size;
  frontier_status status = frontier_setting_get(s->frontier, setting_name, &kept, &size);
  if (status != FRONTIER_OK)
    return status == FRONTIER_NOT_FOUND;
  const uint8_t *at = kept, *end = at + size / HASH_BYTES * HASH_BYTES;
  while (at < end && !s->is_full && insert(s, (mlbf_hash128){get_le(at, 8), get_le(at + 8, 8)}))
    at += HASH_BYTES;
  return at == end || s->is_full;
}

sitemap_set *sitemap_set_create(frontier *f)
{
  uint8_t secret[MLBF_SECRET_BYTES];
  sitemap_set *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->frontier = f;
  frontier_secret(f, secret);
  if (mlbf_key_set_create(secret, 0, "", &s->table) == MLBF_OK && read_setting(s))
    return s;
  sitemap_set_free(s);
  return NULL;
}

void sitemap_set_free(sitemap_set *s)
{
  if (!s)
    return;
  mlbf_key_set_free(s->table);
  free(s->list);
  free(s);
}

bool sitemap_set_lacks(const sitemap_set *s, const url *u)
{
  return !s->is_full && !mlbf_key_set_test(s->table, hash_of(s, u));
}

bool sitemap_set_refuses(const sitemap_set *s, const url *u)
{
  return s->is_full && !mlbf_key_set_test(s->table, hash_of(s, u));
}

void sitemap_set_add(sitemap_set *s, const url *u)
{
  assert(sitemap_set_lacks(s, u));
  s->is_full |= !insert(s, hash_of(s, u));
  s->is_dirty = true;
}

frontier_status sitemap_set_keep(sitemap_set *s)
{
  frontier_status status = FRONTIER_OK;
  if (s->is_dirty)
    status = frontier_setting_put(s->frontier, setting_name, s->list, s->count * HASH_BYTES);
  s->is_dirty &= status != FRONTIER_OK;
  return status;
}
