/* See spool.h. Always: `size` counts the bytes in the buffer, too; a map is of all bytes, and then nothing is
 * written. After a crash: the file has no name, and goes with the process. Called by sorter.c, list.c and program.c. */
#include "datasets/sort/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024 }; /* large enough that write(2) costs nothing beside what is written */

struct spool {
  int fd;
  uint64_t size; /* bytes written, those in the buffer included */
  size_t buffered;
  void *map; /* NULL until finished, and if empty */
  char buffer[BUFFER_SIZE];
};

static void assert_spool(const spool *s)
{
  assert(s->fd >= 0 && s->buffered <= BUFFER_SIZE && s->buffered <= s->size);
  (void)s;
}

/* A file without a name; if the file system lacks O_TMPFILE, a file that is unlinked right after creation. */
static int open_unnamed(const char *directory)
{
  int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd;
  char *name;
  if (asprintf(&name, "%s/.strata-XXXXXX", directory) < 0)
    return -1;
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0)
    unlink(name);
  free(name);
  return fd;
}

spool *spool_create(const char *directory)
{
  spool *made = malloc(sizeof *made);
  if (made == NULL)
    return NULL;
  made->fd = open_unnamed(directory);
  made->size = 0;
  made->buffered = 0;
  made->map = NULL;
  if (made->fd >= 0)
    return made;
  int reason = errno;
  free(made);
  errno = reason;
  return NULL;
}

void spool_free(spool *old)
{
  if (old == NULL)
    return;
  if (old->map != NULL)
    munmap(old->map, old->size);
  close(old->fd);
  free(old);
}

static bool write_out(spool *s, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t wrote = write(s->fd, bytes, size);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote < 0)
      return false;
    bytes += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

static bool flush(spool *s)
{
  size_t size = s->buffered;
  s->buffered = 0;
  return write_out(s, s->buffer, size);
}

bool spool_write(spool *s, const void *bytes, size_t size)
{
  assert_spool(s);
  assert(!s->map); /* not finished yet */
  if (size > BUFFER_SIZE - s->buffered && !flush(s))
    return false;
  s->size += size;
  if (size > BUFFER_SIZE)
    return write_out(s, bytes, size);
  memcpy(s->buffer + s->buffered, bytes, size);
  s->buffered += size;
  assert_spool(s);
  return true;
}

uint64_t spool_size(const spool *s)
{
  return s->size;
}

bool spool_finish(spool *written)
{
  assert(!written->map);
  if (!flush(written))
    return false;
  if (written->size == 0)
    return true;
  void *map = mmap(NULL, written->size, PROT_READ, MAP_SHARED, written->fd, 0);
  if (map == MAP_FAILED)
    return false;
  written->map = map;
  return true;
}

const void *spool_bytes(const spool *finished)
{
  assert(finished->map || !finished->size);
  return finished->map;
}

int spool_descriptor(const spool *finished)
{
  assert_spool(finished);
  return finished->fd;
}
