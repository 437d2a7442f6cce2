/* See dechunk.h. Lines may end with LF alone: some servers send that, and other clients accept it. */
#include "crawler/http/dechunk.h"

#include <assert.h>

enum { DIGITS_MAX = 15 }; /* of a size: no overflow, and no chunk of an exabyte */

static int digit_of(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void end_size_line(dechunk *d)
{
  d->state = !d->digits ? DECHUNK_BAD : d->left ? DECHUNK_DATA : DECHUNK_TRAILER;
  d->digits = 0;
  d->line_has_bytes = false;
}

/* One byte of what is not data. */
static void step(dechunk *d, char c)
{
  switch (d->state) {
  case DECHUNK_SIZE: {
    int digit = digit_of(c);
    if (digit >= 0 && d->digits++ < DIGITS_MAX)
      d->left = 16 * d->left + (unsigned)digit;
    else if (c == '\n')
      end_size_line(d);
    else
      d->state = digit >= 0 ? DECHUNK_BAD : DECHUNK_EXTENSION;
    break;
  }
  case DECHUNK_EXTENSION:
    if (c == '\n')
      end_size_line(d);
    break;
  case DECHUNK_DATA_END:
    if (c == '\n')
      d->state = DECHUNK_SIZE;
    else if (c != '\r')
      d->state = DECHUNK_BAD;
    break;
  case DECHUNK_TRAILER:
    if (c == '\n' && !d->line_has_bytes)
      d->state = DECHUNK_DONE;
    else if (c != '\r')
      d->line_has_bytes = c != '\n';
    break;
  default: break;
  }
}

void dechunk_feed(dechunk *d, const char *bytes, size_t size, dechunk_sink *sink, void *context)
{
  assert(d->state != DECHUNK_DATA || d->left);
  assert(d->digits <= DIGITS_MAX + 1);
  while (size && d->state != DECHUNK_DONE && d->state != DECHUNK_BAD) {
    size_t taken = 1;
    if (d->state == DECHUNK_DATA) {
      taken = size < d->left ? size : (size_t)d->left;
      sink(context, bytes, taken);
      assert(taken && taken <= d->left);
      d->left -= taken;
      if (!d->left)
        d->state = DECHUNK_DATA_END;
    } else {
      step(d, *bytes);
    }
    bytes += taken;
    size -= taken;
  }
}
