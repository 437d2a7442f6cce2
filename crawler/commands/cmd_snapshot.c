/* strata snapshot: a copy of a crawl, while it goes on. Made beside its place, and then renamed. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/commands/snapshot_files.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report(frontier *f, const char *to)
{
  char a[SAY_MANY_SIZE], b[SAY_SIZE];
  frontier_stats s;
  if (frontier_stats_read(f, &s) != FRONTIER_OK)
    return EXIT_FAILED;
  uint64_t waiting = s.queued + s.in_flight;
  say_note("%s: %s, %s of them waiting; to go on with it: strata crawl --dir %s", to,
           say_many(waiting + s.done + s.failed + s.skipped, "URL", a), say_count(waiting, b), to);
  return EXIT_DONE;
}

/* Also where another snapshot of this name was faster. */
static int refuse(const char *to)
{
  say_error("snapshot", "%s is there already; a name that is not, please", to);
  return EXIT_FAILED;
}

static int snapshot(const char *directory, const char *to)
{
  char pages[CRAWL_PATH_SIZE], beside[CRAWL_PATH_SIZE];
  struct stat info;
  if (!crawl_dir_find("snapshot", directory))
    return EXIT_FAILED;
  if (lstat(to, &info) == 0)
    return refuse(to);
  crawl_dir_file(directory, "pages.jsonl", pages);
  bool has_pages = access(pages, F_OK) == 0;
  frontier *f = crawl_dir_open_with("snapshot", directory, has_pages ? pages : NULL);
  if (!f)
    return EXIT_FAILED;
  snprintf(beside, sizeof beside, "%.4000s.part-%ld", to, (long)getpid());
  bool is_made = mkdir(beside, 0777) == 0;
  bool is_copied = is_made && snapshot_copy_crawl("snapshot", f, directory, beside, has_pages);
  bool is_there = is_copied && rename(beside, to) == 0;
  if (is_copied && !is_there && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR))
    (void)refuse(to);
  else if (!is_made || (is_copied && !is_there))
    say_error("snapshot", "%s: %s", to, strerror(errno));
  if (is_made && !is_there)
    snapshot_remove(beside);
  int code = is_there ? report(f, to) : EXIT_FAILED;
  frontier_close(f);
  return code;
}

const option_table cmd_snapshot_options = {
  .command = "snapshot",
  .least_words = 2,
  .most_words = 2,
  .wanted = "a crawl's directory, and the new one, please: strata snapshot DIR TO",
  .before =
    "Usage: strata snapshot DIR TO\n"
    "Copy the crawl in DIR, as of its last commit, to the new directory TO; works during a crawl. The copy is a\n"
    "crawl of its own: it can be crawled on, checked, merged, and given to --previous.\n"
    "\n"
    "  strata snapshot strata-example.org monday\n"
    "  strata crawl --dir tuesday --previous monday https://example.org/\n",
};

int cmd_snapshot(int argc, char **argv)
{
  int code = options_read(&cmd_snapshot_options, argc, argv, NULL);
  return code == OPTIONS_READ ? snapshot(argv[optind], argv[optind + 1]) : code;
}
