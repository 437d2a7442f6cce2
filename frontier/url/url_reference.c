/* An href taken apart as a browser would (WHATWG URL, section 4.4), for http and https only:
 *
 *     "  HTTP:\\\\User@H\te.example:80\\a b?c'#d "
 *         |        |     |         |   |    | `-- fragment: dropped
 *         |        |     |         |   |    `---- query: escaped by the query's set
 *         |        |     |         |   `--------- path: '\' is '/', escaped by the path's set
 *         |        |     |         `------------- port: a number, the default one dropped
 *         |        |     `----------------------- host: url_host.c
 *         |        `----------------------------- userinfo: dropped or refused
 *         `-------------------------------------- white space around and TAB, CR, LF anywhere: dropped
 *
 * Nothing is resolved here: that is uriparser's part. */
#include "frontier/url/url_marks.h"
#include "frontier/url/url_parts.h"

#include <string.h>

/* ---- the text -------------------------------------------------------------------------------- */

static bool is_space(unsigned char byte)
{
  return byte <= ' ';
}

static bool is_dropped(char byte)
{
  return byte == '\t' || byte == '\n' || byte == '\r';
}

/* Strip what is around, cut at '#', drop TAB CR LF. `text` has room for URL_LENGTH_MAX bytes and a step of marks. */
static url_status clean(const char *href, size_t size, char *text, size_t *text_size)
{
  while (size > 0 && is_space((unsigned char)href[0])) {
    href++;
    size--;
  }
  while (size > 0 && is_space((unsigned char)href[size - 1]))
    size--;
  const char *fragment = size > 0 ? memchr(href, '#', size) : NULL;
  size = fragment ? (size_t)(fragment - href) : size;
  unsigned char drops = 0;
  for (size_t i = 0; i < size; i++)
    drops |= is_dropped(href[i]);
  size_t written = 0;
  for (size_t i = 0; drops && i < size; i++) {
    if (is_dropped(href[i]))
      continue;
    if (written == URL_LENGTH_MAX)
      return URL_TOO_LONG;
    text[written++] = href[i];
  }
  if (!drops) {
    if (size > URL_LENGTH_MAX)
      return URL_TOO_LONG;
    memmove(text, href, size); /* not memcpy: inline, for a size with a limit, it is slow */
    written = size;
  }
  memset(text + written, 0, URL_MARKS_STEP);
  *text_size = written;
  return URL_OK;
}

static bool is_letter(unsigned char byte)
{
  return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

static bool is_digit(unsigned char byte)
{
  return byte >= '0' && byte <= '9';
}

/* The scheme's size without its ':', 0 if there is none. */
static size_t scheme_size(const char *text, size_t size)
{
  if (size == 0 || !is_letter((unsigned char)text[0]))
    return 0;
  for (size_t i = 1; i < size; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte == ':')
      return i;
    if (!is_letter(byte) && !is_digit(byte) && byte != '+' && byte != '-' && byte != '.')
      return 0;
  }
  return 0;
}

static bool is_scheme(const char *text, size_t size, const char *name)
{
  if (size != strlen(name))
    return false;
  for (size_t i = 0; i < size; i++)
    if ((text[i] | 0x20) != name[i])
      return false;
  return true;
}

/* "mailto:", "javascript:" and the like: as many links are, it is said before they are copied. */
static bool has_other_scheme(const char *href, size_t size)
{
  while (size > 0 && is_space((unsigned char)*href)) {
    href++;
    size--;
  }
  size_t scheme = scheme_size(href, size);
  return scheme > 0 && !is_scheme(href, scheme, "https") && !is_scheme(href, scheme, "http");
}

/* ---- authority ------------------------------------------------------------------------------- */

static bool is_slash(char byte)
{
  return byte == '/' || byte == '\\';
}

/* ":port" to its value, -1 for none. False if it is not a port. */
static bool read_port(const char *text, size_t size, int *port)
{
  *port = -1;
  for (size_t i = 0; i < size; i++) {
    if (!is_digit((unsigned char)text[i]))
      return false;
    *port = (*port < 0 ? 0 : *port) * 10 + (text[i] - '0');
    if (*port > 65535)
      return false;
  }
  return true;
}

