/* frontier/url/url_fast_path.h: plain links, which are most links, 64 bytes at a step and without allocation. Each
 * url_fast*.c defines URL_FAST_PATH, the name of the function at the end, includes this file once, and is compiled for
 * its own processors.
 *
 *     base    http://h/a/b/c?x        its directory, copied:  http://h/a/
 *     href    ../d/e?y&z#top          the rest, copied:       d/e?y&z#top
 *                                     masks, a bit a byte:     /   &        one mask each: slashes, dots, ampersands
 *                                                               ?   #       one: special bytes, looked at one by one
 *
 * A link is plain when its fetch URL and its key are one text that copying alone makes: no byte that browsers or
 * the key would escape, unescape or refuse, no dot segment but in front, a host in letters or as four numbers. In any
 * doubt a link is not plain, and the slow path decides: it alone knows the rules and the refusals. For plain links
 * both paths give the same bytes; fuzz_url_resolve.c and every data set of the tests check this. */
#include "frontier/url/url_marks.h"
#include "frontier/url/url_parts.h"

#include <string.h>

/* Longer links are not plain: so no limit of url.h can be met here, even by a base put in front. */
enum { PLAIN_MAX = 2048, STEP = URL_MARKS_STEP };

static inline unsigned lowest(uint64_t bits)
{
  return (unsigned)__builtin_ctzll(bits);
}

static inline uint64_t below(unsigned position)
{
  return ((uint64_t)1 << position) - 1;
}

/* ---- path and query -------------------------------------------------------------------------- */

typedef struct scan {
  char *text;
  size_t at, end;
  bool in_query;
  bool after_slash; /* the byte before `at` is '/', within the path */
  url *out;         /* gets the segments */
} scan;

/* An escape that both fetch URL and key keep as it is: upper-case digits, not an unreserved byte. */
static bool is_kept_escape(const char *text, size_t left)
{
  if (!url_is_escape(text, left) || text[1] >= 'a' || text[2] >= 'a')
    return false;
  unsigned char byte = url_escape_value(text);
  bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z', is_digit = byte >= '0' && byte <= '9';
  return !is_letter && !is_digit && byte != '-' && byte != '.' && byte != '_' && byte != '~';
}

/* Is the '.' at `at` the start of a segment "." or ".."? */
static bool is_dot_segment(const scan *in, size_t at)
{
  at++;
  if (at < in->end && in->text[at] == '.')
    at++;
  return at >= in->end || in->text[at] == '/' || in->text[at] == '\\' || in->text[at] == '?' || in->text[at] == '#';
}

static inline void add_segments(url *out, uint64_t delimiters, size_t at)
{
  uint32_t count = out->segment_count;
  for (; delimiters && count < URL_SEGMENTS_MAX; delimiters &= delimiters - 1)
    out->segment_begin[count++] = (uint32_t)at + lowest(delimiters);
  out->segment_count = count;
}

/* One step: look at the special bytes, make '\\' '/', move the end to a '#', note the segments. False if not plain. */
static inline bool scan_step(scan *in)
{
  url_marks found = url_mark(in->text + in->at);
  uint64_t valid = in->end - in->at >= STEP ? ~(uint64_t)0 : below((unsigned)(in->end - in->at));
  uint64_t path = in->in_query ? 0 : valid, query = in->in_query ? valid : 0, mark_bit = 0;

  for (uint64_t special = found.special & valid; special; special &= special - 1) {
    unsigned i = lowest(special);
    char *byte = in->text + in->at + i;
    if (*byte == '%' && is_kept_escape(byte, in->end - in->at - i))
      continue;
    if (*byte == '?' && !in->in_query) {
      in->in_query = true;
      mark_bit = (uint64_t)1 << i;
      path &= below(i);
      query = valid & ~(below(i) | mark_bit);
    } else if (*byte == '#') {
      in->end = in->at + i;
      path &= below(i);
      query &= below(i);
      break;
    } else if (*byte == '\\' && !in->in_query) {
      *byte = '/';
      found.slash |= (uint64_t)1 << i;
    } else if (*byte != '?' && !(*byte == '\'' && !in->in_query)) {
      return false;
    }
  }
  uint64_t slash = found.slash & path;
  for (uint64_t dots = found.dot & path & (slash << 1 | in->after_slash); dots; dots &= dots - 1)
    if (is_dot_segment(in, in->at + lowest(dots)))
      return false;
  in->after_slash = slash >> 63;
  add_segments(in->out, slash | mark_bit | (found.ampersand & query), in->at);
  return true;
}

