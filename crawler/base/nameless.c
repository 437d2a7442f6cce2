/* See nameless.h. */
#include "crawler/base/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int nameless_open(const char *directory)
{
  char path[4096 + 32];
  int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || errno != EOPNOTSUPP)
    return fd;
  snprintf(path, sizeof path, "%.4096s/body-XXXXXX", directory);
  fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0)
    unlink(path);
  return fd;
}

size_t nameless_write(int fd, const char *from, size_t size, uint64_t offset)
{
  size_t done = 0;
  while (done < size) {
    ssize_t written = pwrite(fd, from + done, size - done, (off_t)(offset + done));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    done += (size_t)written;
  }
  return done;
}

bool nameless_read(int fd, char *to, size_t size, uint64_t offset)
{
  for (size_t done = 0; done < size;) {
    ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got ? errno : EIO;
      return false;
    }
    done += (size_t)got;
  }
  return true;
}
