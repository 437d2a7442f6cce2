/* Punycode (RFC 3492, section 6): the code points of a label to letters, digits and '-', and back.
 *
 *     "b\u00FCcher"  <-->  "bcher-kva"      the ASCII ones, '-' if there are any, then the others as differences
 *
 * Reading takes only lower-case letters, as host names are in lower case. libidn2 has both functions, but no header of
 * Debian 12's declares them. */
#include "frontier/url/url_parts.h"

#include <string.h>

enum {
  BASE = 36,
  LEAST = 1,
  MOST = 26,
  SKEW = 38,
  DAMP = 700,
  FIRST_BIAS = 72,
  FIRST_CODE = 0x80,
  CODE_MAX = 0x10FFFF
};

typedef struct place {
  uint32_t code, delta, bias;
  bool is_first;
} place;

/* 6.1: how many digits the next difference may need. `count`: the code points so far, with the new one. */
static void adapt(place *at, uint32_t delta, size_t count)
{
  uint32_t k = 0;
  delta /= at->is_first ? DAMP : 2;
  delta += delta / (uint32_t)count;
  for (; delta > (BASE - LEAST) * MOST / 2; k += BASE)
    delta /= BASE - LEAST;
  at->bias = k + (BASE - LEAST + 1) * delta / (delta + SKEW);
  at->is_first = false;
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
  if (k <= bias + LEAST)
    return LEAST;
  return k >= bias + MOST ? MOST : k - bias;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* 6.3: a difference as digits, the last one under its threshold. NULL: no room. */
static char *write_delta(const place *at, char *out, const char *end)
{
  static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  uint32_t left = at->delta;
  for (uint32_t k = BASE; out < end; k += BASE) {
    uint32_t least = threshold(k, at->bias);
    if (left < least) {
      *out++ = digits[left];
      return out;
    }
    *out++ = digits[least + (left - least) % (BASE - least)];
    left = (left - least) / (BASE - least);
  }
  return NULL;
}

static uint32_t lowest_from(const uint32_t *codes, size_t size, uint32_t code)
{
  uint32_t lowest = UINT32_MAX;
  for (size_t i = 0; i < size; i++)
    if (codes[i] >= code && codes[i] < lowest)
      lowest = codes[i];
  return lowest;
}

char *url_punycode_write(const uint32_t *codes, size_t size, char *out, const char *end)
{
  place at = {.code = FIRST_CODE, .bias = FIRST_BIAS, .is_first = true};
  size_t done = 0;
  if (size >= (size_t)(end - out)) /* every code point takes a byte: so no difference outgrows 32 bits */
    return NULL;
  for (size_t i = 0; i < size; i++)
    if (codes[i] < FIRST_CODE) {
      *out++ = (char)codes[i];
      done++;
    }
  if (done > 0)
    *out++ = '-';
  while (done < size) {
    uint32_t code = lowest_from(codes, size, at.code);
    at.delta += (code - at.code) * (uint32_t)(done + 1);
    for (size_t i = 0; i < size; i++) {
      at.delta += codes[i] < code;
      if (codes[i] != code)
        continue;
      out = write_delta(&at, out, end);
      if (!out)
        return NULL;
      adapt(&at, at.delta, ++done);
      at.delta = 0;
    }
    at.delta++;
    at.code = code + 1;
  }
  return out;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* BASE: not a digit. */
static uint32_t digit_value(uint32_t code)
{
  if (code >= 'a' && code <= 'z')
    return code - 'a';
  return code >= '0' && code <= '9' ? code - '0' + 26 : BASE;
}

/* 6.2: one difference; steps behind it. False if it is cut off, holds what is no digit, or is too large. */
static bool read_delta(const uint32_t **text, const uint32_t *end, const place *at, uint32_t *delta)
{
  uint64_t sum = 0, weight = 1;
  for (uint32_t k = BASE; *text < end; k += BASE) {
    uint32_t digit = digit_value(*(*text)++), least = threshold(k, at->bias);
    sum += digit * weight;
    if (digit == BASE || sum > UINT32_MAX)
      return false;
    *delta = (uint32_t)sum;
    if (digit < least)
      return true;
    weight *= BASE - least;
    if (weight > UINT32_MAX)
      return false;
  }
  return false;
}

bool url_punycode_read(const uint32_t *text, size_t size, uint32_t *codes, size_t *codes_size)
{
  place at = {.code = FIRST_CODE, .bias = FIRST_BIAS, .is_first = true};
  const uint32_t *end = text + size;
  size_t count = size > 0 ? size - 1 : 0, room = *codes_size, insert = 0;
  while (count > 0 && text[count] != '-')
    count--;
  if (count > room)
    return false;
  memcpy(codes, text, count * sizeof *codes);
  text += count > 0 ? count + 1 : 0; /* a '-' with nothing before it ends nothing, and is no digit */
  while (text < end) {
    uint32_t delta;
    if (count == room || !read_delta(&text, end, &at, &delta))
      return false;
    uint64_t sum = insert + (uint64_t)delta;
    count++;
    adapt(&at, delta, count);
    if (sum / count > CODE_MAX - at.code)
      return false;
    at.code += (uint32_t)(sum / count);
    insert = (size_t)(sum % count);
    memmove(codes + insert + 1, codes + insert, (count - insert - 1) * sizeof *codes);
    codes[insert++] = at.code;
  }
  *codes_size = count;
  return true;
}
