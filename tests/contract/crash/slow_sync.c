/* Preloaded: a disk that takes SLOW_SYNC_MS for each sync. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int late(const char *name, int fd)
{
  union {
    void *found;
    int (*call)(int fd);
  } real = {.found = dlsym(RTLD_NEXT, name)};
  const char *ms = getenv("SLOW_SYNC_MS");
  for (long left = ms ? strtol(ms, NULL, 10) : 0; left > 0; left -= 100)
    usleep(100000);
  return real.call(fd);
}

int fdatasync(int fd)
{
  return late("fdatasync", fd);
}

int fsync(int fd)
{
  return late("fsync", fd);
}
