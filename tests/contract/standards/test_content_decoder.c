/* crawler/base/content_decoder.h and content_stream.h: each coding, in pieces of any size, whole, cut at each byte,
 * with each byte spoilt, with bytes behind its end, several on top of each other; and bombs. */
#include "crawler/base/content_decoder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

enum { GZIP = 15 + 16, ZLIB = 15, RAW = -15, ROOM = 1 << 20 };

typedef struct bytes {
  size_t size;
  char at[ROOM];
} bytes;

static bytes coded, other, seen;
static size_t sink_max; /* the sink wants no more */

static const char page[] = "<a href=/in>in</a><p>This page is said twice. <p>This page is said twice. <p>End.";

static bool take(void *context, const char *at, size_t size)
{
  (void)context;
  size_t left = sink_max - seen.size, part = size < left ? size : left;
  assert_true(seen.size + part <= ROOM);
  memcpy(seen.at + seen.size, at, part);
  seen.size += part;
  return part == size;
}

static void zip(int format, const char *plain, size_t size, bytes *to)
{
  z_stream z = {.next_in = (z_const Bytef *)(uintptr_t)plain, .avail_in = (uInt)size};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_out = (Bytef *)to->at + to->size;
  z.avail_out = (uInt)(ROOM - to->size);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  to->size = ROOM - z.avail_out;
  deflateEnd(&z);
}

static void zstd(const char *plain, size_t size, bytes *to)
{
  size_t made = ZSTD_compress(to->at + to->size, ROOM - to->size, plain, size, 3);
  assert_false(ZSTD_isError(made));
  to->size += made;
}

/* By hand: stored, as no encoder is among our libraries. */
static void brotli(const char *plain, size_t size, bytes *to)
{
  assert_true(size > 0 && size <= 1 << 16);
  unsigned head = (unsigned)(size - 1) << 4 | 1 << 20; /* WBITS 16; not last; four nibbles of a length; uncompressed */
  for (int i = 0; i < 3; i++)
    to->at[to->size++] = (char)(head >> 8 * i);
  memcpy(to->at + to->size, plain, size);
  to->size += size;
  to->at[to->size++] = 3; /* last, and empty */
}

static void add(bytes *to, const char *at, size_t size)
{
  assert_true(to->size + size <= ROOM);
  memcpy(to->at + to->size, at, size);
  to->size += size;
}

static content_end read_in(const char *field, const char *at, size_t size, size_t piece)
{
  content_codings codings = {.count = 0};
  content_codings_add(&codings, field, strlen(field));
  content_decoder *d = content_decoder_create(&codings, ROOM, take, NULL);
  assert_non_null(d);
  seen.size = 0;
  for (size_t from = 0; from < size; from += piece)
    if (!content_decoder_add(d, at + from, size - from < piece ? size - from : piece))
      break;
  content_end end = content_decoder_end(d);
  content_decoder_free(d);
  return end;
}

static void assert_page(const char *what, const char *field, size_t times)
{
  static const size_t pieces[] = {1, 2, 3, 7, 1000, ROOM};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    content_end end = read_in(field, coded.at, coded.size, pieces[i]);
    if (end != CONTENT_WHOLE || seen.size != times * (sizeof page - 1))
      fail_msg("%s in pieces of %zu: %d, %zu bytes", what, pieces[i], (int)end, seen.size);
    for (size_t nth = 0; nth < times; nth++)
      assert_memory_equal(seen.at + nth * (sizeof page - 1), page, sizeof page - 1);
  }
}

/* ---- Content-Encoding ---------------------------------------------------------------------------------------- */

