/* From a directory to a frontier and back.
 *
 *     to write    make it, LOCK, data.mdb, hosts, filter, journal, sync of names, LOCK says what is left
 *     to read     data.mdb and hosts, as of one commit, while a writer may go on
 *     no path     the filter alone; everything is in memory
 *
 * Always: each step needs what those before it opened. A writer holds LOCK before it opens data.mdb, and makes nothing
 * in a directory that holds what is not ours. If a step fails, all that was opened is closed and the caller gets no
 * handle.
 *
 * Open takes no mutex (lock.h): no other thread has the handle yet. Close takes it while there is a commit thread.
 *
 * After a crash while a directory is made: the next opening goes on. A data.mdb that never got a record is made again
 * (store_open.c). After one in frontier_close: the batch is committed before the filter is saved, so a save that was
 * cut short costs only time at the next opening. */
#include "frontier/core/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- open ---------------------------------------------------------------------------------------------- */

/* One meta record through its reader; absent is fine unless `is_required`. */
frontier_status meta_take(frontier *f, const char *name, bool is_required,
                          frontier_status (*read)(frontier *, const uint8_t *, size_t))
{
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_meta(f->store, name, &body, &size);
  if (status == FRONTIER_NOT_FOUND && !is_required)
    return FRONTIER_OK;
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s: %s", f->directory, store_message(f->store));
  status = read(f, body, size);
  free(body);
  return status;
}

/* For a reader: records of several tables, while another process commits. */
static frontier_status pin_store(frontier *f)
{
  frontier_status status = store_pin(f->store);
  return status == FRONTIER_OK ? status : frontier_fail(f, status, "%s", store_message(f->store));
}

static frontier_status take_identity(frontier *f)
{
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_identity(f->store, &body, &size);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  status = identity_read(f, body, size);
  free(body);
  return status;
}

static frontier_status find_data(frontier *f)
{
  struct stat info;
  char path[4096];
  snprintf(path, sizeof path, "%s/data.mdb", f->directory);
  return stat(path, &info) == 0
           ? FRONTIER_OK
           : frontier_fail(f, FRONTIER_NOT_FOUND, "%s is not a Strata frontier (no data.mdb in it)", f->directory);
}

static frontier_status open_store(frontier *f)
{
  uint8_t body[IDENTITY_MAX];
  size_t size = identity_write(&f->options, &f->identity, body);
  frontier_status status = directory_check_data(f);
  if (status == FRONTIER_OK && f->options.partitions && !f->options.route_key && find_data(f) != FRONTIER_OK)
    status = frontier_fail(f, FRONTIER_BAD_ARGUMENT, "%s would be a new partition: it needs the crawl's route key",
                           f->directory);
  if (status == FRONTIER_OK)
    status = store_open_mapped(f->directory, f->options.read_only, f->options.map_size, body, size, &f->store,
                               f->message);
  if (status == FRONTIER_OK && f->options.read_only)
    status = pin_store(f);
  if (status == FRONTIER_OK)
    status = take_identity(f);
  const char *missing = status == FRONTIER_OK ? store_missing_table(f->store) : NULL;
  if (missing)
    status = frontier_fail(f, FRONTIER_DAMAGED, "%s/data.mdb: its table %s is missing", f->directory, missing);
  if (status == FRONTIER_OK)
    status = meta_take(f, "progress", false, counts_take_progress);
  if (status == FRONTIER_OK)
    status = meta_take(f, "acceptance", false, counts_take_acceptance);
  if (status == FRONTIER_OK)
    status = meta_take(f, "counters", false, counters_take);
  return status;
}

/* Each needs what those before it opened. */
typedef frontier_status open_step(frontier *f);
static open_step *const to_write[] = {directory_make,
                                      directory_lock_it,
                                      open_store,
                                      host_table_load,
                                      batch_open,
                                      seen_load,
                                      late_open,
                                      ordering_load,
                                      sharing_open,
                                      journal_record_open,
                                      directory_sync_names,
                                      directory_note_open,
                                      NULL};
static open_step *const to_read[] = {find_data, open_store, host_table_load, sharing_open, NULL};
static open_step *const in_memory[] = {seen_load, NULL};

