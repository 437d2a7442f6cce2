/* A snapshot: a copy of a directory while its writer goes on.
 *
 *     progress, and the filter file it names: opened   the name may get another file; what is open stays
 *     run_marks, and the runs it names: opened         they may be unlinked; what is open stays
 *     data.mdb                                         as of one transaction, in a reader
 *     progress in the copy: the same filter file?      then it is copied; else the log will make one at open
 *     run_marks, late in the copy: their files         are copied as far as they are there; else they are made again
 *     IDENTITY                                         from the record
 *     journal, as far as the copy's record says        what is before that never changes; if less is there, the
 *                                                      snapshot fails
 */
#include "frontier/admin.h"
#include "frontier/admin/atomic_dir.h"
#include "frontier/base/record.h"
#include "frontier/core/state.h"
#include "frontier/late/key_file.h"
#include "frontier/late/late_records.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What one transaction says of the files beside it. */
typedef struct beside {
  uint64_t checkpoint_keys, journal_size;
  unsigned checkpoint_slot;
  uint8_t *run_marks, *late; /* these records; NULL: none, or senseless */
  size_t runs, doubts;       /* files that they name */
} beside;

enum { RUNS_MAX = 128 }; /* more are not held open; there are three of a size */
typedef struct held_files {
  int filter; /* -1: it could not be opened, */
  size_t runs;
  int run[RUNS_MAX]; /* each the one of this number */
  uint64_t number[RUNS_MAX];
} held_files;

static void beside_free(beside *b)
{
  free(b->run_marks);
  free(b->late);
}

static frontier_status read_files(store *s, beside *b)
{
  late_record late;
  size_t size = 0;
  frontier_status status = store_get_meta(s, "run_marks", &b->run_marks, &size);
  if (status == FRONTIER_OK && !run_marks_read(b->run_marks, size, UINT64_MAX, &b->runs))
    b->runs = 0;
  if (status == FRONTIER_OK || status == FRONTIER_NOT_FOUND)
    status = store_get_meta(s, "late", &b->late, &size);
  if (status == FRONTIER_OK && late_record_read(&late, b->late, size))
    b->doubts = late.files;
  return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
}

static frontier_status read_beside(store *s, beside *b)
{
  progress then = {0};
  uint8_t *body;
  size_t size;
  *b = (beside){0};
  frontier_status status = store_get_meta(s, "progress", &body, &size);
  if (status == FRONTIER_OK) {
    if (progress_read(&then, body, size))
      *b = (beside){.checkpoint_keys = then.checkpoint_keys, .checkpoint_slot = then.checkpoint_slot};
    free(body);
    status = store_get_meta(s, "journal", &body, &size);
  }
  if (status == FRONTIER_OK) {
    b->journal_size = size >= JOURNAL_HEAD ? get_le(body, JOURNAL_HEAD) : 0;
    free(body);
  }
  return status == FRONTIER_OK || status == FRONTIER_NOT_FOUND ? read_files(s, b) : status;
}

static int open_filter(const frontier *f, unsigned slot)
{
  char path[FRESH_PATH_SIZE];
  snprintf(path, sizeof path, "%s/seen.%u", f->directory, slot);
  return own_file_open(path, O_RDONLY, 0);
}

static int copy_filter(int filter, const beside *then, const beside *now, const char *partial)
{
  char path[FRESH_PATH_SIZE];
  struct stat file;
  bool is_valid = now->checkpoint_keys && then->checkpoint_keys == now->checkpoint_keys &&
                  then->checkpoint_slot == now->checkpoint_slot;
  if (filter < 0 || !is_valid || fstat(filter, &file) != 0 ||
      snprintf(path, sizeof path, "%s/seen.%u", partial, now->checkpoint_slot) >= FRESH_PATH_SIZE)
    return 0;
  return atomic_dir_copy(filter, (uint64_t)file.st_size, path);
}

/* ---- files of keys ---------------------------------------------------------------------------------------- */

static int open_keys(const frontier *f, key_file_kind kind, uint64_t number)
{
  char name[KEY_FILE_NAME], path[FRESH_PATH_SIZE];
  key_file_name(kind, number, name);
  snprintf(path, sizeof path, "%s/%s", f->directory, name);
  return own_file_open(path, O_RDONLY, 0);
}

static void hold_files(const frontier *f, const beside *then, held_files *held)
{
  *held = (held_files){.filter = open_filter(f, then->checkpoint_slot)};
  for (size_t i = 0; i < then->runs && held->runs < RUNS_MAX; i++) {
    uint64_t number = run_marks_at(then->run_marks, i).number;
    int fd = open_keys(f, KEY_FILE_RUN, number);
    held->run[held->runs] = fd;
    held->number[held->runs] = number;
    held->runs += fd >= 0;
  }
}

static void let_go(const held_files *held)
{
  if (held->filter >= 0)
    close(held->filter);
  for (size_t i = 0; i < held->runs; i++)
    close(held->run[i]);
}

/* One that is not there any more is made again from the copy. */
static int copy_keys(int fd, key_file_kind kind, uint64_t number, const char *partial)
{
  char name[KEY_FILE_NAME], path[FRESH_PATH_SIZE];
  struct stat file;
  key_file_name(kind, number, name);
  if (fd < 0 || fstat(fd, &file) != 0 || snprintf(path, sizeof path, "%s/%s", partial, name) >= FRESH_PATH_SIZE)
    return 0;
  int error = atomic_dir_copy(fd, (uint64_t)file.st_size, path);
  return error || chmod(path, file.st_mode & 0666) == 0 ? error : errno;
}

static int copy_now(const frontier *f, key_file_kind kind, uint64_t number, const char *partial)
{
  int fd = open_keys(f, kind, number), error = copy_keys(fd, kind, number, partial);
  if (fd >= 0)
    close(fd);
  return error;
}

