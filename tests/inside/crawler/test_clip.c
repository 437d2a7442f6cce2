/* Widths as terminals count them. */
#include "crawler/base/clip.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

CASE(rows_of_text)
{
  static const struct row {
    const char *text;
    size_t columns;
    int is_utf8;
    const char *line;
    size_t width;
  } rows[] = {
    {"hello", 5, 1, "hello", 5},
    {"hello", 4, 1, "hel~", 4},
    {"hello", 1, 1, "~", 1},
    {"hello", 0, 1, "", 0},
    {"", 5, 1, "", 0},
    {"\x1b[2Jx\r\n\x7f\t", 80, 1, "?[2Jx????", 9}, /* nothing that moves the cursor */
    {"日本語", 6, 1, "日本語", 6},                 /* two columns each */
    {"日本語", 5, 1, "日本~", 5},
    {"日本語", 4, 1, "日~", 3},                      /* half a character is none */
    {"e\u0301te\u0301", 3, 1, "e\u0301te\u0301", 3}, /* combining accents take none */
    {"caf\xc3\xa9", 4, 0, "caf~", 4},                /* a terminal that knows ASCII alone */
    {"caf\xc3\xa9", 5, 0, "caf??", 5},
    {"a\xff\xc3z", 80, 1, "a??z", 4}, /* no UTF-8 */
    // NOLINTNEXTLINE(misc-misleading-bidirectional): what is tested is that it misleads nobody
    {"\xe2\x80\xae\u200bx", 80, 1, "?\u200bx", 2},       /* U+202E turns the text round: not printable */
    {"\xc2\x9b\xd8\x9c\xe2\x80\xa8x", 80, 1, "???x", 4}, /* C1, U+061C, a separator of lines */
    {"a\xe6\x97", 80, 1, "a??", 3},                      /* cut inside a character */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[64];
    size_t width = clip_line(rows[i].text, rows[i].columns, rows[i].is_utf8, line, sizeof line);
    if (strcmp(line, rows[i].line) != 0 || width != rows[i].width)
      print_message("row %zu: \"%s\", %zu wide\n", i, line, width);
    assert_string_equal(line, rows[i].line);
    assert_int_equal(width, rows[i].width);
  }
}

CASE(little_room)
{
  char line[4];
  assert_int_equal(clip_line("hello", 80, 1, line, sizeof line), 3);
  assert_string_equal(line, "he~");
}

CASE(what_the_environment_says)
{
  setenv("LC_ALL", "", 1);
  setenv("LC_CTYPE", "en_US.UTF-8", 1);
  setenv("LANG", "C", 1);
  assert_true(clip_is_utf8());
  setenv("LC_ALL", "C", 1);
  assert_false(clip_is_utf8());
  setenv("LC_ALL", "de_DE.utf8", 1);
  assert_true(clip_is_utf8());
}
