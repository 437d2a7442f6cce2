/* strata links: the links a crawl would take from a page, resolved.
 *
 * The page is scanned twice, first for its <base>, which moves the links before it too. */
#include "crawler/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/links.h"
#include "frontier/url.h"

typedef struct links_job {
  bool shows_all;    /* element and attribute too */
  url_base *base;    /* NULL: none known yet */
  url_base *spare;
  url *resolved;
  unsigned long refused[URL_STATUS_COUNT];
} links_job;

static const char usage[] =
  "Usage: strata links [--base URL] [--all] FILE\n"
  "Print the URLs a crawl would fetch from this HTML page, one a line. FILE `-` is standard input.\n"
  "\n"
  "  strata links --base https://example.org/docs/ page.html\n"
  "\n"
  "  --base URL  where the page is from; relative links need it\n"
  "  --all       also, after TABs, the element, its attribute, and `nofollow` where it says so\n"
  "  --help      this text\n"
  "\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

/* A whole file in memory; NULL with a sentence on stderr. */
static char *file_read(const char *name, size_t *size)
{
  FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
  char *page = NULL;
  size_t capacity = 0, got = 1;
  *size = 0;
  while (file && got > 0) {
    char *larger = realloc(page, capacity = 2 * capacity + 65536);
    if (!larger)
      break;
    page = larger;
    while ((got = fread(page + *size, 1, capacity - *size, file)) > 0)
      *size += got;
    got = *size == capacity;
  }
  if (!file || got > 0 || ferror(file)) {
    perror(name);
    free(page);
    page = NULL;
  }
  if (file && file != stdin)
    fclose(file);
  return page;
}

static void base_visit(void *context, const link_found *link)
{
  links_job *job = context;
  if (link->kind == LINK_BASE && url_resolve(job->base, link->href, link->size, URL_STRICT, job->resolved) == URL_OK &&
      url_base_set(job->spare, job->resolved->fetch, job->resolved->fetch_size) == URL_OK)
    job->base = job->spare;
}

static void link_visit(void *context, const link_found *link)
{
  links_job *job = context;
  if (link->kind == LINK_BASE)
    return;
  url_status status = url_resolve(job->base, link->href, link->size, URL_STRICT, job->resolved);
  if (status != URL_OK) {
    job->refused[status]++;
    return;
  }
  fputs(job->resolved->fetch, stdout);
  if (job->shows_all)
    printf("\t%s\t%s%s", link_kind_name(link->kind), link->attribute, link->nofollow ? "\tnofollow" : "");
  putchar('\n');
}

static int scan(links_job *job, links_visitor *visit, const char *page, size_t size)
{
  links_scanner *scanner = links_create(visit, job);
  if (!scanner)
    return 1;
  links_feed(scanner, page, size);
  links_finish(scanner);
  links_free(scanner);
  return 0;
}

static void say_refused(const links_job *job)
{
  for (int status = URL_OK + 1; status < URL_STATUS_COUNT; status++)
    if (job->refused[status] > 0)
      fprintf(stderr, "%lu not taken: %s%s\n", job->refused[status], url_status_name((url_status)status),
              status == URL_BAD_SYNTAX && !job->base ? " (relative links need --base URL)" : "");
}

static int run(links_job *job, const char *base_text, const char *file_name)
{
  int failed = 1;
  size_t size = 0;
  char *page = NULL;
  url_base *base = url_base_create();
  job->spare = url_base_create();
  job->resolved = malloc(sizeof *job->resolved);
  if (!base || !job->spare || !job->resolved) {
    fputs("strata links: out of memory\n", stderr);
    goto done;
  }
  if (base_text) {
    url_status status = url_base_set(base, base_text, strlen(base_text));
    if (status != URL_OK) {
      fprintf(stderr, "strata links: --base is not a URL to fetch: %s\n", url_status_name(status));
      goto done;
    }
    job->base = base;
  }
  page = file_read(file_name, &size);
  if (!page || scan(job, base_visit, page, size) != 0 || scan(job, link_visit, page, size) != 0)
    goto done;
  say_refused(job);
  failed = fflush(stdout) != 0 || ferror(stdout);
done:
  free(page);
  free(job->resolved);
  url_base_free(job->spare);
  url_base_free(base);
  return failed;
}

int cmd_links(int argc, char **argv)
{
  static const struct option options[] = {
    { "base", required_argument, NULL, 'b' },
    { "all", no_argument, NULL, 'a' },
    { "help", no_argument, NULL, 'h' },
    { 0 },
  };
  links_job job = { 0 };
  const char *base = NULL;
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    switch (option) {
    case 'b': base = optarg; break;
    case 'a': job.shows_all = true; break;
    case 'h': fputs(usage, stdout); return EXIT_DONE;
    default: return EXIT_USAGE; /* getopt has said why */
    }
  if (argc - optind == 1)
    return run(&job, base, argv[optind]);
  fputs("strata links: one FILE, please; see \"strata links --help\"\n", stderr);
  return EXIT_USAGE;
}
