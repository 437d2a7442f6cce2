/* See small.h. */
#include "tests/site/small.h"
#include "tests/site/pages.h"

#include <stdlib.h>
#include <string.h>

unsigned small_port;
static const small_page *served;

static void answer(int fd, const char *target)
{
  for (const small_page *page = served; page->target; page++)
    if (strcmp(page->target, target) == 0) {
      raw_send_string(fd, page->answer);
      return;
    }
  raw_send_string(fd, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

small small_open_with(raw_answer *by)
{
  small s = {.trial = trial_open(&(trial_options){.entries = 1})}; /* for its directory */
  text url = {0};
  s.server = raw_start(by, &small_port);
  text_addf(&url, "http://127.0.0.1:%u/", small_port);
  free(s.trial->url);
  s.trial->url = url.bytes;
  return s;
}

small small_open(const small_page *pages)
{
  served = pages;
  return small_open_with(answer);
}

void small_close(small *s)
{
  process_kill(s->server);
  trial_close(s->trial);
}

int small_strata(small *s, const char *const words[], int expected)
{
  int code = trial_strata(s->trial, words);
  if (code != expected)
    fprintf(stderr, "strata ended with %d, not %d:\n%s", code, expected, s->trial->err.bytes);
  return code;
}

static const char *target_of(const page_log *log, size_t i)
{
  const char *authority = strstr(pages_url(log, i), "://") + 3;
  return authority + strcspn(authority, "/");
}

text small_fetched(const small *s)
{
  page_log log = pages_read(s->trial->pages);
  size_t count = pages_count(&log);
  text targets = {0};
  text_add(&targets, "");
  bool *is_told = calloc(count + 1, sizeof *is_told);
  for (size_t told = 0; is_told && told < count; told++) {
    size_t least = count;
    for (size_t i = 0; i < count; i++)
      if (!is_told[i] && (least == count || strcmp(target_of(&log, i), target_of(&log, least)) < 0))
        least = i;
    bool is_map = json_is_true(json_object_get(json_array_get(log.list, least), "sitemap"));
    text_addf(&targets, is_map ? "[%s] " : "%s ", target_of(&log, least));
    is_told[least] = true;
  }
  free(is_told);
  pages_free(&log);
  return targets;
}
