/* A library to be preloaded: on each of a crawl's threads, once and while pages are read, what an attacker would do who
 * runs code there. The crawling thread calls iconv_open for a page of another charset, the network's recv, the one that
 * commits fdatasync.
 *
 *     ESCAPE_REPORT=F        gets a line of each attempt: "THREAD ATTEMPT: 0" if it succeeded, else "...: ERRNO"
 *     ESCAPE_OUTSIDE=D       a directory with a file "victim", which the crawl has no business with
 *     ESCAPE_INSIDE=D        the crawl's own
 *     ESCAPE_NO_LANDLOCK=1   the kernel has no Landlock, and nothing is attempted */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 4096, LANDLOCK_FIRST = 444, LANDLOCK_LAST = 446 };

static int report = -1;

__attribute__((constructor)) static void begin(void)
{
  const char *path = getenv("ESCAPE_REPORT");
  if (path)
    report = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void note(const char *thread, const char *attempt, bool is_done)
{
  dprintf(report, "%s %s: %d\n", thread, attempt, is_done ? 0 : errno);
}

static bool can_open(const char *path, int flags)
{
  int fd = open(path, flags | O_CLOEXEC, 0600);
  return fd >= 0 && close(fd) == 0;
}

static bool can_execute(void)
{
  int status;
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", (char *)NULL);
    _exit(errno);
  }
  if (child < 0 || waitpid(child, &status, 0) != child)
    return false;
  errno = WEXITSTATUS(status);
  return errno == 0;
}

static bool can_listen(void)
{
  const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool is_bound = fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
  int why = errno;
  close(fd);
  errno = why;
  return is_bound;
}

/* In an order in which each finds what it needs if all before succeeded. */
static void try_all(const char *thread)
{
  const char *outside = getenv("ESCAPE_OUTSIDE"), *inside = getenv("ESCAPE_INSIDE");
  char victim[ROOM], made[ROOM], stolen[ROOM], own[ROOM], folder[ROOM], alias[ROOM];
  snprintf(victim, sizeof victim, "%s/victim", outside);
  snprintf(made, sizeof made, "%s/made-%s", outside, thread);
  snprintf(folder, sizeof folder, "%s/folder-%s", outside, thread);
  snprintf(stolen, sizeof stolen, "%s/stolen-%s", inside, thread);
  snprintf(own, sizeof own, "%s/own-%s", inside, thread);
  snprintf(alias, sizeof alias, "%s/alias-%s", inside, thread);
  note(thread, "make a file inside", can_open(own, O_WRONLY | O_CREAT | O_EXCL));
  note(thread, "read /etc", can_open("/etc/passwd", O_RDONLY));
  note(thread, "make a file", can_open(made, O_WRONLY | O_CREAT | O_EXCL));
  note(thread, "make a directory", mkdir(folder, 0700) == 0);
  note(thread, "make a link", symlink(victim, alias) == 0);
  note(thread, "read a file", can_open(victim, O_RDONLY));
  note(thread, "write a file", can_open(victim, O_WRONLY));
  note(thread, "truncate a file", truncate(victim, 0) == 0);
  note(thread, "take a file in by a link", link(victim, stolen) == 0);
  note(thread, "move a file out", rename(own, made) == 0);
  note(thread, "list a directory", can_open(outside, O_RDONLY | O_DIRECTORY));
  note(thread, "execute a file", can_execute());
  note(thread, "listen", can_listen());
  note(thread, "signal the parent", kill(getppid(), 0) == 0);
  note(thread, "remove a file", unlink(victim) == 0);
  if (!can_open(victim, O_WRONLY | O_CREAT)) /* for the next thread, if it was removed */
    return;
}

static void try_once(atomic_flag *was_here, const char *thread)
{
  int before = errno;
  if (report >= 0 && !getenv("ESCAPE_NO_LANDLOCK") && !atomic_flag_test_and_set(was_here))
    try_all(thread);
  errno = before;
}

static void *next(const char *name)
{
  return dlsym(RTLD_NEXT, name);
}

iconv_t iconv_open(const char *to, const char *from)
{
  static atomic_flag was_here = ATOMIC_FLAG_INIT;
  union {
    void *found;
    iconv_t (*call)(const char *, const char *);
  } real = {.found = next("iconv_open")};
  try_once(&was_here, "crawling");
  return real.call(to, from);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
  static atomic_flag was_here = ATOMIC_FLAG_INIT;
  union {
    void *found;
    ssize_t (*call)(int, void *, size_t, int);
  } real = {.found = next("recv")};
  ssize_t got = real.call(fd, bytes, size, flags);
  if (got > 0)
    try_once(&was_here, "network");
  return got;
}

int fdatasync(int fd)
{
  static atomic_flag was_here = ATOMIC_FLAG_INIT;
  union {
    void *found;
    int (*call)(int);
  } real = {.found = next("fdatasync")};
  if (gettid() != getpid())
    try_once(&was_here, "committing");
  return real.call(fd);
}

long syscall(long number, ...)
{
  union {
    void *found;
    long (*call)(long, ...);
  } real = {.found = next("syscall")};
  long a[6];
  va_list all;
  va_start(all, number);
  for (size_t i = 0; i < 6; i++)
    a[i] = va_arg(all, long);
  va_end(all);
  if (getenv("ESCAPE_NO_LANDLOCK") && number >= LANDLOCK_FIRST && number <= LANDLOCK_LAST) {
    errno = ENOSYS;
    return -1;
  }
  return real.call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
