/* The files of a WARC, and how far they are good. Of file N:
 *
 *     pages-N.warc.gz     | settled: on disk | pending, in memory |
 *     pages-N.cdxj.part   | index_bytes      | lines, in memory   |       in order of arrival, after the records
 *     pages-N.cdxj        the index sorted, once the crawl ends or begins again
 *
 * Always: both files of N are open, or neither (assert_files). A place (warc_files_place) names bytes that are on disk,
 * in both files, and all files before N are whole. File N + 1 is begun only when all of N is on disk, and N stays open
 * until both files of N + 1 are in the directory for sure.
 *
 * Called by warc.c on the thread that crawls; crawl_warc.c tells the frontier the place before each commit.
 *
 * After a crash: bytes may follow the committed place, torn or whole, and files may follow file N. All of them are of
 * pages that are not done. warc_files_recover cuts and removes them before anything is written, and sorts what was left
 * unsorted. It may be cut short anywhere, and begins again. */
#include "crawler/warc/warc_files.h"

#include "crawler/warc/cdxj.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void warc_path(const char *directory, unsigned number, const char *suffix, char path[WARC_PATH_SIZE])
{
  snprintf(path, WARC_PATH_SIZE, "%.4000s/pages-%05u%s", directory, number, suffix);
}

void warc_place_write(warc_place place, char text[WARC_PLACE_TEXT])
{
  snprintf(text, WARC_PLACE_TEXT, "%u %llu %llu", place.number, (unsigned long long)place.bytes,
           (unsigned long long)place.index_bytes);
}

bool warc_place_read(const char *text, size_t size, warc_place *place)
{
  char copy[WARC_PLACE_TEXT] = "", *at = copy;
  uint64_t numbers[3];
  if (size >= sizeof copy)
    return false;
  memcpy(copy, text, size);
  for (size_t i = 0; i < 3; i++) {
    if (*at < '0' || *at > '9')
      return false;
    numbers[i] = strtoull(at, &at, 10);
    if (*at++ != (i < 2 ? ' ' : '\0'))
      return false;
  }
  if (numbers[0] > WARC_NUMBER_MAX)
    return false;
  *place = (warc_place){(unsigned)numbers[0], numbers[1], numbers[2]};
  return true;
}

bool warc_files_init(warc_files *f, const char *directory)
{
  *f = (warc_files){.directory = directory, .index_fd = -1};
  return warc_file_init(&f->data);
}

/* Both files are open, or none is; and there is nothing to write where there is no file. */
static void assert_files(const warc_files *f)
{
  assert((f->data.fd < 0) == (f->index_fd < 0));
  assert(f->data.fd < 0 || f->number >= 1);
  assert(f->data.size <= f->data.room);
  assert(f->data.fd >= 0 || (!f->data.size && !f->lines.size));
  (void)f;
}

void warc_files_free(warc_files *f)
{
  warc_file_free(&f->data);
  if (f->index_fd >= 0)
    close(f->index_fd);
  json_free(&f->lines);
}

/* ---- writing ------------------------------------------------------------------------------------------------- */

static int open_new(warc_files *f, unsigned number, const char *suffix)
{
  char path[WARC_PATH_SIZE];
  warc_path(f->directory, number, suffix, path);
  int fd = own_file_create(path, 0666);
  snprintf(f->not_made, sizeof f->not_made, "%s", fd < 0 ? path : "");
  return fd;
}

static int settle_lines(warc_files *f)
{
  int error = warc_append(f->index_fd, f->lines.text, f->lines.size, &f->index_bytes);
  if (!error)
    json_clear(&f->lines);
  return error;
}

int warc_files_settle(warc_files *f)
{
  assert_files(f);
  if (f->data.fd < 0)
    return 0;
  int error = warc_file_settle(&f->data);
  return error ? error : settle_lines(f);
}

static void close_one(int fd)
{
  if (fd >= 0)
    close(fd);
}

