/* strata links: the links a crawl would take from a page, resolved.
 *
 * The page is scanned twice, first for its charset and its <base>, which also applies to the links before it. */
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

typedef struct links_job {
  bool shows_all;
  const charset *said; /* by --charset; NULL: nothing */
  links_scanner *scanner;
  decoder *decoder;
  const url_base *given;  /* by --base; NULL: not known */
  const url_base *base;   /* the page's, as far as it was read */
  url_base *page, *moved; /* room for that of --base, of <base> */
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

static const charset *declared_charset(void *context)
{
  return links_page_charset(((links_job *)context)->scanner);
}

static void scan_again(void *context)
{
  links_job *job = context;
  links_finish(job->scanner);
  job->base = job->given;
}

static bool scan(links_job *job, links_visitor *visit, const char *page, size_t size)
{
  job->scanner = links_create(visit, job);
  job->decoder = decoder_create(feed, job);
  bool is_ready = job->scanner && job->decoder;
  if (is_ready) {
    if (!job->said)
      decoder_listen(job->decoder, declared_charset, scan_again);
    decoder_begin(job->decoder, job->said);
    decoder_feed(job->decoder, page, size);
    decoder_finish(job->decoder);
    links_finish(job->scanner);
    job->said = decoder_charset(job->decoder);
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

static bool refuse(const char *what, const char *text)
{
  say_error("links", "%s%s; try strata links --help", what, text);
  return false;
}

static bool take_base(void *args, const option_row *row, char *value)
{
  links_job *job = args;
  (void)row;
  job->given = job->base = job->page;
  return url_base_set(job->page, value, strlen(value)) == URL_OK || refuse("--base is no page's URL: ", value);
}

static bool take_charset(void *args, const option_row *row, char *value)
{
  links_job *job = args;
  (void)row;
  job->said = charset_of_label(value, strlen(value));
  return job->said || refuse("--charset is no label of the Encoding Standard: ", value);
}

#define FIELD(member) OPTION_FIELD(links_job, member)

static const option_row option_rows[] = {
  {"base", "URL", OPTION_CALL, .take = take_base,
   .help = "URL of the page, for relative links; a <base> in the page also works"},
  {"charset", "LABEL", OPTION_CALL, .take = take_charset,
   .help = "charset the server sent for the page; default: the charset the page declares",
   .manual = "The charset that the server sent for the page {Pq Ql windows-1251 , shift_jis , gb18030 , ...}; without "
             "it a byte order mark or the page's {Li <meta>} decides, and else its bytes: UTF-8 or windows-1252."},
  {"all", NULL, OPTION_FLAG, FIELD(shows_all),
   .help = "print after each link a TAB and its element, a TAB and its attribute, and for rel=nofollow\n"
           "a TAB and \"nofollow\""},
  {.kind = OPTION_TEXT, .help = "  --help       this text"},
};

const option_table cmd_links_options = {
  .command = "links",
  .column = 15,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one FILE is needed; try strata links --help",
  .before = "Usage: strata links [--base URL] [--charset LABEL] [--all] FILE\n"
            "Print the links a crawl would take from an HTML page, as it would request them, one per line.\n"
            "FILE may be - for standard input.\n",
  .after = "Links that lead to no page (mailto:, javascript:, ...) are counted on stderr.\n"
           "\n"
           "Examples\n"
           "  $ echo '<a href=\"../b?x=1&amp;y=2#z\">' | strata links --base http://example.org/a/ -\n"
           "  http://example.org/b?x=1&y=2\n"
           "  $ curl -s https://example.org/ | strata links --base https://example.org/ --all - | sort -u\n",
  .exits = "0 done; 1 FILE could not be read, or the output could not be written; 2 wrong usage",
};

int cmd_links(int argc, char **argv)
{
  int code = EXIT_FAILED;
  links_job job = {.page = url_base_create(), .moved = url_base_create(), .resolved = malloc(sizeof *job.resolved)};
  if (!job.page || !job.moved || !job.resolved)
    say_error("links", "out of memory");
  else if ((code = options_read(&cmd_links_options, argc, argv, &job)) == OPTIONS_READ)
    code = run(&job, argv[optind]);
  free(job.resolved);
  url_base_free(job.moved);
  url_base_free(job.page);
  return code;
}