static bool scan_to_end(scan *in)
{
  for (; in->at < in->end; in->at += STEP)
    if (!scan_step(in))
      return false;
  return true;
}

/* Does a ':' stand before the first '/', '?' or '#'? Then it may end a scheme. */
static bool has_early_colon(const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (text[i] == ':')
      return true;
    if (text[i] == '/' || text[i] == '?' || text[i] == '#')
      return false;
  }
  return false;
}

/* ---- host ------------------------------------------------------------------------------------ */

/* ":port" as it would be written: no leading zero, not the default. Returns its size, 0 if not plain. */
static size_t plain_port(const char *text, const char *end, bool is_https)
{
  unsigned port = 0;
  const char *at = text + 1;
  while (at < end && at - text < URL_PORT_MAX && *at >= '0' && *at <= '9')
    port = port * 10 + (unsigned)(*at++ - '0');
  if (at == text + 1 || text[1] == '0' || port > 65535 || port == (is_https ? 443u : 80u))
    return 0;
  return (size_t)(at - text);
}

/* Four numbers as they would be written? */
static bool is_plain_ipv4(const char *text, size_t size)
{
  const char *end = text + size;
  for (int part = 0; part < 4; part++) {
    const char *first = text;
    unsigned value = 0;
    while (text < end && *text >= '0' && *text <= '9' && value < 256)
      value = value * 10 + (unsigned)(*text++ - '0');
    if (text == first || value > 255 || (*first == '0' && text - first > 1))
      return false;
    if (text == end)
      return part == 3;
    if (*text++ != '.')
      return false;
  }
  return false;
}

/* The plain host[:port] at `text`: its size, 0 if there is none. A host whose last label begins with a digit
 * may be an IPv4 address, and one that ends in a dot may be too. */
static size_t plain_host(const char *text, const char *end, bool is_https)
{
  uint64_t others = ~url_mark_host(text);
  size_t size = others ? lowest(others) : STEP;
  if (size == 0 || size == STEP)
    return 0;
  const char *label = memrchr(text, '.', size);
  label = label ? label + 1 : text;
  if (label == text + size || (*label >= '0' && *label <= '9' && !is_plain_ipv4(text, size)))
    return 0;
  if (text + size == end || text[size] == '/')
    return size;
  size_t port_size = text[size] == ':' ? plain_port(text + size, end, is_https) : 0;
  size += port_size;
  return port_size > 0 && (text + size == end || text[size] == '/') ? size : 0;
}

/* A host in letters of both cases to lower case; false if there are no capitals. If it is not plain then either, the
 * slow path reads the href again. */
