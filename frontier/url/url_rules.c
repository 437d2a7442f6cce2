/* The opt-in rules of a key profile, on a strict key. Each only removes or reorders, so a key never grows,
 * and each leaves its own result as it is: key(key(x)) = key(x).
 *
 * Rules run in the order of this file; path rules repeat until none applies, as /a/index.html/ needs two. */
#include "frontier/url/url_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The key in three pieces, each edited in place and joined at the end. */
typedef struct key_parts {
  bool is_https;
  const char *host; /* host[:port] */
  size_t host_size;
  char *path;
  size_t path_size;
  char *query; /* after the '?'; NULL if there is none */
  size_t query_size;
} key_parts;

/* ---- scheme and host ------------------------------------------------------------------------- */

/* "www.a.b" is a.b, "www.b" stays: what is left must still be a name under some domain. */
static void drop_www(key_parts *key)
{
  while (key->host_size > 4 && memcmp(key->host, "www.", 4) == 0) {
    const char *end = key->host + key->host_size, *dot = memchr(key->host + 4, '.', key->host_size - 4);
    if (!dot || dot == key->host + 4 || dot + 1 == end || dot[1] == ':')
      return;
    key->host += 4;
    key->host_size -= 4;
  }
}

/* Port 80, which a key keeps for https only, is the default one once the scheme no longer counts. */
static void drop_scheme(key_parts *key)
{
  key->is_https = false;
  if (key->host_size > 3 && memcmp(key->host + key->host_size - 3, ":80", 3) == 0)
    key->host_size -= 3;
}

/* ---- path ------------------------------------------------------------------------------------ */

static void collapse_slashes(key_parts *key)
{
  size_t written = 1;
  for (size_t i = 1; i < key->path_size; i++)
    if (key->path[i] != '/' || key->path[written - 1] != '/')
      key->path[written++] = key->path[i];
  key->path_size = written;
}

static bool drop_trailing_slashes(key_parts *key)
{
  size_t before = key->path_size;
  while (key->path_size > 1 && key->path[key->path_size - 1] == '/')
    key->path_size--;
  return key->path_size < before;
}

static bool is_one_of(const char *name, size_t size, const char *const *names)
{
  for (; *names; names++)
    if (strlen(*names) == size && strncasecmp(*names, name, size) == 0)
      return true;
  return false;
}

