/* See merge_rekey.h. Each key of the log has a sequence number, and so has each URL in table `text`: where the numbers
 * of both agree, and no URL has a key of the caller's own, every key has its URL.
 *
 *     URL --the crawl's profile--> key --its secret--> seen?      visited
 *                                                      forgotten, or erased from the log (erase.h)?    left out
 *                                                      neither: it was accepted under another key      lost
 *
 * An unconfirmed link with a key of the caller's own counts as lost, too.
 *
 * An erased key is found by its complement in the log. The filter may take it for seen, and a filter in front of runs
 * errs often; so these are looked for in the log first, which is read again if a URL's key is in doubt. */
#include "frontier/admin/merge_rekey.h"

#include "frontier/store/store_urls.h"

#include <stdlib.h>

typedef struct walk {
  frontier *f;
  rekey_visitor *visit;
  void *context;
  url *u;
  hosts *hosts; /* as of the commit that is read: the handle may be older */
  char text[URL_LENGTH_MAX + 1];
  uint64_t rows, lost;
  hash_set erased; /* from the log, though the filter takes them for seen */
  hash_set doubts; /* keys of URLs that are not seen */
  bool is_over;
  frontier_status status;
} walk;

frontier_status rekey_load(frontier *f)
{
  frontier_status status = store_pin(f->store);
  return status == FRONTIER_OK ? seen_load_whole(f) : frontier_fail(f, status, "%s", store_message(f->store));
}

static bool is_seen(const walk *w, mlbf_hash128 whole)
{
  return seen_has_whole(w->f->seen, whole) && !hash_set_has(&w->erased, whole);
}

static bool take(walk *w, field own, const char *fetch, size_t size)
{
  key_hashes hashes;
  w->rows++;
  if (own.bytes || url_parse(fetch, size, w->f->options.profile, w->u) != URL_OK) {
    w->lost++;
    return true;
  }
  seen_hash(seen_filter(w->f->seen), w->u, &hashes);
  if (tombstones_has(&w->f->tombstones, hashes.whole))
    return true;
  if (is_seen(w, hashes.whole))
    w->is_over = w->visit && !w->visit(w->context, w->u);
  else if (!hash_set_put(&w->doubts, hashes.whole))
    w->status = FRONTIER_NO_MEMORY;
  return !w->is_over && w->status == FRONTIER_OK;
}

static bool take_stored(void *context, const stored_url *u)
{
  walk *w = context;
  const url_row *row = &u->row;
  const host *who = hosts_at(w->hosts, row->host);
  size_t size = who ? url_row_url(row, who->name, who->name_size, w->text) : 0;
  if (size == 0)
    w->status = FRONTIER_DAMAGED;
  return size && take(w, field_find(row->fields, row->fields_size, FIELD_KEY), w->text, size);
}

static bool clear_doubt(void *context, mlbf_hash128 whole)
{
  walk *w = context;
  hash_set_remove(&w->doubts, seen_tombstone(whole));
  return w->doubts.used > 0;
}

static bool clear_doubts(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  const walk *w = context;
  (void)key;
  seen_each_key(body, size, clear_doubt, context);
  return w->doubts.used > 0;
}

/* ---- erased keys that the filter takes for seen ----------------------------------------------------------------- */

static bool note_erased(void *context, mlbf_hash128 whole)
{
  walk *w = context;
  mlbf_hash128 before = seen_tombstone(whole);
  if (seen_has_whole(w->f->seen, before) && !hash_set_put(&w->erased, before))
    w->status = FRONTIER_NO_MEMORY;
  return w->status == FRONTIER_OK;
}

static bool note_erased_of(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  const walk *w = context;
  (void)key;
  seen_each_key(body, size, note_erased, context);
  return w->status == FRONTIER_OK;
}

static bool clear_known(void *context, mlbf_hash128 whole)
{
  walk *w = context;
  hash_set_remove(&w->erased, whole); /* accepted again since */
  return true;
}

static bool clear_known_of(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)key;
  seen_each_key(body, size, clear_known, context);
  return true;
}

static frontier_status find_erased(walk *w)
{
  frontier_status status = store_each(w->f->store, STORE_HASHES, 0, note_erased_of, w);
  if (status == FRONTIER_OK && w->erased.used)
    status = store_each(w->f->store, STORE_HASHES, 0, clear_known_of, w);
  return status == FRONTIER_OK ? w->status : status;
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

/* Of the commit that is read; what stands in the handle may be older. */
static frontier_status read_log_keys(frontier *f, uint64_t *keys)
{
  progress stood = {0};
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_meta(f->store, "progress", &body, &size);
  *keys = 0;
  if (status == FRONTIER_NOT_FOUND)
    return FRONTIER_OK; /* nothing was ever committed */
  if (status != FRONTIER_OK)
    return status;
  status = progress_read(&stood, body, size) ? FRONTIER_OK : FRONTIER_DAMAGED;
  free(body);
  *keys = stood.log_keys;
  return status;
}

static frontier_status read_hosts(walk *w)
{
  bool of_store;
  host_changes changes = {0};
  w->hosts = hosts_create(0, 1, secret_hasher(w->f));
  if (!w->hosts)
    return FRONTIER_NO_MEMORY;
  frontier_status status = host_changes_load(&changes, w->hosts, w->f->store, &of_store);
  host_changes_free(&changes);
  return status;
}

/* A link that is unconfirmed here has its key made again where it is carried to (merge.c). */
static bool count_own(void *context, uint64_t number, const doubt_row *row)
{
  walk *w = context;
  (void)number;
  w->lost += row->has_own_key && !tombstones_has(&w->f->tombstones, row->hashes.whole);
  return true;
}

static frontier_status walk_all(walk *w)
{
  uint64_t keys;
  frontier_status status = read_log_keys(w->f, &keys);
  if (status == FRONTIER_OK)
    status = read_hosts(w);
  if (status == FRONTIER_OK)
    status = find_erased(w);
  if (status == FRONTIER_OK)
    status = store_each_url(w->f->store, STORED_WAITING | STORED_ENDED, 0, take_stored, w);
  if (status == FRONTIER_OK)
    status = w->status;
  if (status == FRONTIER_OK && w->doubts.used)
    status = store_each(w->f->store, STORE_HASHES, 0, clear_doubts, w);
  if (status == FRONTIER_OK && w->f->options.exact)
    status = late_each_doubt(w->f, count_own, w);
  w->lost += w->doubts.used;
  if (status == FRONTIER_OK && !w->is_over && keys > w->rows)
    w->lost += keys - w->rows;
  return status;
}

frontier_status rekey_each(frontier *f, rekey_visitor *visit, void *context, uint64_t *lost)
{
  walk *w = calloc(1, sizeof *w);
  frontier_status status = FRONTIER_NO_MEMORY;
  *lost = 0;
  if (w) {
    w->f = f;
    w->visit = visit;
    w->context = context;
    w->u = malloc(sizeof *w->u);
    status = w->u ? walk_all(w) : FRONTIER_NO_MEMORY;
    *lost = w->lost;
    free(w->u);
    hosts_free(w->hosts);
    hash_set_free(&w->erased);
    hash_set_free(&w->doubts);
    free(w);
  }
  if (status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, status, "out of memory for a URL");
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s: the record of a URL is damaged", f->directory);
}
