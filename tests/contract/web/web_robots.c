/* robots.txt, and the sitemaps that it names. */
#include "tests/contract/web/web_inside.h"

#include <stdio.h>
#include <string.h>

static const char other_crawler[] = "User-agent: otherbot\nDisallow: /\n\n";

/* Rules that forbid nothing there is. */
static void add_filler(const web *w, uint32_t host, text *out)
{
  enum { RULES = 11000 }; /* of 44 bytes: below the 500 KiB that count */
  uint64_t state = web_dice(w, WEB_ASK_TRAP, host, 1);
  for (unsigned i = 0; i < RULES; i++)
    text_addf(out, "Disallow: /filler/%08u/%016llx\n", i, (unsigned long long)web_dice_next(&state));
}

void web_write_long_robots(const web *w, uint32_t host, text *out)
{
  text_add(out, "User-agent: *\nDisallow: /best/3\n");
  add_filler(w, host, out);
}

bool web_host_strays(const web *w, uint32_t host)
{
  return host && web_host_has(w, host, WEB_STRAYROBOTS) && web_host_robots(w, host) == WEB_SHARES;
}

uint32_t web_host_strayed(const web *w, uint32_t host, const char *target, unsigned *left)
{
  unsigned of;
  char own[64];
  if (host || sscanf(target, "/robots-of/%u/%u", &of, left) != 2 || of >= w->options.hosts || *left > 1 ||
      !web_host_strays(w, of))
    return WEB_NO_HOST;
  snprintf(own, sizeof own, "/robots-of/%u/%u", of, *left);
  return strcmp(own, target) == 0 ? of : WEB_NO_HOST;
}

void web_write_robots(const web *w, uint32_t host, text *out)
{
  uint32_t delay_s = web_host_delay_s(w, host);
  text_add(out, other_crawler);
  text_add(out, "User-agent: *\n");
  if (web_host_robots(w, host) == WEB_CLOSED)
    text_add(out, "Disallow: /\n");
  else if (w->limit[WEB_FORBIDDEN])
    text_add(out, "Disallow: /private/\nAllow: /private/open/\nDisallow: /*.cgi$\n");
  else
    text_add(out, "Disallow:\n");
  if (web_host_has(w, host, WEB_LONGROBOTS))
    add_filler(w, host, out);
  if (delay_s) {
    text_add(out, "Crawl-delay: ");
    web_add_number(out, delay_s);
    text_add(out, "\n");
  }
  if (web_host_has_map(w, host)) {
    text_add(out, "\nSitemap: ");
    web_add_origin(w, out, host);
    text_add(out, "/sitemap.xml\n");
  }
}

static void add_location(const web *w, text *out, uint32_t host, const char *target, size_t size)
{
  web_add_origin(w, out, host);
  for (size_t i = 0; i < size; i++)
    if (target[i] == '&')
      text_add(out, "&amp;");
    else
      text_add_byte(out, target[i]);
}

/* What no page links to, and, as sitemaps do, something else as well: "/". */
static void write_urls(const web *w, uint32_t host, uint32_t first, text *out)
{
  char target[WEB_TARGET_MAX];
  uint32_t pages = web_host_pages(w, host);
  text_add(out, "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
  for (uint32_t page = first; page < pages && page < first + WEB_MAP_PAGES; page++) {
    if (page && !web_page_is_map_only(w, host, page))
      continue;
    text_add(out, "<url><loc>");
    add_location(w, out, host, target, web_page_target(w, host, page, target));
    text_add(out, "</loc></url>\n");
  }
  text_add(out, "</urlset>\n");
}

static void write_index(const web *w, uint32_t host, text *out)
{
  text_add(out, "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
  for (uint32_t map = 0; map <= (web_host_pages(w, host) - 1) / WEB_MAP_PAGES; map++) {
    text_add(out, "<sitemap><loc>");
    web_add_origin(w, out, host);
    text_add(out, "/map/");
    web_add_number(out, map);
    text_add(out, ".xml</loc></sitemap>\n");
  }
  text_add(out, "</sitemapindex>\n");
}

void web_write_map(const web *w, uint32_t host, const char *target, text *out)
{
  uint32_t map = 0;
  text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  for (const char *digit = strncmp(target, "/map/", 5) == 0 ? target + 5 : ""; *digit >= '0' && *digit <= '9'; digit++)
    map = 10 * map + (uint32_t)(*digit - '0');
  if (strcmp(target, "/sitemap.xml") == 0 && web_host_pages(w, host) > WEB_MAP_PAGES)
    write_index(w, host, out);
  else
    write_urls(w, host, map * WEB_MAP_PAGES, out);
}
