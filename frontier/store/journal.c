/* The journal's file, and the lines that may not be on disk yet. journal.h has the order of writes, and why.
 *
 *     lines  | written, not yet known to be on disk | of the sealed batch | of the open batch |
 *            0                                      written               sealed              size
 *     file   ^ offset: all before is on disk for good
 *
 * Always: a line stays in memory until an fdatasync after its write has succeeded. Where fdatasync fails, the kernel
 * may have dropped what it should have written, and says so only once: so those lines are then written again.
 *
 * Called under the handle's mutex, but for journal_sync, which touches the file alone: journal_add as a URL ends;
 * journal_owed, journal_seal, journal_sync and journal_write, in this order, as a batch is committed. Each of them asks
 * synced_before; its answer changes only in journal_write, and in journal_settle, while nothing is sealed. So a
 * transaction owes exactly the lines that may not be on disk.
 *
 * After a crash: a line that is torn, or missing after a power cut, is among the owed lines in LMDB. journal_open
 * writes those again at their offset and cuts off what follows; after a crash in journal_open the next one does the
 * same. */
#include "frontier/store/journal.h"

#include "frontier/base/limits.h"
#include "frontier/base/own_file.h"
#include "frontier/base/vector.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Some hundred pages' lines. Each commit writes what is owed once more, which is nothing beside an fdatasync. Tiny: so
 * little that twenty power cuts show a sync that is missing (tests/contract/crash/test_crash_power.c). */
enum { SYNC_AFTER = FRONTIER_LIMIT(32 << 10, 16) };

struct journal {
  int fd;
  bool settles;
  uint64_t offset;
  uint8_t *lines;
  size_t written, sealed, size, room;
  int sync_error; /* of the last journal_sync */
  bool has_total;
  journal_sum total; /* of the file and all lines */
  char *path;
  char message[FRONTIER_MESSAGE_SIZE];
};

static void assert_journal(const journal *j)
{
  assert(j->fd >= 0);
  assert(j->written <= j->sealed && j->sealed <= j->size && j->size <= j->room);
  (void)j;
}

