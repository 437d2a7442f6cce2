/* Merges the seen keys of several crawls: a frontier whose log holds the keys of all, and that has no URL to fetch.
 *
 *     logs     one after the other; a key of two crawls is in it twice, which only makes the next filter larger than
 *              needed. Leaving out keys that the filter knows could leave out keys that it knows wrongly
 *     exact    the union of the tables, if all have one; forgotten keys are replaced by their complement
 *              (seen_tombstone), in log and table alike
 *     filters  united bit by bit if they have one size and seed; else one is made from the log at open
 *
 * The new directory has a sequence number for each key and no URL record: FORMAT.md calls such numbers `absent`. */
#include "frontier/admin.h"
#include "frontier/admin/atomic_dir.h"
#include "frontier/base/record.h"
#include "frontier/core/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMMIT_PIECES = 1000, KEYS_PER_PIECE = 64 };

typedef struct merging {
  const frontier *from;     /* the one whose log is being copied */
  frontier_options options; /* of the new frontier */
  progress stood;           /* its numbers so far */
  store *to;
  mlbf_filter *filter; /* of all so far; NULL: they do not fit together */
  const char *first;   /* whose kind and profile the others must have */
  unsigned pieces;     /* since the last commit */
  uint64_t keys;       /* exact ones, written */
  bool has_failed;
  char *message;
} merging;

static frontier_status fail(merging *m, frontier_status status, const char *what)
{
  snprintf(m->message, FRONTIER_MESSAGE_SIZE, "%s", what);
  return status;
}

static frontier *open_source(const char *directory, frontier_status *status, char *message)
{
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = true,
                              .keep_identity = true};
  frontier *f = NULL;
  *status = frontier_open(directory, &options, &f, message);
  return *status == FRONTIER_OK ? f : NULL;
}

/* ---- may they be merged? -------------------------------------------------------------------------------- */

static frontier_status compare(merging *m, const frontier *f)
{
  frontier_options *ours = &m->options;
  char a[URL_PROFILE_NAME_SIZE], b[URL_PROFILE_NAME_SIZE];
  if (!m->first) {
    m->first = f->directory;
    *ours = f->options;
    return FRONTIER_OK;
  }
  if (ours->exact != f->options.exact) { /* a log does not say which host a key is of */
    snprintf(m->message, FRONTIER_MESSAGE_SIZE,
             "of %.200s and %.200s only one keeps its keys exactly: they cannot be "
             "merged",
             m->first, f->directory);
    return FRONTIER_MISMATCH;
  }
  url_profile_name(ours->profile, a);
  url_profile_name(f->options.profile, b);
  if (ours->filter != f->options.filter || ours->profile != f->options.profile) {
    snprintf(m->message, FRONTIER_MESSAGE_SIZE,
             "%.120s has filter %s, profile %.60s, and %.120s has filter %s, profile %.60s: their keys differ",
             m->first, mlbf_kind_name(ours->filter), a, f->directory, mlbf_kind_name(f->options.filter), b);
    return FRONTIER_MISMATCH;
  }
  if (f->options.rate < ours->rate)
    ours->rate = f->options.rate;
  ours->expected_urls += f->options.expected_urls;
  return FRONTIER_OK;
}

/* All of them, before anything is made. */
static frontier_status compare_all(merging *m, const char *const *directories, size_t count)
{
  frontier_status status = count ? FRONTIER_OK : fail(m, FRONTIER_BAD_ARGUMENT, "nothing to merge");
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    frontier *f = open_source(directories[i], &status, m->message);
    if (f)
      status = compare(m, f);
    m->first = directories[0]; /* outlives the handle */
    frontier_close(f);
  }
  return status;
}

/* ---- one of them ---------------------------------------------------------------------------------------- */

/* What was forgotten is forgotten here too. */
static bool put_piece(merging *m, const uint8_t *body, size_t size)
{
  uint8_t *copy = malloc(size);
  if (!copy)
    return false;
  memcpy(copy, body, size);
  seen_erase(copy, size, &m->from->tombstones);
  store_append(m->to, STORE_HASHES, m->stood.log_keys, copy, size);
  free(copy);
  return true;
}

/* Now and then: the next transaction. */
static bool written(merging *m)
{
  if (++m->pieces < COMMIT_PIECES)
    return true;
  m->pieces = 0;
  m->has_failed = store_commit(m->to) != FRONTIER_OK || store_begin(m->to) != FRONTIER_OK;
  return !m->has_failed;
}

static bool copy_piece(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  merging *m = context;
  uint64_t keys;
  (void)key;
  m->has_failed = size == 0 || !seen_count_keys(body, size, &keys) || !put_piece(m, body, size);
  if (m->has_failed)
    return false;
  m->stood.log_keys += keys;
  return written(m);
}

static bool copy_exact(void *context, const store_exact_key *key)
{
  merging *m = context;
  mlbf_hash128 whole = exact_whole(key);
  store_exact_key erased = exact_key_unused(seen_tombstone(whole));
  store_put_exact(m->to, tombstones_has(&m->from->tombstones, whole) ? &erased : key);
  return ++m->keys % KEYS_PER_PIECE != 0 || written(m);
}

