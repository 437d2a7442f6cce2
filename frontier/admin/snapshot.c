/* A snapshot: a copy of a directory while its writer goes on.
 *
 *     progress, and the filter file it names: opened   the name may get another file; what is open stays
 *     data.mdb                                         as of one transaction, in a reader
 *     progress in the copy: the same filter file?      then it is copied; else the log will make one at open
 *     IDENTITY                                         from the record
 *     journal, as far as the copy's record says        what is before that never changes; if less is there, the
 *                                                      snapshot fails
 */
#include "frontier/admin.h"
#include "frontier/admin/atomic_dir.h"
#include "frontier/base/record.h"
#include "frontier/core/state.h"
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
} beside;

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
  return status == FRONTIER_NOT_FOUND ? FRONTIER_OK : status;
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

static frontier_status copy_all(frontier *f, int filter, const beside *then, const char *partial,
                                const char *journal_to, char message[FRONTIER_MESSAGE_SIZE])
{
  char path[FRESH_PATH_SIZE];
  beside now;
  if (snprintf(path, sizeof path, "%s/data.mdb", partial) >= FRESH_PATH_SIZE)
    return fail(ENAMETOOLONG, partial, message);
  frontier_status status = store_copy(f->store, path);
  if (status != FRONTIER_OK) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", store_message(f->store));
    return status;
  }
  status = copy_identity(f->store, partial, message);
  if (status == FRONTIER_OK)
    status = read_copy(partial, &now, message);
  if (status != FRONTIER_OK)
    return status;
  int error = copy_filter(filter, then, &now, partial);
  if (error)
    return fail(error, f->directory, message);
  return journal_to ? copy_journal(f, now.journal_size, journal_to, message) : FRONTIER_OK;
}

frontier_status frontier_snapshot(frontier *f, const char *to, const char *journal_to,
                                  char message[FRONTIER_MESSAGE_SIZE])
{
  LOCKED(f);
  char partial[FRESH_PATH_SIZE];
  beside then;
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
    return status;
  }
  status = atomic_dir_begin(to, partial, message);
  if (status != FRONTIER_OK)
    return status;
  int filter = open_filter(f, then.checkpoint_slot);
  status = copy_all(f, filter, &then, partial, journal_to, message);
  if (filter >= 0)
    close(filter);
  bool has_journal = status == FRONTIER_OK && journal_to;
  if (status == FRONTIER_OK)
    status = atomic_dir_finish(to, partial, message);
  if (status != FRONTIER_OK)
    atomic_dir_abandon(partial);
  if (status != FRONTIER_OK && has_journal)
    unlink(journal_to);
  return status;
}
