/* crawler/html/charset.c: labels by the Encoding Standard, and queries as a page in a charset means them. */
#include "crawler/html/charset.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const charset *c)
{
  return c ? charset_name(c) : "none";
}

CASE(labels)
{
  /* clang-format off */
  static const struct { const char *label, *name; } rows[] = {
    {"utf-8", "UTF-8"}, {"UTF8", "UTF-8"}, {" utf-8\t\n", "UTF-8"}, {"unicode-1-1-utf-8", "UTF-8"},
    {"latin1", "windows-1252"}, {"ISO-8859-1", "windows-1252"}, {"ascii", "windows-1252"},
    {"iso-8859-9", "windows-1254"}, {"tis-620", "windows-874"}, {"x-user-defined", "windows-1252"},
    {"gb2312", "GBK"}, {"gb18030", "gb18030"}, {"big5-hkscs", "Big5"}, {"x-sjis", "Shift_JIS"},
    {"ks_c_5601-1987", "EUC-KR"}, {"koi8-ru", "KOI8-U"}, {"logical", "ISO-8859-8-I"}, {"866", "IBM866"},
    {"utf-16", "UTF-16LE"}, {"unicodefffe", "UTF-16BE"}, {"hz-gb-2312", "replacement"}, {"iso-2022-kr", "replacement"},
    {"", "none"}, {" ", "none"}, {"utf", "none"}, {"utf-8x", "none"}, {"utf-7", "none"}, {"utf-32", "none"},
    {"latin1 l1", "none"}, {"windows 1252", "none"}, {"iso-8859-12", "none"},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *name = name_of(charset_of_label(rows[i].label, strlen(rows[i].label)));
    if (strcmp(name, rows[i].name) != 0)
      fail_msg("label \"%s\": %s, not %s", rows[i].label, name, rows[i].name);
  }
  assert_null(charset_of_label("utf-8\0", 6));
}

CASE(contents)
{
  /* clang-format off */
  static const struct { const char *content, *name; } rows[] = {
    {"text/html; charset=windows-1251", "windows-1251"}, {"text/html;CHARSET = \"koi8-r\"", "KOI8-R"},
    {"text/html; charset='big5'; x=y", "Big5"}, {"charset=gbk;x", "GBK"}, {"text/html", "none"},
    {"text/html; charset", "none"}, {"text/html; charset=", "none"}, {"text/html; charset=\"big5", "none"},
    {"charsets charset=big5", "Big5"}, {"text/html; charset=klingon", "none"},
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *name = name_of(charset_of_content(rows[i].content, strlen(rows[i].content)));
    if (strcmp(name, rows[i].name) != 0)
      fail_msg("\"%s\": %s, not %s", rows[i].content, name, rows[i].name);
  }
}

CASE(byte_order_marks)
{
  assert_string_equal(name_of(charset_of_bom("\xEF\xBB\xBF", 3)), "UTF-8");
  assert_string_equal(name_of(charset_of_bom("\xFF\xFE", 2)), "UTF-16LE");
  assert_string_equal(name_of(charset_of_bom("\xFE\xFF<", 3)), "UTF-16BE");
  assert_string_equal(name_of(charset_of_bom("\xEF\xBB", 2)), "none");
  assert_string_equal(name_of(charset_of_bom("", 0)), "none");
}

/* Every charset of the table is one that iconv has: else its pages would silently be read as something else. */
CASE(every_charset_can_be_read)
{
  static const char *const names[] = {
    "utf-8",          "windows-1252", "windows-1251", "windows-1250", "shift_jis",    "gbk",          "gb18030",
    "euc-jp",         "euc-kr",       "big5",         "iso-2022-jp",  "koi8-r",       "koi8-u",       "ibm866",
    "iso-8859-2",     "iso-8859-3",   "iso-8859-4",   "iso-8859-5",   "iso-8859-6",   "iso-8859-7",   "iso-8859-8",
    "iso-8859-8-i",   "iso-8859-10",  "iso-8859-13",  "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "windows-874",
    "windows-1253",   "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "macintosh",
    "x-mac-cyrillic", "utf-16le",     "utf-16be"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const charset *c = charset_of_label(names[i], strlen(names[i]));
    assert_non_null(c);
    iconv_t conversion;
    if (!charset_open(c, &conversion))
      fail_msg("iconv has no %s", names[i]);
    iconv_close(conversion);
  }
}

