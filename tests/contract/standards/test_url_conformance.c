/* What browsers make of a URL: the Web Platform Tests, and real links as ada, a WHATWG parser, reads them. */
#include "tests/support/test.h"
#include "tests/support/url_suite.h"

#include <string.h>

/* ---- Web Platform Tests ---------------------------------------------------------------------- */

CASE(wpt_urls)
{
  suite run = {.name = "wpt_urltestdata"};
  FILE *file = suite_open("wpt_urltestdata.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    const char *at = suite_text(row, "base"), *href = suite_text(row, "href");
    char room[16384];
    if (href && !suite_is_http(href))
      href = NULL; /* ftp:, file:, data:, ...: refused */
    if (at && !suite_is_http(at))
      continue; /* a page we would never have fetched */
    const char *expected = href ? suite_plain(href, room, sizeof room) : NULL;
    const char *got = suite_resolve(at, suite_text(row, "input"), suite_text_size(row, "input"), URL_STRICT);
    suite_check(&run, suite_text(row, "input"), suite_same(got, expected), got, expected);
  }
  suite_finish(&run);
}

static void check_host_row(suite *run, const json_t *row)
{
  char href[8192], host[8192];
  const char *input = suite_text(row, "input"), *output = suite_text(row, "output");
  int size = snprintf(href, sizeof href, "http://%s/", input);
  const char *got = suite_resolve(NULL, href, (size_t)size, URL_STRICT);
  if (got) {
    int host_size = (int)(suite_answer.host_end - suite_answer.host_begin);
    snprintf(host, sizeof host, "%.*s", host_size, got + suite_answer.host_begin);
    got = host;
  }
  suite_check(run, input, suite_same(got, output), got, output);
}

static void check_hosts(const char *name, const excuse *excuses)
{
  suite run = {.name = name, .excuses = excuses};
  FILE *file = suite_open(name);
  for (json_t *row; (row = suite_next(file)); json_decref(row))
    check_host_row(&run, row);
  suite_finish(&run);
}

#define FIFTY "01234567890123456789012345678901234567890123456789."

CASE(wpt_hosts)
{
  static const excuse excuses[] = {
    {FIFTY FIFTY FIFTY FIFTY "0123456789012345678901234567890123456789012345678.x", "over 254 bytes"},
    {FIFTY FIFTY FIFTY FIFTY "0123456789012345678901234567890123456789012345678.xn--zca", "over 254 bytes"},
    {NULL, NULL},
  };
  check_hosts("wpt_toascii.jsonl", excuses);
}

CASE(wpt_idna)
{
  static const excuse excuses[] = {
    {"", "a URL without a host is refused"},
    {"\U00032931"
     "20.\u97F3.\uA8661.",
     "U+32931 is of Unicode 17, and libunistring 1.0 knows 14"},
    {NULL, NULL},
  };
  check_hosts("wpt_IdnaTestV2.jsonl", excuses);
}

/* ---- real links: what ada, a WHATWG parser, makes of them ------------------------------------ */

/* A field of a .tsv, unescaped (\\ \t \n \r) in place; returns its size. */
static size_t unescape(char *field)
{
  size_t size = 0;
  for (const char *at = field; *at; at++) {
    char byte = *at;
    if (byte == '\\' && at[1]) {
      at++;
      byte = *at == 't' ? '\t' : *at == 'n' ? '\n' : *at == 'r' ? '\r' : *at;
    }
    field[size++] = byte;
  }
  field[size] = '\0';
  return size;
}

/* base, href, ada's href, key: "!" and "-" for what is refused. */
static void check_links(const char *name)
{
  suite run = {.name = name};
  FILE *file = suite_open(name);
  static char line[1 << 16];
  while (fgets(line, sizeof line, file)) {
    char *at = line, *href = strchr(at, '\t') + 1, *fetch = strchr(href, '\t') + 1, *key = strchr(fetch, '\t') + 1;
    if (line[0] == '#')
      continue;
    href[-1] = fetch[-1] = key[-1] = key[strcspn(key, "\n")] = '\0';
    unescape(fetch);
    fetch[strcspn(fetch, "#")] = '\0';
    size_t size = unescape(href);
    const char *got = suite_resolve(at, href, size, URL_STRICT);
    bool is_right = got ? strcmp(got, fetch) == 0 && strcmp(suite_answer.key, key) == 0 : strcmp(key, "-") == 0;
    suite_check(&run, href, is_right, got, fetch);
  }
  fclose(file);
  suite_finish(&run);
}

CASE(web_links)
{
  check_links("web_hrefs_readability.tsv");
}

CASE(docs_links)
{
  check_links("docs_hrefs_sample.tsv");
}

CASE(absolute_links)
{
  check_links("abs_urls.tsv");
}

/* ---- pairs ----------------------------------------------------------------------------------- */

CASE(key_pairs)
{
  suite run = {.name = "key_pairs"};
  FILE *file = suite_open("key_pairs.jsonl");
  for (json_t *row; (row = suite_next(file)); json_decref(row)) {
    char first[URL_LENGTH_MAX + 1];
    const char *a = suite_text(row, "a"), *b = suite_text(row, "b"), *verdict = suite_text(row, "verdict");
    assert_non_null(suite_resolve(NULL, a, strlen(a), URL_STRICT));
    strcpy(first, suite_answer.key);
    assert_non_null(suite_resolve(NULL, b, strlen(b), URL_STRICT));
    suite_check(&run, a, suite_same(first, suite_answer.key) == suite_same(verdict, "same"), suite_answer.key, verdict);
  }
  suite_finish(&run);
}

EACH_CASE(suite_set_up, suite_tear_down)