CASE(names)
{
  static const struct row {
    const char *first, *second; /* fields */
    unsigned count;
    bool has_unknown;
    content_coding last;
  } rows[] = {
    {"gzip", NULL, 1, false, CODING_GZIP},
    {"X-GZip", NULL, 1, false, CODING_GZIP},
    {"deflate", "br", 2, false, CODING_BROTLI},
    {" zstd , Deflate\t", NULL, 2, false, CODING_DEFLATE},
    {"identity", NULL, 0, false, 0},
    {"identity, gzip", NULL, 1, false, CODING_GZIP},
    {"gzip,,", ",", 1, false, CODING_GZIP},
    {"", NULL, 0, false, 0},
    {",", NULL, 0, false, 0},
    {"utf-8", NULL, 0, true, 0},
    {"gzip, utf-8", NULL, 1, true, CODING_GZIP},
    {"aws-chunked", "gzip", 1, true, CODING_GZIP},
    {"gzip;q=1", NULL, 0, true, 0},
    {"\"gzip\"", NULL, 0, true, 0},
    {"gzip br", NULL, 0, true, 0},
    {"gzi", "gzipp", 0, true, 0},
    {"compress", NULL, 0, true, 0},
    {"gzip,gzip,gzip", "gzip,gzip,br", 6, false, CODING_GZIP},
  };
  (void)state;
  for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
    content_codings codings = {.count = 0};
    content_codings_add(&codings, r->first, strlen(r->first));
    if (r->second)
      content_codings_add(&codings, r->second, strlen(r->second));
    if (codings.count != r->count || codings.has_unknown != r->has_unknown)
      fail_msg("%s: %u codings, unknown %d", r->first, codings.count, codings.has_unknown);
    unsigned kept = codings.count < CONTENT_CODINGS_MAX ? codings.count : CONTENT_CODINGS_MAX;
    assert_true(!kept || codings.named[kept - 1] == r->last);
  }
}

/* ---- each coding ----------------------------------------------------------------------------------------------- */

static void gzip_page(void)
{
  zip(GZIP, page, sizeof page - 1, &coded);
}

static void zlib_page(void)
{
  zip(ZLIB, page, sizeof page - 1, &coded);
}

static void raw_page(void)
{
  zip(RAW, page, sizeof page - 1, &coded);
}

static void brotli_page(void)
{
  brotli(page, sizeof page - 1, &coded);
}

static void zstd_page(void)
{
  zstd(page, sizeof page - 1, &coded);
}

static const struct form {
  const char *what, *field;
  void (*make)(void);
  size_t trailer; /* bytes behind the last of the page's */
} forms[] = {
  {"gzip", "gzip", gzip_page, 8},          {"zlib", "deflate", zlib_page, 4},
  {"raw deflate", "deflate", raw_page, 0}, {"gzip as deflate", "deflate", gzip_page, 8},
  {"zlib as gzip", "gzip", zlib_page, 4},  {"br", "br", brotli_page, 0},
  {"zstd", "zstd", zstd_page, 0},
};

#define EACH_FORM(f) (const struct form *f = forms; f < forms + sizeof forms / sizeof *forms; f++)

static void make(const struct form *f)
{
  coded.size = 0;
  f->make();
}

CASE(whole)
{
  for
    EACH_FORM(f)
    {
      make(f);
      assert_page(f->what, f->field, 1);
    }
}

CASE(behind_the_end)
{
  static const char zeros[600], text[] = "<!-- cached --><a href=/no>",
                                broken[] = "\x1f\x8b\x08\xff\xff\xff\xff\xff\xff\xff\xff";
  (void)state;
  for
    EACH_FORM(f)
    {
      make(f);
      size_t size = coded.size;
      add(&coded, "\r\n", 2);
      assert_page(f->what, f->field, 1);
      coded.size = size;
      add(&coded, zeros, sizeof zeros);
      assert_page(f->what, f->field, 1);
      coded.size = size;
      for (int i = 0; i < 1500; i++)
        add(&coded, text, sizeof text - 1);
      assert_page(f->what, f->field, 1);
      coded.size = size;
      add(&coded, broken, sizeof broken - 1);
      assert_page(f->what, f->field, 1);
    }
}

CASE(several_members)
{
  coded.size = 0;
  for (int i = 0; i < 3; i++) {
    zip(GZIP, page, sizeof page - 1, &coded);
    zip(GZIP, "", 0, &coded);
  }
  assert_page("gzip members", "gzip", 3);
  coded.size = 0;
  for (int i = 0; i < 3; i++)
    zstd(page, sizeof page - 1, &coded);
  assert_page("zstd frames", "zstd", 3);
}

/* What came is there, and it is known whether it is all. */
CASE(cut_at_each_byte)
{
  for
    EACH_FORM(f)
    {
      make(f);
      for (size_t size = 0; size < coded.size; size++)
        for (size_t piece = 1; piece < ROOM; piece *= 1000) {
          content_end end = read_in(f->field, coded.at, size, piece);
          assert_true(seen.size < sizeof page);
          assert_memory_equal(seen.at, page, seen.size);
          bool is_whole = !size || (f->trailer && size >= coded.size - f->trailer);
          if (end != (is_whole ? CONTENT_WHOLE : CONTENT_CUT))
            fail_msg("%s: %zu of %zu bytes are %d", f->what, size, coded.size, (int)end);
          assert_true(!size || !is_whole || seen.size == sizeof page - 1);
        }
    }
}

