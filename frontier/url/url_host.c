/* One host, one spelling (WHATWG URL, section 3.5): percent-decoding, IDNA, IPv4 numbers, IPv6.
 *
 * Names in plain ASCII skip url_idna.c, even those with "xn--" labels: browsers send them as they stand, and there is
 * nothing to fold but case. */
#include "frontier/url/url_marks.h"
#include "frontier/url/url_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- IPv4 ------------------------------------------------------------------------------------ */

/* One part of an IPv4 address: decimal, 0octal or 0xhex; "0x" alone is zero. False if it is not a number.
 * Values too large for any address stick at UINT32_MAX + 1. */
static bool ipv4_number(const char *text, size_t size, uint64_t *value)
{
  unsigned radix = 10;
  if (size == 0)
    return false;
  if (size >= 2 && text[0] == '0' && text[1] == 'x') {
    radix = 16;
    text += 2;
    size -= 2;
  } else if (size >= 2 && text[0] == '0') {
    radix = 8;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (!url_is_hex(byte) || url_hex_value(byte) >= radix)
      return false;
    sum = sum * radix + url_hex_value(byte);
    if (sum > UINT32_MAX)
      sum = (uint64_t)UINT32_MAX + 1;
  }
  *value = sum;
  return true;
}

/* The last label, a trailing dot aside, decides: a number there makes the whole an address or an error. */
static bool ends_in_number(const char *host, size_t size)
{
  if (size > 0 && host[size - 1] == '.')
    size--;
  size_t begin = size;
  while (begin > 0 && host[begin - 1] != '.')
    begin--;
  size_t digits = begin;
  while (digits < size && host[digits] >= '0' && host[digits] <= '9')
    digits++;
  uint64_t value;
  return size > begin && (digits == size || ipv4_number(host + begin, size - begin, &value));
}

/* "0x7f.1" -> 127.0.0.1: up to four parts, the last one fills the bytes that are left. */
static bool ipv4_parse(const char *host, size_t size, uint32_t *address)
{
  uint64_t part[4];
  size_t count = 0;
  if (host[size - 1] == '.')
    size--;
  for (size_t begin = 0; begin <= size;) {
    size_t end = begin;
    while (end < size && host[end] != '.')
      end++;
    if (count == 4 || !ipv4_number(host + begin, end - begin, &part[count++]))
      return false;
    begin = end + 1;
  }
  uint64_t sum = part[count - 1];
  if (sum >= (uint64_t)1 << 8 * (5 - count))
    return false;
  for (size_t i = 0; i + 1 < count; i++) {
    if (part[i] > 255)
      return false;
    sum += part[i] << 8 * (3 - i);
  }
  *address = (uint32_t)sum;
  return true;
}

static size_t ipv4_write(uint32_t address, char *out)
{
  char *end = out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    unsigned byte = address >> shift & 255;
    if (byte >= 100)
      *end++ = (char)('0' + byte / 100);
    if (byte >= 10)
      *end++ = (char)('0' + byte / 10 % 10);
    *end++ = (char)('0' + byte % 10);
    *end++ = '.';
  }
  return (size_t)(end - 1 - out);
}

/* ---- IPv6 ------------------------------------------------------------------------------------ */

/* The dotted tail of an IPv6 address: four decimal bytes without leading zeros, nothing after. */
static bool ipv6_read_dotted(const char *text, const char *end, uint16_t piece[2])
{
  unsigned byte[4];
  for (int i = 0; i < 4; i++) {
    if (i > 0 && (text == end || *text++ != '.'))
      return false;
    const char *first = text;
    for (byte[i] = 0; text < end && *text >= '0' && *text <= '9' && byte[i] < 256; text++)
      byte[i] = byte[i] * 10 + (unsigned)(*text - '0');
    if (text == first || byte[i] > 255 || (text - first > 1 && *first == '0'))
      return false;
  }
  piece[0] = (uint16_t)(byte[0] << 8 | byte[1]);
  piece[1] = (uint16_t)(byte[2] << 8 | byte[3]);
  return text == end;
}

static const char *read_hex4(const char *text, const char *end, uint16_t *value)
{
  const char *limit = end - text > 4 ? text + 4 : end;
  for (*value = 0; text < limit && url_is_hex((unsigned char)*text); text++)
    *value = (uint16_t)(*value << 4 | url_hex_value((unsigned char)*text));
  return text;
}

/* Put the pieces written after "::" at the end, zeros between. */
static void ipv6_expand(uint16_t piece[8], int count, int gap)
{
  int tail = count - gap;
  for (int i = 0; i < tail; i++) {
    piece[7 - i] = piece[count - 1 - i];
    if (count - 1 - i < 8 - tail)
      piece[count - 1 - i] = 0;
  }
}

