/* strata export --format sitemap: the pages of a crawl as a sitemap (sitemaps.org, protocol 0.9). */
#ifndef STRATA_CRAWLER_EXPORT_SITEMAP_H
#define STRATA_CRAWLER_EXPORT_SITEMAP_H

#include "frontier/frontier.h"

/* Of the crawl in `directory`, to standard output: the `part`-th 50,000 of them, as one file takes no more; that there
 * are more is said on stderr. An exit code, after one sentence on stderr if it failed. */
int export_sitemap(frontier *f, const char *directory, uint64_t part);

#endif
