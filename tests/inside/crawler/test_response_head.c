/* crawler/http/response_head.c: lines as servers send them, and what is found of them. */
#include "crawler/http/response_head.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const struct row {
  const char *story, *lines, *name; /* the lines end at each LF */
  size_t nth;
  const char *value;
} rows[] = {
  {"one", "HTTP/1.1 200 OK\r\nLink: <a>\r\n\r\n", "Link", 0, "<a>"},
  {"any case", "HTTP/1.1 200 OK\r\nlInK: <a>\r\n\r\n", "LiNk", 0, "<a>"},
  {"blanks", "HTTP/1.1 200 OK\r\nLink: \t <a> <b>\t \r\n\r\n", "Link", 0, "<a> <b>"},
  {"no blanks", "HTTP/1.1 200 OK\r\nLink:<a>\n\n", "Link", 0, "<a>"},
  {"nothing", "HTTP/1.1 200 OK\r\nLink:\r\n\r\n", "Link", 0, ""},
  {"colons", "HTTP/1.1 200 OK\r\nLink: a: b\r\n\r\n", "Link", 0, "a: b"},
  {"the second", "HTTP/2 200\r\nLink: a\r\nX: y\r\nLink: b\r\n\r\n", "Link", 1, "b"},
  {"no third", "HTTP/2 200\r\nLink: a\r\nX: y\r\nLink: b\r\n\r\n", "Link", 2, NULL},
  {"part of a name", "HTTP/1.1 200 OK\r\nLinks: a\r\nLin: b\r\n\r\n", "Link", 0, NULL},
  {"a name that shares its bit", "HTTP/1.1 200 OK\r\nLose: a\r\n\r\n", "Link", 0, NULL},
  {"a value like a name", "HTTP/1.1 200 OK\r\nX: Link\r\n\r\n", "Link", 0, NULL},
  {"after a proxy's", "HTTP/1.1 200 Connected\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\n", "Link", 0, NULL},
  {"after an interim one", "HTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nLink: b\r\n\r\n", "Link", 0, "b"},
  {"a trailer", "HTTP/1.1 200 OK\r\nX: y\r\n\r\nLink: a\r\n", "Link", 0, NULL},
  {"folded", "HTTP/1.1 200 OK\r\nLink: a,\r\n\t b\r\nX: y\r\n\r\n", "Link", 0, "a, b"},
  {"folded, and then one", "HTTP/1.1 200 OK\r\nX: y\r\n z\r\nLink: a\r\n\r\n", "Link", 0, "a"},
  {"folded before all", "HTTP/1.1 200 OK\r\n Link: a\r\n\r\n", "Link", 0, NULL},
  {"folded behind nothing", "HTTP/1.1 200 OK\r\nLink:\r\n a\r\n b\r\n\r\n", "Link", 0, "a b"},
  {"folded to nothing", "HTTP/1.1 200 OK\r\nLink: a\r\n \r\n\t\r\nX: y\r\n\r\n", "Link", 0, "a"},
  {"folded, with a colon", "HTTP/1.1 200 OK\r\nX: y\r\n Link: a\r\n\r\n", "X", 0, "y Link: a"},
  {"no name", "HTTP/1.1 200 OK\r\n: a\r\nLink: b\r\n\r\n", "Link", 0, "b"},
  {"a blank before the colon", "HTTP/1.1 200 OK\r\nLink : a\r\n\r\n", "Link", 0, "a"},
  {"blanks before the colon", "HTTP/1.1 200 OK\r\nX: y\r\nLink \t :\r\n\r\n", "Link", 0, ""},
  {"a blank in the name", "HTTP/1.1 200 OK\r\nLi nk: a\r\n\r\n", "Link", 0, NULL},
  {"no field", "HTTP/1.1 200 OK\r\nLink\r\n\r\n", "Link", 0, NULL},
};

static void add(response_head *h, const char *lines)
{
  for (const char *end; *lines; lines = end) {
    end = strchr(lines, '\n') + 1;
    assert_true(response_head_add(h, lines, (size_t)(end - lines)));
  }
}

