#include "tests/support/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
  fault_class what;
  unsigned number, calls;
  int error;
  bool stays, has_struck;
} fault;

void faults_set(fault_class what, unsigned number, int error, bool stays)
{
  fault.what = what;
  fault.number = number;
  fault.calls = 0;
  fault.error = error;
  fault.stays = stays;
  fault.has_struck = false;
}

void faults_end(void)
{
  fault.what = FAULT_NONE;
}

bool faults_have_struck(void)
{
  return fault.has_struck;
}

static bool strikes(fault_class what)
{
  if (fault.what != what || ++fault.calls < fault.number || (fault.calls > fault.number && !fault.stays))
    return false;
  fault.has_struck = true;
  if (fault.error == FAULT_DEATH)
    raise(SIGKILL);
  errno = fault.error == FAULT_SHORT ? EIO : fault.error;
  return true;
}

/* What of `size` bytes a cut write takes: half, but something. */
static size_t cut(size_t size)
{
  return size > 1 ? size / 2 : size;
}

/* The real ones, and ours, under the names the linker gives them. */
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __real_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __real_writev(int fd, const struct iovec *parts, int count);
int __real_ftruncate(int fd, off_t size);
int __real_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __real_unlink(const char *path);
int __real_mkdir(const char *path, mode_t mode);
int __real_rmdir(const char *path);
int __real_open(const char *path, int flags, ...);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_writev(int fd, const struct iovec *parts, int count);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_rename(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_rmdir(const char *path);
int __wrap_open(const char *path, int flags, ...);
int __wrap_fsync(int fd);
int __wrap_fdatasync(int fd);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
  if (!strikes(FAULT_WRITE))
    return __real_write(fd, bytes, size);
  return fault.error == FAULT_SHORT ? __real_write(fd, bytes, cut(size)) : -1;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
  if (!strikes(FAULT_WRITE))
    return __real_pwrite(fd, bytes, size, offset);
  return fault.error == FAULT_SHORT ? __real_pwrite(fd, bytes, cut(size), offset) : -1;
}

ssize_t __wrap_writev(int fd, const struct iovec *parts, int count)
{
  if (!strikes(FAULT_WRITE))
    return __real_writev(fd, parts, count);
  return fault.error == FAULT_SHORT ? __real_write(fd, parts->iov_base, cut(parts->iov_len)) : -1;
}

int __wrap_ftruncate(int fd, off_t size)
{
  return strikes(FAULT_WRITE) ? -1 : __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to)
{
  return strikes(FAULT_WRITE) ? -1 : __real_rename(from, to);
}

int __wrap_link(const char *from, const char *to)
{
  return strikes(FAULT_WRITE) ? -1 : __real_link(from, to);
}

int __wrap_unlink(const char *path)
{
  return strikes(FAULT_WRITE) ? -1 : __real_unlink(path);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
  return strikes(FAULT_WRITE) ? -1 : __real_mkdir(path, mode);
}

int __wrap_rmdir(const char *path)
{
  return strikes(FAULT_WRITE) ? -1 : __real_rmdir(path);
}

int __wrap_open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  int fd = __real_open(path, flags & ~O_DSYNC, flags & O_CREAT ? va_arg(arguments, mode_t) : 0);
  va_end(arguments);
  return fd;
}

int __wrap_fsync(int fd)
{
  (void)fd;
  return strikes(FAULT_SYNC) ? -1 : 0;
}

int __wrap_fdatasync(int fd)
{
  (void)fd;
  return strikes(FAULT_SYNC) ? -1 : 0;
}

void *__wrap_malloc(size_t size)
{
  return strikes(FAULT_ALLOC) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return strikes(FAULT_ALLOC) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
  return strikes(FAULT_ALLOC) ? NULL : __real_realloc(old, size);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
  return strikes(FAULT_ALLOC) ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

char *__wrap_strdup(const char *text)
{
  return strikes(FAULT_ALLOC) ? NULL : __real_strdup(text);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
  return strikes(FAULT_ALLOC) ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}
