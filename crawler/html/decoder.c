/* See decoder.h.
 *
 *     DECIDING --first bytes--> GUESSING --the first that is not ASCII--> CHECKING (UTF-8), CONVERTING (any other)
 *                          '--> CHECKING, CONVERTING, DROPPING
 *
 * Always: `raw` holds the page from its first byte on for as long as it may have to be read again (`keeps_raw`). A
 * charset is tentative until the page says the same or another in a <meta>; then, or once too much came, it is final.
 * visit.c feeds it on any thread, one at a time for each decoder. */
#include "crawler/html/decoder.h"

#include "crawler/base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  BOM_MAX = 3,
  PART_MAX = 16, /* bytes of one character, or of one change of state; the longest charsets have 4 */
};

typedef enum decoder_state { DECIDING, GUESSING, CHECKING, CONVERTING, DROPPING } decoder_state;

struct decoder {
  decoder_sink *sink;
  decoder_teller *tell;
  decoder_restart *restart;
  void *context;
  decoder_state state;
  bool is_xml, is_tentative, keeps_raw;
  const charset *charset;
  const charset *opened; /* what `conversion` is for; kept for the next page in the same charset */
  iconv_t conversion;
  size_t part_size;
  char part[PART_MAX]; /* the beginning of a character */
  size_t raw_size, raw_room;
  char *raw;
};

static const char replacement[] = "\xEF\xBF\xBD";

decoder *decoder_create(decoder_sink *sink, void *context)
{
  decoder *d = calloc(1, sizeof *d);
  if (!d || !(d->raw = malloc(PRESCAN_MAX))) {
    free(d);
    return NULL;
  }
  d->raw_room = PRESCAN_MAX;
  d->sink = sink;
  d->context = context;
  return d;
}

void decoder_listen(decoder *d, decoder_teller *tell, decoder_restart *restart)
{
  d->tell = tell;
  d->restart = restart;
}

static void assert_decoder(const decoder *d)
{
  assert(d->part_size < PART_MAX && d->raw_size <= d->raw_room && d->raw_room <= DECODER_LATE_MAX);
  assert(d->state != CONVERTING || (d->charset && d->opened == d->charset));
  assert(d->state != GUESSING || !d->charset);
  assert((d->state != DECIDING && d->state != DROPPING) || !d->part_size);
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
  free(d->raw);
  free(d);
}

const charset *decoder_charset(const decoder *d)
{
  return d->charset;
}

static bool raw_resize(decoder *d, size_t room)
{
  char *resized = room != d->raw_room ? realloc(d->raw, room) : d->raw;
  if (!resized)
    return false;
  d->raw = resized;
  d->raw_room = room;
  return true;
}

void decoder_begin(decoder *d, const charset *said)
{
  raw_resize(d, PRESCAN_MAX);
  d->state = DECIDING;
  d->is_xml = d->is_tentative = false;
  d->keeps_raw = true;
  d->charset = said;
  d->raw_size = d->part_size = 0;
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
  d->sink(d->context, replacement, strlen(replacement));
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
    d->sink(d->context, replacement, strlen(replacement));
  d->part_size = 0;
  iconv(d->conversion, NULL, NULL, NULL, NULL);
}

/* A charset this C library has not is read as UTF-8. */
static decoder_state open_conversion(decoder *d)
{
  if (d->opened != d->charset) {
    close_conversion(d);
    if (!charset_open(d->charset, &d->conversion)) {
      d->charset = NULL;
      return CHECKING;
    }
    d->opened = d->charset;
  }
  iconv(d->conversion, NULL, NULL, NULL, NULL); /* where another page ended does not matter here */
  return CONVERTING;
}

/* ---- UTF-8 ----------------------------------------------------------------------------------------------- */

/* Bytes of a character that needs no second look, as most letters of all scripts do not; 0: it does. Three bytes are
 * there. */
static size_t usual_character(const unsigned char *at)
{
  bool has_second = (at[1] & 0xC0) == 0x80, has_third = (at[2] & 0xC0) == 0x80;
  if (at[0] >= 0xC2 && at[0] <= 0xDF && has_second)
    return 2;
  return at[0] > 0xE0 && at[0] < 0xF0 && at[0] != 0xED && has_second && has_third ? 3 : 0;
}

