/* Compacts data.mdb. LMDB's file never shrinks: deleted and overwritten records leave free pages, for later records.
 * Forgotten keys are erased first (erase.h), which frees their memory. Files of keys stay as they are; where keys were
 * erased, runs are made again.
 *
 *     data.mdb -- copied in order of key (compact_copy.h) --> rebuilt/data.mdb -- read through --> renamed to data.mdb
 *
 * A crash before the rename leaves the old file, and a directory that the next compaction removes; after it, the new
 * file. Of the two filter files the one that is not valid is removed too: it is only the place of the next
 * checkpoint. */
#include "frontier/admin.h"
#include "frontier/admin/compact_copy.h"
#include "frontier/admin/erase.h"
#include "frontier/admin/mdb_urls.h"
#include "frontier/base/record.h"
#include "frontier/admin/replace.h"
#include "frontier/core/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static void path_of(const frontier *f, const char *name, char path[PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%s/%s", f->directory, name);
}

static bool is_counted(const char *name)
{
  static const char *const kinds[] = {"data.mdb", "seen.", "keys.", "doubts."};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(name, kinds[i], strlen(kinds[i])) == 0 && strcmp(name, "data.mdb.damaged") != 0)
      return true;
  return false;
}

static uint64_t disk_use(const frontier *f)
{
  enum { BLOCK = 512 }; /* of st_blocks */
  uint64_t sum = 0;
  struct stat file;
  DIR *directory = opendir(f->directory);
  for (const struct dirent *d; directory && (d = readdir(directory)) != NULL;)
    if (is_counted(d->d_name) && fstatat(dirfd(directory), d->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0)
      sum += (uint64_t)file.st_blocks * BLOCK;
  if (directory)
    closedir(directory);
  return sum;
}

/* ---- is the copy as good as the original? --------------------------------------------------------------- */

static void count_fault(void *context, const char *sentence)
{
  (void)sentence;
  ++*(uint64_t *)context;
}

static bool count_record(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)key, (void)body, (void)size;
  ++*(uint64_t *)context;
  return true;
}

static void pass_over(void *context, const char *name, const uint8_t *body, size_t size)
{
  (void)context, (void)name, (void)body, (void)size;
}

static bool count_block(void *context, rows_block *block)
{
  *(uint64_t *)context += block->count;
  return true;
}

static void count_states(void *context, uint64_t first, const url_state states[STATES_BLOCK])
{
  (void)first;
  for (unsigned i = 0; i < STATES_BLOCK; i++)
    *(uint64_t *)context += states[i].what != URL_WAITS;
}

/* How many URLs there are, by the records that say which there are. */
static frontier_status count_urls(store *s, uint64_t *urls)
{
  progress stood = {.next_sequence = 1};
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_meta(s, "progress", &body, &size);
  if (status == FRONTIER_OK) {
    status = progress_read(&stood, body, size) ? FRONTIER_OK : FRONTIER_DAMAGED;
    free(body);
  }
  *urls = stood.next_sequence - 1;
  if (status == FRONTIER_OK && (status = store_get_meta(s, "absent", &body, &size)) == FRONTIER_OK) {
    for (size_t at = 0; at + 16 <= size; at += 16)
      *urls -= get_le(body + at + 8, 8);
    free(body);
  }
  return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
}

/* Those that verify_urls reads. */
static bool is_of_rows(store_table table)
{
  return table == STORE_TEXT || table == STORE_ENDED || table == STORE_STATES || table == STORE_UNCONFIRMED;
}

static frontier_status count_wanted(frontier *f, store_table table, const compact_counts *copied, uint64_t *wanted)
{
  *wanted = table == STORE_HOSTS ? copied->hosts : 0;
  return table == STORE_HOSTS || table == STORE_HOST_CHANGES ? FRONTIER_OK : store_count(f->store, table, wanted);
}

static frontier_status verify_records(frontier *f, pages *p, const compact_counts *copied, uint64_t *faults)
{
  frontier_status status = FRONTIER_OK;
  for (int table = 0; table < STORE_TABLES && status == FRONTIER_OK; table++) {
    uint64_t records = 0, wanted = 0;
    if (is_of_rows((store_table)table))
      continue;
    status = count_wanted(f, (store_table)table, copied, &wanted);
    mdb_records_each(p, store_table_name((store_table)table), count_record, &records);
    *faults += records != wanted;
  }
  mdb_records_each_named(p, "meta", pass_over, NULL);
  mdb_records_each_named(p, "identity", pass_over, NULL);
  return status;
}

