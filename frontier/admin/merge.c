/* Merges the seen keys of several crawls: a frontier whose log holds the keys of all, and that has no URL to fetch.
 *
 *     logs     one after the other; a key of two crawls is in it twice, which only makes the next filter larger than
 *              needed. Leaving out keys that the filter knows could leave out keys that it knows wrongly
 *              (forgotten keys are replaced by their complement: seen_tombstone)
 *     filters  united bit by bit if they have one size; else one is made from the log at open
 *     doubts   where keys are exact: links that are unconfirmed in one of them are so in the new one, and its next
 *              crawl settles them. Where they are not, such a link is judged by the filter when it is found again
 *
 * The keys are exact if those of all are. (The log has what it takes if one of them is not; but that one has missed
 * pages that its filter wrongly called seen.) Then runs are made in the end, so that all is certain from the first
 * reader on.
 *
 * Crawls with different secrets: the new one has the secret of the first whose keys its URLs do not all make
 * (merge_rekey.h), or else of the first. The keys of those with another secret are made again from their URLs.
 *
 * The new directory has a sequence number for each key and no URL record: FORMAT.md calls such numbers `absent`. */
#include "frontier/admin.h"
#include "frontier/admin/atomic_dir.h"
#include "frontier/admin/merge_rekey.h"
#include "frontier/admin/watch.h"
#include "frontier/base/record.h"
#include "frontier/core/state.h"
#include "frontier/store/store_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMIT_PIECES = 1000, REKEYED_PER_PIECE = 1000, DOUBTS_BYTES = FRONTIER_LIMIT(1 << 20, 1 << 10) };

typedef struct merging {
  const frontier *from;     /* the one whose log is being copied */
  frontier_options options; /* of the new frontier; `secret`: the next */
  uint8_t secret[MLBF_SECRET_BYTES];
  bool is_one_secret;                           /* they all have it */
  char key_scheme[FRONTIER_KEY_SCHEME_MAX + 1]; /* of all */
  progress stood;                               /* its numbers so far */
  store *to;
  mlbf_filter *filter; /* of all so far; NULL: they do not fit together */
  const char *first;   /* whose kind and profile the others must have */
  rows_writer doubts;  /* of all, what is not written yet */
  url *u;
  seen *rekeyed;   /* of the one whose keys are made again, what is not written yet; NULL */
  unsigned pieces; /* since the last commit */
  bool has_failed, lacks_memory;
  uint64_t whole; /* keys of all logs */
  watch told;
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
    frontier_secret(f, m->secret);
    ours->secret = m->secret;
    m->is_one_secret = true;
    snprintf(m->key_scheme, sizeof m->key_scheme, "%s", f->options.key_scheme);
    ours->key_scheme = m->key_scheme;
    ours->partitions = ours->partition = 0; /* all hosts of all of them are its own */
    return FRONTIER_OK;
  }
  m->is_one_secret &= secret_is(f, m->secret);
  const char *of_ours = ours->key_scheme ? ours->key_scheme : "",
             *of_it = f->options.key_scheme ? f->options.key_scheme : "";
  if (strcmp(of_ours, of_it) != 0) {
    snprintf(m->message, FRONTIER_MESSAGE_SIZE, "%.120s has keys of scheme \"%s\", %.120s of \"%s\": their keys differ",
             m->first, of_ours, f->directory, of_it);
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
  ours->exact &= f->options.exact; /* one that wrongly called links seen has missed pages, and so has the merge */
  ours->expected_urls += f->options.expected_urls;
  return FRONTIER_OK;
}

/* All of them, before anything is made. */
static frontier_status compare_all(merging *m, const char *const *directories, size_t count)
{
  frontier_status status = count ? FRONTIER_OK : fail(m, FRONTIER_BAD_ARGUMENT, "nothing to merge");
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++) {
    frontier *f = open_source(directories[i], &status, m->message);
    if (f) {
      m->whole += hash_log_keys(&f->log);
      status = compare(m, f);
    }
    m->first = directories[0]; /* outlives the handle */
    frontier_close(f);
  }
  return status;
}