static int copy_run(const frontier *f, const held_files *held, uint64_t number, const char *partial)
{
  for (size_t i = 0; i < held->runs; i++)
    if (held->number[i] == number)
      return copy_keys(held->run[i], KEY_FILE_RUN, number, partial);
  return copy_now(f, KEY_FILE_RUN, number, partial);
}

static int copy_key_files(const frontier *f, const held_files *held, const beside *now, const char *partial)
{
  int error = 0;
  for (size_t i = 0; i < now->runs && !error; i++)
    error = copy_run(f, held, run_marks_at(now->run_marks, i).number, partial);
  for (size_t i = 0; i < now->doubts && !error; i++)
    error = copy_now(f, KEY_FILE_DOUBTS, late_record_file(now->late, i).first, partial);
  return error;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static frontier_status fail(int error, const char *path, char message[FRONTIER_MESSAGE_SIZE])
{
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: copying it: %s", path, strerror(error));
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FRONTIER_NO_SPACE
         : error == ENOMEM                                    ? FRONTIER_NO_MEMORY
                                                              : FRONTIER_IO;
}

static frontier_status refuse_journal(frontier_status status, const char *path, uint64_t missing,
                                      char message[FRONTIER_MESSAGE_SIZE])
{
  if (status == FRONTIER_NOT_FOUND)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: the journal is not there", path);
  else
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: %llu bytes are missing at its end", path,
             (unsigned long long)missing);
  return status;
}

static frontier_status copy_journal(const frontier *f, uint64_t recorded, const char *to,
                                    char message[FRONTIER_MESSAGE_SIZE])
{
  struct stat file;
  const char *from = f->options.journal_path;
  uint64_t size = journal_record_end(f, recorded);
  int fd = own_file_open(from, O_RDONLY, 0);
  if (fd < 0)
    return errno == ENOENT ? refuse_journal(FRONTIER_NOT_FOUND, from, 0, message) : fail(errno, from, message);
  int error = fstat(fd, &file) != 0 ? errno : 0;
  uint64_t there = error ? size : (uint64_t)file.st_size;
  if (there >= size && !error)
    error = atomic_dir_copy(fd, size, to);
  close(fd);
  if (there < size)
    return refuse_journal(FRONTIER_DAMAGED, from, size - there, message);
  return error ? fail(error, from, message) : FRONTIER_OK;
}

static frontier_status read_copy(const char *partial, beside *now, char message[FRONTIER_MESSAGE_SIZE])
{
  store *copy = NULL;
  frontier_status status = store_open(partial, true, "", 0, &copy, message);
  if (status == FRONTIER_OK && (status = read_beside(copy, now)) != FRONTIER_OK)
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(copy));
  store_close(copy);
  return status;
}

static frontier_status copy_identity(store *s, const char *partial, char message[FRONTIER_MESSAGE_SIZE])
{
  uint8_t *body;
  size_t size;
  frontier_status status = store_get_identity(s, &body, &size);
  if (status != FRONTIER_OK) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(s));
    return status;
  }
  status = store_identity_file_put(partial, body, size, message);
  free(body);
  return status;
}

static frontier_status copy_files(const frontier *f, const held_files *held, const beside *then, const char *partial,
                                  const char *journal_to, char message[FRONTIER_MESSAGE_SIZE])
{
  beside now = {0};
  frontier_status status = read_copy(partial, &now, message);
  int error = status == FRONTIER_OK ? copy_filter(held->filter, then, &now, partial) : 0;
  if (status == FRONTIER_OK && !error)
    error = copy_key_files(f, held, &now, partial);
  beside_free(&now);
  if (status != FRONTIER_OK)
    return status;
  if (error)
    return fail(error, f->directory, message);
  return journal_to ? copy_journal(f, now.journal_size, journal_to, message) : FRONTIER_OK;
}

static frontier_status copy_all(frontier *f, const held_files *held, const beside *then, const char *partial,
                                const char *journal_to, char message[FRONTIER_MESSAGE_SIZE])
{
  char path[FRESH_PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/data.mdb", partial) >= FRESH_PATH_SIZE)
    return fail(ENAMETOOLONG, partial, message);
  frontier_status status = store_copy(f->store, path);
  if (status != FRONTIER_OK) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(f->store));
    return status;
  }
  status = copy_identity(f->store, partial, message);
  return status == FRONTIER_OK ? copy_files(f, held, then, partial, journal_to, message) : status;
}

frontier_status frontier_snapshot(frontier *f, const char *to, const char *journal_to,
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  LOCKED(f);
  char partial[FRESH_PATH_SIZE];
  beside then = {0};
  held_files held;
  if (!f->store) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "a frontier that keeps nothing has no snapshot");
    return FRONTIER_BAD_ARGUMENT;
  }
  if (journal_to && !f->options.journal_path) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.200s has no journal to copy to %.200s", f->directory, journal_to);
    return FRONTIER_BAD_ARGUMENT;
  }
  frontier_status status = read_beside(f->store, &then);
  if (status != FRONTIER_OK) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(f->store));
    beside_free(&then);
    return status;
  }
  status = atomic_dir_begin(to, partial, message);
  if (status != FRONTIER_OK) {
    beside_free(&then);
    return status;
  }
  hold_files(f, &then, &held);
  status = copy_all(f, &held, &then, partial, journal_to, message);
  let_go(&held);
  beside_free(&then);
  bool has_journal = status == FRONTIER_OK && journal_to;
  if (status == FRONTIER_OK)
    status = atomic_dir_finish(to, partial, message);
  if (status != FRONTIER_OK)
    atomic_dir_abandon(partial);
  if (status != FRONTIER_OK && has_journal)
    unlink(journal_to);
  return status;
}
