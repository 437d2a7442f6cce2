/* The broken links of an audited crawl: each edge whose target is broken, in order of target, source and element.
 *
 *     fetch_table --follow--> broken targets, by hash
 *     DIR/edges  --those to one of them, of pages as they are now--> edges --sorted by text, on disk--> rows
 *
 * A target is what the page links to, though it may redirect to what is broken. A start URL that is broken has one row
 * more, without a source. In bounded memory: what is large is in files, which are mapped or merged. */
#ifndef STRATA_CRAWLER_BROKEN_LINKS_H
#define STRATA_CRAWLER_BROKEN_LINKS_H

#include "crawler/report/fetch_table.h"

typedef struct broken_links broken_links;

/* Of the crawl in `directory`, whose frontier is `f`. NULL: `message` has one sentence. */
broken_links *broken_links_read(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE]);
void broken_links_free(broken_links *b); /* NULL is fine */

fetch_table *broken_links_table(const broken_links *b);

/* Does a sitemap name the URL of this row of the table, and no page link to it? */
bool broken_links_is_orphan(const broken_links *b, uint64_t row);

typedef struct broken_link {
  const char *target, *source; /* valid until broken_links_free; source "": it is a start URL */
  uint16_t ending;             /* as fetch_row's, of where its redirects end */
  link_element by;
} broken_link;

bool broken_links_next(broken_links *b, broken_link *link); /* false: no more */

typedef struct broken_counts {
  uint64_t links;     /* edges of all pages */
  uint64_t broken;    /* of them, and start URLs */
  uint64_t targets;   /* different ones that are broken, and linked to */
  uint64_t sources;   /* pages with a broken link */
  uint64_t mixed;     /* edges of https pages to what is loaded by http */
  uint64_t unchecked; /* edges to what was not asked for, or not up to where it redirects */
} broken_counts;
broken_counts broken_links_count(const broken_links *b);

/* Mixed content, some of it: the first ones. */
enum { MIXED_KEPT = 100 };
typedef struct mixed_link {
  char *source, *target;
  link_element by;
} mixed_link;
const mixed_link *broken_links_mixed(const broken_links *b, size_t *count);

#endif