/* Where the host ends and ":port" begins: at the first ':' outside of brackets. */
static size_t host_end(const char *text, size_t size)
{
  bool in_brackets = false;
  const char *colon = memchr(text, ':', size);
  if (!colon || !memchr(text, '[', size))
    return colon ? (size_t)(colon - text) : size;
  size_t i = 0;
  for (; i < size && (text[i] != ':' || in_brackets); i++)
    if (text[i] == '[' || text[i] == ']')
      in_brackets = text[i] == '[';
  return i;
}

/* Where "user@host:port" ends: at a slash, a '?' or the end. */
static const char *authority_end(const char *text, const char *end)
{
  for (; text < end; text += URL_MARKS_STEP) {
    uint64_t stops = url_mark_byte(text, '/') | url_mark_byte(text, '\\') | url_mark_byte(text, '?');
    if (stops && __builtin_ctzll(stops) < end - text)
      return text + __builtin_ctzll(stops);
  }
  return end;
}

static size_t write_port(int port, char *out)
{
  char digits[URL_PORT_MAX];
  size_t count = 0, size = 0;
  do
    digits[count++] = (char)('0' + port % 10);
  while (port /= 10);
  out[size++] = ':';
  while (count > 0)
    out[size++] = digits[--count];
  return size;
}

/* "user@host:port" to the origin's one spelling. */
static url_status read_authority(const char *text, size_t size, bool is_https, url_profile profile,
                                 url_reference *reference)
{
  const char *at = memrchr(text, '@', size);
  if (at) {
    size_t userinfo_size = (size_t)(at - text);
    if (userinfo_size > 0 && (profile & URL_REFUSE_USERINFO))
      return URL_HAS_USERINFO;
    text = at + 1;
    size -= userinfo_size + 1;
  }
  size_t end = host_end(text, size);
  int port = -1;
  if (end < size && !read_port(text + end + 1, size - end - 1, &port))
    return URL_BAD_HOST;
  size_t written = is_https ? 8 : 7, host_size = 0;
  memcpy(reference->origin, "https://", written);
  if (!is_https)
    memcpy(reference->origin, "http://", written);
  url_status status = url_host_read(text, end, reference->origin + written, &host_size);
  if (status != URL_OK)
    return status;
  written += host_size;
  if (port >= 0 && port != (is_https ? 443 : 80))
    written += write_port(port, reference->origin + written);
  reference->origin_size = written;
  reference->has_origin = true;
  return URL_OK;
}

/* ---- path and query -------------------------------------------------------------------------- */

/* Append one byte, escaped as browsers do; in a path '\\' becomes '/'. */
static size_t write_byte(unsigned char byte, bool in_path, char *out)
{
  static const char hex[] = "0123456789ABCDEF";
  if (in_path && byte == '\\')
    byte = '/';
  else if (!(url_places[byte] & (in_path ? URL_IN_PATH : URL_IN_QUERY))) {
    out[0] = '%';
    out[1] = hex[byte >> 4];
    out[2] = hex[byte & 15];
    return 3;
  }
  *out = (char)byte;
  return 1;
}

/* Append bytes to rest, escaped. Behind `text` and rest there is room for a step. */
static url_status append_escaped(url_reference *reference, const char *text, size_t size, bool in_path)
{
  char *rest = reference->rest;
  size_t written = reference->rest_size;
  for (size_t i = 0; i < size;) {
    if (size - i > URL_LENGTH_MAX - written)
      return URL_TOO_LONG;
    uint64_t escaped = url_mark_escaped(text + i);
    size_t run = escaped ? (size_t)__builtin_ctzll(escaped) : URL_MARKS_STEP;
    if (run > size - i)
      run = size - i;
    memcpy(rest + written, text + i, URL_MARKS_STEP);
    written += run;
    i += run;
    for (escaped = escaped ? ~(escaped >> run) : ~(uint64_t)0; !(escaped & 1) && i < size; escaped >>= 1) {
      written += write_byte((unsigned char)text[i++], in_path, rest + written);
      if (written > URL_LENGTH_MAX)
        return URL_TOO_LONG;
    }
  }
  reference->rest_size = written;
  return URL_OK;
}

