/* See cluster_copies.h.
 *
 *     p-003-life-1-TIME.part --> p-003-life-1-TIME --> --snapshot-with --> older copies go --> p-003/last-copy
 *
 * In this order: the last step lets other partitions forget what the copy has (cluster/last_copy.h), so that it must be
 * complete by then, wherever it is. A copy of a later life of the partition is one that somebody restored: who still
 * copies the earlier life, not knowing yet that it is history, makes none. */
#include "crawler/commands/cluster_copies.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/cluster/last_copy.h"
#include "crawler/commands/cmd.h"
#include "crawler/commands/snapshot_files.h"
#include "frontier/base/machine.h"
#include "frontier/exchange.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 256, TRY_AGAIN_MS = 600000 };
#define PART ".part"

void cluster_partition_path(const char *directory, uint32_t partition, char path[CRAWL_PATH_SIZE])
{
  snprintf(path, CRAWL_PATH_SIZE, "%s/p-%03" PRIu32, directory, partition);
}

/* ---- what lies in DIR ----------------------------------------------------------------------------------- */

/* Of a name as above; false: it is none of this partition. */
static bool read_name(const char *name, uint32_t partition, uint64_t *life, bool *is_part)
{
  char begin[NAME_SIZE], *end;
  int size = snprintf(begin, sizeof begin, "p-%03" PRIu32 "-life-", partition);
  if (strncmp(name, begin, (size_t)size) != 0)
    return false;
  *life = strtoull(name + size, &end, 10);
  size_t left = strlen(end);
  *is_part = left > sizeof PART && strcmp(end + left - (sizeof PART - 1), PART) == 0;
  return *end == '-';
}

/* Removes what was cut short, and with `but` all copies up to `life` except that name. Gives the latest life of those
 * that stay. */
static uint64_t tidy(const char *directory, uint32_t partition, uint64_t life, const char *but)
{
  uint64_t latest = 0, found;
  bool is_part;
  DIR *d = opendir(directory);
  for (struct dirent *entry; d && (entry = readdir(d));) {
    char path[CRAWL_PATH_SIZE];
    if (!read_name(entry->d_name, partition, &found, &is_part))
      continue;
    crawl_dir_file(directory, entry->d_name, path);
    if (is_part ? found <= life : but && found <= life && strcmp(entry->d_name, but) != 0)
      snapshot_remove(path);
    else if (!is_part && found > latest)
      latest = found;
  }
  if (d)
    closedir(d);
  return latest;
}

/* ---- in the child --------------------------------------------------------------------------------------- */

static bool fail_with(const char *path, int error)
{
  say_error("crawl", "--snapshot-to: %s: %s", path, strerror(error));
  return false;
}

static bool sync_directory(const char *path)
{
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL); /* not all file systems do that */
  int error = errno;
  if (fd >= 0)
    close(fd);
  return is_synced || fail_with(path, error);
}

static bool copy_into(frontier *f, const char *from, const char *to, bool has_pages, const char *directory)
{
  char part[CRAWL_PATH_SIZE + 8];
  snprintf(part, sizeof part, "%s" PART, to);
  if (mkdir(part, 0777) != 0)
    return fail_with(part, errno);
  bool is_there = snapshot_copy_crawl("crawl", f, from, part, has_pages) && sync_directory(part);
  if (is_there && rename(part, to) != 0)
    is_there = fail_with(to, errno);
  if (!is_there)
    snapshot_remove(part);
  return is_there && sync_directory(directory);
}

/* With the copy's path in the environment; what it says on stdout goes to stderr. */
static bool run_command(const char *command, const char *copy)
{
  pid_t child = fork();
  int status = -1;
  if (child == 0) {
    if (setenv("STRATA_SNAPSHOT", copy, 1) == 0 && unsetenv("STRATA_CLUSTER_PASSWORD") == 0 && dup2(2, 1) == 1)
      execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(EXIT_FAILED);
  }
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  say_error("crawl", "--snapshot-with %.200s: %s; other partitions keep what they sent until a later one does better",
            command, child < 0 ? strerror(errno) : "it failed");
  return false;
}

/* In milliseconds: two copies may be made in one second, the last one at the end of a crawl. A name that is there, by a
 * clock that was set back, is left to what has it. */
static void name_copy(const char *directory, uint32_t partition, uint64_t life, uint64_t at_ms, char name[NAME_SIZE],
                      char path[CRAWL_PATH_SIZE])
{
  struct stat info;
  do {
    char stamp[32];
    struct tm when;
    time_t seconds = (time_t)(at_ms / 1000);
    gmtime_r(&seconds, &when);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &when);
    snprintf(name, NAME_SIZE, "p-%03" PRIu32 "-life-%" PRIu64 "-%s.%03uZ", partition, life, stamp,
             (unsigned)(at_ms++ % 1000));
    crawl_dir_file(directory, name, path);
  } while (lstat(path, &info) == 0);
}

