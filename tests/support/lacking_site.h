/* tests/support/lacking_site.h: sites of which a crawl leaves something out, each by one reason; the server counts the
 * requests that tell whether it did. */
#ifndef STRATA_TESTS_LACKING_SITE_H
#define STRATA_TESTS_LACKING_SITE_H

#include "tests/site/small.h"

enum { LINKS_MAX = 100000, URLS_MAX = 50000, MAPS_MAX = 1000 }; /* that are taken: of a page, a sitemap, robots.txt */

extern small lacking_served;

/* With the server's processes. */
extern struct lacking_shared {
  bool is_well;                   /* what failed is there now */
  unsigned behind, unconditional; /* requests for /behind/N; for large pages, without a condition */
} * lacking_shared;

/* `kind`: which lack, as "large", "links", "robots-503"; `count`: how many pages or URLs of a sitemap there are. */
void lacking_serve(const char *kind, unsigned count);
void lacking_serve_again(const char *kind, unsigned count, const char *robots);

/* Before and after each case. */
int lacking_begin(void **state);
int lacking_end(void **state);

#endif
