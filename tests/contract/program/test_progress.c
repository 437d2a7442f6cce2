/* The line on a terminal that says how far a long command is. */
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/terminal.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[SCRATCH_PATH]; /* the working one; has `list`, and the crawl `crawl` */

/* What a shell's line sends to its terminal; it must succeed. */
static text came_of(const char *line)
{
  text came = {0};
  int code = terminal_run((const char *const[]){"/bin/sh", "-c", line, NULL}, NULL, &came);
  text_add_bytes(&came, "", 1);
  if (code != 0)
    fail_msg("%s: exit %d, and '%s'", line, code, came.bytes);
  return came;
}

static const struct {
  const char *line, *shown; /* of the terminal */
} rows[] = {
  {STRATA_PROGRAM " replay --n 1000 --protocol fresh --filters exact --out out list", "sorting the list: "},
  {STRATA_PROGRAM " replay --paper skip --rounds 1 --out out", "computing the tables: "},
  {STRATA_PROGRAM " uniq list >/dev/null", "reading: "},
  {STRATA_PROGRAM " report crawl >/dev/null", "reading pages.jsonl: "},
  {STRATA_PROGRAM " check crawl >/dev/null", "checking: "},
  {STRATA_PROGRAM " compact crawl", "copying: "},
  {STRATA_PROGRAM " merge crawl -o merged", "merging: "},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The last drawing is erased, and what is said after it stands at the beginning of a line. */
static void assert_is_gone(const char *line, const char *came)
{
  const char *last = NULL;
  for (const char *at = came; (at = strstr(at, "\r")) != NULL; at++)
    last = at;
  if (last == NULL || strncmp(last, "\r\033[K", 4) != 0 || strstr(last, " %") != NULL)
    fail_msg("%s leaves '%s'", line, last);
}

CASE(long_commands_show_percent_and_clear_it)
{
  setenv("STRATA_PROGRESS_MS", "0", 1);
  setenv("TERM", "xterm", 1);
  for (size_t i = 0; i < ROWS; i++) {
    text came = came_of(rows[i].line);
    const char *shown = strstr(came.bytes, rows[i].shown);
    if (shown == NULL || strstr(shown, " %") == NULL)
      fail_msg("%s: '%s'", rows[i].line, came.bytes);
    assert_is_gone(rows[i].line, came.bytes);
    text_free(&came);
    scratch_remove("merged");
  }
}

/* Nothing is drawn on a terminal that cannot erase, before the time, into a file, or among lines of output. */
CASE(nothing_is_drawn_elsewhere)
{
  static const char *const lines[] = {
    "TERM=dumb " STRATA_PROGRAM " uniq list >/dev/null",
    "STRATA_PROGRESS_MS=600000 " STRATA_PROGRAM " uniq list >/dev/null",
    STRATA_PROGRAM " uniq list >/dev/null 2>said; cat said",
    STRATA_PROGRAM " uniq list",
    STRATA_PROGRAM " check crawl >/dev/null 2>said; cat said",
  };
  setenv("STRATA_PROGRESS_MS", "0", 1);
  setenv("TERM", "xterm", 1);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    text came = came_of(lines[i]);
    if (strstr(came.bytes, "\033[K") != NULL || strstr(came.bytes, " %") != NULL)
      fail_msg("%s: '%s'", lines[i], came.bytes);
    text_free(&came);
  }
}

static int prepare(void **state)
{
  (void)state;
  scratch_make(directory);
  if (chdir(directory) != 0 || mkdir("crawl", 0777) != 0)
    return 1;
  const small_crawl crawl = {.directory = "crawl/frontier",
                             .journal = "crawl/pages.jsonl",
                             .seed = 1,
                             .urls = 3000,
                             .fetched = 2000,
                             .path = "/a/"};
  frontier *f = small_crawl_open(&crawl);
  small_crawl_run(&crawl, f);
  text came = {0};
  const char *const argv[] = {"/bin/sh", "-c", STRATA_PROGRAM " generate-urls --n 5000 --seed 1 >list", NULL};
  int code = terminal_run(argv, NULL, &came);
  text_free(&came);
  return frontier_close(f) != FRONTIER_OK || code != 0;
}

static int clean_up(void **state)
{
  (void)state;
  if (chdir("/") != 0)
    return 1;
  scratch_remove(directory);
  return 0;
}

EACH_CASE(prepare, clean_up)
