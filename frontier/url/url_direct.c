/* Resolution and normalization by hand: what url_slow.c leaves to uriparser, in two passes over the bytes.
 *
 *     base       http://h/a/b/c?x      kept:  http://h/a/b
 *     reference  ../d|e/%7ef?y         segments, ".." goes back to the '/' before      --> http://h/a/d|e/%7ef?y
 *                                      escapes, as RFC 3986 has them in the key        --> http://h/a/d%7Ce/~f?y
 *
 * For texts so short that no limit of url.h can be met; longer ones take the slow path. Both give the same bytes: the
 * tests and fuzz_url_resolve.c compare them. */
#include "frontier/url/url_marks.h"
#include "frontier/url/url_parts.h"

#include <string.h>

/* Of base and reference together. A byte becomes three at most; a step may read and write past the end, twice. */
enum { DIRECT_MAX = 2560, STEP = URL_MARKS_STEP };
_Static_assert(URL_ORIGIN_MAX + 3 * DIRECT_MAX + 2 * STEP <= URL_LENGTH_MAX, "no result is too long");

/* ---- fetch URL ------------------------------------------------------------------------------- */

/* How much of the base comes first, a directory without its '/'. */
static size_t kept_of(const url_base *base, const url_reference *reference)
{
  if (reference->rest_size == 0)
    return base->parsed.fetch_size;
  if (reference->rest[0] == '?')
    return base->path_end;
  return reference->rest[0] == '/' ? base->parsed.path_begin : base->directory_end - 1u;
}

/* Append the segments of a path that has dots, not before `root`, where all paths begin. Returns where it ends. */
static char *write_path(const char *path, size_t size, const char *root, char *to)
{
  const char *at = path, *end = path + size;
  at += at < end && *at == '/';
  for (bool is_last = false; !is_last;) {
    const char *next = memchr(at, '/', (size_t)(end - at));
    is_last = !next;
    size_t length = (size_t)((next ? next : end) - at);
    bool is_up = length == 2 && at[0] == '.' && at[1] == '.';
    if (is_up && to > root)
      to = memrchr(root, '/', (size_t)(to - root));
    if (!is_up && !(length == 1 && *at == '.')) {
      *to++ = '/';
      memcpy(to, at, length);
      to += length;
    } else if (is_last) {
      *to++ = '/';
    }
    at += length + 1;
  }
  return to;
}

static void make_fetch(const url_base *base, const url_reference *reference, url *out)
{
  size_t kept = reference->origin_size, path_begin = kept;
  if (!reference->has_origin) {
    kept = kept_of(base, reference);
    path_begin = base->parsed.path_begin;
  }
  memcpy(out->fetch_bytes, reference->has_origin ? reference->origin : base->parsed.fetch, kept);
  out->path_begin = out->host_end = (uint32_t)path_begin;
  out->host_begin = out->fetch_bytes[4] == 's' ? 8 : 7;
  char *end = out->fetch_bytes + kept;
  const char *rest = reference->rest;
  size_t left = reference->rest_size;
  if (reference->has_dots) {
    end = write_path(rest, reference->path_size, out->fetch_bytes + path_begin, end);
    rest += reference->path_size;
    left -= reference->path_size;
  } else if (reference->path_size > 0 && *rest != '/') {
    *end++ = '/';
  }
  memcpy(end, rest, left);
  end += left;
  memset(end, 0, STEP);
  out->fetch_size = (uint32_t)(end - out->fetch_bytes);
}

/* ---- key ------------------------------------------------------------------------------------- */

static char *write_escape(unsigned char byte, char *to)
{
  static const char hex[] = "0123456789ABCDEF";
  *to++ = '%';
  *to++ = hex[byte >> 4];
  *to++ = hex[byte & 15];
  return to;
}

/* The byte or escape at `*at`, which is special. */
static char *write_special(const char **at, const char *end, char *to)
{
  unsigned char byte = (unsigned char)**at;
  bool is_escape = url_is_escape(*at, (size_t)(end - *at));
  if (is_escape)
    byte = url_escape_value(*at);
  *at += is_escape ? 3 : 1;
  if (!(url_places[byte] & (is_escape ? URL_UNRESERVED : URL_UNRESERVED | URL_RESERVED)))
    return write_escape(byte, to);
  *to++ = (char)byte;
  return to;
}

static void make_key(url *out)
{
  const char *at = out->fetch_bytes + out->path_begin, *end = out->fetch_bytes + out->fetch_size;
  char *to = out->key_bytes + out->path_begin;
  memcpy(out->key_bytes, out->fetch_bytes, out->path_begin);
  while (at < end) {
    uint64_t special = url_mark(at).special;
    const char *step = at;
    for (; special; special &= at - step < STEP ? ~(uint64_t)0 << (at - step) : 0) {
      const char *stop = step + __builtin_ctzll(special);
      if (stop >= end)
        break;
      memcpy(to, at, STEP);
      to += stop - at;
      at = stop;
      to = write_special(&at, end, to);
    }
    if (at < step + STEP) {
      const char *stop = end - step < STEP ? end : step + STEP;
      memcpy(to, at, STEP);
      to += stop - at;
      at = stop;
    }
  }
  *to = '\0';
  out->key_size = (uint32_t)(to - out->key_bytes);
}

bool url_direct_resolve(const url_base *base, const url_reference *reference, url *out)
{
  if (reference->rest_size + (reference->has_origin ? 0 : base->parsed.fetch_size) > DIRECT_MAX)
    return false;
  out->fetch = out->fetch_bytes;
  out->key = out->key_bytes;
  make_fetch(base, reference, out);
  make_key(out);
  return true;
}
