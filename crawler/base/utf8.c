/* See utf8.h. */
#include "crawler/base/utf8.h"

#include <assert.h>
#include <string.h>

size_t utf8_sequence(const char *text)
{
  const unsigned char *at = (const unsigned char *)text;
  static const struct {
    unsigned char first_low, first_high, second_low, second_high;
    size_t size;
  } forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (at[0] < forms[i].first_low || at[0] > forms[i].first_high)
      continue;
    if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
      return 0;
    for (size_t more = 2; more < forms[i].size; more++)
      if ((at[more] & 0xC0) != 0x80)
        return 0;
    return forms[i].size;
  }
  return 0;
}

size_t utf8_character(const char *at, const char *end, bool *is_good)
{
  unsigned char lead = (unsigned char)*at, low = 0x80, high = 0xBF;
  size_t size = lead < 0x80 ? 1 : lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, seen = 1;
  assert(at < end);
  *is_good = size > 0;
  if (!size)
    return 1;
  low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : low;
  high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : high;
  for (; seen < size && at + seen < end; seen++, low = 0x80, high = 0xBF)
    if ((unsigned char)at[seen] < low || (unsigned char)at[seen] > high) {
      *is_good = false;
      return seen;
    }
  return seen < size ? 0 : size;
}

const char *utf8_skip_ascii(const char *at, const char *end)
{
  enum { WORD = 8, BLOCK = 4 * WORD };
  static const uint64_t high = UINT64_C(0x8080808080808080);
  for (uint64_t a, b, c, d; end - at >= BLOCK; at += BLOCK) {
    memcpy(&a, at, WORD);
    memcpy(&b, at + WORD, WORD);
    memcpy(&c, at + 2 * WORD, WORD);
    memcpy(&d, at + 3 * WORD, WORD);
    if ((a | b | c | d) & high)
      break;
  }
  for (uint64_t word; end - at >= WORD; at += WORD) {
    memcpy(&word, at, WORD);
    if (word & high)
      break;
  }
  while (at < end && (unsigned char)*at < 0x80)
    at++;
  return at;
}

uint32_t utf8_code(const char *text, size_t size)
{
  const unsigned char *at = (const unsigned char *)text;
  uint32_t code = at[0] & (0x7Fu >> size);
  for (size_t i = 1; i < size; i++)
    code = code << 6 | (at[i] & 0x3Fu);
  return code;
}

bool utf8_is_control(uint32_t code)
{
  if (code < 0x61C)
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
  return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}
