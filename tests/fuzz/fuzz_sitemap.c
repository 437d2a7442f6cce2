/* Any bytes as a sitemap, and as the headers that speak of links: URLs within the limits, all inside what was given. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/html/link_headers.h"
#include "crawler/html/sitemap.h"
#include "crawler/html/srcset.h"
#include "frontier/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void note_url(void *context, bool is_map, const char *href, size_t size)
{
  size_t *count = context;
  (void)is_map;
  if (!size || size > URL_LENGTH_MAX || ++*count > SITEMAP_URLS_MAX || !memchr(href, *href, size))
    abort();
}

static void note_link(void *context, const link_found *link)
{
  const char *text = context;
  if (link->href < text || link->href + link->size > text + strlen(text))
    abort();
}

static void read_sitemap(const char *bytes, size_t size, size_t piece)
{
  size_t count = 0;
  sitemap *s = sitemap_create(note_url, &count);
  if (!s)
    abort();
  sitemap_begin(s);
  for (size_t at = 0; at < size; at += piece)
    sitemap_feed(s, bytes + at, piece < size - at ? piece : size - at);
  sitemap_finish(s);
  sitemap_free(s);
}

static void read_srcset(const char *bytes, size_t size)
{
  const char *at = bytes, *found, *before = bytes;
  for (size_t found_size; srcset_next(&at, bytes + size, &found, &found_size); before = at)
    if (at <= before || found < before || found + found_size > at)
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *copy = malloc(size + 1);
  bool nofollow = false, noindex = false;
  if (!copy)
    abort();
  memcpy(copy, data, size);
  copy[size] = '\0';
  read_sitemap(copy, size, size + 1);
  read_sitemap(copy, size, 3);
  read_srcset(copy, size);
  link_headers_read_link(copy, note_link, copy);
  link_headers_read_robots(copy, "strata", &nofollow, &noindex);
  free(copy);
  return 0;
}
