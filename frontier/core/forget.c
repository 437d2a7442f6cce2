/* Forgets URLs: one by its key, or all of a host or prefix by a walk over the URLs on disk.
 *
 * A walk first notes the keys of queued URLs, then revokes the keys of ended URLs that are not queued again. It revokes
 * only keys that are seen, as the history still has URLs whose keys were erased (erase.h). */
#include "frontier/core/state.h"

#include "frontier/base/record.h"

#include <stdlib.h>

frontier_status frontier_forget_sized(frontier *f, const frontier_link *given, size_t link_size, bool *was_seen)
{
  LOCKED(f);
  frontier_link link;
  if (f->options.read_only)
    return refuse_reader(f);
  if (!sized_take(&link, sizeof link, given, link_size))
    return refuse_unknown_field(f);
  key_hashes hashes;
  frontier_verdict verdict;
  frontier_status status = link_judge(f, &link, &hashes, &verdict);
  if (status != FRONTIER_OK)
    return status;
  bool is_seen = verdict.outcome == FRONTIER_SEEN;
  if (is_seen && !tombstones_put(&f->tombstones, hashes.whole))
    return frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for one more forgotten key");
  if (is_seen) {
    late_forget(f, hashes.whole);
    batch_touch(&f->batch);
  }
  *was_seen = is_seen;
  return FRONTIER_OK;
}

/* ---- many ----------------------------------------------------------------------------------------------- */

typedef struct sweep {
  frontier *frontier;
  bool is_host; /* else a prefix */
  const char *text;
  size_t size;
  url *parsed;
  hash_set waiting;
  uint64_t forgotten;
  frontier_status status;
} sweep;

/* A group is named as in the table of hosts; its URLs are not those of their hosts. */
static bool matches(const sweep *s, const url_record *r)
{
  if (!s->is_host)
    return r->url_size >= s->size && memcmp(r->url, s->text, s->size) == 0;
  return r->who->name_size == s->size && memcmp(r->who->name, s->text, s->size) == 0;
}

/* Of the caller's own key, kept in the record; or of the key that the fetch URL gives. false: it gives none. */
static bool hash_of(sweep *s, field own, const char *fetch, size_t size, mlbf_hash128 *hash)
{
  key_hashes hashes;
  if (own.bytes) {
    *hash = (mlbf_hash128){get_le(own.bytes, 8), get_le(own.bytes + 8, 8)};
    return true;
  }
  if (url_parse(fetch, size, s->frontier->options.profile, s->parsed) != URL_OK)
    return false;
  seen_hash(seen_filter(s->frontier->seen), s->parsed, &hashes);
  *hash = hashes.whole;
  return true;
}

/* Where it cannot be confirmed now, the filter's word counts: a row too many does no harm. */
static bool is_still_seen(const sweep *s, mlbf_hash128 hash)
{
  frontier *f = s->frontier;
  late_answer answer;
  if (tombstones_has(&f->tombstones, hash) || !seen_has_whole(f->seen, hash))
    return false;
  return !late_is_on(f) || late_ask(f, hash, &answer) != FRONTIER_OK || answer != LATE_UNKNOWN;
}

static bool note_waiting(void *context, const url_record *r)
{
  sweep *s = context;
  mlbf_hash128 hash;
  field own = field_find(r->fields.bytes, r->fields.size, FIELD_KEY);
  if (matches(s, r) && hash_of(s, own, r->url, r->url_size, &hash) && !hash_set_put(&s->waiting, hash))
    s->status = FRONTIER_NO_MEMORY;
  return s->status == FRONTIER_OK;
}

static bool revoke_ended(void *context, const url_record *r)
{
  sweep *s = context;
  mlbf_hash128 hash;
  field own = field_find(r->fields.bytes, r->fields.size, FIELD_KEY);
  if (!matches(s, r) || !hash_of(s, own, r->url, r->url_size, &hash) || hash_set_has(&s->waiting, hash) ||
      !is_still_seen(s, hash))
    return true;
  if (!tombstones_put(&s->frontier->tombstones, hash)) {
    s->status = FRONTIER_NO_MEMORY;
    return false;
  }
  late_forget(s->frontier, hash);
  s->forgotten++;
  batch_touch(&s->frontier->batch);
  return true;
}

static frontier_status walk(sweep *s)
{
  frontier *f = s->frontier;
  frontier_status status = url_records_each(f, STORED_WAITING, 0, note_waiting, s);
  if (status == FRONTIER_OK && s->status == FRONTIER_OK)
    status = url_records_each(f, STORED_ENDED, 0, revoke_ended, s);
  if (status == FRONTIER_OK && s->status == FRONTIER_NO_MEMORY)
    return frontier_fail(f, s->status, "out of memory for the keys to forget");
  return status;
}

static frontier_status forget_all(frontier *f, bool is_host, const char *text, size_t size, uint64_t *forgotten)
{
  *forgotten = 0;
  if (f->options.read_only)
    return refuse_reader(f);
  if (!f->store || size == 0)
    return frontier_fail(f, FRONTIER_BAD_ARGUMENT,
                         size ? "a frontier that keeps nothing has no history to forget"
                              : "forget what? The host or prefix is empty");
  frontier_status status = commit_batch(f); /* so that every URL is on disk */
  if (status != FRONTIER_OK)
    return status;
  sweep s = {.frontier = f, .is_host = is_host, .text = text, .size = size, .parsed = malloc(sizeof *s.parsed)};
  status = s.parsed ? walk(&s) : frontier_fail(f, FRONTIER_NO_MEMORY, "out of memory for a URL");
  hash_set_free(&s.waiting);
  free(s.parsed);
  *forgotten = s.forgotten;
  return status;
}

frontier_status frontier_forget_host(frontier *f, const char *name, size_t size, uint64_t *forgotten)
{
  LOCKED(f);
  return forget_all(f, true, name, size, forgotten);
}

frontier_status frontier_forget_prefix(frontier *f, const char *prefix, size_t size, uint64_t *forgotten)
{
  LOCKED(f);
  return forget_all(f, false, prefix, size, forgotten);
}
