/* See crawl_dir.h. */
#include "crawler/base/crawl_dir.h"

#include "crawler/base/message.h"
#include "frontier/base/own_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void crawl_dir_file(const char *directory, const char *name, char path[CRAWL_PATH_SIZE])
{
  snprintf(path, CRAWL_PATH_SIZE, "%s/%s", directory, name);
}

void crawl_dir_default(const url *start, bool is_audit, char path[CRAWL_PATH_SIZE])
{
  snprintf(path, CRAWL_PATH_SIZE, "%s-%.*s", is_audit ? "audit" : "strata", (int)(start->host_end - start->host_begin),
           start->fetch + start->host_begin);
  for (char *at = path; *at; at++)
    if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", *at))
      *at = '-';
}

bool crawl_dir_exists(const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  struct stat info;
  crawl_dir_file(directory, "frontier", path);
  if (lstat(path, &info) != 0)
    return false;
  errno = S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR;
  return S_ISDIR(info.st_mode);
}

bool crawl_dir_find(const char *command, const char *directory)
{
  if (crawl_dir_exists(directory))
    return true;
  if (errno == ELOOP) {
    say_error(command, "%s/frontier: %s", directory, own_file_words(errno));
    return false;
  }
  if (errno != ENOENT && errno != ENOTDIR) { /* a crawl may be there, but who asks may not look */
    say_error(command, "%s: %s", directory, strerror(errno));
    return false;
  }
  struct stat info;
  const char *why = stat(directory, &info) != 0 ? strerror(errno)
                    : S_ISDIR(info.st_mode)     ? "nothing in it is called frontier"
                                                : "it is a file";
  say_error(command, "%s is not the directory of a crawl: %s; \"strata crawl URL --dir DIR\" makes one", directory,
            why);
  return false;
}

/* Either is left when the other one was lost. */
static bool is_frontier(const char *directory)
{
  static const char *const names[] = {"IDENTITY", "data.mdb"};
  char path[CRAWL_PATH_SIZE];
  struct stat info;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    crawl_dir_file(directory, names[i], path);
    if (lstat(path, &info) == 0 && S_ISREG(info.st_mode))
      return true;
  }
  return false;
}

bool crawl_dir_frontier(const char *command, const char *directory, char path[CRAWL_PATH_SIZE])
{
  bool is_crawl = crawl_dir_exists(directory);
  if (!is_crawl && errno == ENOENT && is_frontier(directory)) {
    snprintf(path, CRAWL_PATH_SIZE, "%s", directory);
    return true;
  }
  crawl_dir_file(directory, "frontier", path);
  return crawl_dir_find(command, directory);
}

/* The first name in it, "" if it is empty. */
static bool first_name(const char *directory, char name[256])
{
  DIR *d = opendir(directory);
  if (!d)
    return false;
  *name = '\0';
  for (struct dirent *found; !*name && (found = readdir(d));)
    if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
      snprintf(name, 256, "%s", found->d_name);
  closedir(d);
  return true;
}

bool crawl_dir_is_ours(const char *command, const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  const char *at = directory;
  crawl_dir_file(directory, "frontier", path);
  bool is_ours = own_file_is_our_directory(directory);
  if (is_ours && crawl_dir_exists(directory)) {
    at = path;
    is_ours = own_file_is_our_directory(path);
  }
  if (!is_ours)
    say_error(command, "%s: %s", at, own_file_words(errno));
  return is_ours;
}

bool crawl_dir_prepare(const char *directory)
{
  char name[256] = "";
  if (mkdir(directory, 0777) == 0)
    return true;
  bool is_there = errno == EEXIST, is_crawl = is_there && crawl_dir_exists(directory);
  if (is_there && !is_crawl && errno == ELOOP)
    return crawl_dir_find("crawl", directory);
  if (!is_there || (!is_crawl && !first_name(directory, name))) {
    say_error("crawl", "%s: %s; choose another directory with --dir", directory,
              errno == ENOENT ? "the directory around it is not there" : strerror(errno));
    return false;
  }
  if (is_crawl || !*name)
    return crawl_dir_is_ours("crawl", directory);
  say_error("crawl", "%s is not a crawl: it holds \"%s\"; choose another directory with --dir", directory, name);
  return false;
}

/* To somebody who waits. */
static void say_progress(void *context, const char *sentence)
{
  (void)context;
  if (isatty(STDERR_FILENO))
    say_note("%s", sentence);
}

static frontier *open_as_made(const char *command, const char *directory, bool read_only, const char *journal)
{
  char path[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE];
  frontier *f;
  /* what the directory was made with wins: these values only have to make sense */
  frontier_options options = {.filter = MLBF_KIND_MLBF,
                              .expected_urls = 1,
                              .rate = 1e-6,
                              .per_host = 1,
                              .depth_cap = UINT16_MAX,
                              .read_only = read_only,
                              .journal_path = journal,
                              .log = say_progress,
                              .keep_identity = true};
  if (!crawl_dir_frontier(command, directory, path) || (!read_only && !crawl_dir_is_ours(command, directory)))
    return NULL;
  if (frontier_open(path, &options, &f, message) == FRONTIER_OK)
    return f;
  say_error(command, "%s", message);
  return NULL;
}

bool crawl_dir_has_url_keys(const char *command, const char *directory, const frontier *f)
{
  const char *scheme = frontier_key_scheme(f);
  if (*scheme)
    say_error(command, "%s: its keys are not made of URLs but are \"%s\"; only the program that made them can",
              directory, scheme);
  return !*scheme;
}

frontier *crawl_dir_open(const char *command, const char *directory)
{
  return open_as_made(command, directory, true, NULL);
}

frontier *crawl_dir_open_with(const char *command, const char *directory, const char *journal)
{
  return open_as_made(command, directory, true, journal);
}

frontier *crawl_dir_open_to_change(const char *command, const char *directory)
{
  return open_as_made(command, directory, false, NULL);
}
