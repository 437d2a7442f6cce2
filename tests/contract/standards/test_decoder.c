/* crawler/html/decoder.c and prescan.c: pages in many charsets into UTF-8, whole and cut in every two pieces. */
#include "crawler/html/decoder.h"
#include "tests/site/random.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct result {
  char text[3 * PRESCAN_MAX];
  size_t size;
} result;

static void note(void *context, const char *bytes, size_t size)
{
  result *r = context;
  assert_true(r->size + size <= sizeof r->text);
  memcpy(r->text + r->size, bytes, size);
  r->size += size;
}

/* Exact-size copies, so that a sanitizer sees one byte too far. */
static void feed_copy(decoder *d, const char *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  decoder_feed(d, copy, size);
  free(copy);
}

static const charset *decode(const char *header, const char *page, size_t size, size_t cut, result *r)
{
  r->size = 0;
  decoder *d = decoder_create(note, r);
  assert_non_null(d);
  for (int again = 0; again < 2; again++) { /* a second page finds nothing of the first */
    r->size = 0;
    decoder_begin(d, header ? charset_of_label(header, strlen(header)) : NULL);
    feed_copy(d, page, cut);
    feed_copy(d, page + cut, size - cut);
    decoder_finish(d);
  }
  const charset *c = decoder_charset(d);
  decoder_free(d);
  return c;
}

static void assert_decodes(const char *header, const char *page, size_t size, const char *name, const char *wanted,
                           size_t wanted_size)
{
  static result r;
  for (size_t cut = 0; cut <= size; cut++) {
    const charset *c = decode(header, page, size, cut, &r);
    const char *got = c ? charset_name(c) : "none";
    if (strcmp(got, name) != 0 || r.size != wanted_size || memcmp(r.text, wanted, wanted_size) != 0)
      fail_msg("%s, %.*s, cut at %zu: %s, %.*s", header ? header : "no header", (int)size, page, cut, got, (int)r.size,
               r.text);
  }
}