/* Whole characters from `at` on, to the first that is none, or is cut off. */
static const char *skip_good(const char *at, const char *end)
{
  for (;;) {
    bool is_good;
    size_t size;
    at = utf8_skip_ascii(at, end);
    while (end - at >= 3 && (size = usual_character((const unsigned char *)at)))
      at += size;
    size = at < end ? utf8_character(at, end, &is_good) : 0;
    if (!size || !is_good)
      return at;
    at += size;
  }
}

/* The rest of the character that was cut in two. Returns how many of its bytes were there. */
static size_t check_part(decoder *d, const char *bytes, size_t size)
{
  size_t used = 0, whole = 0;
  bool is_good = false;
  while (!whole && used < size) {
    d->part[d->part_size++] = bytes[used++];
    whole = utf8_character(d->part, d->part + d->part_size, &is_good);
  }
  if (!whole)
    return used;
  used -= d->part_size - whole; /* the byte that shows that it is none begins another */
  d->part_size = 0;
  d->sink(d->context, is_good ? d->part : replacement, is_good ? whole : strlen(replacement));
  return used;
}

static void check_piece(decoder *d, const char *bytes, size_t size)
{
  const char *at = bytes, *end = bytes + size;
  if (d->part_size)
    at += check_part(d, bytes, size);
  while (at < end) {
    const char *stop = skip_good(at, end);
    bool is_good;
    if (stop > at)
      d->sink(d->context, at, (size_t)(stop - at));
    size_t bad = stop < end ? utf8_character(stop, end, &is_good) : 0;
    if (!bad) {
      d->part_size = (size_t)(end - stop);
      assert(d->part_size < 4);
      memcpy(d->part, stop, d->part_size);
      return;
    }
    d->sink(d->context, replacement, strlen(replacement));
    at = stop + bad;
  }
}

static void finish_check(decoder *d)
{
  if (d->part_size)
    d->sink(d->context, replacement, strlen(replacement));
  d->part_size = 0;
}

/* ---- deciding -------------------------------------------------------------------------------------------- */

static void begin_charset(decoder *d)
{
  assert(d->charset);
  d->state = charset_is_utf8(d->charset) ? CHECKING : charset_is_opaque(d->charset) ? DROPPING : open_conversion(d);
}

/* By the first that is not ASCII; `is_whole`: nothing follows it. */
static void guess(decoder *d, const char *bytes, size_t size, bool is_whole)
{
  const char *end = bytes + size, *other = utf8_skip_ascii(bytes, end), *bad = skip_good(other, end);
  bool is_good = true, is_cut = bad < end && utf8_character(bad, end, &is_good) == 0;
  if (other == end || (is_cut && bad == other && !is_whole))
    return;
  bool is_utf8 = bad == end || (is_cut && bad > other);
  const char *name = is_utf8 ? "utf-8" : "windows-1252";
  d->charset = charset_of_label(name, strlen(name));
  begin_charset(d);
}

/* On what came so far, which `is_whole` if it is all of the page. */
static void decide(decoder *d, bool is_whole)
{
  const charset *bom = charset_of_bom(d->raw, d->raw_size);
  size_t size = d->raw_size < PRESCAN_MAX ? d->raw_size : PRESCAN_MAX;
  d->is_tentative = !bom && !d->charset && !d->is_xml && d->tell;
  if (bom)
    d->charset = bom;
  else if (!d->charset)
    d->charset = (d->is_xml ? prescan_xml : prescan)(d->raw, size);
  d->state = d->is_xml ? CHECKING : GUESSING;
  if (d->charset)
    begin_charset(d);
  else if (!d->is_xml)
    guess(d, d->raw, size, is_whole);
}

static void pass_on(decoder *d, const char *bytes, size_t size);

/* "Change the encoding": the page said what it is in. */
static void change(decoder *d, const charset *said)
{
  bool is_wide = d->charset && charset_is_utf16(d->charset); /* in which a <meta> says nothing */
  bool goes_on = d->state == GUESSING && charset_has_ascii(said);
  assert(d->is_tentative && !(goes_on && d->part_size));
  d->is_tentative = false;
  if (said == d->charset || is_wide || (!goes_on && !d->keeps_raw))
    return;
  if (!goes_on)
    d->restart(d->context);
  d->part_size = 0;
  d->charset = said;
  begin_charset(d);
  if (!goes_on)
    pass_on(d, d->raw, d->raw_size);
}

