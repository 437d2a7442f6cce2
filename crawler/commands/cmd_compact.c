/* strata compact: disk space back after a large crawl. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "frontier/admin.h"

#include <getopt.h>
#include <stdio.h>

static int compact(const char *directory)
{
  char path[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE], a[SAY_SIZE], b[SAY_SIZE];
  frontier_sizes sizes;
  if (!crawl_dir_frontier("compact", directory, path) || !crawl_dir_is_ours("compact", directory))
    return EXIT_FAILED;
  progress line = progress_begin();
  progress_of(&line, "copying");
  frontier_status status = frontier_compact_watched(path, &sizes, sizeof sizes, progress_told, &line, message);
  progress_clear(&line);
  if (status != FRONTIER_OK) {
    say_error("compact", "%s", message);
    return EXIT_FAILED;
  }
  say_note("%s: %s on disk before, %s now", path, say_bytes(sizes.before, a), say_bytes(sizes.after, b));
  return EXIT_DONE;
}

const option_table cmd_compact_options = {
  .command = "compact",
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata compact DIR",
  .before =
    "Usage: strata compact DIR\n"
    "Free the disk space that the crawl in DIR no longer needs, for instance for queue entries whose URLs\n"
    "are done by now. URLs removed with strata forget take no memory afterwards. Needs disk space for a copy; if it\n"
    "is stopped, either the old or the new files remain. No crawl or reader may be running in DIR. Afterwards the\n"
    "crawl can go on.\n"
    "\n"
    "  strata compact strata-example.org\n",
};

int cmd_compact(int argc, char **argv)
{
  int code = options_read(&cmd_compact_options, argc, argv, NULL);
  return code == OPTIONS_READ ? compact(argv[optind]) : code;
}
