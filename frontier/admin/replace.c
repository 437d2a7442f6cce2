/* See replace.h. */
#include "frontier/admin/replace.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* LMDB's own lock, which every process that has the file open shares: held alone, there is none. -1: there is. */
static int lock_out_readers(const char *path)
{
  int fd = own_file_open(path, O_RDWR | O_CREAT, 0600);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  if (fd >= 0 && fcntl(fd, F_SETLK, &lock) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static int sync_name(const char *path, int flags)
{
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags);
  int error = fd < 0 || fsync(fd) != 0 ? errno : 0;
  if (fd >= 0)
    close(fd);
  return error;
}

void environment_rebuilt(const char *directory, const char *name, char path[REBUILT_PATH_SIZE])
{
  snprintf(path, REBUILT_PATH_SIZE, "%s/rebuilt%s%s", directory, *name ? "/" : "", name);
}

void environment_remove_rebuilt(const char *directory)
{
  static const char *const names[] = {"data.mdb", "lock.mdb", "IDENTITY", "IDENTITY.tmp"};
  char path[REBUILT_PATH_SIZE];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    environment_rebuilt(directory, names[i], path);
    unlink(path);
  }
  environment_rebuilt(directory, "", path);
  rmdir(path);
}

frontier_status environment_begin_rebuilt(const char *directory, char message[FRONTIER_MESSAGE_SIZE])
{
  char path[REBUILT_PATH_SIZE];
  environment_remove_rebuilt(directory);
  environment_rebuilt(directory, "", path);
  if (mkdir(path, 0777) == 0)
    return FRONTIER_OK;
  int error = errno;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.400s: %s", path, strerror(error));
  return error == ENOSPC ? FRONTIER_NO_SPACE : FRONTIER_IO;
}

/* The old lock file goes too: it knows the number of the old file's last transaction. */
frontier_status environment_replace(const char *directory, const char *from, const char *keep,
                                    char message[FRONTIER_MESSAGE_SIZE])
{
  enum { PATH_SIZE = 4096, SHOWN = 400 };
  char data[PATH_SIZE], lock[PATH_SIZE];
  snprintf(data, sizeof data, "%s/data.mdb", directory);
  snprintf(lock, sizeof lock, "%s/lock.mdb", directory);
  int fd = lock_out_readers(lock), error = 0;
  if (fd < 0) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s is being read by another process", directory);
    return FRONTIER_BUSY;
  }
  if ((error = sync_name(from, 0)) == 0 &&
      ((keep && link(data, keep) != 0 && errno != ENOENT) || rename(from, data) != 0))
    error = errno;
  if (error && error != EEXIST && keep)
    unlink(keep); /* it was only another name */
  if (!error) {
    unlink(lock);
    error = sync_name(directory, O_DIRECTORY);
  }
  close(fd);
  if (!error)
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.*s: putting a new file in its place: %s", SHOWN, data, strerror(error));
  return error == ENOSPC || error == EDQUOT ? FRONTIER_NO_SPACE : FRONTIER_IO;
}
