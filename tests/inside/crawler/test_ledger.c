/* Each limit on what a response may have: up to it all is well, one more is too many, and the limit is named. */
#include "crawler/http/ledger.h"
#include "tests/support/test.h"

#include <string.h>

static char long_line[LEDGER_LINE_BYTES + 1];

static const struct row {
  const char *line;
  size_t size;
  bool is_trailer;
  unsigned may_come;
  const char *name;
} rows[] = {
  {"X: y\r\n", 6, false, LEDGER_FIELDS, "too many header fields"},
  {" folded\r\n", 9, false, LEDGER_FIELDS, "too many header fields"},
  {long_line, LEDGER_LINE_BYTES, false, LEDGER_HEAD_BYTES / LEDGER_LINE_BYTES, "too many bytes of header fields"},
  {long_line, LEDGER_LINE_BYTES + 1, false, 0, "too long a header field"},
  {long_line, SIZE_MAX, false, 0, "too long a header field"},
  {"set-cookie: a=b\r\n", 17, false, LEDGER_COOKIES, "too many cookies"},
  {"HTTP/1.1 103 Early Hints\r\n", 26, false, LEDGER_INTERIM, "too many interim responses"},
  {"HTTP/2 100\r\n", 12, false, LEDGER_INTERIM, "too many interim responses"},
  {"HTTP/1.1 200 OK\r\n", 17, false, LEDGER_FIELDS, "too many header fields"},
  {"HTTP/1.1", 8, false, LEDGER_FIELDS, "too many header fields"},
  {"X: y\r\n", 6, true, LEDGER_TRAILERS, "too many trailers"},
  {long_line, LEDGER_TRAILER_BYTES, true, 1, "too many trailers"},
};

CASE(each_limit)
{
  memset(long_line, 'x', sizeof long_line);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *row = &rows[i];
    ledger l = {0};
    for (unsigned k = 0; k < row->may_come; k++)
      assert_true(ledger_add_line(&l, row->line, row->size, row->is_trailer));
    assert_null(l.exceeded);
    assert_false(ledger_add_line(&l, row->line, row->size, row->is_trailer));
    assert_string_equal(l.exceeded, row->name);
    assert_false(ledger_add_line(&l, "", 0, false)); /* it stays so */
    assert_string_equal(l.exceeded, row->name);
  }
}

CASE(bytes_on_the_wire)
{
  ledger l = {0};
  assert_true(ledger_see_wire(&l, LEDGER_WIRE_MORE, 0));
  assert_true(ledger_see_wire(&l, LEDGER_WIRE_MORE + 8000, 1000));
  assert_true(ledger_see_wire(&l, UINT64_MAX / 4, UINT64_MAX));
  assert_false(ledger_see_wire(&l, LEDGER_WIRE_MORE + 8001, 1000));
  assert_string_equal(l.exceeded, "too many bytes for its body");
  assert_false(ledger_see_wire(&l, 0, 1000));
}
