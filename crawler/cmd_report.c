/* strata report: a crawl as one HTML page. */
#include "crawler/cmd.h"
#include "crawler/crawl_dir.h"
#include "crawler/report_html.h"
#include "crawler/say.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
  "Usage: strata report DIR\n"
  "The crawl in DIR as one self-contained HTML page: answers, hosts, depth, sizes, slowest and largest pages,\n"
  "duplicates, links not taken, a timeline. Works while it is being crawled.\n"
  "\n"
  "  strata report strata-example.org              writes strata-example.org/report.html\n"
  "  strata report strata-example.org > page.html  into a file or a pipe: writes there\n"
  "\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

/* DIR/report.html appears whole or not at all. */
static int write_file(const report_input *input)
{
  char path[CRAWL_PATH_SIZE + 16], temporary[CRAWL_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%.4000s/report.html", input->directory);
  snprintf(temporary, sizeof temporary, "%.4000s/report.html.tmp", input->directory);
  FILE *file = fopen(temporary, "we");
  bool written = file && report_html_write(file, input);
  if (file)
    written = fclose(file) == 0 && written;
  if (!written || rename(temporary, path) != 0) {
    say_error("report", "%s: %s", path, strerror(errno));
    unlink(temporary);
    return EXIT_FAILED;
  }
  printf("%s\n", path);
  return EXIT_DONE;
}

static int write_pipe(const report_input *input)
{
  if (report_html_write(stdout, input))
    return EXIT_DONE;
  say_error("report", "standard output: %s", strerror(errno));
  return EXIT_FAILED;
}

static int report(const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  frontier_stats stats;
  frontier *f = crawl_dir_open("report", directory);
  if (!f)
    return EXIT_FAILED;
  crawl_dir_file(directory, "pages.jsonl", path);
  report_data *data = report_data_read(path);
  int code = EXIT_FAILED;
  if (!data)
    say_error("report", "%s: %s", path, strerror(errno));
  else if (frontier_stats_read(f, &stats) != FRONTIER_OK)
    say_error("report", "%s", frontier_message(f));
  else {
    const report_input input = {.directory = directory, .data = data, .frontier = f, .stats = &stats};
    code = isatty(STDOUT_FILENO) ? write_file(&input) : write_pipe(&input);
  }
  report_data_free(data);
  frontier_close(f);
  return code;
}

int cmd_report(int argc, char **argv)
{
  static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (option == 'h') {
      fputs(help, stdout);
      return EXIT_DONE;
    }
    fprintf(stderr, "Try \"strata report --help\".\n");
    return EXIT_USAGE;
  }
  if (argc - optind == 1)
    return report(argv[optind]);
  say_error("report", "one directory, please: strata report DIR");
  return EXIT_USAGE;
}