static frontier_status verify_urls(frontier *f, pages *p, const compact_counts *copied, uint64_t *faults)
{
  uint64_t urls = 0, ended = 0, states = 0, links = 0, wanted = 0, id = mdb_urls_id(f);
  mdb_urls_each_block(p, STORE_TEXT, ROWS_TEXT, id, count_block, &urls);
  mdb_urls_each_block(p, STORE_ENDED, ROWS_ENDED, id, count_block, &ended);
  mdb_urls_each_states(p, id, count_states, NULL, &states);
  mdb_urls_each_block(p, STORE_UNCONFIRMED, ROWS_DOUBT, id, count_block, &links);
  frontier_status status = count_urls(f->store, &wanted);
  *faults += urls != wanted || urls != copied->urls || ended || states != copied->states || links != copied->doubts;
  return status;
}

static frontier_status is_damaged(frontier *f)
{
  return frontier_fail(f, FRONTIER_DAMAGED, "%s is damaged; strata check says where, and may repair it", f->directory);
}

/* The second half of the work. */
static void tell_pages(void *context, uint64_t done, uint64_t whole)
{
  const compact_counts *copied = context;
  double share = whole > 0 ? (double)done / (double)whole : 1;
  watch_tell(&copied->told, copied->whole + (uint64_t)(share * (double)copied->whole), 2 * copied->whole);
}

/* Every page and every checksum of the copy; and as many records as the store has. */
static frontier_status verify(frontier *f, const char *path, compact_counts *copied)
{
  uint64_t faults = 0;
  pages *p = NULL;
  frontier_status status = mdb_pages_open(path, count_fault, &faults, &p, f->message);
  if (status != FRONTIER_OK)
    return status;
  mdb_pages_watch(p, tell_pages, copied);
  status = verify_records(f, p, copied, &faults);
  if (status == FRONTIER_OK)
    status = verify_urls(f, p, copied, &faults);
  mdb_pages_check_owners(p);
  tell_pages(copied, 1, 1);
  mdb_pages_close(p);
  if (status != FRONTIER_OK)
    return status == FRONTIER_DAMAGED ? is_damaged(f) : frontier_fail(f, status, "%s", store_message(f->store));
  return faults ? is_damaged(f) : FRONTIER_OK;
}

/* ---- what was forgotten --------------------------------------------------------------------------------- */

/* A directory of another format is refused; a damaged identity is found later, with all other damage. */
static frontier_status check_identity(frontier *f)
{
  uint8_t *body;
  size_t size;
  if (store_get_identity(f->store, &body, &size) != FRONTIER_OK)
    return FRONTIER_OK;
  frontier_status status = identity_read(f, body, size);
  free(body);
  return status;
}

static frontier_status count_forgotten(frontier *f, uint64_t *rows)
{
  frontier_status status = directory_check_data(f);
  if (status == FRONTIER_OK)
    status = store_open(f->directory, true, "", 0, &f->store, f->message);
  if (status != FRONTIER_OK)
    return status;
  status = check_identity(f);
  if (status == FRONTIER_OK && (status = store_count(f->store, STORE_REVOKED, rows)) != FRONTIER_OK)
    frontier_fail(f, status, "%s", store_message(f->store));
  store_close(f->store);
  f->store = NULL;
  return status;
}

/* By a handle of its own, as a writer's, which it is. */
static frontier_status erase_if_any(frontier *f)
{
  const frontier_options options = {.filter = MLBF_KIND_MLBF,
                                    .expected_urls = 1,
                                    .rate = 1e-6,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .keep_identity = true};
  frontier *writer = NULL;
  uint64_t rows = 0;
  frontier_status status = count_forgotten(f, &rows);
  if (status != FRONTIER_OK || rows == 0)
    return status;
  status = frontier_open(f->directory, &options, &writer, f->message);
  if (status != FRONTIER_OK)
    return status;
  status = erase_forgotten(writer);
  if (status == FRONTIER_OK)
    status = late_complete(writer);
  if (status != FRONTIER_OK)
    memcpy(f->message, writer->message, FRONTIER_MESSAGE_SIZE);
  frontier_status closed = frontier_close(writer);
  if (status == FRONTIER_OK && closed != FRONTIER_OK)
    status = frontier_fail(f, closed, "%s: closing it after what was forgotten was erased failed", f->directory);
  return status;
}

/* ---- the steps ------------------------------------------------------------------------------------------ */

