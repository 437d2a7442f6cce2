/* See snapshot_files.h. A writer may rename and remove files meanwhile (an index that is sorted, pieces of contents/
 * that are merged): a directory is copied anew until it had the same names before and after. */
#include "crawler/commands/snapshot_files.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/cluster/last_copy.h"
#include "crawler/loop/fingerprint_index.h"
#include "frontier/admin.h"
#include "frontier/base/own_file.h"
#include "mlbf/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 20, FRESH_DIRECTORY = 0777 };

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
  (void)info, (void)kind, (void)place;
  (void)remove(path);
  return 0;
}

void snapshot_remove(const char *path)
{
  enum { DESCRIPTORS = 8 };
  (void)nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

/* 0, or an errno. */
static int copy_bytes(int from, int to)
{
  ssize_t got, put = 0;
  char *buffer = malloc(BUFSIZ);
  if (!buffer)
    return ENOMEM;
  while ((got = read(from, buffer, BUFSIZ)) > 0)
    for (ssize_t at = 0; at < got && put >= 0; at += put)
      put = write(to, buffer + at, (size_t)(got - at));
  int error = got < 0 || put < 0 ? errno : 0;
  free(buffer);
  return error;
}

/* What is gone meanwhile, or is no regular file, is passed over. 0, or an errno. */
static int copy_file(const char *from, const char *to)
{
  struct stat info;
  int in = own_file_open(from, O_RDONLY, 0);
  if (in < 0)
    return errno == ENOENT || own_file_is_refusal(errno) ? 0 : errno;
  int out = fstat(in, &info) == 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info.st_mode & 0777) : -1;
  int error = out < 0 ? errno : copy_bytes(in, out);
  if (out >= 0 && !error && fsync(out) != 0)
    error = errno;
  if (out >= 0 && close(out) != 0 && !error)
    error = errno;
  close(in);
  return error;
}

static int is_wanted(const struct dirent *entry)
{
  static const char *const others[] = {".", "..", "frontier", "pages.jsonl", LAST_COPY_NAME};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(entry->d_name, others[i]) == 0)
      return 0;
  return 1;
}

typedef struct name_list {
  struct dirent **at;
  int count;
} name_list;

static void free_names(name_list *names)
{
  for (int i = 0; i < names->count; i++)
    free(names->at[i]);
  free(names->at);
}

static bool are_same(const name_list *a, const name_list *b)
{
  bool same = a->count == b->count;
  for (int i = 0; same && i < a->count; i++)
    same = strcmp(a->at[i]->d_name, b->at[i]->d_name) == 0;
  return same;
}

static int copy_once(const char *from, const char *to, bool is_top, bool *is_steady);

static int copy_directory(const char *from, const char *to, bool is_top)
{
  bool is_steady = false;
  int error = 0;
  for (int i = 0; i < TRIES && !is_steady && !error; i++) {
    if (i && !is_top)
      snapshot_remove(to);
    if (!is_top && mkdir(to, FRESH_DIRECTORY) != 0)
      return errno;
    error = copy_once(from, to, is_top, &is_steady);
  }
  return error ? error : is_steady ? 0 : EBUSY;
}

static int copy_named(const char *from, const char *to, const char *name, bool is_top)
{
  char source[CRAWL_PATH_SIZE], target[CRAWL_PATH_SIZE];
  struct stat info;
  crawl_dir_file(from, name, source);
  crawl_dir_file(to, name, target);
  if (lstat(source, &info) != 0)
    return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(info.st_mode))
    return is_top ? copy_directory(source, target, false) : 0;
  if (is_top)
    (void)unlink(target); /* of the try before */
  return copy_file(source, target);
}

static int copy_once(const char *from, const char *to, bool is_top, bool *is_steady)
{
  name_list before = {0}, after = {0};
  before.count = scandir(from, &before.at, is_wanted, alphasort);
  if (before.count < 0)
    return errno;
  int error = 0;
  for (int i = 0; i < before.count && !error; i++)
    error = copy_named(from, to, before.at[i]->d_name, is_top);
  after.count = error ? 0 : scandir(from, &after.at, is_wanted, alphasort);
  if (after.count < 0)
    error = errno;
  *is_steady = !error && are_same(&before, &after);
  free_names(&before);
  if (after.count >= 0)
    free_names(&after);
  return error;
}

static bool copy_files(const char *command, const char *from, const char *to)
{
  char path[CRAWL_PATH_SIZE], message[MLBF_CORPUS_MESSAGE_SIZE];
  int error = copy_directory(from, to, true);
  if (error) {
    say_error(command, "%s: %s", from, error == EBUSY ? "its files change too fast; try again later" : strerror(error));
    return false;
  }
  crawl_dir_file(to, "contents", path);
  if (access(path, F_OK) == 0 && !fingerprint_index_is_sound(to, message)) {
    say_error(command, "%s/contents was changed meanwhile (%s); try again", from, message);
    return false;
  }
  return true;
}

bool snapshot_copy_crawl(const char *command, frontier *f, const char *directory, const char *to, bool has_pages)
{
  char path[CRAWL_PATH_SIZE], pages[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE];
  crawl_dir_file(to, "frontier", path);
  crawl_dir_file(to, "pages.jsonl", pages);
  if (frontier_snapshot(f, path, has_pages ? pages : NULL, message) == FRONTIER_OK)
    return copy_files(command, directory, to);
  say_error(command, "%s", message);
  return false;
}
