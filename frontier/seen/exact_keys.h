/* Exact keys. A filter's "new" is certain, its "seen" only nearly so; with this table (frontier_options.exact) both are
 * certain:
 *
 *     filter says new  -> it is new, and nothing was read
 *     filter says seen -> in table `exact`? seen : new after all
 *     open batch       -> in seen.c's set, which is exact already
 *
 * A key is 24 bytes, the hash of its host and then its own: most links stay on their host, so the look-ups and new keys
 * of one web page touch few pages of the database. Keys are written with their batch, sorted. Forgotten keys stay until
 * they are erased; their tombstones override this table as they do the filter. FORMAT.md, table "exact". */
#ifndef STRATA_FRONTIER_EXACT_KEYS_H
#define STRATA_FRONTIER_EXACT_KEYS_H

#include "frontier/store/store.h"
#include "mlbf/secret.h"

#include <assert.h>

typedef struct exact {
  store_exact_key *added; /* since the last commit */
  size_t count, room;
} exact; /* all zeros is an empty one */

static inline void assert_exact(const exact *e)
{
  assert(e->count <= e->room);
  (void)e;
}

static inline bool exact_is_empty(const exact *e)
{
  return e->count == 0;
}

/* Of a link's key: the URL's, or the caller's own, whose first segment is its host. */
store_exact_key exact_key_of(const mlbf_hasher *hasher, const frontier_link *link, mlbf_hash128 whole);

/* A key of the log whose host is not known, after a repair, or that no URL has (seen_erase). No lookup finds it. */
store_exact_key exact_key_unused(mlbf_hash128 whole);
bool exact_is_of_nobody(const store_exact_key *key);
mlbf_hash128 exact_whole(const store_exact_key *key);
/* The key of a URL whose own is not the caller's. */
store_exact_key exact_key_of_url(const mlbf_hasher *hasher, const url *u, mlbf_hash128 whole);

bool exact_make_room(exact *e);                /* for one key; false: no memory */
void exact_add(exact *e, store_exact_key key); /* cannot fail in such room */

/* Their part of the transaction; and the transaction is committed. */
void exact_write(exact *e, store *s);
void exact_settle(exact *e);
void exact_free(exact *e);

#endif
