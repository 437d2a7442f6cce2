/* See left_file.h.
 *
 * Always: only data.mdb and LOCK are read, and neither is written. Without a line of LOCK that holds, every page that
 * LMDB could reach is looked at. A reader takes no lock: where a writer begins meanwhile, pages change under it and it
 * finds faults; the writer has looked at the file before it changed any, and said so in LOCK, which is read again.
 *
 * Called as a directory is opened, before LMDB sees it. After a crash: LOCK has what was written last. */
#include "frontier/store/left_file.h"

#include "frontier/base/own_file.h"
#include "frontier/store/mdb_pages.h"
#include "frontier/store/store_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, SHOWN = 300 };

static void path_of(const char *directory, const char *name, char path[PATH_SIZE])
{
  snprintf(path, PATH_SIZE, "%s/%s", directory, name);
}

/* ---- what was left ---------------------------------------------------------------------------------------- */

/* Up to `room - 1` bytes of a file from `offset` on, as a text. */
static void read_text(const char *path, off_t offset, char *text, size_t room)
{
  int fd = own_file_open(path, O_RDONLY, 0);
  ssize_t got = fd < 0 ? 0 : pread(fd, text, room - 1, offset);
  text[got > 0 ? got : 0] = '\0';
  if (fd >= 0)
    close(fd);
}

void left_file_text(const char *directory, bool is_clean, char text[LEFT_TEXT])
{
  char path[PATH_SIZE], boot[64];
  struct statx file;
  mdb_pages_brief brief;
  path_of(directory, "data.mdb", path);
  *text = '\0';
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &file) != 0)
    return;
  long long born = file.stx_mask & STATX_BTIME ? file.stx_btime.tv_sec : 0;
  unsigned born_ns = file.stx_mask & STATX_BTIME ? file.stx_btime.tv_nsec : 0;
  int size = snprintf(text, LEFT_TEXT, "file %u:%u %llu %u %lld.%09u\n", file.stx_dev_major, file.stx_dev_minor,
                      (unsigned long long)file.stx_ino, file.stx_uid, born, born_ns);
  read_text("/proc/sys/kernel/random/boot_id", 0, boot, sizeof boot);
  if (is_clean && mdb_pages_glance(path, &brief))
    snprintf(text + size, LEFT_TEXT - (size_t)size, "clean %llu %lld.%09u %" PRIu64 "\n",
             (unsigned long long)file.stx_size, (long long)file.stx_ctime.tv_sec, file.stx_ctime.tv_nsec,
             brief.transaction);
  else if (!is_clean && *boot)
    snprintf(text + size, LEFT_TEXT - (size_t)size, "boot %.40s\n", boot);
  else
    *text = '\0';
}

static bool is_what_we_left(const char *directory)
{
  char path[PATH_SIZE], said[LEFT_TEXT], now[LEFT_TEXT];
  mdb_pages_brief brief;
  path_of(directory, "LOCK", path);
  read_text(path, LEFT_PID, said, sizeof said);
  path_of(directory, "data.mdb", path);
  if (!*said || !mdb_pages_glance(path, &brief) || brief.is_short)
    return false;
  left_file_text(directory, false, now);
  if (strcmp(said, now) == 0)
    return true;
  left_file_text(directory, true, now);
  return strcmp(said, now) == 0;
}

/* Is there more in the directory than what comes before the first transaction? */
static bool had_records(const char *directory)
{
  static const char *const names[] = {"seen.0", "seen.1"};
  char path[PATH_SIZE], said[LEFT_TEXT];
  struct stat file;
  path_of(directory, "LOCK", path);
  read_text(path, LEFT_PID, said, sizeof said);
  bool has = *said != '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    path_of(directory, names[i], path);
    has |= lstat(path, &file) == 0;
  }
  return has;
}

/* ---- all its pages ---------------------------------------------------------------------------------------- */

typedef struct walk {
  const left_file_reading *r;
  char first[FRONTIER_MESSAGE_SIZE]; /* fault */
} walk;

static void keep_first(void *context, const char *sentence)
{
  walk *w = context;
  if (!*w->first)
    snprintf(w->first, sizeof w->first, "%s", sentence);
}

static void say_progress(void *context, uint64_t done, uint64_t of)
{
  const walk *w = context;
  char sentence[FRONTIER_MESSAGE_SIZE];
  if (!w->r->log)
    return;
  snprintf(sentence, sizeof sentence,
           "%.*s/data.mdb was not left here so, and is read through first: %" PRIu64 " of %" PRIu64 " pages", SHOWN,
           w->r->directory, done, of);
  w->r->log(w->r->log_context, sentence);
}

static frontier_status read_through(walk *w, const char *path, char message[FRONTIER_MESSAGE_SIZE])
{
  pages *p = NULL;
  *w->first = '\0';
  frontier_status status = mdb_pages_open(path, keep_first, w, &p, message);
  if (status != FRONTIER_OK)
    return status;
  if (mdb_pages_have_root(p))
    mdb_pages_walk_all(p, say_progress, w);
  mdb_pages_close(p);
  return *w->first ? FRONTIER_DAMAGED : FRONTIER_OK;
}

static frontier_status check_pages(const left_file_reading *r, const char *path, char message[FRONTIER_MESSAGE_SIZE])
{
  walk w = {.r = r};
  frontier_status status = FRONTIER_DAMAGED;
  if (is_what_we_left(r->directory))
    return FRONTIER_OK;
  if (mdb_pages_is_foreign(path)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.*s: not a Strata frontier", SHOWN, path);
    return FRONTIER_NOT_OURS;
  }
  status = read_through(&w, path, message);
  if (status != FRONTIER_DAMAGED || is_what_we_left(r->directory)) /* now: a writer has begun */
    return status == FRONTIER_DAMAGED ? FRONTIER_OK : status;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.*s/%.*s; strata check says more, and may repair it", SHOWN, r->directory,
           FRONTIER_MESSAGE_SIZE - SHOWN - 64, w.first);
  return FRONTIER_DAMAGED;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

frontier_status left_file_check(const left_file_reading *r, char message[FRONTIER_MESSAGE_SIZE])
{
  static const char *const names[] = {"lock.mdb", "data.mdb"};
  char path[PATH_SIZE];
  struct stat file;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    path_of(r->directory, names[i], path);
    if (own_file_is_plain(path, r->to_write) && (i > 0 || own_file_has_one_name(path))) /* readers write to lock.mdb */
      continue;
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%.*s: %s", SHOWN, path, own_file_words(errno));
    return FRONTIER_IO;
  }
  bool is_there = lstat(path, &file) == 0;
  if (is_there && !store_is_stillborn(path))
    return check_pages(r, path, message);
  if ((!r->to_write && !is_there) || !had_records(r->directory))
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.*s is %s, though there were records in it; strata check says more", SHOWN,
           path, is_there ? "empty" : "missing");
  return FRONTIER_DAMAGED;
}
