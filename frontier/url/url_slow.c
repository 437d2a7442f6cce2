/* Resolution and normalization by uriparser, which knows RFC 3986 and nothing else: for texts too long for
 * url_direct.c, and what the tests compare that with.
 *
 * Browsers send bytes that RFC 3986 forbids ('|', '[', a lone '%', ...), so uriparser gets a *stand-in*: a
 * text of the same length in which every such byte is a plain letter. Its result is ranges of the
 * stand-in; the real text has its bytes at the same offsets:
 *
 *     real      /a[1]/../b|c?d={e}
 *     stand-in  /axxx/../bxc?d=xex     --uriparser--> "/" "bxc" "d=xex"  --same places--> /b|c?d={e}
 *
 * Hosts never go through it: it prints IPv6 in full and knows no WHATWG host. For the key, path and query are
 * afterwards escaped to plain RFC 3986 and then normalized by uriparser. */
#include "frontier/url/url_arena.h"
#include "frontier/url/url_parts.h"

#include <string.h>

static const char STAND_IN_ORIGIN[] = "http://h"; /* in front of a path, where uriparser wants an absolute URL */
enum { STAND_IN_ORIGIN_SIZE = sizeof STAND_IN_ORIGIN - 1, TWIN_SIZE = STAND_IN_ORIGIN_SIZE + URL_LENGTH_MAX };

typedef struct twin {
  size_t size;
  char bytes[2 * TWIN_SIZE]; /* the real text, then at TWIN_SIZE its stand-in */
} twin;

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct writer {
  char *bytes;
  size_t size;
  bool is_full; /* more was written than URL_LENGTH_MAX */
} writer;

static void write_bytes(writer *to, const char *bytes, size_t size)
{
  if (size > URL_LENGTH_MAX - to->size) {
    to->is_full = true;
    return;
  }
  if (size > 0)
    memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
}

/* Append a range uriparser found; `shift` leads from a stand-in to its twin. Ranges that uriparser made empty
 * point elsewhere, but have no bytes to shift. */
static void write_range(writer *to, UriTextRangeA range, size_t shift)
{
  if (range.first && range.afterLast > range.first)
    write_bytes(to, range.first - shift, (size_t)(range.afterLast - range.first));
}

/* Resolved paths have no "." segments, but uriparser 0.9.7 puts a constant one in front of a path that begins
 * with "//", as if there were no host before it. */
static bool is_inserted(const UriPathSegmentA *segment)
{
  return segment->text.afterLast - segment->text.first == 1 && *segment->text.first == '.';
}

static void write_path_and_query(writer *to, const UriUriA *uri, size_t shift)
{
  if (!uri->pathHead)
    write_bytes(to, "/", 1);
  for (const UriPathSegmentA *segment = uri->pathHead; segment; segment = segment->next) {
    if (is_inserted(segment))
      continue;
    write_bytes(to, "/", 1);
    write_range(to, segment->text, shift);
  }
  if (uri->query.first) {
    write_bytes(to, "?", 1);
    write_range(to, uri->query, shift);
  }
}

static url_status finish(writer *to, uint32_t *size)
{
  if (to->is_full)
    return URL_TOO_LONG;
  to->bytes[to->size] = '\0';
  *size = (uint32_t)to->size;
  return URL_OK;
}

/* ---- what RFC 3986 allows -------------------------------------------------------------------- */

/* May this byte stand for itself in a path or query? '%' is another question. */
static bool is_plain(unsigned char byte, bool in_query)
{
  switch (byte) {
  case '-':
  case '.':
  case '_':
  case '~': /* unreserved */
  case '!':
  case '$':
  case '&':
  case '\'':
  case '(':
  case ')':
  case '*':
  case '+': /* sub-delims */
  case ',':
  case ';':
  case '=':
  case ':':
  case '@':
  case '/': return true;
  case '?': return in_query;
  default: return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
  }
}

/* `path_size`: of the path in `text`; a "?query" may follow. */
static void make_stand_in(const char *text, size_t size, size_t path_size, char *stand_in)
{
  for (size_t i = 0; i < size; i++) {
    bool in_query = i > path_size;
    stand_in[i] = text[i] == '?' || is_plain((unsigned char)text[i], in_query) || url_is_escape(text + i, size - i)
                    ? text[i]
                    : 'x';
  }
}

/* A relative path whose first segment has a ':' would be a scheme to uriparser. */
static void hide_colons(char *stand_in, size_t path_size)
{
  for (size_t i = 0; i < path_size && stand_in[i] != '/'; i++)
    if (stand_in[i] == ':')
      stand_in[i] = 'x';
}