CASE(every_row)
{
  response_head h = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    response_head_clear(&h);
    add(&h, rows[i].lines);
    const char *value = response_head_next(&h, rows[i].name, NULL);
    for (size_t n = 0; value && n < rows[i].nth; n++)
      value = response_head_next(&h, rows[i].name, value);
    if (!value != !rows[i].value || (value && strcmp(value, rows[i].value) != 0))
      fail_msg("%s: %s", rows[i].story, value ? value : "nothing");
  }
  response_head_free(&h);
}

CASE(when_to_come_again)
{
  enum { NOW = 1699395200 }; /* Tue, 07 Nov 2023 22:13:20 GMT */
  static const struct {
    const char *lines;
    uint64_t seconds;
  } times[] = {
    {"X: y\r\n", 0},
    {"Retry-After: 120\r\n", 120},
    {"Retry-After : 120\r\n", 120},
    {"Retry-After:\r\n 120\r\n", 120},
    {"Retry-After: 1.5\r\n", 1},
    {"Retry-After: -5\r\n", 0},
    {"Retry-After: soon\r\n", 0},
    {"Retry-After:\r\n", 0},
    {"Retry-After: 99999999999999999999999\r\n", UINT32_MAX},
    {"Retry-After: Tue, 07 Nov 2023 22:14:20 GMT\r\n", 60},
    {"Retry-After: Tuesday, 07-Nov-23 22:14:20 GMT\r\n", 60},
    {"Retry-After: Tue, 07 Nov 2023 22:12:20 GMT\r\n", 0},
    {"Retry-After: 3\r\nRetry-After: 4\r\n", 4},
  };
  response_head h = {0};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    response_head_clear(&h);
    add(&h, "HTTP/1.1 429 Later\r\n");
    add(&h, times[i].lines);
    assert_int_equal(response_head_retry_after_s(&h, NOW), times[i].seconds);
  }
  response_head_free(&h);
}

/* A NUL would end a name or a value early: what is behind it must not become a field. */
CASE(a_nul)
{
  static const char name[] = "X\0Link: a\r\n", value[] = "Y: b\0Link: c\r\n";
  response_head h = {0};
  add(&h, "HTTP/1.1 200 OK\r\n");
  assert_true(response_head_add(&h, name, sizeof name - 1));
  assert_true(response_head_add(&h, value, sizeof value - 1));
  assert_string_equal(response_head_next(&h, "Y", NULL), "b");
  assert_null(response_head_next(&h, "Link", NULL));
  response_head_free(&h);
}

/* Behind the fields, and none of them. */
CASE(joined)
{
  response_head h = {0};
  add(&h, "HTTP/1.1 200 OK\r\nT: a\r\nX: y\r\nt:b ; c\r\nT: \r\n\r\n");
  assert_null(response_head_joined(&h, "Y"));
  assert_string_equal(response_head_joined(&h, "X"), "y");
  assert_string_equal(response_head_joined(&h, "T"), "a, b ; c, ");
  assert_string_equal(response_head_joined(&h, "T"), "a, b ; c, ");
  assert_string_equal(response_head_next(&h, "T", NULL), "a");
  response_head_clear(&h);
  assert_null(response_head_joined(&h, "T"));
  response_head_free(&h);
}

/* However much comes, so much is kept; and then no longer a piece of a field. */
CASE(endless)
{
  enum { LINES = 10000, MOST = 256 << 10 };
  char line[128];
  response_head h = {0};
  add(&h, "HTTP/1.1 200 OK\r\n");
  for (int i = 0; i < LINES; i++) {
    int size = snprintf(line, sizeof line, "X-Line: %090d\r\n", i);
    assert_true(response_head_add(&h, line, (size_t)size));
  }
  assert_in_range(h.size, MOST - sizeof line, MOST);
  size_t kept = 0;
  for (const char *value = NULL; (value = response_head_next(&h, "X-Line", value)); kept++)
    assert_int_equal(strlen(value), 90);
  assert_int_equal(kept, h.size / (sizeof "X-Line" + 91));
  response_head_free(&h);
}