/* The pages servers send for their directory. */
static bool drop_index_page(key_parts *key)
{
  static const char *const names[] = {"index", "default", NULL};
  static const char *const types[] = {"html", "htm",  "shtml", "phtml", "xhtml", "php",  "php3", "php4", "php5",
                                      "asp",  "aspx", "jsp",   "jsf",   "jspa",  "jspx", "cfm",  "cgi",  NULL};
  char *name = (char *)memrchr(key->path, '/', key->path_size) + 1;
  const char *end = key->path + key->path_size, *dot = memchr(name, '.', (size_t)(end - name));
  if (!dot || !is_one_of(name, (size_t)(dot - name), names) || !is_one_of(dot + 1, (size_t)(end - dot - 1), types))
    return false;
  key->path_size = (size_t)(name - key->path);
  return true;
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct parameter {
  const char *name, *value; /* value: after the '=', or the end */
  size_t name_size, value_size;
} parameter;

static parameter parameter_read(const char *text, size_t size)
{
  const char *equals = memchr(text, '=', size);
  size_t name_size = equals ? (size_t)(equals - text) : size;
  size_t value_begin = equals ? name_size + 1 : size;
  return (parameter){text, text + value_begin, name_size, size - value_begin};
}

static bool is_alphanumeric(unsigned char byte)
{
  return (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
}

/* A session's name and 32 letters or digits. By the name alone sid=01/04/18/001236, an article, would go. */
static bool is_session_id(parameter given)
{
  static const char *const names[] = {"sid",        "sessionid",    "session_id", "sessid", "phpsessid",
                                      "jsessionid", "bv_sessionid", "lsessionid", NULL};
  while (given.name_size > 0 && given.name[0] == '_') {
    given.name++;
    given.name_size--;
  }
  if (given.value_size != 32 || !is_one_of(given.name, given.name_size, names))
    return false;
  for (size_t i = 0; i < given.value_size; i++)
    if (!is_alphanumeric((unsigned char)given.value[i]))
      return false;
  return true;
}

/* Marks of campaigns and clicks: they tell where a visitor came from, not what the page is. */
static bool is_tracking(parameter given)
{
  static const char *const names[] = {"gclid", "gclsrc", "dclid",  "gbraid",    "wbraid", "fbclid", "msclkid",
                                      "yclid", "twclid", "ttclid", "igshid",    "mc_cid", "mc_eid", "_hsenc",
                                      "_hsmi", "_ga",    "_gl",    "_openstat", NULL};
  return (given.name_size > 4 && strncasecmp(given.name, "utm_", 4) == 0) ||
         is_one_of(given.name, given.name_size, names);
}

static bool is_dropped(url_profile profile, const char *text, size_t size)
{
  parameter given = parameter_read(text, size);
  return ((profile & URL_NO_SESSION_IDS) && is_session_id(given)) ||
         ((profile & URL_NO_TRACKING) && is_tracking(given));
}

/* Drop parameters from the query; one that loses them all loses its '?' too. ';' separates as '&' does. */
static void drop_parameters(url_profile profile, key_parts *key)
{
  size_t written = 0, kept = 0, dropped = 0;
  for (size_t begin = 0; begin <= key->query_size;) {
    size_t end = begin;
    while (end < key->query_size && key->query[end] != '&' && key->query[end] != ';')
      end++;
    if (is_dropped(profile, key->query + begin, end - begin)) {
      dropped++;
    } else {
      if (kept++ > 0)
        key->query[written++] = key->query[begin - 1];
      memmove(key->query + written, key->query + begin, end - begin);
      written += end - begin;
    }
    begin = end + 1;
  }
  key->query_size = written;
  if (dropped > 0 && kept == 0)
    key->query = NULL;
}

/* Does what is written so far end in a segment "." or ".."? It must not stay alone: it would mean another path. */
static bool ends_in_dots(const char *path, size_t size)
{
  const char *segment = (const char *)memrchr(path, '/', size) + 1;
  size_t segment_size = (size_t)(path + size - segment);
  return (segment_size == 1 || segment_size == 2) && memcmp(segment, "..", segment_size) == 0;
}

/* ";jsessionid=..." in a path segment. */
static void drop_path_sessions(key_parts *key)
{
  size_t written = 0;
  for (size_t begin = 0; begin < key->path_size;) {
    size_t end = begin + 1;
    while (end < key->path_size && key->path[end] != ';' && key->path[end] != '/')
      end++;
    bool is_dropped = key->path[begin] == ';' &&
                      is_session_id(parameter_read(key->path + begin + 1, end - begin - 1)) &&
                      !ends_in_dots(key->path, written); /* last: of many in a segment each would look through it */
    if (!is_dropped) {
      memmove(key->path + written, key->path + begin, end - begin);
      written += end - begin;
    }
    begin = end;
  }
  key->path_size = written;
}

/* ---- the order of parameters ----------------------------------------------------------------- */

/* Offsets, not pointers: as many parameters as fit in a key take 16 KiB of stack. */
typedef struct span {
  uint16_t begin, size;
} span;

static int compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
  int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_parameters(const void *left, const void *right, void *query)
{
  const span *l = left, *r = right;
  parameter a = parameter_read((const char *)query + l->begin, l->size);
  parameter b = parameter_read((const char *)query + r->begin, r->size);
  int order = compare_bytes(a.name, a.name_size, b.name, b.name_size);
  if (order == 0)
    order = compare_bytes(a.value, a.value_size, b.value, b.value_size);
  return order ? order : (int)l->size - (int)r->size; /* "a" before "a=" */
}

/* By name, then value; empty parameters say nothing and are dropped. */
static void sort_parameters(key_parts *key)
{
  span spans[URL_LENGTH_MAX / 2];
  char sorted[URL_LENGTH_MAX];
  size_t count = 0, written = 0;
  for (size_t begin = 0; begin <= key->query_size;) {
    const char *mark = memchr(key->query + begin, '&', key->query_size - begin);
    size_t end = mark ? (size_t)(mark - key->query) : key->query_size;
    if (end > begin)
      spans[count++] = (span){(uint16_t)begin, (uint16_t)(end - begin)};
    begin = end + 1;
  }
  qsort_r(spans, count, sizeof spans[0], compare_parameters, key->query);
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      sorted[written++] = '&';
    memcpy(sorted + written, key->query + spans[i].begin, spans[i].size);
    written += spans[i].size;
  }
  memcpy(key->query, sorted, written); // cppcheck-suppress uninitvar ; `written` bytes of it are set
  key->query_size = written;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static key_parts split(url *out)
{
  key_parts key = {
    .is_https = out->key[4] == 's',
    .host = out->fetch + out->host_begin,
    .host_size = out->host_end - out->host_begin,
    .path = out->key_bytes + out->path_begin,
  };
  char *end = out->key_bytes + out->key_size, *mark = memchr(key.path, '?', (size_t)(end - key.path));
  key.path_size = (size_t)((mark ? mark : end) - key.path);
  if (mark) {
    key.query = mark + 1;
    key.query_size = (size_t)(end - key.query);
  }
  return key;
}

static char *append(char *end, const char *bytes, size_t size)
{
  memmove(end, bytes, size);
  return end + size;
}

/* Pieces only move towards the front, so they may be written over each other in order. */
static void join(url_profile profile, const key_parts *key, url *out)
{
  char *end = out->key_bytes;
  if (profile & URL_PATH_PAPER)
    end = append(end, "//", 2);
  else
    end = key->is_https ? append(end, "https://", 8) : append(end, "http://", 7);
  end = append(end, key->host, key->host_size);
  end = append(end, key->path, key->path_size);
  if (key->query) {
    *end++ = '?';
    end = append(end, key->query, key->query_size);
  }
  *end = '\0';
  out->key = out->key_bytes;
  out->key_size = (uint32_t)(end - out->key_bytes);
}

static void apply_to_path(url_profile profile, key_parts *key)
{
  if (profile & URL_NO_SESSION_IDS)
    drop_path_sessions(key);
  if (profile & URL_NO_DUPLICATE_SLASHES)
    collapse_slashes(key);
  bool is_changed = true;
  while (is_changed) {
    is_changed = (profile & URL_NO_TRAILING_SLASH) && drop_trailing_slashes(key);
    is_changed |= (profile & URL_NO_INDEX_PAGE) && drop_index_page(key);
  }
}

void url_rules_apply(url_profile profile, url *out)
{
  if (profile == URL_STRICT || profile == URL_REFUSE_USERINFO)
    return;
  if (out->key != out->key_bytes)
    memcpy(out->key_bytes, out->key, out->key_size + 1);
  key_parts key = split(out);
  if (profile & (URL_HTTP_IS_HTTPS | URL_PATH_PAPER))
    drop_scheme(&key);
  if (profile & URL_NO_WWW)
    drop_www(&key);
  apply_to_path(profile, &key);
  if (key.query && (profile & (URL_NO_SESSION_IDS | URL_NO_TRACKING)))
    drop_parameters(profile, &key);
  if (key.query && (profile & URL_SORT_QUERY))
    sort_parameters(&key);
  join(profile, &key, out);
}
