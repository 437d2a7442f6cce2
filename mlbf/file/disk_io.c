#include "mlbf/file/disk_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool mlbf_disk_write(int file, const void *bytes, uint64_t size)
{
  const char *from = bytes;
  while (size > 0) {
    ssize_t written = write(file, from, size < INT_MAX ? size : INT_MAX / 2);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    from += written;
    size -= (uint64_t)written;
  }
  return true;
}

mlbf_status mlbf_disk_read(int file, void *bytes, uint64_t size, uint64_t offset)
{
  char *to = bytes;
  while (size > 0) {
    ssize_t got = pread(file, to, size < INT_MAX ? size : INT_MAX / 2, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return MLBF_IO;
    if (got == 0)
      return MLBF_DAMAGED;
    to += got;
    offset += (uint64_t)got;
    size -= (uint64_t)got;
  }
  return MLBF_OK;
}

void mlbf_disk_begin_sync(int file, uint64_t offset, uint64_t size)
{
#ifdef __linux__
  (void)sync_file_range(file, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
#else
  (void)file, (void)offset, (void)size;
#endif
}

bool mlbf_disk_sync_directory_of(const char *path)
{
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  int size = slash ? (int)(slash - path) + (slash == path) : 1;
  if (snprintf(directory, sizeof directory, "%.*s", size, slash ? path : ".") >= (int)sizeof directory)
    return false;
  int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool is_synced = fsync(file) == 0;
  close(file);
  return is_synced;
}

/* An old file of this name may have another mode. */
int mlbf_disk_create(const char *path, unsigned mode)
{
  if (unlink(path) != 0 && errno != ENOENT)
    return -1;
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* Into the open temporary file, which is closed whatever happens. */
static mlbf_status write_and_close(int file, mlbf_disk_writer write, const void *context)
{
  mlbf_status status = write(file, context);
  if (status == MLBF_OK && fsync(file) != 0)
    status = MLBF_IO;
  int why = errno;
  if (close(file) != 0 && status == MLBF_OK)
    return MLBF_IO;
  errno = why;
  return status;
}

mlbf_status mlbf_disk_replace(const char *path, unsigned mode, mlbf_disk_writer write, const void *context)
{
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  int file = mlbf_disk_create(temporary, mode);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = write_and_close(file, write, context);
  if (status == MLBF_OK && rename(temporary, path) != 0)
    status = MLBF_IO;
  if (status == MLBF_OK)
    return mlbf_disk_sync_directory_of(path) ? MLBF_OK : MLBF_IO;
  int why = errno;
  unlink(temporary);
  errno = why;
  return status;
}
