/* The chunked coding: each row whole and byte by byte gives the same. */
#include "crawler/http/dechunk.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
  const char *bytes, *data;
  int state;
} rows[] = {
  {"5\r\nhello\r\n0\r\n\r\n", "hello", DECHUNK_DONE},
  {"5;ext=\"a;b\"\r\nhello\r\n1\r\n!\r\n0\r\nX-T: 0\r\nY: z\r\n\r\nbehind", "hello!", DECHUNK_DONE},
  {"A\n0123456789\n0\n\n", "0123456789", DECHUNK_DONE}, /* LF alone */
  {"0005\r\nhello\r\n00\r\n\r\n", "hello", DECHUNK_DONE},
  {"0\r\n\r\n", "", DECHUNK_DONE},
  {"", "", DECHUNK_SIZE},
  {"5\r\nhel", "hel", DECHUNK_DATA}, /* cut short */
  {"5\r\nhello\r\n0\r\n", "hello", DECHUNK_TRAILER},
  {"\r\n", "", DECHUNK_BAD}, /* no size */
  {";x\r\n", "", DECHUNK_BAD},
  {"2\r\nabcd\r\n", "ab", DECHUNK_BAD},       /* longer than it says */
  {"ffffffffffffffff\r\nx", "", DECHUNK_BAD}, /* nobody has sent that much */
};

typedef struct collected {
  char bytes[64];
  size_t size;
} collected;

static void collect(void *context, const char *bytes, size_t size)
{
  collected *c = context;
  assert_true(c->size + size < sizeof c->bytes);
  memcpy(c->bytes + c->size, bytes, size);
  c->size += size;
}

CASE(whole_and_in_pieces)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t piece = 1; piece <= 64; piece *= 64) {
      collected got = {0};
      dechunk d = {0};
      size_t size = strlen(rows[i].bytes);
      for (size_t at = 0; at < size; at += piece)
        dechunk_feed(&d, rows[i].bytes + at, size - at < piece ? size - at : piece, collect, &got);
      assert_string_equal(got.bytes, rows[i].data);
      assert_int_equal(d.state, rows[i].state);
    }
}