static void make_twin(twin *out, bool has_origin, const char *rest, size_t size, size_t path_size)
{
  size_t begin = has_origin ? STAND_IN_ORIGIN_SIZE : 0;
  char *real = out->bytes, *stand_in = out->bytes + TWIN_SIZE;
  memcpy(stand_in, STAND_IN_ORIGIN, begin);
  memcpy(real + begin, rest, size);
  make_stand_in(rest, size, path_size, stand_in + begin);
  if (!has_origin)
    hide_colons(stand_in, path_size);
  out->size = begin + size;
}

/* ---- uriparser ------------------------------------------------------------------------------- */

static url_status from_uriparser(int error)
{
  if (error == URI_SUCCESS)
    return URL_OK;
  return error == URI_ERROR_MALLOC ? URL_NO_MEMORY : URL_BAD_SYNTAX;
}

static url_status parse_text(const char *text, size_t size, url_arena *arena, UriUriA *uri)
{
  const char *error_at;
  return from_uriparser(uriParseSingleUriExMmA(uri, text, text + size, &error_at, &arena->manager));
}

/* Parse reference and base, resolve, write the fetch URL's path and query. */
static url_status resolve_rest(const twin *base, const twin *reference, url_arena *arena, writer *to)
{
  UriUriA base_uri, reference_uri, resolved;
  url_status status = parse_text(base->bytes + TWIN_SIZE, base->size, arena, &base_uri);
  if (status == URL_OK)
    status = parse_text(reference->bytes + TWIN_SIZE, reference->size, arena, &reference_uri);
  if (status == URL_OK)
    status = from_uriparser(uriAddBaseUriExMmA(&resolved, &reference_uri, &base_uri, URI_RESOLVE_STRICTLY,
                                               &arena->manager));
  if (status == URL_OK)
    write_path_and_query(to, &resolved, TWIN_SIZE);
  return status;
}

static size_t path_size_of(const char *rest, size_t size)
{
  const char *mark = memchr(rest, '?', size);
  return mark ? (size_t)(mark - rest) : size;
}

static url_status make_fetch(const url_base *base, const url_reference *reference, url_arena *arena, url *out)
{
  twin base_twin, reference_twin;
  make_twin(&reference_twin, reference->has_origin, reference->rest, reference->rest_size, reference->path_size);
  writer to = {.bytes = out->fetch_bytes};
  if (reference->has_origin) {
    make_twin(&base_twin, true, "/", 1, 1);
    write_bytes(&to, reference->origin, reference->origin_size);
  } else {
    const url *parsed = &base->parsed;
    const char *rest = parsed->fetch + parsed->path_begin;
    size_t rest_size = parsed->fetch_size - parsed->path_begin;
    make_twin(&base_twin, true, rest, rest_size, path_size_of(rest, rest_size));
    write_bytes(&to, parsed->fetch, parsed->path_begin);
  }
  out->path_begin = out->host_end = (uint32_t)to.size;
  out->host_begin = to.bytes[4] == 's' ? 8 : 7;
  url_status status = resolve_rest(&base_twin, &reference_twin, arena, &to);
  return status == URL_OK ? finish(&to, &out->fetch_size) : status;
}

/* Path and query in plain RFC 3986: forbidden bytes and lone '%' escaped. */
static void write_escaped(writer *to, const char *rest, size_t size)
{
  static const char hex[] = "0123456789ABCDEF";
  size_t path_size = path_size_of(rest, size);
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)rest[i];
    if (i == path_size || is_plain(byte, i > path_size) || url_is_escape(rest + i, size - i)) {
      write_bytes(to, rest + i, 1);
    } else {
      char escape[3] = {'%', hex[byte >> 4], hex[byte & 15]};
      write_bytes(to, escape, sizeof escape);
    }
  }
}

static url_status make_key(url *out, url_arena *arena)
{
  char text[URL_LENGTH_MAX];
  UriUriA uri;
  writer escaped = {.bytes = text}, to = {.bytes = out->key_bytes};
  write_bytes(&escaped, STAND_IN_ORIGIN, STAND_IN_ORIGIN_SIZE);
  write_escaped(&escaped, out->fetch + out->path_begin, out->fetch_size - out->path_begin);
  if (escaped.is_full)
    return URL_TOO_LONG;
  url_status status = parse_text(text, escaped.size, arena, &uri);
  if (status == URL_OK)
    status = from_uriparser(uriNormalizeSyntaxExMmA(&uri, URI_NORMALIZE_PATH | URI_NORMALIZE_QUERY, &arena->manager));
  if (status != URL_OK)
    return status;
  write_bytes(&to, out->fetch, out->path_begin);
  write_path_and_query(&to, &uri, 0);
  return finish(&to, &out->key_size);
}

url_status url_slow_resolve(const url_base *base, const url_reference *reference, url *out)
{
  url_arena arena;
  url_arena_init(&arena);
  out->fetch = out->fetch_bytes;
  out->key = out->key_bytes;
  url_status status = make_fetch(base, reference, &arena, out);
  if (status == URL_OK)
    status = make_key(out, &arena);
  url_arena_free(&arena);
  return status;
}
