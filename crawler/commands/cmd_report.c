/* strata report: a crawl as one HTML page. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/report/report_bodies.h"
#include "crawler/report/report_html.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "crawler/base/shown.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file appears whole or not at all. */
static int write_file(const char *path, const report_input *input)
{
  char temporary[CRAWL_PATH_SIZE + 16];
  snprintf(temporary, sizeof temporary, "%.4000s.tmp", path);
  bool may_replace = own_file_is_plain(path, true);
  FILE *file = may_replace ? own_file_stream(temporary, "w", 0666) : NULL;
  bool written = file && report_html_write(file, input);
  if (file)
    written = fclose(file) == 0 && written;
  if (written && rename(temporary, path) == 0) {
    shown_puts(path);
    return EXIT_DONE;
  }
  say_error("report", "%s: %s", may_replace && !file ? temporary : path, own_file_words(errno));
  if (file)
    unlink(temporary);
  return EXIT_FAILED;
}

static int write_output(const report_input *input)
{
  if (report_html_write(stdout, input))
    return EXIT_DONE;
  say_error("report", "standard output: %s", strerror(errno));
  return EXIT_FAILED;
}

/* Into `out`; NULL: DIR/report.html; "-": standard output. */
static int write_page(const char *out, const report_input *input)
{
  char path[CRAWL_PATH_SIZE];
  if (out && strcmp(out, "-") == 0)
    return write_output(input);
  if (out)
    return write_file(out, input);
  crawl_dir_file(input->directory, "report.html", path);
  return crawl_dir_is_ours("report", input->directory) ? write_file(path, input) : EXIT_FAILED;
}

/* What pages.jsonl does not have, from the frontier. */
static int write_report(frontier *f, const char *directory, const report_data *data, const char *out)
{
  frontier_stats stats;
  trap_list *traps = calloc(1, sizeof *traps);
  char message[FRONTIER_MESSAGE_SIZE];
  audit_data *audit = audit_data_read(f, directory, message);
  const report_input input = {
    .directory = directory, .data = data, .frontier = f, .stats = &stats, .traps = traps, .audit = audit};
  int code = EXIT_FAILED;
  bool read = traps && frontier_stats_read(f, &stats) == FRONTIER_OK && trap_list_read(f, traps) == FRONTIER_OK;
  if (!traps || (read && traps->failed))
    say_error("report", "out of memory");
  else if (!read)
    say_error("report", "%s", frontier_message(f));
  else if (!audit && *message)
    say_error("report", "%s", message);
  else
    code = write_page(out, &input);
  audit_data_free(audit);
  if (traps)
    trap_list_free(traps);
  free(traps);
  return code;
}

static int report(const char *directory, const char *out)
{
  char path[CRAWL_PATH_SIZE];
  int code = EXIT_FAILED;
  frontier *f = crawl_dir_open("report", directory);
  if (!f)
    return code;
  crawl_dir_file(directory, "pages.jsonl", path);
  progress line = progress_begin();
  report_data *data = report_data_read(path, &line);
  progress_clear(&line);
  if (data)
    crawl_dir_file(directory, "digests.sdbf", path);
  if (data && report_bodies_read(path, &data->bodies))
    code = write_report(f, directory, data, out);
  else
    say_error("report", "%s: %s", path, own_file_words(errno));
  report_data_free(data);
  frontier_close(f);
  return code;
}

typedef struct request {
  const char *out;
} request;

static const option_row option_rows[] = {
  {"out", "FILE", OPTION_STRING, OPTION_FIELD(request, out),
   .help = "write the page to FILE; - is standard output (default: DIR/report.html)",
   .manual = "Write the page to {Ar FILE}, or with {Ql -} to standard output; by default to {Pa DIR/report.html}."},
};

const option_table cmd_report_options = {
  .command = "report",
  .column = 14,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata report DIR",
  .before = "Usage: strata report DIR [--out FILE]\n"
            "Show the crawl in DIR as one self-contained HTML page: responses, hosts, depth, sizes, "
            "slowest and largest pages,\n"
            "duplicates, links not taken, a timeline; of an audit also broken links, redirects, titles.\n"
            "Print the name of the file. Works during a crawl.\n"
            "\n"
            "  strata report strata-example.org                  writes strata-example.org/report.html\n"
            "  strata report strata-example.org --out page.html\n",
};

int cmd_report(int argc, char **argv)
{
  request r = {0};
  int code = options_read(&cmd_report_options, argc, argv, &r);
  return code == OPTIONS_READ ? report(argv[optind], r.out) : code;
}
