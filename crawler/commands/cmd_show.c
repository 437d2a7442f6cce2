/* strata show: the stored response of a URL, from the WARC of a crawl. */
#include "crawler/warc/warc_lookup.h"
#include "crawler/commands/cmd.h"
#include "crawler/http/http_head.h"
#include "crawler/base/message.h"
#include "crawler/warc/stored_body.h"
#include "crawler/warc/warc.h"
#include "crawler/warc/warc_read.h"
#include "frontier/base/own_file.h"
#include "frontier/url.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct showing {
  const char *directory;
  bool wants_headers;
  bool is_revisit; /* the body is elsewhere: */
  char *first_url;
  char first_date[14 + 1], *first_digest;
  bool is_first; /* this is that elsewhere: its head was shown */
  stored_body *body;
} showing;

/* ---- onto standard output ------------------------------------------------------------------------------------- */

/* Every byte, as files want them; before a terminal stands a guard: shown.h. */
static void put(void *context, const char *bytes, size_t size)
{
  (void)context;
  fwrite(bytes, 1, size, stdout);
}

/* ---- from the record ------------------------------------------------------------------------------------------- */

/* Whom a revisit record refers to; false: it does not say. */
static bool follow(showing *s, const char *warc_head, size_t size)
{
  size_t url_size, date_size, digest_size, digits = 0;
  const char *first = http_head_find(warc_head, size, "WARC-Refers-To-Target-URI", &url_size);
  const char *date = http_head_find(warc_head, size, "WARC-Refers-To-Date", &date_size);
  const char *digest = http_head_find(warc_head, size, "WARC-Payload-Digest", &digest_size);
  s->first_url = first ? strndup(first, url_size) : NULL;
  s->first_digest = digest ? strndup(digest, digest_size) : NULL;
  for (size_t i = 0; date && i < date_size && digits < 14; i++)
    if (date[i] >= '0' && date[i] <= '9')
      s->first_date[digits++] = date[i];
  return s->first_url && digits == 14;
}

static bool take_heads(void *context, const char *warc_head, size_t warc_size, const char *http_head, size_t http_size)
{
  showing *s = context;
  if (s->wants_headers && !s->is_first)
    put(s, http_head, http_size);
  s->is_revisit = http_head_says(warc_head, warc_size, "WARC-Type", "revisit");
  if (s->is_revisit) {
    s->is_revisit = !s->is_first && follow(s, warc_head, warc_size); /* one step: firsts are no revisits */
    return false;
  }
  s->body = stored_body_create(http_head, http_size, put, s);
  return s->body != NULL;
}

static void take_body(void *context, const char *bytes, size_t size)
{
  const showing *s = context;
  stored_body_add(s->body, bytes, size);
}

static int show_record(showing *s, const capture_place *place)
{
  char path[WARC_PATH_SIZE];
  const char *why;
  const warc_reader reader = {.heads = take_heads, .body = take_body, .context = s};
  warc_path(s->directory, place->file, WARC_SUFFIX, path);
  bool read = warc_read(path, place->offset, &reader, &why);
  if (!read)
    say_error("show", "%s: the record at byte %llu: %s", path, (unsigned long long)place->offset, why);
  else if (!s->body && !s->is_revisit)
    say_error("show", "%s: the record at byte %llu has no body, and none to refer to", path,
              (unsigned long long)place->offset);
  const char *coding = s->body ? stored_body_end(s->body) : NULL;
  if (read && coding)
    say_error("show", "%s: %s", path, coding);
  bool shown = read && (s->body || s->is_revisit);
  s->body = NULL;
  return shown ? EXIT_DONE : EXIT_FAILED;
}

static int show_url(showing *s, const warc_wanted *wanted)
{
  capture_place place;
  char index[WARC_PATH_SIZE];
  switch (warc_lookup_find(s->directory, wanted, &place, index)) {
  case WARC_LOOKUP_FOUND: return show_record(s, &place);
  case WARC_LOOKUP_NONE: say_error("show", "%s holds no response of %s", s->directory, wanted->url); break;
  case WARC_LOOKUP_NO_WARC:
    say_error("show", "%s has no WARC; only a crawl with --warc stores responses", s->directory);
    break;
  case WARC_LOOKUP_UNREADABLE: say_error("show", "%s: %s", index, own_file_words(errno)); break;
  }
  return EXIT_FAILED;
}

/* As the crawl would ask for it; NULL after one sentence on stderr. */
static url *parse(const char *address)
{
  url *u = malloc(sizeof *u);
  url_status status = u ? url_parse(address, strlen(address), URL_STRICT, u) : URL_OK;
  if (u && status == URL_OK)
    return u;
  say_error("show", "\"%s\": %s", address, u ? url_status_name(status) : "out of memory");
  free(u);
  return NULL;
}

static int show(showing *s, const char *address)
{
  url *u = parse(address);
  if (!u)
    return EXIT_USAGE;
  int code = show_url(s, &(warc_wanted){.url = u->fetch});
  if (code == EXIT_DONE && s->is_revisit) {
    s->is_first = true;
    code = show_url(s, &(warc_wanted){s->first_url, s->first_date, s->first_digest, .is_full = true});
  }
  free(s->first_url);
  free(s->first_digest);
  free(u);
  if (code != EXIT_DONE || (fflush(stdout) == 0 && !ferror(stdout)))
    return code;
  say_error("show", "standard output: %s", strerror(errno));
  return EXIT_FAILED;
}

#define FIELD(member) OPTION_FIELD(showing, member)

static const option_row option_rows[] = {
  {"headers", NULL, OPTION_FLAG, FIELD(wants_headers),
   .help = "print the status line and the headers as received, and an empty line, before the body"},
};

const option_table cmd_show_options = {
  .command = "show",
  .column = 14,
  OPTION_ROWS(option_rows),
  .least_words = 2,
  .most_words = 2,
  .wanted = "a directory and a URL, please: strata show DIR URL",
  .before = "Usage: strata show DIR URL [--headers]\n"
            "Print the stored response of URL: its body, decoded. Only a crawl with --warc stores responses.\n"
            "\n"
            "  strata show strata-example.org https://example.org/ > index.html\n"
            "  strata show strata-example.org https://example.org/ --headers | less\n",
  .after = "On a terminal, control characters are shown as \\xHH; files and pipes get the bytes as stored.\n",
  .exits = "0 done, 1 failed or not stored, 2 usage",
};

int cmd_show(int argc, char **argv)
{
  showing s = {.body = NULL};
  int code = options_read(&cmd_show_options, argc, argv, &s);
  if (code != OPTIONS_READ)
    return code;
  s.directory = argv[optind];
  return show(&s, argv[optind + 1]);
}
