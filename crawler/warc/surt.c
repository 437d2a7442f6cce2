/* See surt.h. A key is made part by part, behind what is there already:
 *
 *     host  labels reversed, "www." and "www12." off
 *     path  escapes off until none is left, "." ".." and "//" resolved, escaped once, lower case, session id off
 *     query escapes off until none is left, escaped once, session ids off, lower case, parameters sorted
 *
 * The archive's session ids are regular expressions, named beside the function that looks for each.
 *
 * Always: a part is never longer than three times its text, for an escape has three characters; so one allocation
 * is enough. Called by cdxj.c, with URLs that servers chose. */
#include "crawler/warc/surt.h"

#include "crawler/base/chars.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ESCAPE = 3, PUNCTUATION = 8 /* ")", "/", "?" and the NUL, with room to spare */ };

/* ---- escapes -------------------------------------------------------------------------------------------------- */

/* Takes escapes off, in place, until none is left: "%2541" is "%41" is "A". What was decoded may be the end of another
 * escape, but never lies in two. */
static size_t unescape(char *text, size_t size)
{
  size_t end = 0;
  for (size_t i = 0; i < size; i++) {
    text[end++] = text[i];
    for (int byte; end >= ESCAPE && (byte = escaped_byte(text + end - ESCAPE, text + end)) >= 0;) {
      end -= ESCAPE;
      text[end++] = (char)byte;
    }
  }
  assert(end <= size);
  return end;
}

/* Escapes what is no visible ASCII, '#' and '%', in lower case as all of the key. */
static char *put_escaped(char *out, const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    unsigned byte = (unsigned char)text[i];
    if (byte > ' ' && byte < 0x7F && byte != '#' && byte != '%') {
      *out++ = lower(text[i]);
    } else {
      *out++ = '%';
      *out++ = "0123456789abcdef"[byte >> 4];
      *out++ = "0123456789abcdef"[byte & 15];
    }
  }
  return out;
}

static bool is_alphanumeric(char c)
{
  return is_letter(c) || is_digit(c);
}

/* ---- the host ------------------------------------------------------------------------------------------------- */

static const char *skip_www(const char *host, const char *end)
{
  if (end - host < 4 || memcmp(host, "www", 3) != 0)
    return host;
  const char *at = host + 3;
  while (at < end && is_digit(*at))
    at++;
  return at < end && *at == '.' ? at + 1 : host;
}

/* "a.b.example.org" -> "org,example,b,a"; an IPv4 address, too. Dots at the ends are left out. */
static char *put_labels(char *out, const char *host, const char *end)
{
  while (host < end && *host == '.')
    host++;
  while (host < end && end[-1] == '.')
    end--;
  host = skip_www(host, end);
  for (const char *label_end = end; label_end > host;) {
    const char *label = label_end;
    while (label > host && label[-1] != '.')
      label--;
    out = mempcpy(out, label, (size_t)(label_end - label));
    label_end = label > host ? label - 1 : host;
    if (label > host)
      *out++ = ',';
  }
  return out;
}

/* An authority without its user: "[::1]:8080" -> "::1:8080)". */
static char *put_authority(char *out, const char *host, const char *end)
{
  char *begin = out;
  const char *bracket = *host == '[' ? memchr(host, ']', (size_t)(end - host)) : NULL;
  const char *colon = bracket ? bracket + 1 : memchr(host, ':', (size_t)(end - host)), *port = colon ? colon : end;
  out = bracket ? mempcpy(out, host + 1, (size_t)(bracket - host) - 1) : put_labels(out, host, port);
  bool is_none = end - port <= 1 || (end - port == 2 && port[1] == '0'); /* surt takes 0 for none */
  if (!is_none)
    out = mempcpy(out, port, (size_t)(end - port));
  for (char *at = begin; at < out; at++)
    *at = lower(*at);
  *out++ = ')';
  return out;
}

/* ---- the path ------------------------------------------------------------------------------------------------- */

/* "/a/./b/../c" -> "/a/c", in place. A ".." that has nothing to remove stays, for the next one to remove. */
static size_t resolve_dots(char *path, size_t size)
{
  size_t end = 0;
  for (size_t at = 0, next; at < size; at = next) {
    const char *slash = memchr(path + at + 1, '/', size - at - 1);
    next = slash ? (size_t)(slash - path) : size;
    size_t segment = next - at; /* with its slash */
    bool is_dot = segment == 2 && path[at + 1] == '.';
    bool is_up = segment == 3 && path[at + 1] == '.' && path[at + 2] == '.';
    if (is_up && end) {
      while (path[--end] != '/')
        continue;
    } else if (!is_dot) {
      memmove(path + end, path + at, segment);
      end += segment;
    }
  }
  assert(end <= size);
  return end;
}