/* The text between the brackets. */
static bool ipv6_parse(const char *text, const char *end, uint16_t piece[8])
{
  int count = 0, gap = -1;
  memset(piece, 0, 8 * sizeof piece[0]);
  if (end - text >= 2 && text[0] == ':' && text[1] == ':') {
    gap = 0;
    text += 2;
  }
  while (text < end) {
    if (count == 8)
      return false;
    const char *next = read_hex4(text, end, &piece[count]);
    if (next < end && *next == '.') {
      if (count > 6 || !ipv6_read_dotted(text, end, &piece[count]))
        return false;
      count += 2;
      break;
    }
    if (next == text)
      return false;
    count++;
    text = next;
    if (text == end)
      break;
    if (*text++ != ':' || text == end)
      return false;
    if (*text == ':') {
      if (gap >= 0)
        return false;
      gap = count;
      text++;
    }
  }
  if (gap < 0)
    return count == 8;
  if (count == 8)
    return false;
  ipv6_expand(piece, count, gap);
  return true;
}

/* RFC 5952: lower case, no leading zeros, the first longest run of two or more zeros as "::". */
static size_t ipv6_write(const uint16_t piece[8], char *out)
{
  int best = -1, best_size = 1;
  for (int i = 0; i < 8; i++) {
    int zeros = 0;
    while (i + zeros < 8 && piece[i + zeros] == 0)
      zeros++;
    if (zeros > best_size) {
      best = i;
      best_size = zeros;
    }
    i += zeros;
  }
  char *end = out;
  *end++ = '[';
  for (int i = 0; i < 8; i++) {
    if (i == best) {
      *end++ = ':';
      *end++ = ':';
      i += best_size - 1;
      continue;
    }
    if (i > 0 && end[-1] != ':')
      *end++ = ':';
    end += sprintf(end, "%x", piece[i]);
  }
  *end++ = ']';
  return (size_t)(end - out);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* %-escapes to bytes, letters to lower case; a '%' that begins no escape stays, to be refused. `*is_name`: it is all
 * ASCII that may be in a host. */
static size_t percent_decode(const char *text, size_t size, char *out, bool *is_ascii, bool *is_name)
{
  size_t written = 0;
  unsigned char all = 0, places = URL_IN_HOST;
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte == '%' && url_is_escape(text + i, size - i)) {
      byte = url_escape_value(text + i);
      i += 2;
    }
    byte |= byte >= 'A' && byte <= 'Z' ? 0x20 : 0;
    all |= byte;
    places &= url_places[byte];
    out[written++] = (char)byte;
  }
  *is_ascii = all < 0x80;
  *is_name = places & URL_IN_HOST;
  return written;
}

static bool has_control(const char *name, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
      return true;
  return false;
}

static bool may_be_host(const char *name, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (!(url_places[(unsigned char)name[i]] & URL_IN_HOST))
      return false;
  return true;
}

/* Nothing to decode, to lower or to refuse, as in most names. */
static bool is_plain(const char *text, size_t size)
{
  uint64_t others = ~url_mark_host(text);
  return size <= URL_MARKS_STEP && (others == 0 || (size_t)__builtin_ctzll(others) >= size);
}

static url_status read_name(const char *text, size_t size, char host[URL_HOST_MAX], size_t *host_size)
{
  char name[3 * URL_NAME_UTF8_MAX + 1];
  bool is_ascii = true, is_name = true;
  size_t name_size = size;
  if (size >= sizeof name)
    return URL_BAD_HOST;
  if (is_plain(text, size))
    memcpy(name, text, URL_MARKS_STEP);
  else
    name_size = percent_decode(text, size, name, &is_ascii, &is_name);
  if (!is_name && has_control(name, name_size))
    return URL_HAS_CONTROL;
  if (!is_ascii) {
    char ascii[URL_HOST_MAX];
    if (name_size > URL_NAME_UTF8_MAX)
      return URL_BAD_HOST;
    url_status status = url_idna_to_ascii(name, name_size, ascii, &name_size);
    if (status != URL_OK)
      return status;
    memcpy(name, ascii, name_size);
    is_name = may_be_host(name, name_size);
  }
  if (!is_name || name_size == 0 || name_size > URL_HOST_MAX)
    return URL_BAD_HOST;
  if (ends_in_number(name, name_size)) {
    uint32_t address;
    if (!ipv4_parse(name, name_size, &address))
      return URL_BAD_HOST;
    name_size = ipv4_write(address, name);
  }
  memcpy(host, name, name_size);
  *host_size = name_size;
  return URL_OK;
}

url_status url_host_read(const char *text, size_t size, char host[URL_HOST_MAX], size_t *host_size)
{
  if (size == 0)
    return URL_BAD_HOST;
  if (text[0] != '[')
    return read_name(text, size, host, host_size);
  uint16_t piece[8];
  if (text[size - 1] != ']' || !ipv6_parse(text + 1, text + size - 1, piece))
    return URL_BAD_HOST;
  *host_size = ipv6_write(piece, host);
  return URL_OK;
}
