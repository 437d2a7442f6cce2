/* See journal.h. */
#include "frontier/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
  int fd;
  uint64_t offset;  /* end of what is in the file for good */
  uint8_t *lines;   /* of the open batch; also those committed that could not be written yet */
  size_t size, room;
  bool is_unsynced; /* written since the last fdatasync */
  char *path;
  char message[FRONTIER_MESSAGE_SIZE];
};

static frontier_status failed(journal *j, const char *doing)
{
  int error = errno;
  snprintf(j->message, sizeof j->message, "%s: %s: %s", j->path, doing, strerror(error));
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

frontier_status journal_write(journal *j)
{
  if (!write_all(j->fd, j->lines, j->size, j->offset))
    return failed(j, "writing");
  j->offset += j->size;
  j->is_unsynced |= j->size > 0;
  j->size = 0;
  return FRONTIER_OK;
}

frontier_status journal_settle(journal *j)
{
  if (j->is_unsynced && fdatasync(j->fd) != 0)
    return failed(j, "fdatasync");
  j->is_unsynced = false;
  return FRONTIER_OK;
}

static bool make_room(journal *j, size_t size)
{
  if (j->size + size <= j->room)
    return true;
  size_t room = 2 * (j->size + size);
  uint8_t *larger = realloc(j->lines, room);
  if (!larger)
    return false;
  j->lines = larger;
  j->room = room;
  return true;
}

bool journal_add(journal *j, const char *line, size_t size)
{
  if (!make_room(j, size + 1))
    return false;
  memcpy(j->lines + j->size, line, size);
  j->lines[j->size + size] = '\n';
  j->size += size + 1;
  return true;
}

const uint8_t *journal_owed(const journal *j, size_t *size, uint64_t *offset)
{
  *size = j->size;
  *offset = j->offset;
  return j->lines;
}

/* The owed bytes once more, and nothing behind them. An empty file was moved away by its user: begin again. A
 * shorter one has lost lines that were there. */
static frontier_status repair(journal *j, const uint8_t *owed, size_t owed_size)
{
  off_t end = lseek(j->fd, 0, SEEK_END);
  if (end < 0)
    return failed(j, "seeking");
  if (end == 0)
    j->offset = 0;
  if ((uint64_t)end < j->offset) {
    snprintf(j->message, sizeof j->message, "%s: %llu bytes are missing at its end", j->path,
             (unsigned long long)(j->offset - (uint64_t)end));
    return FRONTIER_DAMAGED;
  }
  if (!write_all(j->fd, owed, owed_size, j->offset))
    return failed(j, "writing");
  j->offset += owed_size;
  if (ftruncate(j->fd, (off_t)j->offset) != 0)
    return failed(j, "cutting");
  j->is_unsynced = true;
  return FRONTIER_OK;
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
  j->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
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