/* "//" -> "/", in place. */
static size_t join_slashes(char *path, size_t size)
{
  size_t end = 0;
  for (size_t i = 0; i < size; i++)
    if (path[i] != '/' || !end || path[end - 1] != '/')
      path[end++] = path[i];
  return end;
}

/* The end of `count` letters and digits, which must be there between brackets; or NULL. */
static const char *skip_bracketed(const char *at, const char *end)
{
  enum { SESSION = 24 };
  if (end - at < SESSION + 2 || *at != '(' || at[SESSION + 1] != ')')
    return NULL;
  for (size_t i = 1; i <= SESSION; i++)
    if (!is_alphanumeric(at[i]))
      return NULL;
  return at + SESSION + 2;
}

/* \([0-9a-z]{24}\)/ */
static const char *skip_one_session(const char *at, const char *end)
{
  at = skip_bracketed(at, end);
  return at && at < end && *at == '/' ? at + 1 : NULL;
}

/* \((?:[a-z]\([0-9a-z]{24}\))+\)/ */
static const char *skip_sessions(const char *at, const char *end)
{
  if (at == end || *at++ != '(')
    return NULL;
  size_t count = 0;
  for (const char *next; at < end && is_letter(*at) && (next = skip_bracketed(at + 1, end)); at = next)
    count++;
  return count && end - at >= 2 && at[0] == ')' && at[1] == '/' ? at + 2 : NULL;
}

/* ASP.NET's session of the last directory that has one: ^(.*\/)SESSION([^\?]+\.aspx.*)$ without SESSION. */
static char *drop_session(char *path, char *end, const char *skip(const char *at, const char *end))
{
  static const char page[] = ".aspx";
  const char *last = NULL; /* page that no '?' divides from `at` */
  for (char *at = end; at-- > path;) {
    if (*at == '?')
      last = NULL;
    else if (!last && (size_t)(end - at) >= sizeof page - 1 && memcmp(at, page, sizeof page - 1) == 0)
      last = at;
    const char *behind = *at == '/' && last ? skip(at + 1, end) : NULL;
    if (behind && behind < last) {
      memmove(at + 1, behind, (size_t)(end - behind));
      return end - (behind - (at + 1));
    }
  }
  return end;
}

/* `path` is a copy, and is changed. */
static char *put_path(char *out, char *path, size_t size)
{
  char *begin = out;
  size = join_slashes(path, resolve_dots(path, unescape(path, size)));
  if (!size)
    *out++ = '/';
  out = put_escaped(out, path, size);
  out = drop_session(begin, out, skip_sessions);
  out = drop_session(begin, out, skip_one_session);
  assert(*begin == '/');
  return out - begin > 1 && out[-1] == '/' ? out - 1 : out;
}

/* ---- the query ------------------------------------------------------------------------------------------------ */

/* A run of letters, or of letters and digits, at `at`; NULL: it is shorter than `count`. */
static const char *skip_run(const char *at, const char *end, size_t count, bool has_digits)
{
  if ((size_t)(end - at) < count)
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (!is_letter(at[i]) && !(has_digits && is_digit(at[i])))
      return NULL;
  return at + count;
}

typedef struct session {
  const char *name;
  size_t suffix; /* letters of the name behind it */
  size_t value;
  bool has_digits; /* the value */
} session;

/* NAME[a-z]{suffix}=[0-9a-z]{value} at `at`, up to '&' or the end; or NULL. */
static const char *skip_parameter(const session *s, const char *at, const char *end)
{
  size_t size = strlen(s->name);
  if ((size_t)(end - at) < size || memcmp(at, s->name, size) != 0)
    return NULL;
  at = skip_run(at + size, end, s->suffix, false);
  if (!at || at == end || *at != '=')
    return NULL;
  at = skip_run(at + 1, end, s->value, s->has_digits);
  return at && (at == end || *at == '&') ? at : NULL;
}

/* Takes [at, behind) off, with the '&' behind it. What is before it stays, also its '&'. */
static char *drop(char *at, const char *behind, char *end)
{
  behind += behind < end;
  memmove(at, behind, (size_t)(end - behind));
  return end - (behind - at);
}

