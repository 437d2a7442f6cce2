/* crawler/html/sitemap.h: the URLs of a sitemap, found as its bytes arrive.
 *
 * Understood by content, whatever the name or type says: sitemaps.org XML (urlset, sitemapindex), RSS and Atom, a plain
 * text of one URL a line, each perhaps gzipped, in any charset that decoder.h knows. sitemap_reader.h says what comes
 * of faults. Safe: no entity is declared, nothing is loaded from anywhere, memory is fixed (about 60 KiB), and reading
 * stops at 50,000 URLs or 50 MiB unpacked, which is the protocol's limit too
 * (https://www.sitemaps.org/protocol.html). */
#ifndef STRATA_CRAWLER_SITEMAP_H
#define STRATA_CRAWLER_SITEMAP_H

#include "crawler/html/charset.h"
#include "crawler/html/sitemap_reader.h"

enum {
  SITEMAP_URLS_MAX = 50000,
  SITEMAP_BYTES_MAX = 50 << 20,
  SITEMAP_STEP = 64 << 10, /* bytes, unpacked, that a call reads */
};

typedef struct sitemap sitemap;

sitemap *sitemap_create(sitemap_visitor *visit, void *context); /* NULL: out of memory */
void sitemap_free(sitemap *s);                                  /* NULL is fine */

void sitemap_begin(sitemap *s, const charset *said); /* `said` (NULL: nothing) is the header's word */

/* Reads on, no more than SITEMAP_STEP, and moves `*bytes` and `*size` behind what it took; past the limits, or the end
 * of reason, it takes all and is deaf. true: call it again, for the rest of the bytes or of what they unpack to. */
bool sitemap_feed(sitemap *s, const char **bytes, size_t *size);
void sitemap_finish(sitemap *s);

/* Why not all URLs of it were given, in a few words; NULL: they were. After sitemap_finish. */
const char *sitemap_limit(const sitemap *s);

uint64_t sitemap_steps(const sitemap *s); /* the work since sitemap_begin, in bytes looked at; for tests */

#endif
