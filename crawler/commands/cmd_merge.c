/* strata merge: a new crawl directory with the seen URLs of several others. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "crawler/commands/merge_counts.h"
#include "frontier/admin.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The frontiers of the directories, in one block: free it. NULL after one sentence. */
static char (*frontiers_of(char **directories, size_t count))[CRAWL_PATH_SIZE]
{
  char(*paths)[CRAWL_PATH_SIZE] = malloc(count * sizeof *paths);
  for (size_t i = 0; paths && i < count; i++) {
    if (crawl_dir_frontier("merge", directories[i], paths[i]))
      continue;
    free(paths);
    return NULL;
  }
  if (!paths)
    say_error("merge", "out of memory");
  return paths;
}

static int merge_into(const char *output, const char *const *sources, size_t count)
{
  char path[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE], a[SAY_SIZE];
  frontier_merged merged;
  bool is_made = mkdir(output, 0777) == 0;
  if (!is_made && errno != EEXIST) {
    say_error("merge", "%s: %s", output, strerror(errno));
    return EXIT_FAILED;
  }
  crawl_dir_file(output, "frontier", path);
  if (!is_made && crawl_dir_exists(output)) {
    say_error("merge", "%s: a crawl is there already; choose another directory with -o", output);
    return EXIT_FAILED;
  }
  progress line = progress_begin();
  progress_of(&line, "merging");
  frontier_status status = frontier_merge_watched(sources, count, path, &merged, sizeof merged, progress_told, &line,
                                                  message);
  progress_clear(&line);
  if (status != FRONTIER_OK) {
    say_error("merge", "%s", message);
    if (is_made)
      rmdir(output);
    return EXIT_FAILED;
  }
  say_note("%s: %s keys of %zu crawl%s, %s", output, say_count(merged.keys, a), count, count == 1 ? "" : "s",
           merged.by_bits ? "their filters united" : "the filter is made from their logs when it is first used");
  return EXIT_DONE;
}

static int merge(const char *output, char **directories, size_t count)
{
  char(*paths)[CRAWL_PATH_SIZE] = frontiers_of(directories, count);
  const char **sources = paths ? malloc(count * sizeof *sources) : NULL;
  int code = EXIT_FAILED;
  for (size_t i = 0; sources && i < count; i++)
    sources[i] = paths[i];
  if (sources)
    code = merge_into(output, sources, count);
  if (code == EXIT_DONE)
    merge_counts(output, directories, count);
  free(sources);
  free(paths);
  return code;
}

typedef struct merge_args {
  const char *output;
} merge_args;

#define FIELD(member) OPTION_FIELD(merge_args, member)

static const option_row option_rows[] = {
  {"output", "DIR", OPTION_STRING, FIELD(output), .letter = 'o',
   .help = "the new directory; an existing one must be empty"},
};

/* clang-format off */
const option_table cmd_merge_options = {
  .command = "merge", .column = 25, OPTION_ROWS(option_rows),
  .before =
  "Usage: strata merge DIR... -o DIR\n"
  "Make a new crawl directory in which every URL is seen that any of the given crawls has seen, and whose queue is\n"
  "empty: a start for a new crawl. All must have the same filter and profile. In-link counts are added up, if the\n"
  "crawls have any.\n"
  "\n"
  "  strata merge monday tuesday -o both\n"
  "  strata seen both https://example.org/a\n"
  "  strata crawl --dir both https://example.org/news\n",
};
/* clang-format on */

int cmd_merge(int argc, char **argv)
{
  merge_args args = {0};
  int code = options_read(&cmd_merge_options, argc, argv, &args);
  if (code != OPTIONS_READ)
    return code;
  if (args.output && argc > optind)
    return merge(args.output, argv + optind, (size_t)(argc - optind));
  say_error("merge", args.output ? "directories to merge, please: strata merge DIR... -o DIR"
                                 : "where to, please: strata merge DIR... -o DIR");
  return EXIT_USAGE;
}
