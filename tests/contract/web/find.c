/* From a URL to what stands there. */
#include "tests/contract/web/web_inside.h"

#include <string.h>
#include <strings.h>

/* The host without a port. */
static size_t without_port(const char *host, size_t size)
{
  const char *colon = memchr(host, ':', size);
  return colon ? (size_t)(colon - host) : size;
}

/* Of a URL that is not the host's own: by another name, or by http where it speaks https. It says where to go. */
static web_place seen_from_elsewhere(web_place place)
{
  if (place.what == WEB_PAGE)
    place.what = WEB_HOP;
  return place;
}

web_place web_find_target(const web *w, bool is_https, const char *host, size_t host_size, const char *target,
                          size_t target_size)
{
  char decoded[WEB_TARGET_MAX];
  web_place place = {WEB_NOTHING, WEB_NO_HOST, 0, WEB_NO_HOST};
  unsigned hop;
  uint32_t number;
  web_name name = web_read_name(w, host, without_port(host, host_size), &number);
  if (name == WEB_NAME_NONE)
    return place;
  place.host = place.asked = number;
  bool speaks_https = web_host_is_https(w, number);
  if (name == WEB_NAME_ENDLESS) {
    place.what = target_size == 11 && memcmp(target, "/robots.txt", 11) == 0 ? WEB_ROBOTS : WEB_ENDLESS;
    return place;
  }
  if (is_https && !speaks_https)
    return place;
  if (!web_decode(target, target_size, decoded, sizeof decoded)) {
    place.what = web_host_has(w, number, WEB_LOST) ? WEB_ENDLESS : WEB_NOTHING;
    return place;
  }
  place = web_find_decoded(w, number, decoded, &hop);
  return name == WEB_NAME_OTHER || is_https != speaks_https ? seen_from_elsewhere(place) : place;
}

web_place web_find(const web *w, const char *url, size_t size)
{
  static const web_place nothing = {WEB_NOTHING, WEB_NO_HOST, 0, WEB_NO_HOST};
  const char *end = memchr(url, '#', size);
  size = end ? (size_t)(end - url) : size;
  bool is_https = size >= 8 && strncasecmp(url, "https://", 8) == 0;
  if (!is_https && (size < 7 || strncasecmp(url, "http://", 7) != 0))
    return nothing;
  const char *host = url + (is_https ? 8 : 7);
  size_t rest = size - (size_t)(host - url), host_size = 0;
  while (host_size < rest && host[host_size] != '/' && host[host_size] != '?')
    host_size++;
  if (host_size == rest || host[host_size] == '?')
    return web_find_target(w, is_https, host, host_size, host_size == rest ? "/" : "/?", host_size == rest ? 1 : 2);
  return web_find_target(w, is_https, host, host_size, host + host_size, rest - host_size);
}

void web_add_origin(const web *w, text *out, uint32_t host)
{
  char name[WEB_NAME_MAX];
  web_host_name(w, host, name);
  text_add(out, web_host_is_https(w, host) ? "https://" : "http://");
  text_add(out, name);
}

void web_url(const web *w, uint32_t host, uint32_t page, text *url)
{
  char target[WEB_TARGET_MAX];
  web_add_origin(w, url, host);
  text_add_bytes(url, target, web_page_target(w, host, page, target));
}
