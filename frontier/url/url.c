/* From a base and an href to a fetch URL and a key: the order of the stages. url_parts.h draws them. */
#include "frontier/url/url_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

url_base *url_base_create(void)
{
  url_base *base = malloc(sizeof *base);
  if (base)
    base->is_set = false;
  return base;
}

void url_base_free(url_base *base)
{
  free(base);
}

/* What the header says of a URL, however it was made. */
static void assert_url(const url *u)
{
  assert(u->fetch_size <= URL_LENGTH_MAX && u->fetch[u->fetch_size] == '\0');
  assert(u->key_size <= URL_LENGTH_MAX && u->key[u->key_size] == '\0');
  assert(u->host_begin < u->host_end && u->host_end == u->path_begin && u->path_begin < u->fetch_size);
  assert(u->host_end - u->host_begin <= URL_HOST_MAX + URL_PORT_MAX);
  assert(u->fetch[u->path_begin] == '/');
  assert(u->segment_count && u->segment_count <= URL_SEGMENTS_MAX);
  assert(u->segment_begin[0] == 0 && u->segment_begin[u->segment_count] == u->key_size);
  (void)u;
}

/* For what is not plain; segments are the caller's. */
static url_status resolve_odd(const url_base *base, const char *href, size_t size, url_profile profile, url *out)
{
  url_reference reference;
  url_status status = url_reference_read(href, size, base ? base->parsed.fetch : NULL, profile, &reference);
  if (status != URL_OK || url_direct_resolve(base, &reference, out))
    return status;
  return url_slow_resolve(base, &reference, out);
}

url_status url_resolve(const url_base *base, const char *href, size_t size, url_profile profile, url *out)
{
  if (base && !base->is_set)
    base = NULL;
  if (url_fast_resolve(base, href, size, out)) {
    if (profile == URL_STRICT) {
      assert_url(out);
      return URL_OK;
    }
  } else {
    url_status status = resolve_odd(base, href, size, profile, out);
    if (status != URL_OK)
      return status;
  }
  url_rules_apply(profile, out);
  url_segments(profile, out);
  assert_url(out);
  return URL_OK;
}

url_status url_parse(const char *text, size_t size, url_profile profile, url *out)
{
  return url_resolve(NULL, text, size, profile, out);
}

/* Copy by its size, not whole: pages come by the million. */
static void copy_url(const url *from, url *to)
{
  memcpy(to, from, offsetof(url, fetch_bytes));
  to->fetch = memcpy(to->fetch_bytes, from->fetch, from->fetch_size + 1);
  to->key = from->key == from->fetch ? to->fetch : memcpy(to->key_bytes, from->key, from->key_size + 1);
}

/* How far fetch URL and key agree: to the end, or to the last '/' before they differ, since a '%' may be the
 * same byte in both and mean another thing. */
static uint32_t agreement(const url *parsed)
{
  uint32_t size = 0;
  if (strcmp(parsed->fetch, parsed->key) == 0)
    return parsed->fetch_size;
  while (parsed->fetch[size] == parsed->key[size])
    size++;
  return (uint32_t)((const char *)memrchr(parsed->fetch, '/', size) + 1 - parsed->fetch);
}

url_status url_base_set(url_base *base, const char *text, size_t size)
{
  url parsed;
  url_status status = url_parse(text, size, URL_STRICT, &parsed);
  if (status != URL_OK)
    return status;
  copy_url(&parsed, &base->parsed);
  const char *fetch = base->parsed.fetch, *path = fetch + base->parsed.path_begin;
  const char *end = fetch + base->parsed.fetch_size, *mark = memchr(path, '?', (size_t)(end - path));
  if (mark)
    end = mark;
  base->path_end = (uint32_t)(end - fetch);
  base->directory_end = (uint32_t)((const char *)memrchr(path, '/', (size_t)(end - path)) + 1 - fetch);
  base->plain_end = agreement(&base->parsed);
  assert(base->path_end <= base->parsed.fetch_size && base->plain_end <= base->parsed.fetch_size);
  assert(base->directory_end > base->parsed.path_begin && base->directory_end <= base->path_end);
  base->is_set = true;
  return URL_OK;
}