static char *drop_parameter(char *query, char *end, const session *s)
{
  for (char *at = end; at-- > query;) {
    const char *behind = skip_parameter(s, at, end);
    if (behind)
      return drop(at, behind, end);
  }
  return end;
}

/* ColdFusion's: cfid=[^&]+&cftoken=[^&]+ */
static char *drop_coldfusion(char *query, char *end)
{
  static const char id[] = "cfid=", token[] = "cftoken=";
  const size_t id_size = sizeof id - 1, token_size = sizeof token - 1;
  char *behind = NULL; /* of a token that has a value, if the '&' before it was met last */
  for (char *at = end, *parameter_end = end; at-- > query;) {
    if (*at == '&') {
      char *value = at + 1 + token_size;
      behind = value < parameter_end && memcmp(at + 1, token, token_size) == 0 ? parameter_end : NULL;
      parameter_end = at;
    } else if (behind && (size_t)(parameter_end - at) > id_size && memcmp(at, id, id_size) == 0) {
      return drop(at, behind, end);
    }
  }
  return end;
}

static char *drop_sessions(char *query, char *end)
{
  static const session sessions[] = {
    {"jsessionid", 0, 32, true},
    {"phpsessid", 0, 32, true},
    {"sid", 0, 32, true},
    {"aspsessionid", 8, 24, false},
  };
  for (size_t i = 0; i < sizeof sessions / sizeof *sessions; i++)
    end = drop_parameter(query, end, &sessions[i]);
  return drop_coldfusion(query, end);
}

typedef struct parameter {
  const char *at;
  size_t size, name_size; /* up to the first '=' */
} parameter;

static int compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
  int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order ? order : (a_size > b_size) - (a_size < b_size);
}

/* By name, then by value; one without '=' is before one whose value is empty. */
static int compare_parameters(const void *a, const void *b)
{
  const parameter *x = a, *y = b;
  int order = compare_bytes(x->at, x->name_size, y->at, y->name_size);
  return order ? order : compare_bytes(x->at, x->size, y->at, y->size);
}

/* The parameters between '&', sorted, into `out`; NULL: out of memory. */
static char *put_sorted(char *out, const char *query, const char *end)
{
  size_t count = 1, i = 0;
  for (const char *at = query; at < end; at++)
    count += *at == '&';
  parameter *parameters = malloc(count * sizeof *parameters);
  if (!parameters)
    return NULL;
  for (const char *at = query; i < count; at += parameters[i++].size + 1) {
    const char *next = memchr(at, '&', (size_t)(end - at)), *equals;
    size_t size = (size_t)((next ? next : end) - at);
    equals = memchr(at, '=', size);
    parameters[i] = (parameter){at, size, equals ? (size_t)(equals - at) : size};
  }
  qsort(parameters, count, sizeof *parameters, compare_parameters);
  for (i = 0; i < count; i++) {
    out = mempcpy(out, parameters[i].at, parameters[i].size);
    *out++ = i + 1 < count ? '&' : '\0';
  }
  free(parameters);
  return out - 1;
}

/* `query` is a copy, and is changed. `room` is for what is made of it before it is sorted. */
static char *put_query(char *out, char *query, size_t size, char *room)
{
  char *end = drop_sessions(room, put_escaped(room, query, unescape(query, size)));
  if (end == room)
    return out;
  *out++ = '?';
  return put_sorted(out, room, end);
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

char *surt_key(const char *url)
{
  const char *scheme_end = strstr(url, "://"), *host = scheme_end ? scheme_end + 3 : url;
  const char *host_end = host + strcspn(host, "/?#"), *user = memrchr(host, '@', (size_t)(host_end - host));
  size_t size = strcspn(host_end, "#"), path_size = strcspn(host_end, "?#");
  size_t room = ESCAPE * strlen(host) + PUNCTUATION;
  char *key = malloc(2 * room + size + 1), *copy = key ? key + 2 * room : NULL, *out;
  if (!key)
    return NULL;
  memcpy(copy, host_end, size);
  out = put_authority(key, user ? user + 1 : host, host_end);
  out = put_path(out, copy, path_size);
  if (path_size < size)
    out = put_query(out, copy + path_size + 1, size - path_size - 1, key + room);
  if (!out) {
    free(key);
    return NULL;
  }
  assert((size_t)(out - key) < room);
  *out = '\0';
  return key;
}
