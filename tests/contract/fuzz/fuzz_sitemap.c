/* Any bytes as a sitemap, and as the headers that speak of links: the same URLs however they are cut, within
 * the limits, in steps of bounded work. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/html/link_headers.h"
#include "crawler/html/sitemap.h"
#include "crawler/html/srcset.h"
#include "frontier/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a sitemap gave: how many, and a hash of them all in order. */
typedef struct urls_found {
  size_t count;
  uint64_t hash;
} urls_found;

static void add_byte(urls_found *f, unsigned char byte)
{
  f->hash = (f->hash ^ byte) * 0x100000001B3;
}

static void note_url(void *context, bool is_map, const char *href, size_t size)
{
  urls_found *f = context;
  if (!size || size > URL_LENGTH_MAX || ++f->count > SITEMAP_URLS_MAX)
    abort();
  for (size_t i = 0; i < size; i++)
    add_byte(f, (unsigned char)href[i]);
  add_byte(f, is_map ? '+' : '\n');
}

static void note_link(void *context, const link_found *link)
{
  const char *text = context;
  if (link->href < text || link->href + link->size > text + strlen(text))
    abort();
}

static urls_found read_sitemap(const char *bytes, size_t size, size_t piece)
{
  enum { STEPS_MOST = 32 }; /* a byte */
  urls_found f = {0};
  sitemap *s = sitemap_create(note_url, &f);
  if (!s)
    abort();
  sitemap_begin(s, NULL);
  for (size_t at = 0; at < size; at += piece) {
    const char *rest = bytes + at;
    size_t left = piece < size - at ? piece : size - at;
    for (uint64_t before = sitemap_steps(s); sitemap_feed(s, &rest, &left); before = sitemap_steps(s))
      if (sitemap_steps(s) - before > STEPS_MOST * (uint64_t)SITEMAP_STEP)
        abort();
  }
  sitemap_finish(s);
  sitemap_free(s);
  return f;
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
  urls_found whole = read_sitemap(copy, size, size + 1);
  for (size_t piece = 1; piece <= 7; piece += 2) {
    urls_found cut = read_sitemap(copy, size, piece);
    if (cut.count != whole.count || cut.hash != whole.hash)
      abort();
  }
  read_srcset(copy, size);
  link_headers_read_link(copy, note_link, copy);
  link_headers_read_robots(copy, "strata", &nofollow, &noindex);
  free(copy);
  return 0;
}
