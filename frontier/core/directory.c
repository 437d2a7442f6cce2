/* See directory.h.
 *
 *     DIRECTORY/LOCK       held (flock) by the one writer; its process id inside
 *     DIRECTORY/data.mdb   LMDB: queue, history, hosts, hash log, meta; lock.mdb beside it
 *     DIRECTORY/seen.0 .1  filter files, one of them valid
 */
#include "frontier/core/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_our_name(const char *name)
{
  static const char *const ours[] = {".", "..", "LOCK", "data.mdb", "lock.mdb", "seen.0", "seen.1"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(name, ours[i]) == 0)
      return true;
  /* a filter's temporary file that a crash left; what a repair kept, or was making */
  return strncmp(name, "seen.", 5) == 0 || strncmp(name, "data.mdb.", 9) == 0 || strcmp(name, "rebuilt") == 0;
}

/* Nothing is made in a directory that holds what we did not put there. */
static frontier_status refuse_foreign(frontier *f)
{
  DIR *directory = opendir(f->directory);
  if (!directory)
    return frontier_fail(f, FRONTIER_IO, "%s: %s", f->directory, strerror(errno));
  frontier_status status = FRONTIER_OK;
  for (struct dirent *found; status == FRONTIER_OK && (found = readdir(directory));)
    if (!is_our_name(found->d_name))
      status = frontier_fail(f, FRONTIER_NOT_OURS, "%s is not a Strata frontier: it holds \"%s\"", f->directory,
                             found->d_name);
  closedir(directory);
  return status;
}

frontier_status directory_make(frontier *f)
{
  if (mkdir(f->directory, 0777) != 0 && errno != EEXIST)
    return frontier_fail(f, errno == ENOSPC ? FRONTIER_NO_SPACE : FRONTIER_IO, "%s: %s", f->directory, strerror(errno));
  return refuse_foreign(f);
}

/* ---- the lock ------------------------------------------------------------------------------------------- */

frontier_status directory_lock_it(frontier *f)
{
  char path[4096], pid[32] = "";
  snprintf(path, sizeof path, "%s/LOCK", f->directory);
  f->lock.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (f->lock.fd < 0)
    return frontier_fail(f, FRONTIER_IO, "%s: %s", path, strerror(errno));
  if (flock(f->lock.fd, LOCK_EX | LOCK_NB) != 0) {
    ssize_t got = pread(f->lock.fd, pid, sizeof pid - 1, 0); /* a number, unless somebody else wrote there */
    pid[got > 0 ? got : 0] = '\0';
    return frontier_fail(f, FRONTIER_BUSY, "%s is in use by another process (%ld)", f->directory,
                         strtol(pid, NULL, 10));
  }
  int size = snprintf(pid, sizeof pid, "%ld", (long)getpid());
  if (ftruncate(f->lock.fd, 0) != 0 || pwrite(f->lock.fd, pid, (size_t)size, 0) != size)
    return frontier_fail(f, errno == ENOSPC || errno == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO, "%s: %s", path,
                         strerror(errno));
  return FRONTIER_OK;
}

void directory_unlock(frontier *f)
{
  if (f->lock.fd >= 0)
    close(f->lock.fd);
  f->lock.fd = -1;
}

bool directory_is_locked(const frontier *f)
{
  return f->lock.fd >= 0;
}

/* ---- names on disk -------------------------------------------------------------------------------------- */

static void sync_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd); /* some file systems have nothing to sync here, and say so */
    close(fd);
  }
}

void directory_sync_parent(const char *path)
{
  char *copy = strdup(path);
  if (copy)
    sync_directory(dirname(copy));
  free(copy);
}

frontier_status directory_sync_names(frontier *f)
{
  if (counts_next_sequence(&f->counts) > 1) /* something was promised already, and so was this */
    return FRONTIER_OK;
  sync_directory(f->directory);
  directory_sync_parent(f->directory);
  return FRONTIER_OK;
}

/* ---- as a part ------------------------------------------------------------------------------------------ */

static void check(const frontier *f)
{
  assert((f->store == NULL) == (f->directory == NULL));
  assert(directory_is_locked(f) == (f->store && !f->options.read_only));
  (void)f;
}

static void close_all(frontier *f)
{
  store_close(f->store);
  directory_unlock(f);
}

const part directory_part = {.check = check, .close = close_all};
