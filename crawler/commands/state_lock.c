/* See state_lock.h. The kernel drops the lock with the process, so that what kill -9 leaves is a file that is not
 * locked. It is never unlinked: two processes could then lock two files of that name. */
#include "crawler/commands/state_lock.h"

#include "crawler/base/message.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void say_busy(const char *command, const char *state, int file)
{
  char pid[24] = "";
  ssize_t got = pread(file, pid, sizeof pid - 1, 0);
  long owner = got > 0 ? strtol(pid, NULL, 10) : 0;
  if (owner > 0)
    say_error(command, "--state %s is in use by another process (%ld)", state, owner);
  else
    say_error(command, "--state %s is in use by another process", state);
}

/* For people: a lock without it is one, too. */
static void write_pid(int file)
{
  char pid[24];
  int size = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
  if (ftruncate(file, 0) != 0 || pwrite(file, pid, (size_t)size, 0) != size)
    errno = 0;
}

int state_lock(const char *command, const char *state)
{
  char path[PATH_MAX];
  int file = -1;
  errno = ENAMETOOLONG;
  if (snprintf(path, sizeof path, "%s.lock", state) < (int)sizeof path)
    file = own_file_open(path, O_RDWR | O_CREAT, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) {
    write_pid(file);
    return file;
  }
  if (file >= 0 && errno == EWOULDBLOCK)
    say_busy(command, state, file);
  else
    say_error(command, "%s: %s", path, own_file_words(errno));
  if (file >= 0)
    close(file);
  return -1;
}
