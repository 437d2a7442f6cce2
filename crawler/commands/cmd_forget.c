/* strata forget: make URLs new again. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/base/message.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is to be forgotten, as the options gave it. */
typedef struct wish {
  char option; /* 'h', 'p': --host, --prefix; 0: a URL */
  const char *text;
  url *parsed;
} wish;

/* A host is read as the URL of its root page. */
static bool parse_wish(wish *w, url_profile profile)
{
  char address[URL_HOST_MAX + 64];
  int size = snprintf(address, sizeof address, "http://%s/", w->text);
  bool is_host = w->option == 'h';
  url_status status = !is_host                      ? url_parse(w->text, strlen(w->text), profile, w->parsed)
                      : size >= (int)sizeof address ? URL_TOO_LONG
                      : strcspn(w->text, "/?#@") < strlen(w->text)
                        ? URL_BAD_HOST
                        : url_parse(address, (size_t)size, URL_STRICT, w->parsed);
  if (status == URL_OK)
    return true;
  say_error("forget", "\"%s\" is no %s (%s)", w->text, is_host ? "host" : "URL", url_status_name(status));
  return false;
}

static bool grant(frontier *f, const wish *w)
{
  const url *u = w->parsed;
  const char *what = u->fetch;
  size_t size = u->fetch_size;
  uint64_t forgotten = 0;
  bool was_seen = false;
  frontier_status status;
  if (w->option == 'h') {
    what = u->fetch + u->host_begin;
    size = u->host_end - u->host_begin;
    status = frontier_forget_host(f, what, size, &forgotten);
  } else if (w->option == 'p') {
    status = frontier_forget_prefix(f, what, size, &forgotten);
  } else {
    status = frontier_forget(f, &(frontier_link){.target = u}, &was_seen);
    forgotten = was_seen;
  }
  if (status == FRONTIER_OK)
    status = frontier_sync(f); /* what is printed is so */
  if (status != FRONTIER_OK) {
    say_error("forget", "%s", frontier_message(f));
    return false;
  }
  printf("%" PRIu64 "\t%.*s\n", forgotten, (int)size, what);
  return true;
}

/* Nothing is forgotten unless all that was asked for makes sense. */
static int grant_all(const char *directory, wish *wishes, size_t count)
{
  frontier_stats stats;
  frontier *f = crawl_dir_open_to_change("forget", directory);
  if (!f)
    return EXIT_FAILED;
  url *parsed = malloc(count * sizeof *parsed);
  bool good = parsed && frontier_stats_read(f, &stats) == FRONTIER_OK;
  if (!good)
    say_error("forget", "%s", parsed ? frontier_message(f) : "out of memory");
  for (size_t i = 0; i < count && good; i++) {
    wishes[i].parsed = &parsed[i];
    good = (wishes[i].option || crawl_dir_has_url_keys("forget", directory, f)) &&
           parse_wish(&wishes[i], stats.profile);
  }
  for (size_t i = 0; i < count && good; i++)
    good = grant(f, &wishes[i]);
  free(parsed);
  if (frontier_close(f) != FRONTIER_OK && good) {
    say_error("forget", "%s: closing it failed", directory);
    good = false;
  }
  if (good && (fflush(stdout) != 0 || ferror(stdout))) {
    say_error("forget", "writing the output: %s; what was asked for is forgotten", strerror(errno));
    good = false;
  }
  return good ? EXIT_DONE : EXIT_FAILED;
}

typedef struct wish_list {
  wish *wishes; /* room for all words of the command line */
  size_t count;
} wish_list;

static bool take_wish(void *args, const option_row *row, char *value)
{
  wish_list *list = args;
  list->wishes[list->count++] = (wish){.option = *row->name, .text = value};
  return true;
}

static const option_row option_rows[] = {
  {"host", "H", OPTION_CALL, .take = take_wish,
   .help = "all URLs of this host that are done, failed or skipped; H is NAME or NAME:PORT"},
  {"prefix", "P", OPTION_CALL, .take = take_wish, .help = "all done, failed or skipped URLs that begin with P, a URL"},
};

const option_table cmd_forget_options = {
  .command = "forget",
  .column = 15,
  OPTION_ROWS(option_rows),
  .least_words = 1,
  .wanted = "a directory and what to forget, please: strata forget DIR URL...",
  .before =
    "Usage: strata forget DIR [--host H]... [--prefix P]... [URL]...\n"
    "Make URLs of the crawl in DIR unseen: the next link to such a URL queues it again. For each host, prefix and URL\n"
    "print a line: how many URLs were forgotten, TAB, the host, prefix or URL. No crawl may be running in DIR.\n"
    "\n"
    "  strata forget strata-example.org https://example.org/a --prefix https://example.org/news/\n"
    "  17\thttps://example.org/news/\n"
    "  1\thttps://example.org/a\n"
    "  strata crawl --dir strata-example.org https://example.org/news/\n",
  .after = "--host and --prefix do not change URLs that still wait to be fetched. pages.jsonl is not changed.\n",
};

int cmd_forget(int argc, char **argv)
{
  wish_list list = {.wishes = calloc((size_t)argc, sizeof *list.wishes)};
  if (!list.wishes) {
    say_error("forget", "out of memory");
    return EXIT_FAILED;
  }
  int code = options_read(&cmd_forget_options, argc, argv, &list);
  for (int i = optind + 1; i < argc; i++)
    list.wishes[list.count++] = (wish){.text = argv[i]};
  if (code == OPTIONS_READ && list.count) {
    code = grant_all(argv[optind], list.wishes, list.count);
  } else if (code == OPTIONS_READ) {
    say_error("forget", "%s", cmd_forget_options.wanted);
    code = EXIT_USAGE;
  }
  free(list.wishes);
  return code;
}
