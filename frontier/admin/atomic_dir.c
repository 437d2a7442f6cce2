/* See atomic_dir.h. */
#include "frontier/admin/atomic_dir.h"
#include "frontier/base/own_file.h"
#include "frontier/late/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static frontier_status failed(const char *path, const char *doing, char message[FRONTIER_MESSAGE_SIZE])
{
  int error = errno;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: %s: %s", path, doing, strerror(error));
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO;
}

void atomic_dir_abandon(const char *partial)
{
  static const char *const names[] = {"data.mdb",   "lock.mdb",   "LOCK",     "seen.0",      "seen.1",
                                      "seen.0.tmp", "seen.1.tmp", "IDENTITY", "IDENTITY.tmp"};
  char path[FRESH_PATH_SIZE];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (snprintf(path, sizeof path, "%s/%s", partial, names[i]) < FRESH_PATH_SIZE)
      unlink(path);
  key_files_sweep(&(key_place){.directory = partial}, KEY_FILE_RUN, NULL, 0);
  key_files_sweep(&(key_place){.directory = partial}, KEY_FILE_DOUBTS, NULL, 0);
  rmdir(partial);
}

frontier_status atomic_dir_begin(const char *to, char partial[FRESH_PATH_SIZE], char message[FRONTIER_MESSAGE_SIZE])
{
  if (snprintf(partial, FRESH_PATH_SIZE, "%s.partial", to) >= FRESH_PATH_SIZE) {
    errno = ENAMETOOLONG;
    return failed(to, "its name", message);
  }
  if (rmdir(to) != 0 && errno != ENOENT) {
    bool is_there = errno == ENOTEMPTY || errno == ENOTDIR;
    failed(to, is_there ? "it is there already" : "making it", message);
    return is_there ? FRONTIER_BAD_ARGUMENT : FRONTIER_IO;
  }
  atomic_dir_abandon(partial);
  return mkdir(partial, 0777) == 0 ? FRONTIER_OK : failed(partial, "making it", message);
}

static bool sync_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool synced = fd >= 0 && fsync(fd) == 0;
  if (fd >= 0)
    close(fd);
  return synced;
}

frontier_status atomic_dir_finish(const char *to, const char *partial, char message[FRONTIER_MESSAGE_SIZE])
{
  char *copy = strdup(to);
  bool finished = copy && sync_directory(partial) && rename(partial, to) == 0 && sync_directory(dirname(copy));
  frontier_status status = finished ? FRONTIER_OK : failed(to, "giving it its name", message);
  free(copy);
  return status;
}

static int copy_bytes(int from, int to, uint64_t size)
{
  enum { PIECE = 1 << 16 };
  char piece[PIECE];
  for (uint64_t at = 0; at < size;) {
    size_t wanted = size - at < PIECE ? (size_t)(size - at) : PIECE;
    ssize_t got = pread(from, piece, wanted, (off_t)at);
    if (got <= 0 || write(to, piece, (size_t)got) != got)
      return got == 0 ? ENODATA : errno ? errno : EIO;
    at += (uint64_t)got;
  }
  return fsync(to) == 0 ? 0 : errno;
}

int atomic_dir_copy(int from, uint64_t size, const char *to)
{
  int fd = own_file_create(to, 0666);
  errno = fd < 0 ? errno : 0;
  int error = fd < 0 ? errno : copy_bytes(from, fd, size);
  if (fd >= 0)
    close(fd);
  if (error && fd >= 0)
    unlink(to);
  return error;
}