/* Files behind the last one hold nothing that counts. */
static void remove_behind(const warc_files *f)
{
  char path[WARC_PATH_SIZE];
  for (unsigned number = f->number + 1;; number++) {
    warc_path(f->directory, number, WARC_PART, path);
    bool had_index = unlink(path) == 0;
    warc_path(f->directory, number, WARC_SUFFIX, path);
    if (unlink(path) != 0 && !had_index)
      return;
  }
}

static bool sync_directory(const char *directory)
{
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool synced = fd >= 0 && fsync(fd) == 0;
  int error = errno;
  close_one(fd);
  errno = error;
  return synced;
}

/* The files that are open stay so until the next ones are there for sure; else those are made anew by the next call. */
static int open_next(warc_files *f)
{
  assert(!f->data.size && !f->lines.size); /* settled */
  int data = open_new(f, f->number + 1, WARC_SUFFIX), index = data < 0 ? -1 : open_new(f, f->number + 1, WARC_PART);
  if (index < 0 || !sync_directory(f->directory)) {
    int error = errno;
    close_one(data);
    close_one(index);
    remove_behind(f);
    return error;
  }
  close_one(f->data.fd);
  close_one(f->index_fd);
  f->number++;
  f->data.fd = data;
  f->index_fd = index;
  f->data.settled = f->index_bytes = 0;
  assert_files(f);
  return 0;
}

int warc_files_ready(warc_files *f, uint64_t file_bytes, bool *is_new)
{
  assert_files(f);
  *is_new = f->data.fd < 0 || warc_file_end(&f->data) >= file_bytes;
  if (!*is_new)
    return 0;
  int error = warc_files_settle(f); /* what is before the place in the next file is on disk */
  return error ? error : open_next(f);
}

warc_place warc_files_place(const warc_files *f)
{
  return (warc_place){f->number, f->data.settled, f->index_bytes};
}

/* ---- after a crash --------------------------------------------------------------------------------------------- */

static bool say(char message[WARC_MESSAGE_SIZE], const char *path, const char *what)
{
  snprintf(message, WARC_MESSAGE_SIZE, "%.400s: %s", path, what);
  return false;
}

/* Of a file that may be read-only; false: errno. */
static bool size_of(const char *path, uint64_t *size)
{
  struct stat info;
  int fd = own_file_open(path, O_RDONLY, 0);
  bool is_known = fd >= 0 && fstat(fd, &info) == 0;
  if (is_known)
    *size = (uint64_t)info.st_size;
  int error = errno;
  close_one(fd);
  errno = error;
  return is_known;
}

/* A file that is not there was moved away by its user, and needs no cutting. */
static bool cut(const char *path, uint64_t bytes, char message[WARC_MESSAGE_SIZE])
{
  uint64_t size;
  if (!size_of(path, &size))
    return errno == ENOENT || say(message, path, own_file_words(errno));
  if (size < bytes)
    return say(message, path, "bytes are missing at its end; move it away to go on without it");
  if (size == bytes)
    return true;
  int fd = own_file_open(path, O_WRONLY, 0);
  bool is_cut = (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0) || say(message, path, own_file_words(errno));
  close_one(fd);
  return is_cut;
}

static bool is_there(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0;
}

bool warc_files_sort(warc_files *f, char message[WARC_MESSAGE_SIZE])
{
  char part[WARC_PATH_SIZE], sorted[WARC_PATH_SIZE];
  for (unsigned number = 1; number <= f->number; number++) {
    warc_path(f->directory, number, WARC_PART, part);
    warc_path(f->directory, number, WARC_INDEX, sorted);
    if (is_there(part) && !cdxj_sort(part, sorted))
      return say(message, part, own_file_words(errno));
  }
  return true;
}

bool warc_files_recover(warc_files *f, warc_place place, char message[WARC_MESSAGE_SIZE])
{
  char path[WARC_PATH_SIZE];
  f->number = place.number;
  f->data.settled = place.bytes;
  f->index_bytes = place.index_bytes;
  remove_behind(f);
  if (place.number == 0)
    return true;
  warc_path(f->directory, place.number, WARC_SUFFIX, path);
  if (!cut(path, place.bytes, message))
    return false;
  warc_path(f->directory, place.number, WARC_PART, path);
  return cut(path, place.index_bytes, message) && warc_files_sort(f, message);
}
