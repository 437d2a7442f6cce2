/* strata export: the URLs a crawl holds, one a line. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/export_broken.h"
#include "crawler/commands/export_sitemap.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/http/fetch.h"
#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "crawler/base/skip.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum wanted { SEEN, QUEUED, DONE, FAILED, SKIPPED, STATES } wanted;
static const char *const names[STATES] = {"seen", "queued", "done", "failed", "skipped"};

typedef struct job {
  wanted state;
  enum { TEXT, JSONL, CSV, SITEMAP } format;
  uint64_t part; /* of a sitemap */
  bool is_broken, has_state, has_format;
  json line;
  char *url; /* of the record, with a NUL */
} job;

static wanted state_of(const frontier_record *record)
{
  if (record->is_queued)
    return QUEUED;
  switch (record->state) {
  case FRONTIER_DONE: return DONE;
  case FRONTIER_FAILED: return FAILED;
  case FRONTIER_SKIPPED: return SKIPPED;
  case FRONTIER_NOTED: break; /* seen, and nothing else */
  }
  return SEEN;
}

/* What the code of an ending means: visit_end.c gives an HTTP status, or the number of an error or of a reason to
 * skip. */
static void put_ending(json *line, wanted state, uint16_t code)
{
  if (state == SKIPPED && code < CRAWL_SKIPS)
    json_put_string(line, "reason", crawl_skip_name((crawl_skip)code) + strlen("skipped-"));
  else if (state == FAILED && code < FETCH_ERRORS)
    json_put_string(line, "error", fetch_error_name((fetch_error)code));
  else if (state == DONE || state == FAILED)
    json_put_number(line, "status", code);
}

/* Bytes that need not be text, two digits each. */
static bool put_hex(json *line, const char *name, const char *bytes, size_t size)
{
  char *hex = malloc(2 * size + 1);
  for (size_t i = 0; hex && i < size; i++)
    snprintf(hex + 2 * i, 3, "%02x", (unsigned char)bytes[i]);
  if (hex)
    json_put_string(line, name, hex);
  bool is_put = hex != NULL;
  free(hex);
  return is_put;
}

static bool print_object(job *j, const frontier_record *record)
{
  json *line = &j->line;
  free(j->url);
  j->url = strndup(record->url, record->url_size);
  if (!j->url)
    return false;
  json_clear(line);
  json_begin(line);
  json_put_number(line, "id", record->id);
  if (!record->is_opaque)
    json_put_string(line, "url", j->url);
  else if (!put_hex(line, "opaque", record->url, record->url_size))
    return false;
  json_put_string(line, "state", names[state_of(record)]);
  json_put_number(line, "depth", record->origin.depth);
  json_put_number(line, "via", record->origin.via);
  put_ending(line, state_of(record), record->code);
  json_end(line);
  return !line->failed && fwrite(line->text, 1, line->size, stdout) == line->size && putchar('\n') != EOF;
}

static bool print_url(void *context, const frontier_record *record)
{
  job *j = context;
  if (j->state != SEEN && j->state != state_of(record))
    return true;
  if (j->format == JSONL)
    return print_object(j, record);
  if (record->is_opaque)
    return true;
  shown_put_bytes(stdout, record->url, record->url_size);
  return putchar('\n') != EOF && !ferror(stdout);
}

static int export(const char *directory, job *j)
{
  frontier *f = crawl_dir_open("export", directory);
  if (!f)
    return EXIT_FAILED;
  if (j->is_broken || j->format == SITEMAP) {
    int code = j->is_broken ? export_broken(f, directory, j->format == JSONL) : export_sitemap(f, directory, j->part);
    frontier_close(f);
    return code;
  }
  bool read = frontier_each(f, print_url, j) == FRONTIER_OK;
  if (!read)
    say_error("export", "%s", frontier_message(f));
  frontier_close(f);
  return read && fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}

#define FIELD(member) OPTION_FIELD(job, member)

