/* Compacts data.mdb. LMDB's file never shrinks: deleted and overwritten records leave free pages, for later records.
 * Forgotten keys are erased first (erase.h), which frees their memory.
 *
 *     data.mdb -- copied without free pages --> data.mdb.compact -- read through --> renamed to data.mdb
 *
 * A crash before the rename leaves the old file, and a copy that the next compaction overwrites; after it, the new
 * file. Of the two filter files the one that is not valid is removed too: it is only the place of the next
 * checkpoint. */
#include "frontier/admin.h"
#include "frontier/admin/erase.h"
#include "frontier/admin/mdb_records.h"
#include "frontier/admin/replace.h"
#include "frontier/core/state.h"

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

static uint64_t disk_use(const frontier *f)
{
  static const char *const names[] = {"data.mdb", "seen.0", "seen.1", "seen.0.tmp", "seen.1.tmp"};
  enum { BLOCK = 512 }; /* of st_blocks */
  uint64_t sum = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[PATH_SIZE];
    struct stat file;
    path_of(f, names[i], path);
    if (stat(path, &file) == 0)
      sum += (uint64_t)file.st_blocks * BLOCK;
  }
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

static void count_exact(void *context, const store_exact_key *key)
{
  (void)key;
  ++*(uint64_t *)context;
}

static void pass_over(void *context, const char *name, const uint8_t *body, size_t size)
{
  (void)context, (void)name, (void)body, (void)size;
}

/* Every page and every checksum of the copy; and as many records as the store has. */
static frontier_status verify(frontier *f, const char *path)
{
  uint64_t faults = 0;
  pages *p = NULL;
  frontier_status status = mdb_pages_open(path, count_fault, &faults, &p, f->message);
  if (status != FRONTIER_OK)
    return status;
  for (int table = 0; table < STORE_TABLES && status == FRONTIER_OK; table++) {
    uint64_t records = 0, wanted = 0;
    status = store_count(f->store, (store_table)table, &wanted);
    mdb_records_each(p, store_table_name((store_table)table), count_record, &records);
    faults += records != wanted;
  }
  mdb_records_each_meta(p, pass_over, NULL);
  uint64_t keys = 0, wanted = 0;
  if (status == FRONTIER_OK)
    status = store_count_exact(f->store, &wanted);
  mdb_records_each_exact(p, count_exact, &keys);
  faults += keys != wanted;
  mdb_pages_check_owners(p);
  mdb_pages_close(p);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  if (faults)
    return frontier_fail(f, FRONTIER_DAMAGED, "%s is damaged; strata check says where, and may repair it",
                         f->directory);
  return FRONTIER_OK;
}

/* ---- what was forgotten --------------------------------------------------------------------------------- */

/* A directory of another format is refused; a damaged identity is found later, with all other damage. */
static frontier_status check_identity(frontier *f)
{
  uint8_t *identity;
  size_t size;
  if (store_get_meta(f->store, "identity", &identity, &size) != FRONTIER_OK)
    return FRONTIER_OK;
  frontier_status status = identity_read(f, identity, size);
  free(identity);
  return status;
}

static frontier_status count_forgotten(frontier *f, uint64_t *rows)
{
  frontier_status status = store_open(f->directory, true, "", 0, &f->store, f->message);
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
  if (status != FRONTIER_OK)
    memcpy(f->message, writer->message, FRONTIER_MESSAGE_SIZE);
  frontier_status closed = frontier_close(writer);
  if (status == FRONTIER_OK && closed != FRONTIER_OK)
    status = frontier_fail(f, closed, "%s: closing it after what was forgotten was erased failed", f->directory);
  return status;
}

/* ---- the steps ------------------------------------------------------------------------------------------ */

static frontier_status copy_store(frontier *f, const char *path)
{
  frontier_status status = store_open(f->directory, true, "", 0, &f->store, f->message);
  if (status != FRONTIER_OK)
    return status;
  status = store_copy(f->store, path);
  if (status != FRONTIER_OK)
    return frontier_fail(f, status, "%s", store_message(f->store));
  return verify(f, path);
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

static frontier_status compact(frontier *f, frontier_sizes *sizes)
{
  char path[PATH_SIZE];
  path_of(f, "data.mdb.compact", path);
  sizes->before = disk_use(f);
  frontier_status status = erase_if_any(f);
  if (status == FRONTIER_OK)
    status = directory_lock_it(f);
  if (status != FRONTIER_OK)
    return status;
  status = copy_store(f, path);
  if (status == FRONTIER_OK)
    drop_other_filter(f);
  store_close(f->store);
  f->store = NULL;
  if (status == FRONTIER_OK)
    status = environment_replace(f->directory, path, NULL, f->message);
  if (status != FRONTIER_OK)
    unlink(path);
  sizes->after = disk_use(f);
  return status;
}

frontier_status frontier_compact(const char *directory, frontier_sizes *sizes, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier *f = handle_create(directory, &(frontier_options){.per_host = 1, .keep_identity = true});
  if (!f) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", directory);
    return FRONTIER_NO_MEMORY;
  }
  char data[PATH_SIZE];
  path_of(f, "data.mdb", data);
  frontier_status status = access(data, F_OK) == 0
                             ? compact(f, sizes)
                             : frontier_fail(f, FRONTIER_NOT_FOUND, "%s is not a Strata frontier (no data.mdb in it)",
                                             directory);
  if (status != FRONTIER_OK)
    memcpy(message, f->message, FRONTIER_MESSAGE_SIZE);
  handle_free(f);
  return status;
}
