/* A library to be preloaded: writes all that the program tells its files into the file $STRATA_RECORD (write_log.h).
 *
 * Only calls through the dynamic linker are seen, which is where LMDB's and our own come from. Memory maps that are
 * written to are not: of our files only LMDB's lock.mdb is one, worth nothing after a power cut. */
#include "tests/contract/crash/write_log.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the log ---------------------------------------------------------------------------------------------- */

static int log_fd(void)
{
  static int fd = -1;
  const char *path = getenv("STRATA_RECORD");
  if (fd < 0 && path)
    fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return fd;
}

enum { PARTS = 128 }; /* LMDB gathers up to 64 pages */

/* An event that is not recorded would make the auditor see what never was: better no program. */
static void record(event_kind kind, int fd, uint64_t at, const struct iovec *parts, int count)
{
  event head = {.kind = kind, .fd = fd, .at = at};
  struct iovec all[1 + PARTS] = {{&head, sizeof head}};
  if (count > PARTS)
    abort();
  for (int i = 0; i < count; i++) {
    all[i + 1] = parts[i];
    head.size += parts[i].iov_len;
  }
  if (syscall(SYS_writev, log_fd(), all, count + 1) != (long)(sizeof head + head.size))
    abort();
}

static void record_bytes(event_kind kind, int fd, uint64_t at, const void *bytes, size_t size)
{
  union {
    const void *in;
    void *out;
  } same = {.in = bytes}; /* writev only reads */
  struct iovec part = {same.out, size};
  record(kind, fd, at, &part, 1);
}

static void record_path(event_kind kind, int fd, uint64_t at, const char *path)
{
  record_bytes(kind, fd, at, path, strlen(path) + 1);
}

static uint64_t here(int fd)
{
  off_t at = lseek(fd, 0, SEEK_CUR);
  return at < 0 ? 0 : (uint64_t)at;
}

/* The auditor believes that what was begun was done. */
static ssize_t wrote(int fd, ssize_t written, size_t wanted)
{
  if (written != (ssize_t)wanted)
    abort();
  if (fcntl(fd, F_GETFL) & O_DSYNC)
    record(EVENT_WRITTEN, fd, 0, NULL, 0);
  return written;
}

static int synced(int fd, int result)
{
  if (result == 0)
    record(EVENT_SYNCED, fd, 0, NULL, 0);
  return result;
}

/* ---- the calls -------------------------------------------------------------------------------------------- */

/* ISO C has no cast from object to function. */
#define NEXT(name)                         \
  if (!next) {                             \
    void *found = dlsym(RTLD_NEXT, #name); \
    memcpy(&next, &found, sizeof next);    \
  }

static size_t size_of(const struct iovec *parts, int count)
{
  size_t size = 0;
  for (int i = 0; i < count; i++)
    size += parts[i].iov_len;
  return size;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
  static ssize_t (*next)(int, const void *, size_t);
  NEXT(write)
  record_bytes(EVENT_WRITE, fd, here(fd), bytes, size);
  return wrote(fd, next(fd, bytes, size), size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
  static ssize_t (*next)(int, const void *, size_t, off_t);
  NEXT(pwrite)
  record_bytes(EVENT_WRITE, fd, (uint64_t)at, bytes, size);
  return wrote(fd, next(fd, bytes, size, at), size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
  return pwrite(fd, bytes, size, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
  static ssize_t (*next)(int, const struct iovec *, int);
  NEXT(writev)
  record(EVENT_WRITE, fd, here(fd), parts, count);
  return wrote(fd, next(fd, parts, count), size_of(parts, count));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
  uint64_t to = (uint64_t)at;
  for (int i = 0; i < count; i++) { /* one after the other they are the same */
    if (pwrite(fd, parts[i].iov_base, parts[i].iov_len, (off_t)to) < 0)
      return -1;
    to += parts[i].iov_len;
  }
  return (ssize_t)(to - (uint64_t)at);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at)
{
  return pwritev(fd, parts, count, at);
}

int ftruncate(int fd, off_t size)
{
  static int (*next)(int, off_t);
  NEXT(ftruncate)
  record(EVENT_CUT, fd, (uint64_t)size, NULL, 0);
  return next(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
  return ftruncate(fd, size);
}

int fsync(int fd)
{
  static int (*next)(int);
  NEXT(fsync)
  return synced(fd, next(fd));
}

int fdatasync(int fd)
{
  static int (*next)(int);
  NEXT(fdatasync)
  return synced(fd, next(fd));
}

int rename(const char *from, const char *to)
{
  union {
    const char *in;
    void *out;
  } a = {.in = from}, b = {.in = to};
  struct iovec paths[] = {{a.out, strlen(from) + 1}, {b.out, strlen(to) + 1}};
  static int (*next)(const char *, const char *);
  NEXT(rename)
  int result = next(from, to);
  if (result == 0)
    record(EVENT_RENAMED, -1, 0, paths, 2);
  return result;
}

int unlink(const char *path)
{
  static int (*next)(const char *);
  NEXT(unlink)
  int result = next(path);
  if (result == 0)
    record_path(EVENT_UNLINKED, -1, 0, path);
  return result;
}

/* The path of a name in an open directory. */
static const char *path_in(int directory, const char *name, char path[PATH_MAX])
{
  char self[64];
  if (directory == AT_FDCWD || *name == '/')
    return name;
  snprintf(self, sizeof self, "/proc/self/fd/%d", directory);
  ssize_t size = readlink(self, path, PATH_MAX / 2);
  if (size < 0 || strlen(name) + 2 > PATH_MAX / 2)
    abort();
  snprintf(path + size, PATH_MAX - (size_t)size, "/%s", name);
  return path;
}

int unlinkat(int directory, const char *name, int flags)
{
  static int (*next)(int, const char *, int);
  NEXT(unlinkat)
  char path[PATH_MAX];
  int result = next(directory, name, flags);
  if (result == 0)
    record_path(EVENT_UNLINKED, -1, 0, path_in(directory, name, path));
  return result;
}

int mkdir(const char *path, mode_t mode)
{
  static int (*next)(const char *, mode_t);
  NEXT(mkdir)
  int result = next(path, mode);
  if (result == 0)
    record_path(EVENT_MADE, -1, 0, path);
  return result;
}

int open(const char *path, int flags, ...)
{
  static int (*next)(const char *, int, ...);
  NEXT(open)
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int fd = next(path, flags, mode);
  if (fd >= 0)
    record_path(EVENT_OPENED, fd, (uint64_t)flags, path);
  return fd;
}

int open64(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

int openat(int directory, const char *name, int flags, ...)
{
  static int (*next)(int, const char *, int, ...);
  NEXT(openat)
  char path[PATH_MAX];
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int fd = next(directory, name, flags, mode);
  if (fd >= 0)
    record_path(EVENT_OPENED, fd, (uint64_t)flags, path_in(directory, name, path));
  return fd;
}

/* What _FORTIFY_SOURCE makes of calls without a mode. */
int __open_2(const char *path, int flags);
int __openat_2(int directory, const char *name, int flags);

int __open_2(const char *path, int flags)
{
  return open(path, flags);
}

int __openat_2(int directory, const char *name, int flags)
{
  return openat(directory, name, flags);
}
