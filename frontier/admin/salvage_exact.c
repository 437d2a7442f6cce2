/* Rebuilds the table of exact keys: see repair.h.
 *
 *     URLs that are left          their keys, with the host        }
 *     the table's whole records   these keys; also callers' own    }--> the table, as far as the log has the key
 *     stray records               other keys                       }
 *
 * The hash of a key in the log does not show its host. A key that none of these sources has is stored without a host:
 * no look-up finds it, so its URL is new when found again. Keys that already had no host (erased, or lost in an earlier
 * repair) are not counted as lost again. */
#include "frontier/admin/repair.h"

#include "frontier/base/record.h"

#include <stdlib.h>

static bool no_memory(salvage *s)
{
  return salvage_fail(s, FRONTIER_NO_MEMORY, "out of memory for one more exact key");
}

/* ---- the keys of the log --------------------------------------------------------------------------------- */

static bool note_key(void *context, mlbf_hash128 whole)
{
  salvage *s = context;
  return hash_set_put(&s->in_log, whole) || no_memory(s);
}

static bool note_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  (void)key;
  seen_each_key(body, size, note_key, s);
  return s->status == FRONTIER_OK;
}

bool salvage_exact_begin(salvage *s)
{
  frontier_status status = store_each(s->to, STORE_HASHES, 0, note_piece, s);
  return status == FRONTIER_OK ? s->status == FRONTIER_OK : salvage_fail(s, status, store_message(s->to));
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static bool put_key(salvage *s, const store_exact_key *key)
{
  mlbf_hash128 whole = exact_whole(key);
  if (!hash_set_has(&s->in_log, whole) || hash_set_has(&s->in_table, whole))
    return s->status == FRONTIER_OK;
  if (!hash_set_put(&s->in_table, whole))
    return no_memory(s);
  if (salvage_begin_record(s))
    store_put_exact(s->to, key);
  return s->status == FRONTIER_OK;
}

bool salvage_exact_url(salvage *s, mlbf_hash128 whole)
{
  store_exact_key key = exact_key_of_url(secret_hasher(s->f), s->u, whole);
  return put_key(s, &key);
}

/* A key without a host in the old table may have one now. */
static void keep_key(void *context, const store_exact_key *key)
{
  salvage *s = context;
  if (!exact_is_of_nobody(key))
    put_key(s, key);
  else if (!hash_set_put(&s->of_nobody, exact_whole(key)))
    no_memory(s);
}

static void keep_stray(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  store_exact_key copy;
  if (key_size != sizeof copy.bytes || size != RECORD_HEAD || !record_is_whole(XXH3_64bits(key, key_size), value, size))
    return;
  memcpy(copy.bytes, key, sizeof copy.bytes);
  keep_key(context, &copy);
}

/* ---- keys of no known host ------------------------------------------------------------------------------- */

static bool give_to_nobody(void *context, mlbf_hash128 whole)
{
  salvage *s = context;
  store_exact_key key = exact_key_unused(whole);
  s->done->keys_gone += !hash_set_has(&s->in_table, whole) && !hash_set_has(&s->of_nobody, whole);
  return put_key(s, &key);
}

static bool give_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  salvage *s = context;
  (void)key;
  seen_each_key(body, size, give_to_nobody, s);
  return s->status == FRONTIER_OK;
}

bool salvage_exact_finish(salvage *s)
{
  mdb_records_each_exact(s->p, keep_key, s);
  mdb_pages_each_stray(s->p, keep_stray, s);
  s->done->keys_gone = 0; /* keys that fill the log's gaps have no host either, and are counted with those */
  if (s->status != FRONTIER_OK || !salvage_commit(s)) /* so that the log can be read whole */
    return false;
  frontier_status status = store_each(s->to, STORE_HASHES, 0, give_piece, s);
  return status == FRONTIER_OK ? s->status == FRONTIER_OK : salvage_fail(s, status, store_message(s->to));
}
