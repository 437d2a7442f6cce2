/* Takes what was forgotten out of the log, so that its tombstones may go. erase.h has the order, and why.
 *
 *     filter file -> log, on disk     -> tombstones (table `revoked`)
 *                    16 MiB a commit     one commit, which names the file
 *                    no run is valid
 *
 * Always: a tombstone is deleted last, so a key that is erased only in some places is still not seen. A key in the log
 * is written over by its complement: chunks keep their size, and the log its number of keys. The tombstone of a key
 * that the new filter takes for seen all the same stays (is_needed). Where keys are exact, one stays whole while a link
 * with it is unconfirmed: that was found before it was forgotten, and would be taken for new without it in the log.
 *
 * Called by compact.c alone, on a writer's handle that it has just opened, with nothing to commit. Memory holds one
 * batch of chunks. After a crash: the next compaction does what is left. */
#include "frontier/admin/erase.h"

#include <stdlib.h>
#include <string.h>

/* What is written by one transaction. Its pages are in memory until then, and their old ones free after it. */
enum { LOT_BYTES = FRONTIER_LIMIT(16 << 20, 1 << 10) };

static frontier_status store_said(frontier *f, frontier_status status)
{
  return frontier_fail(f, status, "%s", store_message(f->store));
}

static frontier_status no_memory(frontier *f)
{
  return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory to erase what was forgotten");
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
  store_delete_meta(s, "run_marks");
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

static frontier_status erase_from_log(frontier *f, const tombstones *which)
{
  lot l = {.which = which};
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
  frontier *f = context;
  return late_is_on(f) ? late_has_doubt(f, hash) : seen_has_whole(f->seen, hash);
}

static frontier_status drop_rows(frontier *f)
{
  if (!tombstones_drop(&f->tombstones, is_needed, f))
    return no_memory(f);
  return commit_batch(f);
}

static bool is_settled(void *context, mlbf_hash128 hash)
{
  frontier *f = context;
  return !late_is_on(f) || !late_has_doubt(f, hash);
}

frontier_status erase_forgotten(frontier *f)
{
  tombstones which = {0};
  if (!renewal_make(f, true))
    return frontier_fail(f, FRONTIER_IO, "%s: the filter without what was forgotten could not be written",
                         f->directory);
  bool is_chosen = tombstones_choose(&f->tombstones, is_settled, f, &which);
  frontier_status status = is_chosen ? FRONTIER_OK : no_memory(f);
  if (status == FRONTIER_OK)
    status = erase_from_log(f, &which);
  tombstones_free(&which);
  if (status == FRONTIER_OK)
    late_drop_runs(f);
  return status == FRONTIER_OK ? drop_rows(f) : status;
}
