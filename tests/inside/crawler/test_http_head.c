/* Status and headers of a head, good and bad. */
#include "crawler/http/http_head.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

CASE(statuses)
{
  static const struct row {
    const char *head;
    int status;
  } rows[] = {
    {"HTTP/1.1 200 OK\r\n", 200},
    {"HTTP/1.0 404\r\n", 404},
    {"http/1.1 200 ok\r\n", 200},
    {"HTTP/2 301 \r\n", 301},
    {"HTTP/1.1 99", 0},
    {"HTTP/1.1  404 No\r\n", 404},
    {"HTTP/1.1 2x0 OK", 0},
    {"ICY 200 OK\r\n", 0},
    {"HTTP/1.1", 0},
    {"", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(http_head_status(rows[i].head, strlen(rows[i].head)), rows[i].status);
}

static const char head[] =
  "HTTP/1.1 200 OK\r\nX: first\r\nx:\t last \r\nXY: no\r\nNot-A-Header\r\nEmpty:\r\n"
  "Coding: gzip, Chunked\r\nFolded:\r\n gzip,\r\n\tchunked \r\n \r\nBlank:\r\n \r\nSplit\r\n : no\r\nOpen: end";

static void assert_value(const char *name, const char *expected)
{
  size_t size = 0;
  const char *value = http_head_find(head, sizeof head - 1, name, &size);
  assert_int_equal(value != NULL, expected != NULL);
  if (expected) {
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(value, expected, size);
  }
}

CASE(values)
{
  assert_value("X", "last");
  assert_value("XY", "no");
  assert_value("Empty", "");
  assert_value("open", "end");
  assert_value("Folded", "gzip,\r\n\tchunked");
  assert_value("Blank", "");
  assert_value("gzip,", NULL);
  assert_value("Split", NULL);
  assert_value("Not-A-Header", NULL);
  assert_value("HTTP/1.1 200 OK", NULL);
  assert_value("OpenX", NULL);
}

CASE(words)
{
  assert_true(http_head_says(head, sizeof head - 1, "Coding", "chunked")); /* the last coding is the outermost */
  assert_false(http_head_says(head, sizeof head - 1, "Coding", "gzip"));
  assert_true(http_head_says(head, sizeof head - 1, "xy", "NO"));
  assert_false(http_head_says(head, sizeof head - 1, "Empty", "chunked"));
  assert_false(http_head_says(head, sizeof head - 1, "None", ""));
}
