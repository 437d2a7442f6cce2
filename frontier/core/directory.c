/* See directory.h.
 *
 *     DIRECTORY/LOCK       held (flock) by the one writer; its process id inside
 *     DIRECTORY/data.mdb   LMDB: queue, history, hosts, hash log, meta; lock.mdb beside it
 *     DIRECTORY/seen.0 .1  filter files, one of them valid
 */
#include "frontier/core/state.h"

#include "frontier/base/own_file.h"
#include "frontier/store/left_file.h"
#include "frontier/store/open_here.h"

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
  static const char *const ours[] = {".",      "..",     "LOCK",     "data.mdb",    "lock.mdb",
                                     "seen.0", "seen.1", "IDENTITY", "IDENTITY.tmp"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(name, ours[i]) == 0)
      return true;
  /* files of keys; a filter's temporary file that a crash left; what a repair kept, or was making */
  return strncmp(name, "keys.", 5) == 0 || strncmp(name, "doubts.", 7) == 0 || strncmp(name, "seen.", 5) == 0 ||
         strncmp(name, "data.mdb.", 9) == 0 || strcmp(name, "rebuilt") == 0;
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

/* The process id has always the same size, so that what follows it stays. */
static frontier_status write_pid(frontier *f, const char *path)
{
  char pid[LEFT_PID + 1];
  struct stat file;
  snprintf(pid, sizeof pid, "%-*ld\n", LEFT_PID - 1, (long)getpid());
  if (fstat(f->lock.fd, &file) == 0 && pwrite(f->lock.fd, pid, LEFT_PID, 0) == LEFT_PID)
    return FRONTIER_OK;
  return frontier_fail(f, errno == ENOSPC || errno == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO, "%s: %s", path,
                       strerror(errno));
}

frontier_status directory_lock_it(frontier *f)
{
  char path[4096], pid[32] = "";
  if (!own_file_is_our_directory(f->directory))
    return frontier_fail(f, FRONTIER_IO, "%s: %s", f->directory, own_file_words(errno));
  snprintf(path, sizeof path, "%s/LOCK", f->directory);
  f->lock.fd = own_file_open(path, O_RDWR | O_CREAT, 0666);
  if (f->lock.fd < 0)
    return frontier_fail(f, FRONTIER_IO, "%s: %s", path, own_file_words(errno));
  if (flock(f->lock.fd, LOCK_EX | LOCK_NB) == 0)
    return write_pid(f, path);
  ssize_t got = pread(f->lock.fd, pid, sizeof pid - 1, 0); /* a number, unless somebody else wrote there */
  pid[got > 0 ? got : 0] = '\0';
  if (open_here_has(f->directory))
    return frontier_fail(f, FRONTIER_BUSY, "%s: this process itself has it open", f->directory);
  return frontier_fail(f, FRONTIER_BUSY, "%s is in use by another process (%ld)", f->directory, strtol(pid, NULL, 10));
}

/* ---- data.mdb ------------------------------------------------------------------------------------------- */

frontier_status directory_check_data(frontier *f)
{
  const left_file_reading reading = {.directory = f->directory,
                                     .to_write = !f->options.read_only,
                                     .log = f->options.log,
                                     .log_context = f->options.log_context};
  return left_file_check(&reading, f->message);
}

/* What cannot be written is not there, and the next opening reads all pages. */
static void note(frontier *f, bool is_clean)
{
  char text[LEFT_TEXT];
  left_file_text(f->directory, is_clean, text);
  size_t size = strlen(text);
  f->lock.is_noted = ftruncate(f->lock.fd, LEFT_PID) == 0 && size > 0 &&
                     pwrite(f->lock.fd, text, size, LEFT_PID) == (ssize_t)size;
}

/* By their names: to close lock.mdb would drop LMDB's locks on it. */
static void share(const frontier *f)
{
  static const struct {
    const char *name;
    mode_t mode;
  } files[] = {{"data.mdb", 0640}, {"IDENTITY", 0640}, {"lock.mdb", 0660}}; /* whoever reads writes to lock.mdb */
  char path[4096];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", f->directory, files[i].name);
    if (!own_file_is_plain(path, true) || chmod(path, files[i].mode) != 0)
      frontier_log(f, "%s: %s", path, strerror(errno));
  }
}

frontier_status directory_note_open(frontier *f)
{
  if (f->options.group_readable)
    share(f);
  note(f, false);
  return FRONTIER_OK;
}

void directory_note_left(frontier *f)
{
  note(f, true);
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
  bool was_open = f->store != NULL, is_dead = store_is_dead(f->store);
  store_close(f->store);
  if (was_open && f->lock.is_noted && !is_dead)
    directory_note_left(f);
  if (is_dead)
    f->lock.fd = -1; /* locked until the process ends */
  directory_unlock(f);
}

const part directory_part = {.check = check, .close = close_all};
