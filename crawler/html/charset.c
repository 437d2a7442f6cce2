/* See charset.h. One row a charset: its name and labels (https://encoding.spec.whatwg.org/#names-and-labels), and
 * iconv's name for the encoding that the standard means. iconv's encoding with the label's name is seldom the right
 * one: the standard reads pages labelled latin1, gb2312 or ks_c_5601-1987 in the matching Windows code page. */
#include "crawler/html/charset.h"

#include "crawler/base/chars.h"
#include "crawler/base/utf8.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { UTF8 = 1, UTF16 = 2, OPAQUE = 4, C1 = 8, STATES = 16 };

struct charset {
  const char *name;
  unsigned traits;
  const char *from; /* of iconv: reading */
  const char *to;   /* writing queries */
  const char *labels;
};

static const charset charsets[] = {
  {"UTF-8", UTF8, "UTF-8", "UTF-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"},
  {"windows-1252", C1, "CP1252", "CP1252",
   "windows-1252 iso-8859-1 latin1 us-ascii ascii cp1252 x-cp1252 l1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 "
   "iso-ir-100 ansi_x3.4-1968 cp819 csisolatin1 ibm819"},
  {"windows-1251", C1, "CP1251", "CP1251", "windows-1251 cp1251 x-cp1251"},
  {"windows-1250", C1, "CP1250", "CP1250", "windows-1250 cp1250 x-cp1250"},
  {"Shift_JIS", 0, "CP932", "CP932", "shift_jis shift-jis sjis x-sjis windows-31j ms932 ms_kanji csshiftjis"},
  {"GBK", 0, "GB18030", "GBK", "gbk gb2312 x-gbk chinese csgb2312 csiso58gb231280 gb_2312 gb_2312-80 iso-ir-58"},
  {"gb18030", 0, "GB18030", "GB18030", "gb18030"},
  {"EUC-JP", 0, "EUC-JP-MS", "EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese"},
  {"EUC-KR", 0, "CP949", "CP949",
   "euc-kr windows-949 ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean cseuckr csksc56011987 iso-ir-149"},
  {"Big5", 0, "BIG5-HKSCS", "CP950", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
  {"ISO-2022-JP", STATES, "ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp"},
  {"KOI8-R", 0, "KOI8-R", "KOI8-R", "koi8-r koi8 koi koi8_r cskoi8r"},
  {"KOI8-U", 0, "KOI8-U", "KOI8-U", "koi8-u koi8-ru"},
  {"IBM866", 0, "CP866", "CP866", "ibm866 cp866 866 csibm866"},
  {"ISO-8859-2", 0, "ISO-8859-2", "ISO-8859-2",
   "iso-8859-2 latin2 l2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 csisolatin2"},
  {"ISO-8859-3", 0, "ISO-8859-3", "ISO-8859-3",
   "iso-8859-3 latin3 l3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 csisolatin3"},
  {"ISO-8859-4", 0, "ISO-8859-4", "ISO-8859-4",
   "iso-8859-4 latin4 l4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 csisolatin4"},
  {"ISO-8859-5", 0, "ISO-8859-5", "ISO-8859-5",
   "iso-8859-5 cyrillic iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 csisolatincyrillic"},
  {"ISO-8859-6", 0, "ISO-8859-6", "ISO-8859-6",
   "iso-8859-6 arabic iso-8859-6-e iso-8859-6-i iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 asmo-708 "
   "ecma-114 csisolatinarabic csiso88596e csiso88596i"},
  {"ISO-8859-7", 0, "ISO-8859-7", "ISO-8859-7",
   "iso-8859-7 greek greek8 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 ecma-118 elot_928 sun_eu_greek "
   "csisolatingreek"},
  {"ISO-8859-8", 0, "ISO-8859-8", "ISO-8859-8",
   "iso-8859-8 hebrew visual iso-8859-8-e iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 csiso88598e "
   "csisolatinhebrew"},
  {"ISO-8859-8-I", 0, "ISO-8859-8", "ISO-8859-8", "iso-8859-8-i logical csiso88598i"},
  {"ISO-8859-10", 0, "ISO-8859-10", "ISO-8859-10", "iso-8859-10 latin6 l6 iso8859-10 iso885910 iso-ir-157 csisolatin6"},
  {"ISO-8859-13", 0, "ISO-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13 iso885913"},
  {"ISO-8859-14", 0, "ISO-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14 iso885914"},
  {"ISO-8859-15", 0, "ISO-8859-15", "ISO-8859-15", "iso-8859-15 l9 iso8859-15 iso885915 iso_8859-15 csisolatin9"},
  {"ISO-8859-16", 0, "ISO-8859-16", "ISO-8859-16", "iso-8859-16"},
  {"windows-874", C1, "CP874", "CP874", "windows-874 tis-620 iso-8859-11 iso8859-11 iso885911 dos-874"},
  {"windows-1253", C1, "CP1253", "CP1253", "windows-1253 cp1253 x-cp1253"},
  {"windows-1254", C1, "CP1254", "CP1254",
   "windows-1254 iso-8859-9 latin5 l5 cp1254 x-cp1254 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 "
   "csisolatin5"},
  {"windows-1255", C1, "CP1255", "CP1255", "windows-1255 cp1255 x-cp1255"},
  {"windows-1256", C1, "CP1256", "CP1256", "windows-1256 cp1256 x-cp1256"},
  {"windows-1257", C1, "CP1257", "CP1257", "windows-1257 cp1257 x-cp1257"},
  {"windows-1258", C1, "CP1258", "CP1258", "windows-1258 cp1258 x-cp1258"},
  {"macintosh", 0, "MACINTOSH", "MACINTOSH", "macintosh mac x-mac-roman csmacintosh"},
  {"x-mac-cyrillic", 0, "MAC-UK", "MAC-UK", "x-mac-cyrillic x-mac-ukrainian"},
  {"UTF-16LE", UTF16, "UTF-16LE", "UTF-8", "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff"},
  {"UTF-16BE", UTF16, "UTF-16BE", "UTF-8", "utf-16be unicodefffe"},
  {"replacement", OPAQUE, "", "", "replacement hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr csiso2022kr"},
};

const char *charset_name(const charset *c)
{
  return c->name;
}

bool charset_is_utf8(const charset *c)
{
  return c->traits & UTF8;
}

bool charset_is_utf16(const charset *c)
{
  return c->traits & UTF16;
}

bool charset_is_opaque(const charset *c)
{
  return c->traits & OPAQUE;
}

bool charset_has_ascii(const charset *c)
{
  return !(c->traits & (UTF16 | OPAQUE | STATES));
}

bool charset_has_c1(const charset *c)
{
  return c->traits & C1;
}

static bool open_conversion(const char *to, const char *from, iconv_t *conversion)
{
  iconv_t opened = iconv_open(to, from);
  if (opened == (iconv_t)-1) // NOLINT(performance-no-int-to-ptr): POSIX has it so
    return false;
  *conversion = opened;
  return true;
}

bool charset_open(const charset *c, iconv_t *conversion)
{
  return open_conversion("UTF-8", c->from, conversion);
}

size_t charset_convert(iconv_t conversion, const char **in, size_t *left, char **out, size_t *room)
{
  union {
    const char *read;
    char *typed;
  } at = {.read = *in};
  size_t result = iconv(conversion, &at.typed, left, out, room);
  *in = at.read;
  return result;
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

static bool has_label(const char *labels, const char *label, size_t size)
{
  for (const char *at = labels; *at;) {
    size_t word = strcspn(at, " ");
    if (word == size && strncasecmp(at, label, size) == 0)
      return true;
    at += word + (at[word] == ' ');
  }
  return false;
}

const charset *charset_of_label(const char *label, size_t size)
{
  while (size && is_space(*label))
    label++, size--;
  while (size && is_space(label[size - 1]))
    size--;
  if (!size)
    return NULL; /* as most headers say none */
  for (size_t i = 0; i < sizeof charsets / sizeof *charsets; i++)
    if (has_label(charsets[i].labels, label, size))
      return &charsets[i];
  bool is_user_defined = size == strlen("x-user-defined") && strncasecmp(label, "x-user-defined", size) == 0;
  return is_user_defined ? charset_of_label("windows-1252", strlen("windows-1252")) : NULL;
}

const charset *charset_of_meta(const charset *said)
{
  return said && charset_is_utf16(said) ? &charsets[0] : said;
}

const charset *charset_of_bom(const char *bytes, size_t size)
{
  if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
    return &charsets[0];
  if (size >= 2 && memcmp(bytes, "\xFF\xFE", 2) == 0)
    return charset_of_label("utf-16le", 8);
  if (size >= 2 && memcmp(bytes, "\xFE\xFF", 2) == 0)
    return charset_of_label("utf-16be", 8);
  return NULL;
}

/* What stands behind "charset=", perhaps in quotes. */
static const charset *charset_of_value(const char *at, const char *end)
{
  char quote = at < end && (*at == '"' || *at == '\'') ? *at++ : '\0';
  const char *begin = at;
  if (quote) {
    const char *close = memchr(begin, quote, (size_t)(end - begin));
    return close ? charset_of_label(begin, (size_t)(close - begin)) : NULL;
  }
  while (at < end && !is_space(*at) && *at != ';')
    at++;
  return charset_of_label(begin, (size_t)(at - begin));
}

/* The standard's "extracting a character encoding from a meta element". */
const charset *charset_of_content(const char *content, size_t size)
{
  static const char word[] = "charset";
  const char *at = content, *end = content + size;
  while ((size_t)(end - at) >= sizeof word - 1) {
    if (strncasecmp(at, word, sizeof word - 1) != 0) {
      at++;
      continue;
    }
    at += sizeof word - 1;
    while (at < end && is_space(*at))
      at++;
    if (at == end || *at != '=')
      continue;
    at++;
    while (at < end && is_space(*at))
      at++;
    return charset_of_value(at, end);
  }
  return NULL;
}

/* ---- queries --------------------------------------------------------------------------------------------- */

typedef struct writer {
  char *at, *end;
  bool is_full;
} writer;

static void put(writer *out, const char *bytes, size_t size)
{
  if ((size_t)(out->end - out->at) < size) {
    out->is_full = true;
    return;
  }
  memcpy(out->at, bytes, size);
  out->at += size;
}

/* A byte of the query in the page's charset: the standard's special-query percent-encode set. */
static void put_escaped(writer *out, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    uint8_t byte = (uint8_t)bytes[i];
    char escape[4];
    bool is_plain = byte > 0x20 && byte < 0x7F && !strchr("\"#<>'", byte);
    if (!is_plain)
      snprintf(escape, sizeof escape, "%%%02X", byte);
    put(out, is_plain ? bytes + i : escape, is_plain ? 1 : 3);
  }
}

/* What iconv has to say: about `size` bytes, or, with NULL, about the end of a run. */
static bool convert(iconv_t conversion, const char *bytes, size_t size, writer *out)
{
  char page[32], *to = page;
  size_t room = sizeof page;
  bool good = (bytes ? charset_convert(conversion, &bytes, &size, &to, &room)
                     : iconv(conversion, NULL, NULL, &to, &room)) != (size_t)-1;
  put_escaped(out, page, (size_t)(to - page));
  return good;
}

/* A character the charset has not: &#N; escaped. */
static void put_reference(writer *out, uint32_t number)
{
  char reference[32];
  int size = snprintf(reference, sizeof reference, "%%26%%23%u%%3B", number);
  put(out, reference, (size_t)size);
}

/* A run of characters that are not ASCII; where it ended. A byte that is no UTF-8 stays as it is. */
static const char *escape_run(iconv_t conversion, const char *at, const char *end, writer *out)
{
  while (at < end && (uint8_t)*at >= 0x80) {
    bool is_good;
    size_t size = utf8_character(at, end, &is_good);
    size = size && is_good ? size : 0;
    if (!size)
      put(out, at, 1);
    else if (!convert(conversion, at, size, out))
      put_reference(out, utf8_code(at, size));
    at += size ? size : 1;
  }
  convert(conversion, NULL, 0, out); /* a charset with states goes back to its first */
  return at;
}

static bool is_ascii(const char *at, const char *end)
{
  while (at < end && (uint8_t)*at < 0x80)
    at++;
  return at == end;
}

size_t charset_escape_query(const charset *c, const char *href, size_t size, char *out, size_t room)
{
  const char *hash = memchr(href, '#', size);
  const char *end = hash ? hash : href + size, *at = memchr(href, '?', (size_t)(end - href));
  if (!at || c->traits & (UTF8 | UTF16 | OPAQUE) || is_ascii(at, end))
    return 0;
  iconv_t conversion;
  if (!open_conversion(c->to, "UTF-8", &conversion))
    return 0;
  writer w = {.at = out, .end = out + room};
  put(&w, href, (size_t)(at - href));
  while (at < end) {
    const char *plain = at;
    while (at < end && (uint8_t)*at < 0x80)
      at++;
    put(&w, plain, (size_t)(at - plain));
    at = escape_run(conversion, at, end, &w);
  }
  put(&w, end, (size_t)(href + size - end));
  iconv_close(conversion);
  return w.is_full ? 0 : (size_t)(w.at - out);
}
