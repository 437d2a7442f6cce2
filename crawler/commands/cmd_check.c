/* strata check: is a crawl's directory sound? */
#include "crawler/commands/cmd.h"
#include "crawler/loop/fingerprint_index.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "frontier/admin.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void print_fault(void *context, const char *sentence)
{
  (void)context;
  shown_puts(sentence);
}

static void print_summary(const char *directory, const frontier_findings *found)
{
  char a[SAY_SIZE], b[SAY_SIZE], c[SAY_SIZE], d[SAY_SIZE];
  char e[SAY_SIZE], faults[SAY_SIZE + 16] = "sound";
  if (found->faults)
    snprintf(faults, sizeof faults, "%s fault%s", say_count(found->faults, e), found->faults == 1 ? "" : "s");
  say_note("%s: %s URLs, %s host%s, %s keys in the log, %s lines in pages.jsonl; %s", directory,
           say_count(found->urls, a), say_count(found->hosts, b), found->hosts == 1 ? "" : "s",
           say_count(found->log_keys, c), say_count(found->lines, d), faults);
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

static int check(const char *directory, bool repair)
{
  char path[CRAWL_PATH_SIZE], pages[CRAWL_PATH_SIZE], message[FRONTIER_MESSAGE_SIZE];
  frontier_findings found;
  frontier_repairs done;
  crawl_dir_file(directory, "frontier", path);
  crawl_dir_file(directory, "pages.jsonl", pages);
  if (!crawl_dir_find("check", directory) || (repair && !crawl_dir_is_ours("check", directory)))
    return EXIT_FAILED;
  frontier_status status = repair ? frontier_repair(path, pages, print_fault, NULL, &done, message) : FRONTIER_OK;
  if (status == FRONTIER_OK)
    status = frontier_check(path, pages, print_fault, NULL, &found, message);
  if (status != FRONTIER_OK) {
    say_error("check", "%s", message);
    return EXIT_FAILED;
  }
  found.faults += !check_contents(directory, repair);
  print_summary(directory, &found);
  return fflush(stdout) == 0 && found.faults == 0 ? EXIT_DONE : EXIT_FAILED;
}

typedef struct check_args {
  bool repair;
} check_args;

#define FIELD(member) OPTION_FIELD(check_args, member)

static const option_row option_rows[] = {
  {"repair", NULL, OPTION_FLAG, FIELD(repair),
   .help = "repair the directory, and print what is lost; without this option nothing is changed",
   .manual = "Repair the directory, and print what is lost. A damaged filter is rebuilt from the hash log. Damaged "
             "{Pa contents/} are renamed to {Pa contents.damaged}. The undamaged records of a damaged "
             "{Pa frontier/data.mdb} are written to a new one; the old file is kept as {Pa data.mdb.damaged} until you "
             "remove it."},
};

const option_table cmd_check_options = {
  .command = "check",
  .column = 13,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata check DIR",
  .before =
    "Usage: strata check DIR [--repair]\n"
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
  return code == OPTIONS_READ ? check(argv[optind], args.repair) : code;
}