static bool lower_host(char *text)
{
  bool has_capitals = false;
  for (; (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') ||
         *text == '-' || *text == '.';
       text++)
    if (*text <= 'Z' && *text >= 'A') {
      *text |= 0x20;
      has_capitals = true;
    }
  return has_capitals;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void finish(url *out, size_t size)
{
  out->fetch_bytes[size] = '\0';
  out->fetch = out->key = out->fetch_bytes;
  out->fetch_size = out->key_size = (uint32_t)size;
  out->segment_begin[out->segment_count] = (uint32_t)size;
}

/* Put `href` behind the first `begin` bytes of the fetch URL, and zeros behind it: a step may look past the end.
 * Returns where it ends. */
static size_t put(url *out, size_t begin, const char *href, size_t size)
{
  memcpy(out->fetch_bytes + begin, href, size);
  memset(out->fetch_bytes + begin + size, 0, STEP);
  return begin + size;
}

/* out->fetch_bytes holds an absolute URL of `size` bytes whose host begins at `host`. */
static bool finish_absolute(url *out, size_t host, size_t size)
{
  char *text = out->fetch_bytes;
  size_t host_size = plain_host(text + host, text + size, text[4] == 's');
  if (host_size == 0 && lower_host(text + host))
    host_size = plain_host(text + host, text + size, text[4] == 's');
  if (host_size == 0)
    return false;
  size_t path = host + host_size;
  if (path == size)
    text[size++] = '/';
  out->host_begin = (uint32_t)host;
  out->host_end = out->path_begin = (uint32_t)path;
  out->segment_begin[0] = 0;
  out->segment_count = 1;
  scan in = {.text = text, .at = path, .end = size, .out = out};
  if (!scan_to_end(&in))
    return false;
  finish(out, in.end);
  return true;
}

/* Put the first `size` bytes of the base in front, with their segments. */
static void copy_base(const url_base *base, size_t size, url *out)
{
  const url *from = &base->parsed;
  memcpy(out->fetch_bytes, from->fetch, size);
  out->host_begin = from->host_begin;
  out->host_end = from->host_end;
  out->path_begin = from->path_begin;
  memcpy(out->segment_begin, from->segment_begin, sizeof out->segment_begin);
  uint32_t count = from->segment_count;
  while (from->segment_begin[count - 1] >= size)
    count--;
  out->segment_count = count;
}

/* Where the directory above ends, after its '/'. Nothing is above the root. */
static size_t parent_directory(const url *base, size_t directory)
{
  if (directory <= base->path_begin + 1u)
    return directory;
  const char *path = base->fetch + base->path_begin;
  return (size_t)((const char *)memrchr(path, '/', directory - base->path_begin - 1) + 1 - base->fetch);
}

/* Step over "./" and "../" in front; returns where the directory they lead to ends in the base. */
static size_t climb(const url_base *base, const char **href, size_t *size)
{
  size_t directory = base->directory_end;
  for (;;) {
    size_t step = 2;
    if (*size >= 3 && memcmp(*href, "../", 3) == 0) {
      directory = parent_directory(&base->parsed, directory);
      step = 3;
    } else if (*size < 2 || memcmp(*href, "./", 2) != 0) {
      return directory;
    }
    *href += step;
    *size -= step;
  }
}

/* A reference without scheme and host. */
static bool resolve_in_base(const url_base *base, const char *href, size_t size, url *out)
{
  size_t prefix = base->parsed.path_begin;
  bool after_slash = false;
  if (size == 0 || href[0] == '#') {
    prefix = base->parsed.fetch_size;
    size = 0;
  } else if (href[0] == '?') {
    prefix = base->path_end;
  } else if (href[0] != '/') {
    prefix = climb(base, &href, &size);
    after_slash = true;
    if (has_early_colon(href, size))
      return false;
  }
  if (prefix > base->plain_end || prefix > PLAIN_MAX)
    return false;
  copy_base(base, prefix, out);
  size_t end = put(out, prefix, href, size);
  scan in = {.text = out->fetch_bytes, .at = prefix, .end = end, .after_slash = after_slash, .out = out};
  if (!scan_to_end(&in))
    return false;
  finish(out, in.end);
  return true;
}

static size_t origin_size(const char *href, size_t size)
{
  if (size > 8 && memcmp(href, "https://", 8) == 0)
    return 8;
  return size > 7 && memcmp(href, "http://", 7) == 0 ? 7 : 0;
}

bool URL_FAST_PATH(const url_base *base, const char *href, size_t size, url *out)
{
  while (size > 0 && (unsigned char)href[0] <= ' ') {
    href++;
    size--;
  }
  while (size > 0 && (unsigned char)href[size - 1] <= ' ')
    size--;
  if (size > PLAIN_MAX)
    return false;
  size_t host = origin_size(href, size);
  if (host > 0)
    return finish_absolute(out, host, put(out, 0, href, size));
  if (!base || (size > 0 && href[0] == '\\') || (size > 1 && href[0] == '/' && href[1] == '\\'))
    return false;
  if (size < 2 || href[0] != '/' || href[1] != '/')
    return resolve_in_base(base, href, size, out);
  size_t scheme = base->parsed.host_begin - 2; /* "//host..." behind the base's "http:" */
  memcpy(out->fetch_bytes, base->parsed.fetch, scheme);
  return finish_absolute(out, scheme + 2, put(out, scheme, href, size));
}
