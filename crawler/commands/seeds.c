/* See seeds.h. */
#include "crawler/commands/seeds.h"

#include "crawler/base/message.h"
#include "crawler/commands/bad_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seeds {
  const crawl_args *args;
  int next_url;
  dataset_reader *reader; /* NULL: no file */
};

seeds *seeds_open(const crawl_args *args)
{
  seeds *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->args = args;
  if (args->seeds && !(s->reader = dataset_open(args->seeds))) {
    say_error("crawl", "%s: %s", args->seeds, strerror(errno));
    free(s);
    return NULL;
  }
  return s;
}

void seeds_close(seeds *s)
{
  if (!s)
    return;
  dataset_close(s->reader);
  free(s);
}

/* "example.org", "localhost:8000", "127.0.0.1/a": a host with a dot, a port or that name. Where there is a port, or
 * numbers in place of a name, http is the better guess. */
static const char *scheme_for(const char *text)
{
  size_t size = strcspn(text, "/?#");
  const char *colon = memchr(text, ':', size);
  bool has_port = colon && colon[1] && strspn(colon + 1, "0123456789") == size - (size_t)(colon + 1 - text);
  if (!has_port && !memchr(text, '.', size) && strncmp(text, "localhost", size) != 0)
    return NULL;
  return has_port || strspn(text, "0123456789.") >= size || strncmp(text, "localhost", size) == 0 ? "http" : "https";
}

static void refuse(const char *text, url_status status, url_profile profile, url *room)
{
  char guess[512];
  const char *scheme = strstr(text, "://") ? NULL : scheme_for(text);
  snprintf(guess, sizeof guess, "%s://%.400s", scheme ? scheme : "", text);
  if (status == URL_BAD_SCHEME && strstr(text, "://"))
    say_error("crawl", "\"%.500s\": only http and https can be crawled", text);
  else if (*text && access(text, F_OK) == 0)
    say_error("crawl", "%.500s is a file here, not a URL; \"python3 -m http.server\" serves this directory, as %s",
              text, "http://127.0.0.1:8000/ (with --allow-private)");
  else if (scheme && url_parse(guess, strlen(guess), profile, room) == URL_OK)
    say_error("crawl", "\"%.500s\" is not a whole URL; did you mean %s ?", text, room->fetch);
  else
    say_error("crawl", "\"%.500s\" is not a URL (%s); one is as https://example.org/", text, url_status_name(status));
}

/* Nothing but blanks, or a comment as in configuration files: no URL begins with '#'. */
static bool is_remark(const char *line, size_t size)
{
  while (size && (*line == ' ' || *line == '\t')) {
    line++;
    size--;
  }
  return !size || *line == '#';
}

/* Without a remark behind the URL. A '#' with no blank before it is part of the URL. */
static size_t url_size(const char *line, size_t size)
{
  for (size_t i = 1; i < size; i++)
    if (line[i] == '#' && (line[i - 1] == ' ' || line[i - 1] == '\t'))
      size = i;
  while (size && (line[size - 1] == ' ' || line[size - 1] == '\t'))
    size--;
  return size;
}

static seeds_next_result next_line(seeds *s, url *out)
{
  const char *line;
  size_t size;
  dataset_status status;
  while ((status = dataset_next(s->reader, &line, &size)) == DATASET_OK) {
    if (is_remark(line, size))
      continue;
    if (url_parse(line, url_size(line, size), s->args->profile, out) == URL_OK)
      return SEEDS_URL;
    dataset_refuse(s->reader, DATASET_REFUSED);
  }
  if (status == DATASET_END)
    return SEEDS_NONE_LEFT;
  if (status == DATASET_IO && errno == ECANCELED)
    return SEEDS_CUT;
  say_error("crawl", "%s: %s", s->args->seeds, dataset_failure_text(status));
  return SEEDS_BAD;
}

seeds_next_result seeds_next(seeds *s, url *out)
{
  if (s->next_url == s->args->url_count)
    return s->reader ? next_line(s, out) : SEEDS_NONE_LEFT;
  const char *text = s->args->urls[s->next_url++];
  url_status status = url_parse(text, strlen(text), s->args->profile, out);
  if (status == URL_OK)
    return SEEDS_URL;
  refuse(text, status, s->args->profile, out);
  return SEEDS_BAD;
}

void seeds_before_read(seeds *s, dataset_waiter *wait, void *context)
{
  if (s->reader)
    dataset_before_read(s->reader, wait, context);
}

void seeds_report(const seeds *s)
{
  if (s->reader)
    say_bad_lines("crawl", s->args->seeds, dataset_bad_lines(s->reader));
}