/* may_restart: what came of the page, and was kept, is all with the sink. */
static void listen(decoder *d, bool may_restart)
{
  const charset *said = d->is_tentative ? d->tell(d->context) : NULL;
  if (said && (may_restart || charset_has_ascii(said)))
    change(d, said);
}

static void pass_on_part(decoder *d)
{
  char part[PART_MAX];
  size_t size = d->part_size;
  assert(d->state != GUESSING && size < PART_MAX);
  memcpy(part, d->part, size);
  d->part_size = 0;
  pass_on(d, part, size);
}

/* ASCII, up to the first character that is none; that waits in `part` until it is whole, or none. */
static void guess_piece(decoder *d, const char *bytes, size_t size)
{
  const char *end = bytes + size, *at = d->part_size ? bytes : utf8_skip_ascii(bytes, end);
  if (at > bytes)
    d->sink(d->context, bytes, (size_t)(at - bytes));
  listen(d, false);
  while (d->state == GUESSING && at < end) {
    d->part[d->part_size++] = *at++;
    guess(d, d->part, d->part_size, false);
  }
  if (d->state == GUESSING)
    return;
  pass_on_part(d);
  pass_on(d, at, (size_t)(end - at));
}

static void pass_on(decoder *d, const char *bytes, size_t size)
{
  if (!size)
    return;
  switch (d->state) {
  case GUESSING: guess_piece(d, bytes, size); break;
  case CHECKING: check_piece(d, bytes, size); break;
  case CONVERTING: convert_piece(d, bytes, size); break;
  default: break;
  }
}

/* ---- the page as it came --------------------------------------------------------------------------------- */

/* How many bytes of a piece are kept. 0: no more of them. */
static size_t keep_raw(decoder *d, const char *bytes, size_t size)
{
  size_t most = d->state != DECIDING ? DECODER_LATE_MAX : d->charset ? BOM_MAX : PRESCAN_MAX;
  size_t taken = size < most - d->raw_size ? size : most - d->raw_size;
  if (d->raw_size + taken > d->raw_room && !raw_resize(d, DECODER_LATE_MAX))
    return 0;
  memcpy(d->raw + d->raw_size, bytes, taken);
  d->raw_size += taken;
  return taken;
}

static void decide_on_raw(decoder *d, bool is_whole)
{
  decide(d, is_whole);
  pass_on(d, d->raw, d->raw_size);
  listen(d, true);
}

/* The charset is open: a piece of it, which is kept. How much of it was taken. */
static size_t feed_open(decoder *d, const char *bytes, size_t size)
{
  size_t taken = keep_raw(d, bytes, size);
  if (d->state == DECIDING) {
    if (d->raw_size == (d->charset ? (size_t)BOM_MAX : (size_t)PRESCAN_MAX))
      decide_on_raw(d, false);
    return taken;
  }
  d->keeps_raw = taken > 0;
  d->is_tentative &= d->keeps_raw || d->state == GUESSING;
  pass_on(d, bytes, taken);
  listen(d, true);
  return taken;
}

void decoder_feed(decoder *d, const char *bytes, size_t size)
{
  assert_decoder(d);
  while (size && (d->state == DECIDING || (d->is_tentative && d->keeps_raw))) {
    size_t taken = feed_open(d, bytes, size);
    bytes += taken;
    size -= taken;
  }
  pass_on(d, bytes, size);
  listen(d, true);
  assert_decoder(d);
}

void decoder_finish(decoder *d)
{
  if (d->state == DECIDING)
    decide_on_raw(d, true);
  if (d->state == GUESSING && d->part_size) {
    guess(d, d->part, d->part_size, true);
    pass_on_part(d);
  }
  if (d->state == CONVERTING)
    finish_conversion(d);
  if (d->state == CHECKING)
    finish_check(d);
  raw_resize(d, PRESCAN_MAX);
  d->is_tentative = d->keeps_raw = false;
}