/* How many dots a whole path segment stands for, "%2e" counting as one: 1, 2, or 0 if it is another name. */
static size_t count_dots(const char *segment, size_t size)
{
  size_t dots = 0;
  for (size_t i = 0; i < size; dots++) {
    if (segment[i] == '.')
      i++;
    else if (size - i >= 3 && segment[i] == '%' && segment[i + 1] == '2' && (segment[i + 2] | 0x20) == 'e')
      i += 3;
    else
      return 0;
  }
  return dots <= 2 ? dots : 0;
}

/* Does a segment of the path in rest begin with '.' or '%'? */
static bool may_have_dots(const url_reference *reference)
{
  uint64_t begins = 1, found = 0;
  for (size_t at = 0; at < reference->rest_size && !found; at += URL_MARKS_STEP) {
    url_marks marks = url_mark(reference->rest + at);
    found = (marks.slash << 1 | begins) & (marks.dot | url_mark_byte(reference->rest + at, '%'));
    begins = marks.slash >> 63;
  }
  return found;
}

/* Spell the dot segments of the path in rest with dots, as that is the only way RFC 3986 knows them. */
static void unescape_dot_segments(url_reference *reference)
{
  char *rest = reference->rest;
  size_t written = 0, end;
  for (size_t i = 0; i < reference->rest_size; i = end + 1) {
    const char *slash = memchr(rest + i, '/', reference->rest_size - i);
    end = slash ? (size_t)(slash - rest) : reference->rest_size;
    size_t dots = count_dots(rest + i, end - i), size = dots ? dots : end - i;
    reference->has_dots |= dots > 0;
    if (dots)
      memset(rest + written, '.', dots);
    else if (written < i)
      memmove(rest + written, rest + i, size);
    written += size;
    if (slash)
      rest[written++] = '/';
  }
  reference->rest_size = written;
}

static url_status read_rest(const char *text, size_t size, url_reference *reference)
{
  const char *mark = memchr(text, '?', size);
  size_t path_size = mark ? (size_t)(mark - text) : size;
  reference->rest_size = 0;
  reference->has_dots = false;
  if (reference->has_origin && path_size == 0)
    reference->rest[reference->rest_size++] = '/';
  url_status status = append_escaped(reference, text, path_size, true);
  if (status != URL_OK)
    return status;
  if (may_have_dots(reference))
    unescape_dot_segments(reference);
  reference->path_size = reference->rest_size;
  return mark ? append_escaped(reference, mark, size - path_size, false) : URL_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

url_status url_reference_read(const char *href, size_t size, const char *base, url_profile profile,
                              url_reference *reference)
{
  char text[URL_LENGTH_MAX + URL_MARKS_STEP];
  size_t text_size;
  if (size <= URL_LENGTH_MAX && has_other_scheme(href, size))
    return URL_BAD_SCHEME;
  url_status status = clean(href, size, text, &text_size);
  if (status != URL_OK)
    return status;

  const char *at = text, *end = text + text_size;
  bool is_https = base && base[4] == 's', is_absolute = false;
  size_t scheme = scheme_size(text, text_size);
  if (scheme > 0) {
    bool names_https = is_scheme(text, scheme, "https");
    if (!names_https && !is_scheme(text, scheme, "http"))
      return URL_BAD_SCHEME;
    is_absolute = !base || names_https != is_https; /* "http:a" is relative to a base that is http too */
    is_https = names_https;
    at += scheme + 1;
  } else if (!base) {
    if (!(profile & URL_PATH_PAPER) || text_size < 2 || !is_slash(text[0]) || !is_slash(text[1]))
      return URL_BAD_SYNTAX;
  }

  reference->has_origin = false;
  if (is_absolute || (end - at >= 2 && is_slash(at[0]) && is_slash(at[1]))) {
    while (at < end && is_slash(*at))
      at++;
    const char *host = at;
    at = authority_end(at, end);
    status = read_authority(host, (size_t)(at - host), is_https, profile, reference);
    if (status != URL_OK)
      return status;
  }
  return read_rest(at, (size_t)(end - at), reference);
}