static frontier_status failed(journal *j, const char *doing)
{
  int error = errno;
  snprintf(j->message, sizeof j->message, "%s: %s: %s", j->path, doing, own_file_words(error));
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size, uint64_t offset)
{
  while (size) {
    ssize_t written = pwrite(fd, bytes, size, (off_t)offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= (size_t)written;
    offset += (uint64_t)written;
  }
  return true;
}

/* So much is on disk before the transaction is, and not owed by it. */
static size_t synced_before(const journal *j)
{
  return j->settles || j->written >= SYNC_AFTER ? j->written : 0;
}

bool journal_settle(journal *j)
{
  j->settles = true;
  return j->written > 0;
}

bool journal_sync(journal *j)
{
  j->sync_error = synced_before(j) && fdatasync(j->fd) != 0 ? errno : 0;
  return j->sync_error == 0;
}

frontier_status journal_sync_failed(journal *j)
{
  errno = j->sync_error;
  frontier_status status = failed(j, "fdatasync");
  return write_all(j->fd, j->lines, j->written, j->offset) ? status : failed(j, "writing");
}

/* What is on disk for good: the transaction has landed that waited for it. */
static void drop_synced(journal *j)
{
  size_t synced = synced_before(j);
  j->offset += synced;
  j->size -= synced;
  j->sealed -= synced;
  j->written -= synced;
  if (synced && j->size)
    memmove(j->lines, j->lines + synced, j->size);
}

void journal_seal(journal *j)
{
  j->sealed = j->size;
}

frontier_status journal_write(journal *j)
{
  assert_journal(j);
  drop_synced(j);
  size_t news = j->sealed - j->written;
  if (news && !write_all(j->fd, j->lines + j->written, news, j->offset + j->written))
    return failed(j, "writing");
  j->written = j->sealed;
  return FRONTIER_OK;
}

void journal_sum_add(journal_sum *sum, uint64_t offset, const uint8_t *lines, size_t size)
{
  for (size_t at = 0, line_end; at < size; at = line_end + 1) {
    const uint8_t *feed = memchr(lines + at, '\n', size - at);
    line_end = feed ? (size_t)(feed - lines) : size;
    sum->sum += XXH3_64bits_withSeed(lines + at, line_end - at, offset + at);
    sum->lines++;
  }
}

void journal_resume(journal *j, journal_sum sum)
{
  if (!j->has_total)
    j->total = sum;
  j->has_total = true;
}

bool journal_total(const journal *j, journal_sum *sum)
{
  *sum = j->total;
  return j->has_total;
}

bool journal_add(journal *j, const char *line, size_t size)
{
  assert_journal(j);
  if (!HAS_ROOM(j->lines, j->room, j->size + size + 1))
    return false;
  memcpy(j->lines + j->size, line, size);
  j->lines[j->size + size] = '\n';
  journal_sum_add(&j->total, j->offset + j->size, j->lines + j->size, size + 1);
  j->size += size + 1;
  assert_journal(j);
  return true;
}

const uint8_t *journal_owed(const journal *j, size_t *size, uint64_t *offset)
{
  size_t synced = synced_before(j);
  *size = j->size - synced;
  *offset = j->offset + synced;
  return j->lines ? j->lines + synced : NULL;
}

/* The owed bytes once more, and nothing behind them. An empty file was moved away by its user: begin again. A
 * shorter one has lost lines that were there. One that has bytes, though none were ever owed, is somebody else's. */
static frontier_status repair(journal *j, const uint8_t *owed, size_t owed_size)
{
  off_t end = lseek(j->fd, 0, SEEK_END);
  if (end < 0)
    return failed(j, "seeking");
  if (end == 0)
    j->offset = 0;
  if (end > 0 && j->offset + owed_size == 0) {
    snprintf(j->message, sizeof j->message, "%s is not empty, and nothing in it is of this frontier", j->path);
    return FRONTIER_NOT_OURS;
  }
  if ((uint64_t)end < j->offset) {
    snprintf(j->message, sizeof j->message, "%s: %llu bytes are missing at its end", j->path,
             (unsigned long long)(j->offset - (uint64_t)end));
    return FRONTIER_DAMAGED;
  }
  if (!write_all(j->fd, owed, owed_size, j->offset))
    return failed(j, "writing");
  j->has_total = j->offset == 0;
  if (j->has_total)
    journal_sum_add(&j->total, 0, owed, owed_size);
  j->offset += owed_size;
  if (ftruncate(j->fd, (off_t)j->offset) != 0)
    return failed(j, "cutting");
  return fdatasync(j->fd) == 0 ? FRONTIER_OK : failed(j, "fdatasync");
}

frontier_status journal_open(const char *path, uint64_t offset, const uint8_t *owed, size_t owed_size, journal **out,
                             char message[FRONTIER_MESSAGE_SIZE])
{
  journal *j = calloc(1, sizeof *j);
  if (!j || !(j->path = strdup(path))) {
    free(j);
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: out of memory", path);
    return FRONTIER_NO_MEMORY;
  }
  j->offset = offset;
  j->fd = own_file_open(path, O_RDWR | O_CREAT, 0666);
  frontier_status status = j->fd < 0 ? failed(j, "opening") : repair(j, owed, owed_size);
  if (status != FRONTIER_OK) {
    memcpy(message, j->message, FRONTIER_MESSAGE_SIZE);
    journal_close(j);
    return status;
  }
  *out = j;
  return FRONTIER_OK;
}

void journal_close(journal *j)
{
  if (!j)
    return;
  if (j->fd >= 0)
    close(j->fd);
  free(j->lines);
  free(j->path);
  free(j);
}

const char *journal_message(const journal *j)
{
  return j->message;
}