/* The escapes are what browsers send: the percent-encoding tests of web-platform-tests, and more of their kind. */
CASE(queries)
{
  static const struct {
    const char *label, *href, *wanted;
  } rows[] = {
    {"windows-1252", "/\xC3\xA9?q=\xC3\xA9", "/\xC3\xA9?q=%E9"},
    {"windows-1252", "?\xE2\x82\xAC", "?%80"},
    {"windows-1252", "?a\xE2\x98\xBA\xC3\xA4z", "?a%26%239786%3B%E4z"},
    {"windows-1251", "?q=\xD0\x9F\xD0\xB8&r=1#\xD0\x9F", "?q=%CF%E8&r=1#\xD0\x9F"},
    {"koi8-r", "a?\xD0\x9F", "a?%F0"},
    {"shift_jis", "?\xE3\x83\x86\xE3\x82\xB9\xE3\x83\x88", "?%83e%83X%83g"}, /* trail bytes that are letters stay */
    {"euc-jp", "?\xE3\x83\x86", "?%A5%C6"},
    {"iso-2022-jp", "?\xE3\x83\x86x", "?%1B$B%F%1B(Bx"},
    {"gbk", "?\xE4\xB8\xAD\xE6\x96\x87", "?%D6%D0%CE%C4"},
    {"gb18030", "?\xE2\x82\xAC\xF0\x9F\x98\x80", "?%A2%E3%949%FC6"}, /* a character of four bytes, two of them digits */
    {"big5", "?\xE4\xB8\xAD", "?%A4%A4"},
    {"euc-kr", "?\xED\x95\x9C", "?%C7%D1"},
    {"windows-1252", "?\xFF\xC3", "?\xFF\xC3"}, /* not UTF-8: the resolver's to judge */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char out[256];
    const charset *c = charset_of_label(rows[i].label, strlen(rows[i].label));
    size_t size = charset_escape_query(c, rows[i].href, strlen(rows[i].href), out, sizeof out);
    if (size != strlen(rows[i].wanted) || memcmp(out, rows[i].wanted, size) != 0)
      fail_msg("%s, %s: %.*s, not %s", rows[i].label, rows[i].href, (int)size, out, rows[i].wanted);
  }
}

CASE(most_links_need_no_escaping)
{
  static const struct {
    const char *label, *href;
  } rows[] = {
    {"windows-1251", "/plain?q=1"},    {"windows-1251", "/\xD0\x9F"}, {"windows-1251", "/a#?\xD0\x9F"},
    {"windows-1251", "/a?b#\xD0\x9F"}, {"utf-8", "?\xD0\x9F"},        {"utf-16", "?\xD0\x9F"},
    {"hz-gb-2312", "?\xD0\x9F"},       {"windows-1251", ""},
  };
  char out[64];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(charset_escape_query(charset_of_label(rows[i].label, strlen(rows[i].label)), rows[i].href,
                                          strlen(rows[i].href), out, sizeof out),
                     0);
}

CASE(no_byte_past_the_room)
{
  const char href[] = "?\xE2\x98\xBA\xD0\x9F";
  const charset *c = charset_of_label("windows-1251", 12);
  char out[32];
  size_t whole = charset_escape_query(c, href, sizeof href - 1, out, sizeof out);
  assert_int_equal(whole, strlen("?%26%239786%3B%CF"));
  for (size_t room = 0; room < whole; room++) {
    memset(out, '!', sizeof out);
    assert_int_equal(charset_escape_query(c, href, sizeof href - 1, out, room), 0);
    for (size_t i = room; i < sizeof out; i++)
      assert_int_equal(out[i], '!');
  }
}
