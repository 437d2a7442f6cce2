/* strata links: the links a crawl would take from a page, resolved.
 *
 * The page is scanned twice, first for its <base>, which moves the links before it too. */
#include "crawler/commands/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/html/decoder.h"
#include "crawler/base/input.h"
#include "crawler/html/links.h"
#include "crawler/base/message.h"
#include "frontier/url.h"

static const char HELP[] =
  "Usage: strata links [--base URL] [--charset LABEL] [--all] FILE\n"
  "Print the links a crawl would take from an HTML page, as it would fetch them, one a line.\n"
  "FILE may be - for standard input.\n"
  "\n"
  "  --base URL   where the page was found; relative links need it, or a <base> in the page\n"
  "  --charset LABEL  what the server said the page is written in; else the page's own word counts\n"
  "  --all        after each link a TAB and its element, a TAB and its attribute, and for rel=nofollow\n"
  "               a TAB and \"nofollow\"\n"
  "  --help       this text\n"
  "\n"
  "Links that lead to no page (mailto:, javascript:, ...) are counted on stderr.\n"
  "\n"
  "Examples\n"
  "  $ echo '<a href=\"../b?x=1&amp;y=2#z\">' | strata links --base http://example.org/a/ -\n"
  "  http://example.org/b?x=1&y=2\n"
  "  $ curl -s https://example.org/ | strata links --base https://example.org/ --all - | sort -u\n"
  "\n"
  "Exit: 0 done; 1 FILE could not be read or the answer not written; 2 wrong usage.\n";

typedef struct links_job {
  bool shows_all;
  const charset *said;   /* by --charset; NULL: nothing */
  links_scanner *scanner;
  decoder *decoder;
  const url_base *base;  /* the page's; NULL: not known */
  url_base *page, *moved; /* by --base, by <base> */
  url *resolved;
  unsigned long refused[URL_STATUS_COUNT];
} links_job;

static void base_visit(void *context, const link_found *link)
{
  links_job *job = context;
  if (link->kind == LINK_BASE && url_resolve(job->base, link->href, link->size, URL_STRICT, job->resolved) == URL_OK &&
      url_base_set(job->moved, job->resolved->fetch, job->resolved->fetch_size) == URL_OK)
    job->base = job->moved;
}

static void link_visit(void *context, const link_found *link)
{
  links_job *job = context;
  if (link->kind == LINK_BASE)
    return;
  char escaped[2 * LINKS_VALUE_MAX];
  const charset *written_in = decoder_charset(job->decoder);
  size_t size = written_in ? charset_escape_query(written_in, link->href, link->size, escaped, sizeof escaped) : 0;
  url_status status = url_resolve(job->base, size ? escaped : link->href, size ? size : link->size, URL_STRICT,
                                  job->resolved);
  if (status != URL_OK) {
    job->refused[status]++;
    return;
  }
  fputs(job->resolved->fetch, stdout);
  if (job->shows_all)
    printf("\t%s\t%s%s", link_kind_name(link->kind), link->attribute, link->nofollow ? "\tnofollow" : "");
  putchar('\n');
}

static void report_refusals(const links_job *job)
{
  for (int status = URL_OK + 1; status < URL_STATUS_COUNT; status++)
    if (job->refused[status] > 0)
      say_error("links", "%lu not taken: %s%s", job->refused[status], url_status_name((url_status)status),
                status == URL_BAD_SYNTAX && !job->base ? " (relative links need --base URL)" : "");
}

static void feed(void *context, const char *bytes, size_t size)
{
  links_feed(((links_job *)context)->scanner, bytes, size);
}

static bool scan(links_job *job, links_visitor *visit, const char *page, size_t size)
{
  job->scanner = links_create(visit, job);
  job->decoder = decoder_create(feed, job);
  bool is_ready = job->scanner && job->decoder;
  if (is_ready) {
    decoder_begin(job->decoder, job->said);
    decoder_feed(job->decoder, page, size);
    decoder_finish(job->decoder);
    links_finish(job->scanner);
  } else {
    say_error("links", "out of memory");
  }
  links_free(job->scanner);
  decoder_free(job->decoder);
  return is_ready;
}

static int run(links_job *job, const char *file_name)
{
  size_t size;
  char *page = input_read("links", file_name, SIZE_MAX, &size);
  bool is_done = page && scan(job, base_visit, page, size) && scan(job, link_visit, page, size);
  if (is_done)
    report_refusals(job);
  if (is_done && (fflush(stdout) != 0 || ferror(stdout))) {
    say_error("links", "standard output: %s", strerror(errno));
    is_done = false;
  }
  free(page);
  return is_done ? EXIT_DONE : EXIT_FAILED;
}

static int usage_error(const char *what, const char *text)
{
  say_error("links", "%s%s; try strata links --help", what, text);
  return EXIT_USAGE;
}

/* -1: go on with argv[optind]; else the exit status. */
static int read_options(links_job *job, int argc, char **argv)
{
  static const struct option options[] = {
    { "base", required_argument, NULL, 'b' }, { "charset", required_argument, NULL, 'c' },
    { "all", no_argument, NULL, 'a' }, { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 } };
  optind = 1;
  opterr = 0;
  for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;)
    switch (option) {
    case 'b':
      if (url_base_set(job->page, optarg, strlen(optarg)) != URL_OK)
        return usage_error("--base is no page's URL: ", optarg);
      job->base = job->page;
      break;
    case 'c':
      if (!(job->said = charset_of_label(optarg, strlen(optarg))))
        return usage_error("--charset is no label of the Encoding Standard: ", optarg);
      break;
    case 'a': job->shows_all = true; break;
    case 'h': fputs(HELP, stdout); return EXIT_DONE;
    case ':': return usage_error(argv[optind - 1], " needs a value");
    default: return usage_error("no such option: ", argv[optind - 1]);
    }
  return argc - optind == 1 ? -1 : usage_error("one FILE is needed", "");
}

int cmd_links(int argc, char **argv)
{
  int result = EXIT_FAILED;
  links_job job = { .page = url_base_create(), .moved = url_base_create(), .resolved = malloc(sizeof *job.resolved) };
  if (!job.page || !job.moved || !job.resolved)
    say_error("links", "out of memory");
  else if ((result = read_options(&job, argc, argv)) < 0)
    result = run(&job, argv[optind]);
  free(job.resolved);
  url_base_free(job.moved);
  url_base_free(job.page);
  return result;
}
