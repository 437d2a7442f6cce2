/* A library to be preloaded: the N-th call that changes a file does not happen as it should.
 *
 *     STRATA_FAULT=MODE:N     kill       the process dies instead of making it
 *                             ENOSPC     it fails, this once: somebody made room
 *                             EIO        it fails, this once, as bad hardware does
 *                             full       it fails with ENOSPC, and so does every one after it that needs room
 *     STRATA_FAULT_REPORT=F   at a normal end, the number of such calls is written into the file F
 *
 * A process made by fork() counts from 1, and asks anew what STRATA_FAULT says.
 *
 * Calls that change a file: write, pwrite, writev, pwritev, ftruncate, fsync, fdatasync, msync, rename, and open and
 * openat with O_CREAT. What goes to no regular file is passed over: it wakes threads. Only calls through the dynamic
 * linker are seen, which is where LMDB's and our own come from; sockets are served by send(), stdio by calls inside the
 * C library. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long nth; /* 0: not asked yet */

static void forked(void)
{
  atomic_store(&calls, 0);
  nth = 0;
}

/* To be asked before each call: true if it must fail (errno is set). */
static bool strikes(bool needs_room)
{
  static char mode[16];
  if (!nth) {
    const char *fault = getenv("STRATA_FAULT"), *colon = fault ? strchr(fault, ':') : NULL;
    if (colon)
      snprintf(mode, sizeof mode, "%.*s", (int)(colon - fault), fault);
    nth = colon ? strtol(colon + 1, NULL, 10) : -1;
  }
  long call = atomic_fetch_add(&calls, 1) + 1;
  bool is_now = call == nth || (call > nth && nth > 0 && needs_room && strcmp(mode, "full") == 0);
  if (!is_now)
    return false;
  if (strcmp(mode, "kill") == 0)
    raise(SIGKILL);
  errno = strcmp(mode, "EIO") == 0 ? EIO : ENOSPC;
  return errno == EIO || needs_room; /* what needs no room does not fail for want of it */
}

static bool is_file(int fd)
{
  struct stat info;
  return fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

static FILE *report_file;

/* At once: later the program may have given up the right to (crawler/base/confine.h). */
__attribute__((constructor)) static void open_report(void)
{
  const char *path = getenv("STRATA_FAULT_REPORT");
  report_file = path ? fopen(path, "w") : NULL;
  pthread_atfork(NULL, NULL, forked);
}

__attribute__((destructor)) static void report(void)
{
  if (report_file) {
    fprintf(report_file, "%ld\n", atomic_load(&calls));
    fclose(report_file);
  }
}

/* Defines `name` as: if it is of a file, fail if it is time; else call the next library's. */
// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments bring their own
#define WRAP(type, name, parameters, arguments, is_of_file, needs_room)                   \
  type name parameters;                                                                   \
  type name parameters                                                                    \
  {                                                                                       \
    static type(*next) parameters;                                                        \
    if (!next) {                                                                          \
      void *found = dlsym(RTLD_NEXT, #name);                                              \
      memcpy(&next, &found, sizeof next); /* ISO C has no cast from object to function */ \
    }                                                                                     \
    return (is_of_file) && strikes(needs_room) ? -1 : next arguments;                     \
  }

// NOLINTEND(bugprone-macro-parentheses)

WRAP(ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size), is_file(fd), true)
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at), is_file(fd), true)
WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at), (fd, bytes, size, at), is_file(fd), true)
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), is_file(fd), true)
WRAP(ssize_t, pwritev, (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at), is_file(fd),
     true)
WRAP(ssize_t, pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at),
     is_file(fd), true)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), is_file(fd), true)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), is_file(fd), true)
WRAP(int, fsync, (int fd), (fd), is_file(fd), false)
WRAP(int, fdatasync, (int fd), (fd), is_file(fd), false)
WRAP(int, msync, (void *at, size_t size, int flags), (at, size, flags), true, false)
WRAP(int, rename, (const char *from, const char *to), (from, to), true, true)

/* open is variadic: its third argument is there if O_CREAT is. */
#define WRAP_OPEN(name)                                  \
  int name(const char *path, int flags, ...);            \
  int name(const char *path, int flags, ...)             \
  {                                                      \
    static int (*next)(const char *, int, ...);          \
    if (!next) {                                         \
      void *found = dlsym(RTLD_NEXT, #name);             \
      memcpy(&next, &found, sizeof next);                \
    }                                                    \
    if (!(flags & O_CREAT))                              \
      return next(path, flags);                          \
    va_list arguments;                                   \
    va_start(arguments, flags);                          \
    mode_t mode = va_arg(arguments, mode_t);             \
    va_end(arguments);                                   \
    return strikes(true) ? -1 : next(path, flags, mode); \
  }

WRAP_OPEN(open)
WRAP_OPEN(open64)

#define WRAP_OPENAT(name)                                    \
  int name(int in, const char *path, int flags, ...);        \
  int name(int in, const char *path, int flags, ...)         \
  {                                                          \
    static int (*next)(int, const char *, int, ...);         \
    if (!next) {                                             \
      void *found = dlsym(RTLD_NEXT, #name);                 \
      memcpy(&next, &found, sizeof next);                    \
    }                                                        \
    if (!(flags & O_CREAT))                                  \
      return next(in, path, flags);                          \
    va_list arguments;                                       \
    va_start(arguments, flags);                              \
    mode_t mode = va_arg(arguments, mode_t);                 \
    va_end(arguments);                                       \
    return strikes(true) ? -1 : next(in, path, flags, mode); \
  }

WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)
