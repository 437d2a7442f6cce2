/* crawler/html/entities.c: references against the standard's words, and every name against libgumbo's own table. */
#include "crawler/html/entities.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <gumbo.h>

#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "crawler/html/entities_table.h"
#include "tests/support/test.h"

/* clang-format off */
static const struct { const char *text; size_t taken; const char *utf8; } rows[] = {
  { "amp;x", 4, "&" }, { "amp", 3, "&" }, { "amp x", 3, "&" }, { "AMP;", 4, "&" },
  { "copy=1", 0, "" }, { "copyx", 0, "" }, { "copy1", 0, "" }, { "copy;=1", 5, "\xC2\xA9" },
  { "copy&x", 4, "\xC2\xA9" },
  { "notit;", 0, "" }, { "notin;", 6, "\xE2\x88\x89" }, { "not;in", 4, "\xC2\xAC" }, { "notin", 0, "" },
  { "not", 3, "\xC2\xAC" }, { "sup", 0, "" }, { "sup;", 4, "\xE2\x8A\x83" }, { "sup1;", 5, "\xC2\xB9" },
  { "sup1", 4, "\xC2\xB9" }, { "supe;", 5, "\xE2\x8A\x87" },
  { "", 0, "" }, { ";", 0, "" }, { " ", 0, "" }, { "Amp;", 0, "" }, { "zzz;", 0, "" }, { "amp\0;", 3, "&" },
  { "nGt;", 4, "\xE2\x89\xAB\xE2\x83\x92" }, { "CounterClockwiseContourIntegral;", 32, "\xE2\x88\xB3" },
  { "CounterClockwiseContourIntegral", 0, "" },
  { "#65;", 4, "A" }, { "#65", 3, "A" }, { "#65x", 3, "A" }, { "#65=", 3, "A" }, { "#x41;", 5, "A" },
  { "#X41g", 4, "A" },
  { "#", 0, "" }, { "#;", 0, "" }, { "#x", 0, "" }, { "#xg", 0, "" }, { "#x;", 0, "" },
  { "#0;", 3, "\xEF\xBF\xBD" }, { "#x110000;", 9, "\xEF\xBF\xBD" }, { "#xD800;", 7, "\xEF\xBF\xBD" },
  { "#xDFFF;", 7, "\xEF\xBF\xBD" }, { "#99999999999999999999;", 22, "\xEF\xBF\xBD" },
  { "#4294967361;", 12, "\xEF\xBF\xBD" }, /* 2^32 + 65 */
  { "#x10FFFF;", 9, "\xF4\x8F\xBF\xBF" }, { "#xFFFF;", 7, "\xEF\xBF\xBF" },
  { "#128;", 5, "\xE2\x82\xAC" }, { "#x9f;", 5, "\xC5\xB8" }, { "#x81;", 5, "\xC2\x81" }, { "#13;", 4, "\r" },
  { "#xE9;", 5, "\xC3\xA9" }, { "#x20AC;", 7, "\xE2\x82\xAC" }, { "#x1F600;", 8, "\xF0\x9F\x98\x80" },
};
/* clang-format on */

CASE(each_row_is_read_so)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char utf8[ENTITY_UTF8_MAX];
    size_t size = 0, taken = entity_read(rows[i].text, strlen(rows[i].text), utf8, &size);
    if (taken != rows[i].taken || size != strlen(rows[i].utf8) || memcmp(utf8, rows[i].utf8, size) != 0)
      fail_msg("&%s: takes %zu, gives %.*s", rows[i].text, taken, (int)size, utf8);
  }
}

/* The value of the first attribute of the first element of gumbo's body. */
static const char *gumbo_href(const GumboOutput *page)
{
  const GumboNode *body = page->root->v.element.children.data[1];
  const GumboNode *link = body->v.element.children.data[0];
  return gumbo_get_attribute(&link->v.element.attributes, "href")->value;
}

static void compare_with_gumbo(const char *text)
{
  char page[128], utf8[ENTITY_UTF8_MAX], value[128];
  size_t size = 0, taken = entity_read(text, strlen(text), utf8, &size);
  snprintf(page, sizeof page, "<a href='&%s'>", text);
  snprintf(value, sizeof value, "%.*s%s", (int)size, taken ? utf8 : "", taken ? text + taken : "");
  if (!taken)
    snprintf(value, sizeof value, "&%s", text);
  GumboOutput *parsed = gumbo_parse(page);
  if (strcmp(gumbo_href(parsed), value) != 0)
    fail_msg("&%s: \"%s\", gumbo says \"%s\"", text, value, gumbo_href(parsed));
  gumbo_destroy_output(&kGumboDefaultOptions, parsed);
}

CASE(every_name_means_what_gumbo_says)
{
  assert_int_equal(ENTITY_COUNT, 2125);
  assert_int_equal(entity_begin[ENTITY_COUNT], sizeof entity_rows - 1);
  static const char *const tails[] = {"", ";", "=", "x", "1;", "&", ";;", "."};
  for (unsigned row = 0; row < ENTITY_COUNT; row++) {
    const char *name = entity_rows + entity_begin[row];
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
      char text[64];
      snprintf(text, sizeof text, "%.*s%s", (int)strcspn(name, ";&"), name, tails[i]);
      compare_with_gumbo(text);
    }
  }
}

CASE(numbers_mean_what_gumbo_says)
{
  for (unsigned number = 1; number < 0x110100; number += number < 0x3000 ? 1 : 251) {
    char text[32];
    if (number == '\r') /* gumbo takes it for the end of a line */
      continue;
    snprintf(text, sizeof text, number % 2 ? "#%u;" : "#x%X;", number);
    compare_with_gumbo(text);
  }
}