CASE(pages)
{
  static const struct {
    const char *header, *page;
    size_t size;
    const char *name, *wanted;
    size_t wanted_size;
  } rows[] = {
#define ROW(header, page, name, wanted) {(header), (page), sizeof(page) - 1, (name), (wanted), sizeof(wanted) - 1}
    ROW("windows-1251", "\xCF\xF0", "windows-1251", "\xD0\x9F\xD1\x80"),
    ROW("windows-1252", "\x81\x80", "windows-1252", "\xC2\x81\xE2\x82\xAC"), /* no character: the C1 control */
    ROW("windows-1253", "\xFF", "windows-1253", "\xEF\xBF\xBD"),
    ROW("shift_jis", "\x83\x65<\x83", "Shift_JIS", "\xE3\x83\x86<\xEF\xBF\xBD"),
    ROW("shift_jis", "\x83\"x", "Shift_JIS", "\xEF\xBF\xBD\"x"), /* half a character does not eat the quote */
    ROW("euc-jp", "\xA5\xC6\x8F\xB0\xA1", "EUC-JP", "\xE3\x83\x86\xE4\xB8\x82"),
    ROW("gb18030", "\xD6\xD0\x94\x39\xFC\x36", "gb18030", "\xE4\xB8\xAD\xF0\x9F\x98\x80"),
    ROW("gb2312", "\xD6\xD0", "GBK", "\xE4\xB8\xAD"),
    ROW("big5", "\xA4\xA4", "Big5", "\xE4\xB8\xAD"),
    ROW("euc-kr", "\xC7\xD1", "EUC-KR", "\xED\x95\x9C"),
    ROW("iso-2022-jp", "a\x1B$B%F\x1B(Bb", "ISO-2022-JP",
        "a\xE3\x83\x86"
        "b"),
    ROW("koi8-r", "\xF0", "KOI8-R", "\xD0\x9F"),
    ROW("utf-8", "\xFF\x80<a>", "UTF-8", "\xEF\xBF\xBD\xEF\xBF\xBD<a>"),
    ROW("utf-8", "\xE2\x82<\xF0\x9F\x98x\xED\xA0\x80", "UTF-8", /* one for what could have become a character */
        "\xEF\xBF\xBD<\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"),
    ROW("utf-8", "\xC0\xAF\xF4\x90\x80\xE0\x9F", "UTF-8",
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"),
    ROW("utf-8", "x\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA4\xF0\x9F", "UTF-8",
        "x\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA4\xEF\xBF\xBD"),
    /* nothing is declared */
    ROW(NULL, "<a>", "none", "<a>"),
    ROW(NULL, "\xFF\x80<a>", "windows-1252", "\xC3\xBF\xE2\x82\xAC<a>"),
    ROW(NULL, "<a \xC3\xA4>", "UTF-8", "<a \xC3\xA4>"),
    ROW(NULL, "<a \xC3\xA4 \xE4>", "windows-1252", "<a \xC3\x83\xC2\xA4 \xC3\xA4>"),
    ROW(NULL, "<a \xC3\xA4 \xC3", "UTF-8", "<a \xC3\xA4 \xEF\xBF\xBD"), /* cut off */
    ROW(NULL, "<a> \xC3", "windows-1252", "<a> \xC3\x83"),
    ROW("utf-16le", "<\0a\0\x3D\xD8\x00\xDE", "UTF-16LE", "<a\xF0\x9F\x98\x80"),
    ROW("utf-16be", "\0<\xD8\x00\0a", "UTF-16BE",
        "<\xEF\xBF\xBD"
        "a"),                                                 /* half a pair */
    ROW("utf-8", "\xFF\xFE<\0", "UTF-16LE", "\xEF\xBB\xBF<"), /* the mark wins over the header */
    ROW("windows-1251", "\xEF\xBB\xBF\xD0\x9F", "UTF-8", "\xEF\xBB\xBF\xD0\x9F"),
    ROW("hz-gb-2312", "<a href=x>", "replacement", ""),
    ROW(NULL, "<meta charset=koi8-r>\xF0", "KOI8-R", "<meta charset=koi8-r>\xD0\x9F"),
    ROW("windows-1251", "<meta charset=koi8-r>\xCF", "windows-1251", "<meta charset=koi8-r>\xD0\x9F"),
    ROW("windows-1251", "", "windows-1251", ""),
    ROW(NULL, "", "none", ""),
#undef ROW
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_decodes(rows[i].header, rows[i].page, rows[i].size, rows[i].name, rows[i].wanted, rows[i].wanted_size);
}

CASE(what_a_page_says_of_itself)
{
  /* clang-format off */
  static const struct { const char *page, *name; } rows[] = {
    {"<meta charset=gbk>", "GBK"}, {"<META\nCharset = 'Big5' >", "Big5"}, {"<meta/charset=\"gbk\"/>", "GBK"},
    {"<meta http-equiv=Content-Type content='text/html; charset=euc-kr'>", "EUC-KR"},
    {"<meta content='text/html; charset=euc-kr' http-equiv=content-type>", "EUC-KR"},
    {"<meta content='text/html; charset=euc-kr'>", "none"},
    {"<meta http-equiv=refresh content='charset=gbk'>", "none"},
    {"<meta charset=utf-16>", "UTF-8"}, {"<meta charset=x-user-defined>", "windows-1252"},
    {"<meta charset=nonsense><meta charset=gbk>", "GBK"}, {"<meta charset=gbk charset=big5>", "GBK"},
    {"<metal charset=gbk>", "none"}, {"<!-- <meta charset=gbk> -->", "none"}, {"<!--><meta charset=gbk>", "GBK"},
    {"<!-- --><meta charset=gbk>", "GBK"}, {"<a title='<meta charset=gbk>'>", "none"},
    {"<a title=<meta charset=gbk>", "none"}, {"</p <meta charset=gbk>", "none"}, {"<? <meta charset=gbk>", "none"},
    {"<!doctype html><html><head><title>x</title><meta charset=gbk>", "GBK"}, {"a < b <meta charset=gbk>", "GBK"},
    {"<?xml version='1.0' encoding='koi8-r'?><html>", "KOI8-R"}, {"<?xml encoding = \"gbk\" ?>", "GBK"},
    {"<?xml encoding='koi8-r'?><meta charset=gbk>", "GBK"}, {"<?xml encoding=?>", "none"}, {"<?xml encoding", "none"},
    {"<meta charset", "none"}, {"<meta charset=", "none"}, {"<meta charset='gbk", "none"}, {"<meta", "none"},
    {"<", "none"}, {"<!--", "none"}, {"<!", "none"}, {"</", "none"},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t size = strlen(rows[i].page);
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, rows[i].page, size);
    const charset *c = prescan(copy, size);
    free(copy);
    if (strcmp(c ? charset_name(c) : "none", rows[i].name) != 0)
      fail_msg("%s: %s, not %s", rows[i].page, c ? charset_name(c) : "none", rows[i].name);
  }
}

/* A page that says nothing is held back no further than it is looked into. */
CASE(only_the_beginning_is_held_back)
{
  static result r;
  static char page[PRESCAN_MAX + 100];
  memset(page, 'x', sizeof page);
  memcpy(page + PRESCAN_MAX, "<meta charset=gbk>", 18); /* too late */
  r.size = 0;
  decoder *d = decoder_create(note, &r);
  decoder_begin(d, NULL);
  feed_copy(d, page, PRESCAN_MAX - 1);
  assert_int_equal(r.size, 0);
  feed_copy(d, page + PRESCAN_MAX - 1, 1);
  assert_int_equal(r.size, PRESCAN_MAX);
  feed_copy(d, page + PRESCAN_MAX, 100);
  assert_int_equal(r.size, sizeof page);
  decoder_finish(d);
  assert_memory_equal(r.text, page, sizeof page);
  assert_null(decoder_charset(d));
  decoder_free(d);
}

/* Any bytes at all, in any charset, in any pieces: an end, and always the same one. */
CASE(noise)
{
  static const char *const labels[] = {"gb18030",     "shift_jis", "euc-jp",       "big5",        "euc-kr",
                                       "iso-2022-jp", "utf-16le",  "windows-1255", "windows-1258"};
  static result whole, cut;
  uint32_t random = (uint32_t)random_seed_or(7);
  for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
    for (int round = 0; round < 20; round++) {
      char page[300];
      for (size_t k = 0; k < sizeof page; k++)
        page[k] = (char)((random = random * 1664525 + 1013904223) >> 24);
      decode(labels[i], page, sizeof page, 0, &whole);
      decode(labels[i], page, sizeof page, random % sizeof page, &cut);
      if (whole.size != cut.size || memcmp(whole.text, cut.text, cut.size) != 0)
        fail_msg("%s, round %d: not the same in two pieces", labels[i], round);
    }
}