static bool keep_copy(const cluster_copies *c, uint32_t partition, frontier *f, bool has_pages, uint64_t now_ms)
{
  char from[CRAWL_PATH_SIZE], name[NAME_SIZE];
  last_copy copy = {.at_ms = now_ms};
  frontier_life life;
  frontier_life_read(f, &life);
  cluster_partition_path(c->root, partition, from);
  if (tidy(c->directory, partition, life.incarnation, NULL) > life.incarnation) {
    say_error("crawl", "--snapshot-to %s: it has a copy of a later life of partition %" PRIu32 ": is %s a copy?",
              c->directory, partition, from);
    return false;
  }
  name_copy(c->directory, partition, life.incarnation, now_ms, name, copy.path);
  if (!copy_into(f, from, copy.path, has_pages, c->directory))
    return false;
  if (c->command && !run_command(c->command, copy.path)) {
    snapshot_remove(copy.path); /* or they would pile up; the one that counts stays */
    return false;
  }
  tidy(c->directory, partition, life.incarnation, name);
  return last_copy_write(from, &copy) || fail_with(from, errno);
}

static int make_copy(const cluster_copies *c, uint32_t partition)
{
  char from[CRAWL_PATH_SIZE], pages[CRAWL_PATH_SIZE];
  uint64_t now_ms = machine_wall_ms();
  cluster_partition_path(c->root, partition, from);
  if (!crawl_dir_exists(from))
    return EXIT_DONE; /* its worker has not begun */
  crawl_dir_file(from, "pages.jsonl", pages);
  bool has_pages = access(pages, F_OK) == 0;
  frontier *f = crawl_dir_open_with("crawl", from, has_pages ? pages : NULL);
  bool is_kept = f && keep_copy(c, partition, f, has_pages, now_ms);
  if (f)
    frontier_close(f);
  return is_kept ? EXIT_DONE : EXIT_FAILED;
}

/* ---- in the parent -------------------------------------------------------------------------------------- */

static void begin_copy(cluster_copies *c, size_t i)
{
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    _exit(getppid() == parent ? make_copy(c, c->numbers[i]) : EXIT_FAILED);
  }
  c->current = i;
  c->child = child < 0 ? 0 : child;
  c->due_ms[i] = machine_wall_ms() + c->every_ms;
}

static void note_end(cluster_copies *c, int status)
{
  uint64_t again_ms = machine_wall_ms() + TRY_AGAIN_MS;
  c->child = 0;
  if ((!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_DONE) && c->due_ms[c->current] > again_ms)
    c->due_ms[c->current] = again_ms;
}

void cluster_copies_turn(cluster_copies *c)
{
  int status;
  size_t first = 0;
  if (!c->directory || !c->count)
    return;
  if (c->child && waitpid(c->child, &status, WNOHANG) > 0)
    note_end(c, status);
  for (size_t i = 1; i < c->count; i++)
    first = c->due_ms[i] < c->due_ms[first] ? i : first;
  if (!c->child && c->due_ms[first] <= machine_wall_ms())
    begin_copy(c, first);
}

static void wait_for_child(cluster_copies *c)
{
  int status = 0;
  while (c->child && waitpid(c->child, &status, 0) < 0 && errno == EINTR)
    ;
  c->child = 0;
}

void cluster_copies_end(cluster_copies *c, bool is_over)
{
  if (c->child && !is_over)
    kill(c->child, SIGTERM);
  wait_for_child(c);
  signal(SIGINT, SIG_DFL); /* there is nothing left to stop but this */
  signal(SIGTERM, SIG_DFL);
  for (size_t i = 0; c->directory && is_over && i < c->count; i++) {
    begin_copy(c, i);
    wait_for_child(c);
  }
  free(c->due_ms);
  c->due_ms = NULL;
  c->directory = NULL;
}

bool cluster_copies_begin(cluster_copies *c, const crawl_args *args, const char *root, const uint32_t *numbers,
                          size_t count)
{
  *c = (cluster_copies){.directory = args->snapshot_to,
                        .command = args->snapshot_with,
                        .every_ms = args->snapshot_ms,
                        .root = root,
                        .numbers = numbers,
                        .count = count};
  if (!c->directory)
    return true;
  c->due_ms = calloc(count + 1, sizeof *c->due_ms);
  for (size_t i = 0; c->due_ms && i < count; i++) {
    char path[CRAWL_PATH_SIZE];
    last_copy copy;
    cluster_partition_path(root, numbers[i], path);
    c->due_ms[i] = (last_copy_read(path, &copy) ? copy.at_ms : machine_wall_ms()) + c->every_ms;
  }
  return c->due_ms;
}
