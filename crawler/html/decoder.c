/* See decoder.h. */
#include "crawler/html/decoder.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  BOM_MAX = 3,
  PART_MAX = 16, /* bytes of one character, or of one change of state; the longest charsets have 4 */
};

typedef enum decoder_state { DECIDING, PASSING, CONVERTING, DROPPING } decoder_state;

struct decoder {
  decoder_sink *sink;
  void *context;
  decoder_state state;
  bool is_xml;
  const charset *charset;
  const charset *opened; /* what `conversion` is for; kept for the next page in the same charset */
  iconv_t conversion;
  size_t held_size;
  size_t part_size;
  char part[PART_MAX];    /* the beginning of a character */
  char held[PRESCAN_MAX]; /* the beginning of the page, while it is not known what it is in */
};

decoder *decoder_create(decoder_sink *sink, void *context)
{
  decoder *d = calloc(1, sizeof *d);
  if (d) {
    d->sink = sink;
    d->context = context;
  }
  return d;
}

static void assert_decoder(const decoder *d)
{
  assert(d->part_size < PART_MAX && d->held_size <= PRESCAN_MAX);
  assert(d->state != CONVERTING || (d->charset && d->opened == d->charset));
  assert(d->state == CONVERTING || !d->part_size); /* only a conversion waits for the rest of a character */
  (void)d;
}

static void close_conversion(decoder *d)
{
  if (d->opened)
    iconv_close(d->conversion);
  d->opened = NULL;
}

void decoder_free(decoder *d)
{
  if (!d)
    return;
  close_conversion(d);
  free(d);
}

const charset *decoder_charset(const decoder *d)
{
  return d->charset;
}

void decoder_begin(decoder *d, const charset *said)
{
  d->state = DECIDING;
  d->is_xml = false;
  d->charset = said;
  d->held_size = d->part_size = 0;
}

void decoder_expect_xml(decoder *d)
{
  d->is_xml = true;
}

/* ---- converting ------------------------------------------------------------------------------------------ */

/* Bytes that are no character. How many were passed over. */
static size_t pass_over(decoder *d, const char *at, size_t left)
{
  uint8_t byte = (uint8_t)*at;
  const char c1[2] = {(char)0xC2, *at};
  if (byte >= 0x80 && byte < 0xA0 && charset_has_c1(d->charset)) {
    d->sink(d->context, c1, sizeof c1);
    return 1;
  }
  d->sink(d->context, "\xEF\xBF\xBD", 3);
  return charset_is_utf16(d->charset) && left >= 2 ? 2 : 1;
}

/* How many bytes are left: the beginning of a character. */
static size_t convert(decoder *d, const char *bytes, size_t left)
{
  char out[4096];
  const char *at = bytes;
  while (left) {
    char *to = out;
    size_t room = sizeof out;
    size_t result = charset_convert(d->conversion, &at, &left, &to, &room);
    int why = result == (size_t)-1 ? errno : 0;
    if (to > out)
      d->sink(d->context, out, (size_t)(to - out));
    if (why == EILSEQ || (why == EINVAL && left >= PART_MAX)) {
      size_t bad = pass_over(d, at, left);
      at += bad;
      left -= bad;
    } else if (why != E2BIG) {
      break;
    }
  }
  return left;
}

/* The character that was cut in two, with one byte more at a time until it is whole. */
static size_t complete_part(decoder *d, const char *bytes, size_t size)
{
  size_t used = 0;
  while (d->part_size && used < size) {
    assert(d->part_size < PART_MAX);
    d->part[d->part_size++] = bytes[used++];
    size_t left = convert(d, d->part, d->part_size);
    assert(left <= d->part_size);
    memmove(d->part, d->part + d->part_size - left, left);
    d->part_size = left;
  }
  return used;
}

static void convert_piece(decoder *d, const char *bytes, size_t size)
{
  size_t used = complete_part(d, bytes, size);
  if (used == size)
    return;
  d->part_size = convert(d, bytes + used, size - used);
  assert(d->part_size <= size - used && d->part_size < PART_MAX);
  memcpy(d->part, bytes + size - d->part_size, d->part_size);
}

static void finish_conversion(decoder *d)
{
  if (d->part_size)
    d->sink(d->context, "\xEF\xBF\xBD", 3);
  d->part_size = 0;
  iconv(d->conversion, NULL, NULL, NULL, NULL);
}

/* A charset this C library has not is read as if nothing had been said. */
static decoder_state open_conversion(decoder *d)
{
  if (d->opened != d->charset) {
    close_conversion(d);
    if (!charset_open(d->charset, &d->conversion)) {
      d->charset = NULL;
      return PASSING;
    }
    d->opened = d->charset;
  }
  iconv(d->conversion, NULL, NULL, NULL, NULL); /* where another page ended does not matter here */
  return CONVERTING;
}

/* ---- deciding -------------------------------------------------------------------------------------------- */

static void decide(decoder *d, const char *bytes, size_t size)
{
  const charset *bom = charset_of_bom(bytes, size);
  if (bom)
    d->charset = bom;
  else if (!d->charset)
    d->charset = (d->is_xml ? prescan_xml : prescan)(bytes, size < PRESCAN_MAX ? size : PRESCAN_MAX);
  if (!d->charset || charset_is_utf8(d->charset))
    d->state = PASSING;
  else if (charset_is_opaque(d->charset))
    d->state = DROPPING;
  else
    d->state = open_conversion(d);
}

static void pass_on(decoder *d, const char *bytes, size_t size)
{
  if (d->state == CONVERTING)
    convert_piece(d, bytes, size);
  else if (d->state == PASSING && size)
    d->sink(d->context, bytes, size);
}

static void decide_on_held(decoder *d)
{
  decide(d, d->held, d->held_size);
  pass_on(d, d->held, d->held_size);
}

void decoder_feed(decoder *d, const char *bytes, size_t size)
{
  size_t needed = d->charset ? BOM_MAX : PRESCAN_MAX;
  assert_decoder(d);
  assert(d->state != DECIDING || d->held_size < needed);
  if (d->state == DECIDING && d->held_size == 0 && size >= needed) {
    decide(d, bytes, size);
  } else if (d->state == DECIDING) {
    size_t taken = size < needed - d->held_size ? size : needed - d->held_size;
    memcpy(d->held + d->held_size, bytes, taken);
    d->held_size += taken;
    if (d->held_size < needed)
      return;
    decide_on_held(d);
    bytes += taken;
    size -= taken;
  }
  pass_on(d, bytes, size);
}

void decoder_finish(decoder *d)
{
  if (d->state == DECIDING)
    decide_on_held(d);
  if (d->state == CONVERTING)
    finish_conversion(d);
}