static frontier_status copy_keys(merging *m, frontier *f)
{
  frontier_status status = store_each(f->store, STORE_HASHES, 0, copy_piece, m);
  if (status == FRONTIER_OK && !m->has_failed)
    status = store_each_exact(f->store, copy_exact, m);
  if (status != FRONTIER_OK)
    return fail(m, status, store_message(f->store));
  if (!m->has_failed)
    return FRONTIER_OK;
  const char *why = store_message(m->to);
  return fail(m, *why ? FRONTIER_NO_SPACE : FRONTIER_DAMAGED, *why ? why : "a piece of the hash log cannot be read");
}

/* The filter that is used up, and its bits in ours. The first becomes ours. */
static void unite(merging *m, frontier *f, bool is_first)
{
  if (!is_first && !m->filter)
    return;
  mlbf_filter *theirs = tombstones_is_empty(&f->tombstones) ? seen_take_filter(f->seen) : NULL;
  if (is_first) {
    m->filter = theirs;
    return;
  }
  if (!theirs || mlbf_union(m->filter, theirs) != MLBF_OK) { /* of another size, or too full together */
    mlbf_free(m->filter);
    m->filter = NULL;
  }
  mlbf_free(theirs);
}

static frontier_status merge_one(merging *m, const char *directory, bool is_first)
{
  frontier_status status;
  frontier *f = open_source(directory, &status, m->message);
  if (!f)
    return status;
  m->from = f;
  status = seen_load(f); /* and its tombstones */
  status = status == FRONTIER_OK ? copy_keys(m, f) : fail(m, status, f->message);
  if (status == FRONTIER_OK) {
    m->stood.expected_lost += hash_log_expected_lost(&f->log);
    unite(m, f, is_first);
  }
  frontier_close(f);
  return status;
}

/* ---- the new one ---------------------------------------------------------------------------------------- */

/* The filter, if it came about and has the promised rate, is saved as seen.1 before the record says so. */
static void save_filter(merging *m, const char *directory)
{
  char path[FRESH_PATH_SIZE];
  mlbf_stats stats;
  if (!m->filter)
    return;
  mlbf_stats_read(m->filter, &stats);
  if (snprintf(path, sizeof path, "%s/seen.1", directory) >= FRESH_PATH_SIZE ||
      stats.promised_rate != m->options.rate || m->stood.log_keys > stats.design_keys ||
      mlbf_save(m->filter, path) != MLBF_OK)
    return;
  m->stood.checkpoint_slot = 1;
  m->stood.checkpoint_keys = m->stood.log_keys;
}

static frontier_status finish_store(merging *m)
{
  progress *into = &m->stood;
  uint8_t body[PROGRESS_SIZE], absent[16];
  into->next_sequence = into->log_keys + 1;
  into->outcomes[FRONTIER_NEW] = into->log_keys;
  progress_write(into, body);
  put_le(absent, 1, 8);
  put_le(absent + 8, into->log_keys, 8);
  store_put_meta(m->to, "progress", body, sizeof body);
  if (into->log_keys)
    store_put_meta(m->to, "absent", absent, sizeof absent);
  frontier_status status = store_commit(m->to);
  return status == FRONTIER_OK ? status : fail(m, status, store_message(m->to));
}

static frontier_status merge_into(merging *m, const char *const *directories, size_t count, const char *partial)
{
  uint8_t identity[IDENTITY_MAX];
  size_t size = identity_write(&m->options, identity);
  frontier_status status = store_open(partial, false, identity, size, &m->to, m->message);
  if (status == FRONTIER_OK && m->options.exact)
    status = store_find_exact(m->to, true);
  if (status == FRONTIER_OK)
    status = store_begin(m->to);
  if (status != FRONTIER_OK && m->to)
    fail(m, status, store_message(m->to));
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++)
    status = merge_one(m, directories[i], i == 0);
  if (status == FRONTIER_OK) {
    save_filter(m, partial);
    status = finish_store(m);
  }
  store_close(m->to);
  return status;
}

frontier_status frontier_merge(const char *const *directories, size_t count, const char *to, frontier_merged *merged,
                               char message[FRONTIER_MESSAGE_SIZE])
{
  char partial[FRESH_PATH_SIZE];
  merging m = {.message = message};
  frontier_status status = compare_all(&m, directories, count);
  if (status != FRONTIER_OK || (status = atomic_dir_begin(to, partial, message)) != FRONTIER_OK)
    return status;
  status = merge_into(&m, directories, count, partial);
  mlbf_free(m.filter);
  *merged = (frontier_merged){.keys = m.stood.log_keys, .by_bits = m.stood.checkpoint_keys > 0};
  if (status == FRONTIER_OK)
    status = atomic_dir_finish(to, partial, message);
  if (status != FRONTIER_OK)
    atomic_dir_abandon(partial);
  return status;
}