static const option_row option_rows[] = {
  {"state", "S", OPTION_CHOICE, FIELD(state), .given = offsetof(job, has_state),
   .choices = "seen|queued|done|failed|skipped",
   .help = "seen: every URL found so far (default); queued: waiting or in flight; done, failed, skipped:\n"
           "in this final state",
   .manual = "{Cm seen} (the default): every URL found so far, in any state; {Cm queued}: those that wait or are in "
             "flight; {Cm done , failed , skipped}: those in this final state."},
  {"broken", NULL, OPTION_FLAG, FIELD(is_broken),
   .help = "of an audit (strata audit): each link to what is broken: target, status, source, element;\n"
           "as csv (default) or jsonl, sorted by target and source; exit code 4 if there is one",
   .manual =
     "Of an audit, see {Nm} {Cm audit}: each link to what is broken, sorted by target and source, with {Va target , "
     "status , source} and {Va element}, such as a@href. {Va status} is a number, or the error as in "
     "{Pa pages.jsonl}. The {Va target} is what the page links to, the {Va status} that of where its redirects "
     "end. Of links that are equal in all of these there is one row. A start URL that is broken has a row without "
     "a source. {Fl -format} is {Cm csv} (the default; RFC 4180, with a header) or {Cm jsonl}. The exit code is 4 if "
     "there is a row."},
  {"format", "F", OPTION_CHOICE, FIELD(format), .given = offsetof(job, has_format), .choices = "text|jsonl|csv|sitemap",
   .help = "text (default): only the URL; jsonl: an object with id, url, state, depth, via, and the result:\n"
           "status, error, or the reason why it was skipped; csv: with --broken;\n"
           "sitemap: the pages, as XML",
   .manual =
     "{Cm text} (the default): only the URL; {Cm jsonl}: an object with {Va id , url , state , depth , via}, "
     "and the result: {Va status}, {Va error}, or the {Va reason} why it was skipped. A target of another "
     "program that is no URL is left out in {Cm text}; in {Cm jsonl} {Va opaque}, its bytes in hexadecimal, "
     "stands in place of {Va url}. {Cm csv} is for {Fl -broken}. {Cm sitemap}: a sitemap in XML of the HTML pages that "
     "were fetched well, do not ask for noindex, and name no other URL as canonical."},
  {"part", "N", OPTION_COUNT, FIELD(part), .low = 1, .high = 1000000,
   .help = "with --format sitemap: the N-th 50,000 pages, as a sitemap takes no more (default 1)",
   .manual =
     "With {Fl -format Cm sitemap}: the {Ar N Ns -th} 50,000 pages, as one sitemap takes no more; 1 if not given."},
};

const option_table cmd_export_options = {
  .command = "export",
  .column = 14,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .most_words = 1,
  .wanted = "one directory, please: strata export DIR",
  .before = "Usage: strata export DIR [--state seen|queued|done|failed|skipped] [--format text|jsonl]\n"
            "       strata export DIR --broken [--format csv|jsonl]\n"
            "       strata export DIR --format sitemap [--part N]\n"
            "Print the URLs of the crawl in DIR, one per line, as they were requested; works during a crawl.\n"
            "\n"
            "  strata export strata-example.org --state failed\n"
            "  strata export old-crawl --state queued | strata crawl --dir new-crawl -\n",
  .exits = "0 done, 1 failed, 2 usage, 4 with --broken: there are broken links",
};

static bool is_consistent(const job *j)
{
  bool is_table = j->format == CSV || j->format == JSONL || !j->has_format;
  bool is_good = j->is_broken ? !j->has_state && is_table : j->format != CSV && (j->format != SITEMAP || !j->has_state);
  if (!is_good)
    say_error("export", j->is_broken       ? "--broken takes no --state, and --format csv or jsonl"
                        : j->format == CSV ? "--format csv is for --broken"
                                           : "--format sitemap takes no --state: it has the pages");
  return is_good;
}

int cmd_export(int argc, char **argv)
{
  job j = {.state = SEEN, .part = 1};
  int code = options_read(&cmd_export_options, argc, argv, &j);
  if (code != OPTIONS_READ)
    return code;
  if (!is_consistent(&j))
    return EXIT_USAGE;
  code = export(argv[optind], &j);
  json_free(&j.line);
  free(j.url);
  return code;
}
