/* Pages of links for bench_late: known URLs, drawn as the web in a box (tests/contract/web/web.h) draws them or evenly,
 * and with each page as many new ones as come to a share. */
#ifndef STRATA_TESTS_LATE_PAGES_H
#define STRATA_TESTS_LATE_PAGES_H

#include "frontier/base/key_hashes.h"
#include "frontier/url.h"
#include "mlbf/filter.h"
#include "tests/contract/web/web.h"

enum { LATE_PAGES = 512, LATE_LINKS = 128, LATE_BYTES = LATE_PAGES * LATE_LINKS * 48 };

/* One behind the other, as they stand in pages. */
typedef struct late_lot {
  uint32_t pages, links, bytes, fresh; /* `fresh` of the links are new */
  uint32_t page_end[LATE_PAGES];       /* the link behind its last one */
  uint32_t begin[LATE_PAGES * LATE_LINKS + 1];
  char text[LATE_BYTES];
} late_lot;

typedef struct late_pages late_pages;

/* Of `known` URLs on hosts with so many pages each, and so many links on each page. */
late_pages *late_pages_create(uint64_t known, uint32_t pages_of_host, uint32_t links);
void late_pages_free(late_pages *p);
uint64_t late_pages_known(const late_pages *p); /* a multiple of 1000, `known` at most */

/* For frontier_known_make. */
void late_pages_hash(void *pages, const mlbf_filter *filter, uint64_t number, key_hashes *hashes);

/* The next pages; hosts take turns. Of known URLs: the box's links, or as many that are drawn evenly. */
void late_pages_draw(late_pages *p, bool evenly, late_lot *lot);
/* So many new URLs, as pages of 50. */
void late_pages_draw_fresh(late_pages *p, uint32_t count, late_lot *lot);

#endif