/* ---- with which secret? --------------------------------------------------------------------------------- */

static frontier_status count_lost(frontier *f, uint64_t *lost, char *message)
{
  frontier_status status = rekey_load(f);
  if (status == FRONTIER_OK)
    status = rekey_each(f, NULL, NULL, lost);
  if (status != FRONTIER_OK)
    frontier_message_copy(f, message);
  return status;
}

/* That of the crawls whose keys cannot be made again: there must be one. */
static frontier_status choose_secret(merging *m, const char *const *directories, size_t count)
{
  const char *bound = NULL; /* the first of those */
  frontier_status status = FRONTIER_OK;
  for (size_t i = 0; i < count && status == FRONTIER_OK && !m->is_one_secret; i++) {
    uint64_t lost = 0;
    frontier *f = open_source(directories[i], &status, m->message);
    if (f)
      status = count_lost(f, &lost, m->message);
    if (status == FRONTIER_OK && lost && bound && !secret_is(f, m->secret)) {
      snprintf(m->message, FRONTIER_MESSAGE_SIZE,
               "%.120s and %.120s have different secrets, and each has keys that cannot be made again from a stored URL"
               " (%" PRIu64 " in the second: a program's own, of a merge, or lost before a repair): merge them with"
               " crawls of their own secret only",
               bound, directories[i], lost);
      status = FRONTIER_MISMATCH;
    } else if (status == FRONTIER_OK && lost && !bound) {
      bound = directories[i];
      frontier_secret(f, m->secret);
    }
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
  watch_tell(&m->told, m->stood.log_keys, m->whole);
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

static frontier_status copy_keys(merging *m, frontier *f)
{
  frontier_status status = store_each(f->store, STORE_HASHES, 0, copy_piece, m);
  if (status != FRONTIER_OK)
    return fail(m, status, store_message(f->store));
  if (!m->has_failed)
    return FRONTIER_OK;
  const char *why = store_message(m->to);
  return fail(m, *why ? FRONTIER_NO_SPACE : FRONTIER_DAMAGED, *why ? why : "a piece of the hash log cannot be read");
}

/* What was hashed anew: a piece of the log. */
static bool write_rekeyed(merging *m)
{
  size_t size;
  const uint8_t *piece = seen_batch_log(m->rekeyed, &size);
  if (size == 0)
    return true;
  store_append(m->to, STORE_HASHES, m->stood.log_keys, piece, size);
  m->stood.log_keys += seen_batch_keys(m->rekeyed);
  seen_seal(m->rekeyed);
  seen_settle(m->rekeyed);
  return written(m);
}

static bool rekey_url(void *context, const url *u)
{
  merging *m = context;
  key_hashes hashes;
  seen_hash(seen_filter(m->rekeyed), u, &hashes);
  if (!seen_add(m->rekeyed, &hashes)) {
    m->lacks_memory = true;
    return false;
  }
  return seen_batch_keys(m->rekeyed) < REKEYED_PER_PIECE || write_rekeyed(m);
}

/* A filter of the size of theirs, with our secret. */
static bool make_rekeyed(merging *m, const frontier *f)
{
  mlbf_stats stats;
  mlbf_filter *filter;
  mlbf_stats_read(seen_filter(f->seen), &stats);
  mlbf_options options = {.size = sizeof(mlbf_options),
                          .kind = f->options.filter,
                          .keys = stats.design_keys,
                          .rate = stats.promised_rate,
                          .secret = m->secret,
                          .signals = f->options.filter == MLBF_KIND_MLBF,
                          .profile = mlbf_promise_of(seen_filter(f->seen)).profile};
  if (mlbf_create(&options, &filter) != MLBF_OK)
    return false;
  m->rekeyed = seen_adopt(filter);
  return m->rekeyed != NULL;
}

static frontier_status rekey_keys(merging *m, frontier *f)
{
  uint64_t lost = 0;
  if (!make_rekeyed(m, f))
    return fail(m, FRONTIER_NO_MEMORY, "out of memory for a filter with another secret");
  frontier_status status = rekey_each(f, rekey_url, m, &lost);
  if (status != FRONTIER_OK)
    return fail(m, status, f->message);
  if (m->lacks_memory)
    return fail(m, FRONTIER_NO_MEMORY, "out of memory for one more key");
  if (m->has_failed || !write_rekeyed(m))
    return fail(m, FRONTIER_NO_SPACE, store_message(m->to));
  return lost == 0 ? FRONTIER_OK : fail(m, FRONTIER_MISMATCH, "a crawl got keys meanwhile that no URL of it makes");
}

/* ---- unconfirmed links ---------------------------------------------------------------------------------- */

static bool write_doubts(merging *m)
{
  size_t size;
  if (!m->doubts.count)
    return true;
  const uint8_t *value = rows_finish(&m->doubts, &size);
  store_append_raw(m->to, STORE_UNCONFIRMED, m->doubts.first, value, size);
  rows_clear(&m->doubts);
  return written(m);
}

/* Its key with our secret. false: its text gives none. An own key is of our secret already: choose_secret. */
static bool rekey_doubt(merging *m, doubt_row *row)
{
  if (!m->rekeyed || row->has_own_key)
    return !m->rekeyed;
  bool is_url = url_parse(row->url, row->url_size, m->options.profile, m->u) == URL_OK;
  if (is_url)
    seen_hash(seen_filter(m->rekeyed), m->u, &row->hashes);
  return is_url;
}

/* The page that gave the link has no record here. One whose key was forgotten since it was found is of no interest. */
static bool carry_doubt(void *context, uint64_t number, const doubt_row *given)
{
  merging *m = context;
  doubt_row row = *given;
  (void)number;
  row.origin.via = 0;
  if (tombstones_has(&m->from->tombstones, row.hashes.whole) || !rekey_doubt(m, &row))
    return true;
  size_t size = doubt_row_size(&row);
  m->lacks_memory = !rows_make_room(&m->doubts, size);
  if (m->lacks_memory)
    return false;
  doubt_row_write(&row, rows_add(&m->doubts, size, 0));
  return m->doubts.size < DOUBTS_BYTES || write_doubts(m);
}

static frontier_status carry_doubts(merging *m, frontier *f)
{
  if (!m->options.exact)
    return FRONTIER_OK;
  frontier_status status = late_each_doubt(f, carry_doubt, m);
  if (status != FRONTIER_OK)
    return fail(m, status, f->message);
  if (m->lacks_memory)
    return fail(m, FRONTIER_NO_MEMORY, "out of memory for an unconfirmed link");
  return !m->has_failed && write_doubts(m) ? FRONTIER_OK : fail(m, FRONTIER_NO_SPACE, store_message(m->to));
}

/* ---- filters -------------------------------------------------------------------------------------------- */

/* The filter that is used up, and its bits in ours. The first becomes ours. */
static void unite(merging *m, frontier *f, bool is_first)
{
  if (!is_first && !m->filter)
    return;
  mlbf_filter *theirs = m->rekeyed                            ? seen_take_filter(m->rekeyed)
                        : tombstones_is_empty(&f->tombstones) ? seen_take_filter(f->seen)
                                                              : NULL;
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
  bool is_same = secret_is(f, m->secret);
  m->from = f;
  status = is_same ? seen_load_whole(f) : rekey_load(f); /* and its tombstones */
  if (status != FRONTIER_OK)
    fail(m, status, f->message);
  else
    status = is_same ? copy_keys(m, f) : rekey_keys(m, f);
  if (status == FRONTIER_OK)
    status = carry_doubts(m, f);
  if (status == FRONTIER_OK) {
    m->stood.expected_lost += hash_log_expected_lost(&f->log);
    unite(m, f, is_first);
  }
  seen_free(m->rekeyed);
  m->rekeyed = NULL;
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
      stats.promised_rate != seen_main_rate(m->options.rate) || m->stood.log_keys > stats.design_keys ||
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
  uint8_t body[IDENTITY_MAX];
  identity own;
  if (!identity_make(&m->options, &own))
    return fail(m, FRONTIER_IO, "the system gave no random bytes");
  frontier_status status = store_open(partial, false, body, identity_write(&m->options, &own, body), &m->to,
                                      m->message);
  if (status == FRONTIER_OK && m->options.exact)
    status = store_find_table(m->to, STORE_UNCONFIRMED, true);
  if (status == FRONTIER_OK)
    status = store_begin(m->to);
  if (status != FRONTIER_OK && m->to)
    fail(m, status, store_message(m->to));
  m->doubts = (rows_writer){.kind = ROWS_DOUBT, .id = m->to ? store_id(m->to) : 0, .first = 1};
  for (size_t i = 0; i < count && status == FRONTIER_OK; i++)
    status = merge_one(m, directories[i], i == 0);
  if (status == FRONTIER_OK) {
    save_filter(m, partial);
    status = finish_store(m);
  }
  store_close(m->to);
  rows_free(&m->doubts);
  return status;
}

/* Runs of the new log. */
static frontier_status make_runs(const merging *m, const char *partial)
{
  frontier_options options = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1, .rate = 0.5, .per_host = 1, .keep_identity = true};
  frontier *f = NULL;
  if (!m->options.exact)
    return FRONTIER_OK;
  frontier_status status = frontier_open(partial, &options, &f, m->message);
  if (status != FRONTIER_OK)
    return status;
  status = late_complete(f);
  if (status != FRONTIER_OK)
    frontier_message_copy(f, m->message);
  frontier_status closed = frontier_close(f);
  if (status == FRONTIER_OK && closed != FRONTIER_OK)
    snprintf(m->message, FRONTIER_MESSAGE_SIZE, "%.400s: closing it failed", partial);
  return status == FRONTIER_OK ? closed : status;
}

static frontier_status merge_it(const char *const *directories, size_t count, const char *to, frontier_merged *merged,
                                watch told, char message[FRONTIER_MESSAGE_SIZE])
{
  char partial[FRESH_PATH_SIZE];
  merging m = {.message = message, .told = told, .u = malloc(sizeof *m.u)};
  frontier_status status = m.u ? compare_all(&m, directories, count)
                               : fail(&m, FRONTIER_NO_MEMORY, "out of memory for a URL");
  if (status == FRONTIER_OK)
    status = choose_secret(&m, directories, count);
  if (status == FRONTIER_OK)
    status = atomic_dir_begin(to, partial, message);
  if (status != FRONTIER_OK) {
    free(m.u);
    return status;
  }
  status = merge_into(&m, directories, count, partial);
  if (status == FRONTIER_OK)
    status = make_runs(&m, partial);
  mlbf_free(m.filter);
  free(m.u);
  *merged = (frontier_merged){.keys = m.stood.log_keys, .by_bits = m.stood.checkpoint_keys > 0};
  if (status == FRONTIER_OK)
    status = atomic_dir_finish(to, partial, message);
  if (status != FRONTIER_OK)
    atomic_dir_abandon(partial);
  return status;
}

frontier_status frontier_merge_watched(const char *const *directories, size_t count, const char *to,
                                       frontier_merged *merged, size_t size, frontier_progress *told,
                                       void *told_context, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_merged ours = {0};
  frontier_status status = merge_it(directories, count, to, &ours, (watch){told, told_context}, message);
  sized_give(merged, size, &ours, sizeof ours);
  return status;
}

frontier_status frontier_merge_sized(const char *const *directories, size_t count, const char *to,
                                     frontier_merged *merged, size_t size, char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_merge_watched(directories, count, to, merged, size, NULL, NULL, message);
}
