/* What an audit says beside broken links: redirects, titles that several pages have, pages that only a sitemap names,
 * and what robots.txt forbids. Of each all are counted, and the first ones kept. */
#ifndef STRATA_CRAWLER_AUDIT_DATA_H
#define STRATA_CRAWLER_AUDIT_DATA_H

#include "crawler/report/broken_links.h"

enum { AUDIT_SHOWN = 1000, AUDIT_TITLES = 100, AUDIT_EXAMPLES = 5 };

typedef struct audit_redirect {
  char *url, *end; /* where it begins; where it ends, as far as is known */
  unsigned hops;
  uint16_t ending;
  bool is_loop, is_too_long, is_known;
} audit_redirect;

typedef struct audit_title {
  char *title, *examples[AUDIT_EXAMPLES];
  uint64_t pages;
} audit_title;

typedef struct audit_urls {
  char *list[AUDIT_SHOWN];
  size_t count;
  uint64_t all;
} audit_urls;

typedef struct audit_data {
  broken_links *broken;
  audit_redirect redirects[AUDIT_SHOWN]; /* those of several hops, loops and the like first */
  size_t redirect_count;
  uint64_t redirect_all, chains, loops, too_long;
  audit_title titles[AUDIT_TITLES]; /* those of most pages, most first */
  size_t title_count;
  uint64_t title_all;
  audit_urls orphans, denied;
} audit_data;

/* Of the crawl in `directory`. NULL: `message` has one sentence, or is "" if it is no audit. */
audit_data *audit_data_read(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE]);
void audit_data_free(audit_data *a); /* NULL is fine */

#endif