static frontier_status open_all(frontier *f)
{
  open_step *const *step = !f->directory ? in_memory : f->options.read_only ? to_read : to_write;
  frontier_status status = FRONTIER_OK;
  while (*step && status == FRONTIER_OK)
    status = (*step++)(f);
  store_unpin(f->store); /* a reader's counts of URLs and of hosts are of one commit */
  return status;
}

static frontier_status previous_fits(frontier *f)
{
  char name[URL_PROFILE_NAME_SIZE];
  url_profile profile = previous_profile(f->previous);
  const char *scheme = previous_key_scheme(f->previous), *path = f->options.previous_path;
  url_profile_name(profile, name);
  if (profile != f->options.profile)
    return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with profile %s", path, name);
  if (scheme && strcmp(scheme, f->options.key_scheme) != 0)
    return frontier_fail(f, FRONTIER_MISMATCH, "%s was made with keys \"%s\"", path, scheme);
  return FRONTIER_OK;
}

/* An unknown rule has no name, and would be lost with the handle. */
static bool is_profile(url_profile profile)
{
  char name[URL_PROFILE_NAME_SIZE];
  url_profile named;
  url_profile_name(profile, name);
  return url_profile_parse(name, &named) && named == profile;
}

static bool options_make_sense(const frontier_options *o)
{
  bool is_known = o->filter == MLBF_KIND_MLBF || o->filter == MLBF_KIND_BLOOM || o->filter == MLBF_KIND_LINE;
  bool is_map = !o->map_size || (o->map_size >= FRONTIER_MAP_MIN && o->map_size <= FRONTIER_MAP_MAX);
  return is_known && is_map && o->expected_urls > 0 && o->rate > 0 && o->rate < 1 && o->per_host > 0 &&
         is_profile(o->profile) && key_scheme_is_valid(o->key_scheme) && o->partitions <= FRONTIER_PARTITIONS_MAX &&
         (o->partitions ? o->partition < o->partitions : !o->partition && !o->route_key);
}

frontier_status frontier_open_sized(const char *directory, const frontier_options *given, size_t options_size,
                                    frontier **out, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_options options;
  if (!sized_take(&options, sizeof options, given, options_size) || !options_make_sense(&options) ||
      (!directory && (options.read_only || options.journal_path || options.exact || options.partitions))) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "these options make no frontier");
    return FRONTIER_BAD_ARGUMENT;
  }
  if (options.lease_ms > HOST_DELAY_MAX_MS)
    options.lease_ms = HOST_DELAY_MAX_MS;
  frontier *f = handle_create(directory, &options);
  if (!f) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory, or the system gave no random bytes");
    return FRONTIER_NO_MEMORY;
  }
  /* first of all, so that nothing is made where it is missing */
  frontier_status status = FRONTIER_OK;
  if (options.previous_path)
    status = previous_open(directory, options.previous_path, f->options.secret, &f->previous, f->message);
  if (status == FRONTIER_OK)
    status = open_all(f);
  if (status == FRONTIER_OK && f->previous)
    status = previous_fits(f);
  if (status == FRONTIER_OK) {
    queue_begin(f);
    batch_begin(&f->batch, f->options.commit_after_ms);
    status = lander_start(f);
  }
  if (status == FRONTIER_OK) {
    *out = f;
  } else {
    memcpy(message, f->message, FRONTIER_MESSAGE_SIZE);
    f->options.read_only = true; /* nothing to commit */
    frontier_close(f);
  }
  return status;
}

/* ---- close --------------------------------------------------------------------------------------------- */

static frontier_status close_cleanly(frontier *f)
{
  LOCKED(f); /* the commit thread may be at it */
  frontier_status status = commit_batch(f);
  if (status != FRONTIER_OK)
    return status;
  bool has_renewed = checkpoint_is_worthwhile(f) && renewal_make_last(f);
  return journal_record_settle(f) || has_renewed ? commit_batch(f) : FRONTIER_OK;
}

frontier_status frontier_close(frontier *f)
{
  if (!f)
    return FRONTIER_OK;
  frontier_status status = f->store && !f->options.read_only ? close_cleanly(f) : FRONTIER_OK;
  lander_stop(f);
  handle_free(f);
  return status;
}