static frontier_status fill(frontier *f, store *to, compact_counts *copied)
{
  static const store_table some[] = {STORE_UNCONFIRMED, STORE_OUTBOX, STORE_MARKS};
  bool reading;
  frontier_status status = FRONTIER_OK;
  for (size_t i = 0; i < sizeof some / sizeof *some && status == FRONTIER_OK; i++)
    if (store_find_table(f->store, some[i], false) == FRONTIER_OK)
      status = store_find_table(to, some[i], true);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(to));
  status = compact_copy(f->store, to, secret_hasher(f), copied, &reading);
  if (status == FRONTIER_OK)
    return status;
  if (reading && status == FRONTIER_DAMAGED)
    return is_damaged(f);
  const char *why = store_message(reading ? f->store : to);
  return frontier_fail(f, status, "%s", *why ? why : "out of memory for a copy");
}

static frontier_status make(frontier *f, compact_counts *copied)
{
  char directory[REBUILT_PATH_SIZE];
  uint8_t *body;
  size_t size;
  store *to = NULL;
  frontier_status status = store_get_meta(f->store, "identity", &body, &size);
  if (status != FRONTIER_OK)
    return status == FRONTIER_NO_MEMORY ? frontier_fail(f, status, "%s", store_message(f->store)) : is_damaged(f);
  environment_rebuilt(f->directory, "", directory);
  status = environment_begin_rebuilt(f->directory, f->message);
  if (status == FRONTIER_OK)
    status = store_open(directory, false, body, size, &to, f->message);
  free(body);
  if (status == FRONTIER_OK)
    status = fill(f, to, copied);
  store_close(to);
  return status;
}

static frontier_status copy_store(frontier *f, const char *path, uint64_t bytes, watch told)
{
  compact_counts copied = {.told = told, .whole = bytes};
  frontier_status status = store_open(f->directory, true, "", 0, &f->store, f->message);
  if (status == FRONTIER_OK)
    status = make(f, &copied);
  return status == FRONTIER_OK ? verify(f, path, &copied) : status;
}

/* Which filter file is valid is said by the record of progress. */
static void drop_other_filter(frontier *f)
{
  progress stood = {0};
  uint8_t *body;
  size_t size;
  char path[PATH_SIZE];
  if (store_get_meta(f->store, "progress", &body, &size) != FRONTIER_OK)
    return;
  bool is_known = progress_read(&stood, body, size) && stood.checkpoint_keys > 0;
  free(body);
  path_of(f, stood.checkpoint_slot ? "seen.0" : "seen.1", path);
  if (is_known)
    unlink(path);
}

static frontier_status compact(frontier *f, frontier_sizes *sizes, watch told)
{
  char path[PATH_SIZE];
  environment_rebuilt(f->directory, "data.mdb", path);
  sizes->before = disk_use(f);
  frontier_status status = erase_if_any(f);
  if (status == FRONTIER_OK)
    status = directory_lock_it(f);
  if (status != FRONTIER_OK)
    return status;
  status = copy_store(f, path, sizes->before, told);
  if (status == FRONTIER_OK)
    drop_other_filter(f);
  store_close(f->store);
  f->store = NULL;
  if (status == FRONTIER_OK)
    status = environment_replace(f->directory, path, NULL, f->message);
  if (status == FRONTIER_OK)
    directory_note_left(f);
  environment_remove_rebuilt(f->directory);
  sizes->after = disk_use(f);
  return status;
}

static frontier_status compact_it(const char *directory, frontier_sizes *sizes, watch told,
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  frontier *f = handle_create(directory, &(frontier_options){.per_host = 1, .keep_identity = true});
  if (!f) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  char data[PATH_SIZE];
  path_of(f, "data.mdb", data);
  frontier_status status = access(data, F_OK) == 0
                             ? compact(f, sizes, told)
                             : frontier_fail(f, FRONTIER_NOT_FOUND, "%s is not a Strata frontier (no data.mdb in it)",
                                             directory);
  if (status != FRONTIER_OK)
    memcpy(message, f->message, FRONTIER_MESSAGE_SIZE);
  handle_free(f);
  return status;
}

frontier_status frontier_compact_watched(const char *directory, frontier_sizes *sizes, size_t size,
                                         frontier_progress *told, void *told_context,
                                         char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_sizes ours = {0};
  frontier_status status = compact_it(directory, &ours, (watch){told, told_context}, message);
  sized_give(sizes, size, &ours, sizeof ours);
  return status;
}

frontier_status frontier_compact_sized(const char *directory, frontier_sizes *sizes, size_t size,
                                       char message[FRONTIER_MESSAGE_SIZE])
{
  return frontier_compact_watched(directory, sizes, size, NULL, NULL, message);
}