CASE(spoilt_at_each_byte)
{
  unsigned not_coded = 0, cut = 0;
  (void)state;
  for
    EACH_FORM(f)
    {
      make(f);
      for (size_t i = 0; i < coded.size; i++)
        for (int bit = 1; bit < 256; bit *= 4) {
          coded.at[i] = (char)(coded.at[i] ^ bit);
          sink_max = ROOM / 2;
          content_end end = read_in(f->field, coded.at, coded.size, 1);
          not_coded += end == CONTENT_NOT_CODED;
          cut += end == CONTENT_CUT;
          if (f->trailer && i >= coded.size - f->trailer) /* a checksum */
            assert_true(end == CONTENT_WHOLE && seen.size == sizeof page - 1);
          assert_true(end != CONTENT_NOT_CODED || !seen.size);
          coded.at[i] = (char)(coded.at[i] ^ bit);
        }
    }
  assert_true(not_coded > 50 && cut > 50);
}

CASE(not_coded_at_all)
{
  for
    EACH_FORM(f)
  if (strcmp(f->field, "deflate") != 0 || f->trailer == 4) {
    assert_int_equal(read_in(f->field, page, sizeof page - 1, 5), CONTENT_NOT_CODED);
    assert_int_equal(seen.size, 0);
  }
}

/* ---- several codings ------------------------------------------------------------------------------------------- */

CASE(one_on_top_of_the_other)
{
  other.size = coded.size = 0;
  zip(ZLIB, page, sizeof page - 1, &other);
  zip(GZIP, other.at, other.size, &coded);
  add(&coded, "\n", 1);
  assert_page("deflate, gzip", "deflate, gzip", 1);
  assert_int_equal(read_in("zstd, gzip", coded.at, coded.size, 7), CONTENT_NOT_CODED);
  other.size = 0;
  zstd(coded.at, coded.size, &other);
  coded.size = 0;
  brotli(other.at, other.size, &coded);
  other.size = 0;
  zip(GZIP, coded.at, coded.size, &other);
  memcpy(&coded, &other, sizeof coded);
  assert_page("five", "deflate, gzip, zstd, br, x-gzip", 1);
  assert_int_equal(read_in("deflate, gzip, zstd, br, x-gzip", coded.at, coded.size / 2, 7), CONTENT_CUT);
}

/* ---- bombs ----------------------------------------------------------------------------------------------------- */

/* The sink has enough: it is asked once more, and no more. */
CASE(what_is_too_much_is_not_made)
{
  static char zeros[ROOM];
  (void)state;
  coded.size = 0;
  zip(GZIP, zeros, sizeof zeros, &coded);
  sink_max = 1000;
  assert_int_equal(read_in("gzip", coded.at, coded.size, ROOM), CONTENT_CUT);
  assert_int_equal(seen.size, 1000);
}

static void fill_with_empty_members(bytes *to)
{
  to->size = 0;
  zip(GZIP, "", 0, to);
  for (size_t member = to->size; to->size + member <= ROOM;)
    add(to, to->at, member);
}

/* A bomb of what comes to nothing: two megabytes of empty members. */
CASE(what_is_too_much_between_codings)
{
  fill_with_empty_members(&other);
  coded.size = 0;
  zip(GZIP, other.at, other.size, &coded);
  assert_true(coded.size < ROOM / 100);
  for (int i = 0; i < 2; i++)
    add(&coded, coded.at, coded.size);
  assert_int_equal(read_in("gzip, gzip", coded.at, coded.size, ROOM), CONTENT_TOO_MUCH);
  assert_int_equal(seen.size, 0);
}

/* 50,000 of them in a megabyte, again and again: some seconds, were each to cost as much as the first. */
CASE(many_members)
{
  enum { TIMES = 40 };
  (void)state;
  content_codings codings = {.named = {CODING_GZIP}, .count = 1};
  content_decoder *d = content_decoder_create(&codings, ROOM, take, NULL);
  assert_non_null(d);
  seen.size = 0;
  fill_with_empty_members(&coded);
  for (int i = 0; i < TIMES; i++)
    assert_true(content_decoder_add(d, coded.at, coded.size));
  assert_int_equal(content_decoder_end(d), CONTENT_WHOLE);
  assert_int_equal(seen.size, 0);
  content_decoder_free(d);
}

static int set_up(void **state)
{
  (void)state;
  sink_max = ROOM;
  return 0;
}

EACH_CASE(set_up, NULL)
