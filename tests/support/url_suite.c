/* See url_suite.h. */
#include "tests/support/url_suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const excuse *find_excuse(const suite *run, const char *input)
{
  for (const excuse *e = run->excuses; e && e->input; e++)
    if (strcmp(e->input, input) == 0)
      return e;
  return NULL;
}

void suite_check(suite *run, const char *input, bool is_right, const char *got, const char *expected)
{
  run->rows++;
  const excuse *listed = find_excuse(run, input);
  if (is_right && listed) {
    print_error("%s: \"%s\" is listed (%s) but passes\n", run->name, input, listed->why);
    run->failed++;
  } else if (!is_right && listed) {
    run->excused++;
  } else if (!is_right) {
    print_error("%s: \"%s\"\n  got      %s\n  expected %s\n", run->name, input, got, expected);
    run->failed++;
  }
}

void suite_finish(const suite *run)
{
  print_message("%-28s %6u rows, %u excused\n", run->name, run->rows, run->excused);
  assert_int_equal(run->failed, 0);
  assert_true(run->rows > 0);
}

FILE *suite_open(const char *name)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/conformance/%s", SHARED_DATA, name);
  FILE *file = fopen(path, "r");
  if (!file) {
    print_message("skipped: no %s\n", path);
    skip();
  }
  return file;
}

json_t *suite_next(FILE *file)
{
  static char line[1 << 16];
  while (fgets(line, sizeof line, file)) {
    json_error_t error;
    json_t *row = json_loads(line, JSON_ALLOW_NUL, &error);
    if (row)
      return row;
    if (!strstr(error.text, "invalid Unicode")) /* a lone surrogate: no UTF-8 says that */
      fail_msg("%s: %s", error.text, line);
  }
  fclose(file);
  return NULL;
}

const char *suite_text(const json_t *row, const char *name)
{
  return json_string_value(json_object_get(row, name));
}

size_t suite_text_size(const json_t *row, const char *name)
{
  return json_string_length(json_object_get(row, name));
}

static url_base *base; /* what the suites resolve against */
url suite_answer;

int suite_set_up(void **state)
{
  (void)state;
  base = url_base_create();
  return base == NULL;
}

int suite_tear_down(void **state)
{
  (void)state;
  url_base_free(base);
  return 0;
}

const char *suite_resolve(const char *at, const char *href, size_t size, url_profile profile)
{
  bool has_base = at && *at;
  if (has_base && url_base_set(base, at, strlen(at)) != URL_OK)
    return NULL;
  return url_resolve(has_base ? base : NULL, href, size, profile, &suite_answer) == URL_OK ? suite_answer.fetch : NULL;
}

bool suite_same(const char *a, const char *b)
{
  return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

const char *suite_plain(const char *href, char *room, size_t room_size)
{
  snprintf(room, room_size, "%.*s", (int)strcspn(href, "#"), href);
  char *host = strstr(room, "//") + 2, *at = memrchr(host, '@', strcspn(host, "/?"));
  if (at)
    memmove(host, at + 1, strlen(at + 1) + 1);
  return room;
}

bool suite_is_http(const char *href)
{
  return strncmp(href, "http:", 5) == 0 || strncmp(href, "https:", 6) == 0;
}
