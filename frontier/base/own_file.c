/* See own_file.h. O_NONBLOCK, so that opening a FIFO does not wait for its other end; regular files ignore it.
 *
 * Always: what is opened was looked at by its descriptor, so that its name may change meanwhile. own_file_is_plain
 * cannot do that: who may write into the directory at that moment can deceive it (SECURITY.md). */
#include "frontier/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the reason. */
static int refuse(const struct stat *file, bool to_replace)
{
  if (S_ISLNK(file->st_mode))
    return ELOOP;
  if (!S_ISREG(file->st_mode))
    return ENXIO;
  return to_replace && file->st_uid != geteuid() ? EPERM : 0;
}

/* What is written under one name changes under the other. */
static int refuse_use(const struct stat *file, bool to_write)
{
  int error = refuse(file, to_write);
  return !error && to_write && file->st_nlink > 1 ? EMLINK : error;
}

int own_file_open(const char *path, int flags, mode_t mode)
{
  struct stat file;
  bool to_write = (flags & O_ACCMODE) != O_RDONLY;
  int fd = open(path, (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
  if (fd < 0) {
    errno = errno == EISDIR ? ENXIO : errno;
    return -1;
  }
  int error = fstat(fd, &file) != 0 ? errno : refuse_use(&file, to_write);
  if (!error && flags & O_TRUNC && ftruncate(fd, 0) != 0)
    error = errno;
  if (!error)
    return fd;
  close(fd);
  errno = error;
  return -1;
}

int own_file_create(const char *path, mode_t mode)
{
  struct stat file;
  if (lstat(path, &file) == 0) {
    int error = refuse(&file, true);
    if (error || unlink(path) != 0) {
      errno = error ? error : errno;
      return -1;
    }
  }
  return own_file_open(path, O_RDWR | O_CREAT | O_EXCL, mode);
}

FILE *own_file_stream(const char *path, const char *how, mode_t mode)
{
  int fd = *how == 'w'   ? own_file_create(path, mode)
           : *how == 'a' ? own_file_open(path, O_RDWR | O_APPEND | O_CREAT, mode)
                         : own_file_open(path, strchr(how, '+') ? O_RDWR : O_RDONLY, 0);
  FILE *file = fd < 0 ? NULL : fdopen(fd, how);
  if (fd >= 0 && !file)
    close(fd);
  return file;
}

bool own_file_is_plain(const char *path, bool to_write)
{
  struct stat file;
  if (lstat(path, &file) != 0)
    return errno == ENOENT;
  errno = refuse_use(&file, to_write);
  return errno == 0;
}

bool own_file_has_one_name(const char *path)
{
  struct stat file;
  if (lstat(path, &file) != 0 || file.st_nlink == 1)
    return true;
  errno = EMLINK;
  return false;
}

bool own_file_is_our_directory(const char *path)
{
  struct stat directory;
  if (stat(path, &directory) != 0)
    return false;
  errno = !S_ISDIR(directory.st_mode) ? ENOTDIR : directory.st_uid != geteuid() ? EPERM : 0;
  return errno == 0;
}

bool own_file_is_refusal(int error)
{
  return error == ELOOP || error == ENXIO || error == EPERM || error == EMLINK;
}

const char *own_file_words(int error)
{
  switch (error) {
  case ELOOP: return "it is a link, which is not followed";
  case ENXIO: return "it is no regular file";
  case EPERM: return "it belongs to another user, or must not be changed";
  case EMLINK: return "it has a second name (a hard link), and is not written";
  default: return strerror(error);
  }
}
