/* crawler/html/sitemap.h: the URLs of a sitemap, found as its bytes arrive.
 *
 * Understood by content, whatever the name or type says: sitemaps.org XML (urlset, sitemapindex), RSS and Atom, a plain
 * text of one URL a line, each perhaps gzipped. Broken XML gives the URLs before the fault, and those libxml2 recovers
 * after it. Safe: parsing stops at a DOCTYPE with an internal subset, so there are no entities but XML's five; nothing
 * is loaded from anywhere; and parsing stops at 50,000 URLs or 50 MiB unpacked, which is the protocol's limit too
 * (https://www.sitemaps.org/protocol.html). */
#ifndef STRATA_CRAWLER_SITEMAP_H
#define STRATA_CRAWLER_SITEMAP_H

#include <stdbool.h>
#include <stddef.h>

enum { SITEMAP_URLS_MAX = 50000, SITEMAP_BYTES_MAX = 50 << 20 };

typedef struct sitemap sitemap;

/* `href` without white space around, not NUL-terminated, valid during the call; `is_map`: it names another sitemap. */
typedef void sitemap_visitor(void *context, bool is_map, const char *href, size_t size);

sitemap *sitemap_create(sitemap_visitor *visit, void *context); /* NULL: out of memory */
void sitemap_free(sitemap *s);                                  /* NULL is fine */

void sitemap_begin(sitemap *s);
void sitemap_feed(sitemap *s, const char *bytes, size_t size); /* past the limits, or the end of reason, it is deaf */
void sitemap_finish(sitemap *s);

#endif
