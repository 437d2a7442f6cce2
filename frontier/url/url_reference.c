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
#include "frontier/url/url_parts.h"

#include <string.h>

/* ---- the text -------------------------------------------------------------------------------- */

static bool is_space(unsigned char byte)
{
  return byte <= ' ';
}

/* Strip what is around, cut at '#', drop TAB CR LF: `*text` and `*text_size` are within `href`, or in `room` of
 * URL_LENGTH_MAX bytes. */
static url_status clean(const char *href, size_t size, char *room, const char **text, size_t *text_size)
{
  while (size > 0 && is_space((unsigned char)href[0])) {
    href++;
    size--;
  }
  while (size > 0 && is_space((unsigned char)href[size - 1]))
    size--;
  const char *fragment = size > 0 ? memchr(href, '#', size) : NULL;
  size = fragment ? (size_t)(fragment - href) : size;
  size_t written = 0, dropped = 0;
  for (size_t i = 0; i < size; i++)
    dropped += href[i] == '\t' || href[i] == '\n' || href[i] == '\r';
  if (size - dropped > URL_LENGTH_MAX)
    return URL_TOO_LONG;
  for (size_t i = 0; dropped > 0 && i < size; i++)
    if (href[i] != '\t' && href[i] != '\n' && href[i] != '\r')
      room[written++] = href[i];
  *text = dropped > 0 ? room : href;
  *text_size = size - dropped;
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
  size_t i = 0;
  for (; i < size && (text[i] != ':' || in_brackets); i++)
    if (text[i] == '[' || text[i] == ']')
      in_brackets = text[i] == '[';
  return i;
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

/* Append bytes to rest, escaped as browsers do; in a path '\\' becomes '/'. */
static url_status append_escaped(url_reference *reference, const char *text, size_t size, bool in_path)
{
  static const char hex[] = "0123456789ABCDEF";
  const unsigned place = in_path ? URL_IN_PATH : URL_IN_QUERY;
  size_t written = reference->rest_size;
  if (size > URL_LENGTH_MAX - written)
    return URL_TOO_LONG;
  for (size_t i = 0, left = size; i < size; i++, left--) { /* always written + left <= URL_LENGTH_MAX */
    unsigned char byte = (unsigned char)text[i];           // NOLINT(clang-analyzer-core.uninitialized.Assign): i < size
    if (url_places[byte] & place) {
      reference->rest[written++] = (char)byte;
    } else if (in_path && byte == '\\') {
      reference->rest[written++] = '/';
    } else {
      if (written + left + 2 > URL_LENGTH_MAX)
        return URL_TOO_LONG;
      reference->rest[written++] = '%';
      reference->rest[written++] = hex[byte >> 4];
      reference->rest[written++] = hex[byte & 15];
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
  unescape_dot_segments(reference);
  reference->path_size = reference->rest_size;
  return mark ? append_escaped(reference, mark, size - path_size, false) : URL_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

url_status url_reference_read(const char *href, size_t size, const char *base, url_profile profile,
                              url_reference *reference)
{
  char room[URL_LENGTH_MAX];
  const char *text;
  size_t text_size;
  url_status status = clean(href, size, room, &text, &text_size);
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
    while (at < end && !is_slash(*at) && *at != '?')
      at++;
    status = read_authority(host, (size_t)(at - host), is_https, profile, reference);
    if (status != URL_OK)
      return status;
  }
  return read_rest(at, (size_t)(end - at), reference);
}
