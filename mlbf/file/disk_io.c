/* Whole reads and writes, files opened with care, and files replaced as a whole.
 *
 * Always: a read or write is of all bytes or an error, whatever a signal or the system cuts short. errno is that of the
 * first failure: what is cleaned up afterwards does not change it. A file that others may have put there is checked
 * after it was opened, by its descriptor.
 *
 * Called by block_file.c and block_write.c for every structure's file, and by the corpus (similar/).
 *
 * After a crash: a replaced file is the old one or the new one, whole, and perhaps NAME.tmp is left, which the next
 * writer removes. */
#include "mlbf/file/disk_io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool mlbf_disk_write(int file, const void *bytes, uint64_t size)
{
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(file, at, size < INT_MAX ? size : INT_MAX / 2);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    assert((uint64_t)written <= size);
    at += written;
    size -= (uint64_t)written;
  }
  return true;
}

mlbf_status mlbf_disk_read(int file, void *bytes, uint64_t size, uint64_t offset)
{
  char *at = bytes;
  while (size > 0) {
    ssize_t got = pread(file, at, size < INT_MAX ? size : INT_MAX / 2, (off_t)offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return MLBF_IO;
    if (got == 0)
      return MLBF_DAMAGED;
    assert((uint64_t)got <= size);
    at += got;
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

int mlbf_disk_open(const char *path)
{
  return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* By its descriptor, so that its name may change meanwhile. */
static int refuse(int file, bool to_write)
{
  struct stat info;
  if (fstat(file, &info) != 0)
    return errno;
  if (!S_ISREG(info.st_mode))
    return ENXIO;
  if (!to_write)
    return 0;
  return info.st_uid != geteuid() ? EPERM : info.st_nlink > 1 ? EMLINK : 0;
}

int mlbf_disk_open_in(int directory, const char *name, int flags)
{
  int file = openat(directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    errno = errno == EISDIR ? ENXIO : errno;
    return -1;
  }
  int why = refuse(file, (flags & O_ACCMODE) != O_RDONLY);
  if (!why)
    return file;
  close(file);
  errno = why;
  return -1;
}

const char *mlbf_disk_text(int error)
{
  switch (error) {
  case ELOOP: return "it is a link, which is not followed";
  case ENXIO: return "it is no regular file";
  case EPERM: return "it belongs to another user, or must not be changed";
  case EMLINK: return "it has a second name (a hard link), and is not written";
  default: return strerror(error);
  }
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
int mlbf_disk_create(int directory, const char *path, unsigned mode)
{
  if (unlinkat(directory, path, 0) != 0 && errno != ENOENT) {
    errno = errno == EISDIR ? ENXIO : errno;
    return -1;
  }
  return openat(directory, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
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

static bool sync_directory(int directory, const char *path)
{
  return directory == AT_FDCWD ? mlbf_disk_sync_directory_of(path) : fsync(directory) == 0;
}

mlbf_status mlbf_disk_replace(int directory, const char *path, unsigned mode, mlbf_disk_writer write,
                              const void *context)
{
  char temporary[PATH_MAX];
  if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
    errno = ENAMETOOLONG;
    return MLBF_IO;
  }
  int file = mlbf_disk_create(directory, temporary, mode);
  if (file < 0)
    return MLBF_IO;
  mlbf_status status = write_and_close(file, write, context);
  if (status == MLBF_OK && renameat(directory, temporary, directory, path) != 0)
    status = MLBF_IO;
  if (status == MLBF_OK)
    return sync_directory(directory, path) ? MLBF_OK : MLBF_IO;
  int why = errno;
  unlinkat(directory, temporary, 0);
  errno = why;
  return status;
}
