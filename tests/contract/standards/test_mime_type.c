/* crawler/base/mime_type.c: rows after Fetch, "extract a MIME type", and MIME Sniffing, 4.4; fields are joined. */
#include "crawler/base/mime_type.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* clang-format off */
static const struct row { const char *content_type, *essence, *charset; } rows[] = {
  /* one value */
  {"text/html", "text/html", ""}, {"Text/HTML;Charset=KOI8-R", "text/html", "KOI8-R"},
  {" \ttext/html ; charset=big5 \t", "text/html", "big5"}, {"text/html;charset= big5", "text/html", " big5"},
  {"text/html;charset =big5", "text/html", ""}, {"text/html;x-charset=a;charset=b;charset=c", "text/html", "b"},
  {"text/html;charset", "text/html", ""}, {"text/html;charset=", "text/html", ""},
  {"text/html;charset=;charset=b", "text/html", "b"}, {"text/html;charset=\"\";charset=b", "text/html", ""},
  {"text/html;;; ;charset=b;", "text/html", "b"}, {"text/html;charset='b'", "text/html", "'b'"},
  {"application/x.y-z+xml", "application/x.y-z+xml", ""}, {"a/b c", "", ""}, {"a b/c", "", ""},
  {"a/b;charset=a-name-that-is-longer-than-any-name-of-a-charset-could-be;charset=b", "a/b", ""},
  /* quoted */
  {"text/html;charset=\"b\"", "text/html", "b"}, {"text/html;charset=\"b", "text/html", "b"},
  {"text/html;charset=\"b\"c;x", "text/html", "b"}, {"text/html;charset=\"\\b\\\"c\"", "text/html", "b\"c"},
  {"text/html;charset=\"b\\", "text/html", "b\\"}, {"text/html;x=\"a;charset=b\"", "text/html", ""},
  {"text/html;x=\"a,b/c\";charset=d", "text/html", "d"}, {"text/html;charset=\"b\x01\";charset=c", "text/html", "c"},
  {"text/html;charset=\"\xE4\"", "text/html", "\xE4"},
  /* none */
  {"", "", ""}, {"html", "", ""}, {"text/", "", ""}, {"/html", "", ""}, {"text /html", "", ""}, {"text/html/x", "", ""},
  {"; charset=utf-8", "", ""}, {"charset=utf-8", "", ""}, {",", "", ""}, {"text/html(x)", "", ""}, {"\"a/b\"", "", ""},
  {"*/*", "", ""}, {"*/*;charset=b", "", ""},
  /* several */
  {"text/html, text/html; charset=b", "text/html", "b"}, {"text/html;charset=b, text/html", "text/html", "b"},
  {"text/html;charset=a,text/html;charset=b", "text/html", "b"},
  {"text/html;charset=a,text/html;charset=b,text/html", "text/html", "a"},
  {"text/plain;charset=a, text/html", "text/html", ""}, {"text/html, text/plain", "text/plain", ""},
  {"text/html;charset=a, text/plain, text/html", "text/html", ""}, {"text/html, */*;charset=b", "text/html", ""},
  {"*/*, text/html", "text/html", ""}, {"text/html, html", "text/html", ""}, {", text/html,", "text/html", ""},
  {"text/html;x=\", text/plain", "text/html", ""}, {"text/html;\", text/plain", "text/html", ""},
};
/* clang-format on */

/* In memory of its own size, so that a sanitizer sees one byte too far. */
static void read_copy(const char *text, size_t size, mime_type *type)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, text, size); // cppcheck-suppress uninitvar ; each caller has filled it
  mime_type_read(copy, size, type);
  free(copy);
}

CASE(every_row)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mime_type type;
    read_copy(rows[i].content_type, strlen(rows[i].content_type), &type);
    if (strcmp(type.essence, rows[i].essence) != 0 || strcmp(type.charset, rows[i].charset) != 0)
      fail_msg("%s: \"%s\", \"%s\"", rows[i].content_type, type.essence, type.charset);
  }
}

CASE(kinds)
{
  static const struct {
    const char *type, *kinds;
  } rows_of_two[] = {
    {"text/html", "html"},
    {"application/xhtml+xml", "html xml"},
    {"application/rss+xml", "feed xml"},
    {"application/atom+xml", "feed xml"},
    {"text/xml", "xml"},
    {"application/xml", "xml"},
    {"image/svg+xml", "xml"},
    {"x/+xml", "xml"},
    {"text/plain", ""},
    {"unknown/unknown", "unknown"},
    {"application/unknown", "unknown"},
    {"*/*", "unknown"},
    {"x", "unknown"},
    {"application/octet-stream", ""},
    {"text/htmlx", ""},
  };
  for (size_t i = 0; i < sizeof rows_of_two / sizeof *rows_of_two; i++) {
    mime_type type;
    char found[64];
    read_copy(rows_of_two[i].type, strlen(rows_of_two[i].type), &type);
    int size = snprintf(found, sizeof found, "%s%s%s%s", mime_type_is_html(&type) ? "html " : "",
                        mime_type_is_feed(&type) ? "feed " : "", mime_type_is_xml(&type) ? "xml " : "",
                        mime_type_is_unknown(&type) ? "unknown " : "");
    found[size ? size - 1 : 0] = '\0';
    if (strcmp(found, rows_of_two[i].kinds) != 0)
      fail_msg("%s: %s", rows_of_two[i].type, found);
  }
}

/* Any bytes: the same kind of answer, and nothing read beyond them. */
CASE(noise)
{
  static const char bytes[] = "text/html;charset=\"\\, \t*a\0\x80\n";
  uint32_t random = 7;
  for (int round = 0; round < 20000; round++) {
    char text[48];
    size_t size = (random = random * 1664525 + 1013904223) >> 24 & 31;
    for (size_t i = 0; i < size; i++)
      text[i] = bytes[((random = random * 1664525 + 1013904223) >> 16) % (sizeof bytes - 1)];
    mime_type type;
    read_copy(text, size, &type);
    assert_true(!*type.essence || strchr(type.essence, '/'));
    assert_true(*type.essence || !*type.charset);
  }
}

/* A field may have 64 KiB, and all of them 256: values of nothing but quotes, commas, parameters, blanks. */
CASE(long_ones)
{
  enum { LONG = 256 << 10, ROUNDS = 20 };
  static const char *const units[] = {"\"", ",", ";charset=", "\\", " ", "a/b,", "a/b;charset=\"x\",", "/"};
  char *text = malloc(LONG);
  assert_non_null(text);
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    for (size_t at = 0; at < LONG; at++)
      text[at] = units[i][at % strlen(units[i])];
    memcpy(text, "a/b", 3);
    mime_type type;
    clock_t start = clock();
    for (int round = 0; round < ROUNDS; round++)
      mime_type_read(text, LONG, &type);
    if (clock() - start > 10 * CLOCKS_PER_SEC)
      fail_msg("%s: too slow", units[i]);
  }
  free(text);
}
