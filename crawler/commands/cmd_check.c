/* strata check: is a crawl's directory sound? */
#include "crawler/commands/cmd.h"
#include "crawler/loop/fingerprint_index.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "crawler/base/shown.h"
#include "frontier/admin.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void print_fault(void *context, const char *sentence)
{
  progress_clear(context);
  shown_puts(sentence);
}

/* `journal`: NULL, or its name; then its lines were read. */
static void print_summary(const char *directory, const char *journal, const frontier_findings *found)
{
  char a[SAY_MANY_SIZE], b[SAY_MANY_SIZE], c[SAY_MANY_SIZE], d[SAY_MANY_SIZE];
  char faults[SAY_MANY_SIZE] = "sound", lines[CRAWL_PATH_SIZE + SAY_MANY_SIZE + 16] = "";
  if (found->faults)
    say_many(found->faults, "fault", faults);
  if (journal)
    snprintf(lines, sizeof lines, ", %s in %s", say_many(found->lines, "line", d), journal);
  say_note("%s: %s, %s, %s in the log%s; %s", directory, say_many(found->urls, "URL", a),
           say_many(found->hosts, "host", b), say_many(found->log_keys, "key", c), lines, faults);
}

/* Nothing on disk has the text of pages again: a damaged index is renamed, and the next pages begin a new one. */
static bool check_contents(const char *directory, bool repair)
{
  char message[MLBF_CORPUS_MESSAGE_SIZE], path[CRAWL_PATH_SIZE], aside[CRAWL_PATH_SIZE + 16];
  if (fingerprint_index_is_sound(directory, message))
    return true;
  shown_puts(message);
  if (!repair)
    return false;
  crawl_dir_file(directory, "contents", path);
  snprintf(aside, sizeof aside, "%s.damaged", path);
  if (rename(path, aside) != 0) {
    say_error("check", "%s: %s", aside, strerror(errno));
    return false;
  }
  shown_put(stdout, path);
  fputs(" is put aside as ", stdout);
  shown_put(stdout, aside);
  puts("; the next crawl begins a new one");
  return true;
}

typedef struct check_args {
  bool repair;
  const char *journal;
} check_args;

static int check(const char *directory, const check_args *args)
{
  char path[CRAWL_PATH_SIZE], pages[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE];
  const char *journal = args->journal, *name = journal;
  bool repair = args->repair;
  frontier_findings found;
  frontier_repairs done;
  if (!crawl_dir_frontier("check", directory, path) || (repair && !crawl_dir_is_ours("check", directory)))
    return EXIT_FAILED;
  if (!journal && crawl_dir_exists(directory)) {
    crawl_dir_file(directory, "pages.jsonl", pages);
    journal = pages;
    name = "pages.jsonl";
  }
  progress line = progress_begin();
  progress_of(&line, "checking");
  frontier_status status = repair ? frontier_repair(path, journal, print_fault, &line, &done, message) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = frontier_check_watched(path, journal, print_fault, &line, &found, sizeof found, progress_told, &line,
                                    message);
  progress_clear(&line);
  if (status != FRONTIER_OK) {
    say_error("check", "%s", message);
    return EXIT_FAILED;
  }
  found.faults += !check_contents(directory, repair);
  print_summary(directory, name, &found);
  return fflush(stdout) == 0 && found.faults == 0 ? EXIT_DONE : EXIT_FAILED;
}

#define FIELD(member) OPTION_FIELD(check_args, member)

static const option_row option_rows[] = {
  {"repair", NULL, OPTION_FLAG, FIELD(repair),
   .help = "repair the directory, and print what is lost; without this option nothing is changed",
   .manual = "Repair the directory, and print what is lost. A damaged filter is rebuilt from the hash log. Damaged "
             "{Pa contents/} are renamed to {Pa contents.damaged}. The undamaged records of a damaged "
             "{Pa frontier/data.mdb} are written to a new one; the old file is kept as {Pa data.mdb.damaged} until you "
             "remove it."},
  {"journal", "FILE", OPTION_FILE, FIELD(journal),
   .help = "read this journal too, for a directory of a program on the library; by default DIR/pages.jsonl of a crawl"},
};

const option_table cmd_check_options = {
  .command = "check",
  .column = 18,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata check DIR",
  .before =
    "Usage: strata check DIR [--repair] [--journal FILE]\n"
    "Read everything the crawl in DIR has on disk and print one line for each fault: damaged pages and records, URLs\n"
    "without a record or missing in the filter, counts that do not add up, a changed pages.jsonl, damaged contents/.\n"
    "No crawl may be running in DIR.\n"
    "\n"
    "  strata check strata-example.org\n"
    "  strata check strata-example.org --repair\n",
  .exits = "0 sound, or repaired; 1 not sound, or not readable; 2 usage",
};

int cmd_check(int argc, char **argv)
{
  check_args args = {0};
  int code = options_read(&cmd_check_options, argc, argv, &args);
  return code == OPTIONS_READ ? check(argv[optind], &args) : code;
}
