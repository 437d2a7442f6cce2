/* crawler/html/srcset.c: attributes as rows, after the standard's steps. */
#include "crawler/html/srcset.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CASE(urls)
{
  static const struct {
    const char *value, *wanted;
  } rows[] = {
    {"a", "a"},           {"a 1x, b 2x", "a b"},          {"a,b", "a,b"},      {"a, b", "a b"},
    {"a 1x,b 2x", "a b"}, {" \n a\t100w ,\fb", "a b"},    {",,a,,, b", "a b"}, {"a (1,2) x, b", "a b"},
    {"a (1,2", "a"},      {"data:,x 1x, b", "data:,x b"}, {"a ,", "a"},        {"", ""},
    {" , ,", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[64] = "";
    size_t size = strlen(rows[i].value), used = 0, found_size;
    char *copy = malloc(size + !size);
    assert_non_null(copy);
    memcpy(copy, rows[i].value, size);
    const char *at = copy, *found;
    while (srcset_next(&at, copy + size, &found, &found_size))
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used ? " " : "", (int)found_size, found);
    free(copy);
    if (strcmp(text, rows[i].wanted) != 0)
      fail_msg("\"%s\": \"%s\", not \"%s\"", rows[i].value, text, rows[i].wanted);
  }
}
