/* Takes what was forgotten out of exact keys and log, so that its tombstones may go. erase.h has the order, and why.
 *
 *     filter file -> exact keys, on disk -> log, on disk -> tombstones (table `revoked`)
 *                    65,536 keys a commit   16 MiB a commit  one commit, which names the file
 *
 * Always: a tombstone is deleted last, so a key that is erased only in some places is still not seen. A key in the log
 * is written over by its complement: chunks keep their size, and the log its number of keys. The tombstone of a key
 * that the new filter takes for seen all the same stays (is_needed).
 *
 * Called by compact.c alone, on a writer's handle that it has just opened, with nothing to commit. Memory holds one
 * batch of chunks, or the exact keys to erase. After a crash: the next compaction does what is left. */
#include "frontier/admin/erase.h"

#include <stdlib.h>
#include <string.h>

/* What is written by one transaction. Its pages are in memory until then, and their old ones free after it. */
enum { LOT_BYTES = FRONTIER_LIMIT(16 << 20, 1 << 10), LOT_KEYS = FRONTIER_LIMIT(1 << 16, 8) };

static frontier_status store_said(frontier *f, frontier_status status)
{
  return frontier_fail(f, status, "%s", store_message(f->store));
}

static frontier_status no_memory(frontier *f)
{
  return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to erase what was forgotten");
}

/* ---- the table of exact keys ------------------------------------------------------------------------------ */

typedef struct search {
  const tombstones *which;
  exact found;
  bool lacks_memory;
} search;

static bool note_key(void *context, const store_exact_key *key)
{
  search *s = context;
  if (!tombstones_has(s->which, exact_whole(key)))
    return true;
  s->lacks_memory = !exact_make_room(&s->found);
  if (!s->lacks_memory)
    exact_add(&s->found, *key);
  return !s->lacks_memory;
}

static frontier_status erase_keys(store *s, const store_exact_key *keys, size_t count)
{
  frontier_status status = store_begin(s);
  if (status != FRONTIER_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    store_exact_key erased = exact_key_unused(seen_tombstone(exact_whole(&keys[i])));
    store_delete_exact(s, &keys[i]);
    store_put_exact(s, &erased);
  }
  return store_commit(s);
}

/* A key's place there is by its host, which only the table knows, so all of it is read. */
static frontier_status erase_from_table(frontier *f)
{
  search s = {.which = &f->tombstones};
  frontier_status status = store_each_exact(f->store, note_key, &s);
  for (size_t i = 0, n; status == FRONTIER_OK && !s.lacks_memory && i < s.found.count; i += n) {
    n = s.found.count - i < LOT_KEYS ? s.found.count - i : LOT_KEYS;
    status = erase_keys(f->store, s.found.added + i, n);
  }
  exact_free(&s.found);
  if (status != FRONTIER_OK)
    return store_said(f, status);
  return s.lacks_memory ? no_memory(f) : FRONTIER_OK;
}

/* ---- the log -------------------------------------------------------------------------------------------- */

typedef struct piece {
  struct piece *next;
  uint64_t key;
  size_t size;
  uint8_t body[];
} piece;

typedef struct lot {
  const tombstones *which;
  piece *pieces; /* without those keys, to be written */
  size_t size;
  uint64_t from; /* where the next lot begins */
  bool is_last, lacks_memory;
} lot;

static bool gather(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  lot *l = context;
  if (l->size >= LOT_BYTES) {
    l->from = key;
    l->is_last = false;
    return false;
  }
  piece *p = malloc(sizeof *p + size);
  l->lacks_memory = !p;
  if (!p)
    return false;
  *p = (piece){.next = l->pieces, .key = key, .size = size};
  memcpy(p->body, body, size);
  if (seen_erase(p->body, size, l->which)) {
    l->pieces = p;
    l->size += size;
  } else {
    free(p);
  }
  return true;
}

static frontier_status write_lot(store *s, const lot *l)
{
  frontier_status status = l->pieces ? store_begin(s) : FRONTIER_OK;
  if (status != FRONTIER_OK || !l->pieces)
    return status;
  for (const piece *p = l->pieces; p; p = p->next)
    store_put(s, STORE_HASHES, p->key, p->body, p->size);
  return store_commit(s);
}

static void empty_lot(lot *l)
{
  for (piece *p = l->pieces, *next; p; p = next) {
    next = p->next;
    free(p);
  }
  l->pieces = NULL;
  l->size = 0;
}

static frontier_status erase_from_log(frontier *f)
{
  lot l = {.which = &f->tombstones};
  frontier_status status = FRONTIER_OK;
  while (status == FRONTIER_OK && !l.is_last && !l.lacks_memory) {
    l.is_last = true;
    status = store_each(f->store, STORE_HASHES, l.from, gather, &l);
    if (status == FRONTIER_OK && !l.lacks_memory)
      status = write_lot(f->store, &l);
    empty_lot(&l);
  }
  if (status != FRONTIER_OK)
    return store_said(f, status);
  return l.lacks_memory ? no_memory(f) : FRONTIER_OK;
}

/* ---- the rows --------------------------------------------------------------------------------------------- */

static bool is_needed(void *context, mlbf_hash128 hash)
{
  const frontier *f = context;
  return !f->options.exact && seen_has_whole(f->seen, hash);
}

static frontier_status drop_rows(frontier *f)
{
  if (!tombstones_drop(&f->tombstones, is_needed, f))
    return no_memory(f);
  return commit_batch(f);
}

frontier_status erase_forgotten(frontier *f)
{
  if (!renewal_make(f, true))
    return frontier_fail(f, FRONTIER_IO, "%s: the filter without what was forgotten could not be written",
                         f->directory);
  frontier_status status = FRONTIER_OK;
  if (f->options.exact)
    status = erase_from_table(f);
  if (status == FRONTIER_OK)
    status = erase_from_log(f);
  return status == FRONTIER_OK ? drop_rows(f) : status;
}
