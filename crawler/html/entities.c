/* Character references. The names are 2,125 sorted rows in one string (22 KB), walked as if they were a trie:
 * every byte of the input narrows the range of rows that still agree with it, by binary search. */
#include "crawler/html/entities.h"

#include "crawler/base/chars.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* One string of 22 KB is the compact form; C promises only 4,095 bytes, gcc and clang any number. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
#include "crawler/html/entities_table.h"
#pragma GCC diagnostic pop

static bool is_alphanumeric(char c)
{
  return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_mark(char c)
{
  return c == ';' || c == '&';
}

/* Byte i of row `row`'s name; 0 where the name has ended, so that a name sorts before its extensions. */
static unsigned char name_byte(unsigned row, size_t i)
{
  char c = entity_rows[entity_begin[row] + i];
  return is_mark(c) ? 0 : (unsigned char)c;
}

/* The first of rows [low, high), which agree up to byte i, whose byte i is not below `c`. */
static unsigned first_not_below(unsigned low, unsigned high, size_t i, unsigned c)
{
  while (low < high) {
    unsigned middle = low + (high - low) / 2;
    if (name_byte(middle, i) < c)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Nine of ten references; each is the longest match where it stands. */
static size_t read_common(const char *text, size_t size, char *utf8, size_t *utf8_size)
{
  static const struct {
    unsigned char size, utf8_size;
    char name[6], utf8[3];
  } common[] = {
    {5, 2, "nbsp;", "\xC2\xA0"}, {3, 1, "lt;", "<"}, {3, 1, "gt;", ">"}, {4, 1, "amp;", "&"}, {5, 1, "quot;", "\""}};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    if (size >= common[i].size && memcmp(text, common[i].name, common[i].size) == 0) {
      *utf8_size = common[i].utf8_size;
      memcpy(utf8, common[i].utf8, *utf8_size);
      return common[i].size;
    }
  return 0;
}

/* Longest match: a name with its semicolon ends the search, one that may do without is remembered on the way. */
static size_t read_name(const char *text, size_t size, char *utf8, size_t *utf8_size)
{
  unsigned low = 0, high = ENTITY_COUNT, found = ENTITY_COUNT;
  size_t name_size = 0;
  bool has_semicolon = false;
  for (size_t i = 0; low < high; i++) {
    if (i > 0 && name_byte(low, i) == 0) {
      has_semicolon = i < size && text[i] == ';';
      if (has_semicolon || entity_rows[entity_begin[low] + i] == '&') {
        found = low;
        name_size = i;
      }
    }
    if (i == size || !is_alphanumeric(text[i]))
      break;
    low = first_not_below(low, high, i, (unsigned char)text[i]);
    high = first_not_below(low, high, i, (unsigned char)text[i] + 1U);
  }
  if (found == ENTITY_COUNT)
    return 0;
  if (!has_semicolon && name_size < size && (text[name_size] == '=' || is_alphanumeric(text[name_size])))
    return 0;
  size_t begin = entity_begin[found] + name_size + 1;
  *utf8_size = entity_begin[found + 1] - begin;
  memcpy(utf8, entity_rows + begin, *utf8_size);
  return name_size + has_semicolon;
}

static size_t write_utf8(uint32_t c, char *out)
{
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; i--, c >>= 6)
    out[i] = (char)(0x80 | (c & 0x3F));
  out[0] = (char)((0xF00U >> size) | c); /* 110xxxxx, 1110xxxx, 11110xxx */
  return size;
}

/* What pages mean by &#128; to &#159;: windows-1252, by the table of section 13.2.5.80. 0 = as it is. */
static const uint16_t windows_1252[32] = {
  0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
  0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
  0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static uint32_t replace_invalid(uint32_t c)
{
  if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
    return 0xFFFD;
  if (c >= 0x80 && c <= 0x9F && windows_1252[c - 0x80])
    return windows_1252[c - 0x80];
  return c;
}

static int digit_value(char c, unsigned base)
{
  if (is_digit(c))
    return c - '0';
  char lower = (char)(c | 32);
  return base == 16 && lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* "#65;", "#x41"; here the semicolon may always be missing. */
static size_t read_number(const char *text, size_t size, char *utf8, size_t *utf8_size)
{
  bool is_hex = size > 1 && (text[1] | 32) == 'x';
  unsigned base = is_hex ? 16 : 10;
  size_t begin = is_hex ? 2 : 1, at = begin;
  uint32_t value = 0;
  for (int digit; at < size && (digit = digit_value(text[at], base)) >= 0; at++)
    if (value <= 0x10FFFF) /* beyond, only the fact matters */
      value = value * base + (unsigned)digit;
  if (at == begin)
    return 0;
  *utf8_size = write_utf8(replace_invalid(value), utf8);
  return at < size && text[at] == ';' ? at + 1 : at;
}

size_t entity_read(const char *text, size_t size, char utf8[ENTITY_UTF8_MAX], size_t *utf8_size)
{
  if (size > 0 && text[0] == '#')
    return read_number(text, size, utf8, utf8_size);
  size_t read = read_common(text, size, utf8, utf8_size);
  return read ? read : read_name(text, size, utf8, utf8_size);
}
