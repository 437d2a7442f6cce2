/* tests/site/reachable.h: which targets a crawl of a tree of files should request, found without a crawler.
 *
 * libgumbo builds the tree of each page as a browser does, libcurl's URL API resolves its links, and the files are
 * read from the disk. Nothing of this is used by the crawler. */
#ifndef STRATA_TESTS_SITE_REACHABLE_H
#define STRATA_TESTS_SITE_REACHABLE_H

#include "tests/site/grown_text.h"

#include <stdint.h>

typedef struct reachable {
  char **targets; /* canonical, each once, in the order found; the first is "/" */
  uint32_t count;
  uint32_t pages;  /* those that are HTML files */
  uint32_t files;  /* other files */
  uint32_t others; /* directories asked for without their slash (a redirect), and links to nothing (404) */
} reachable;

/* Everything reachable from "/" of the tree at `root`. */
reachable reachable_find(const char *root);
void reachable_free(reachable *r);

/* Index of a canonical target, or UINT32_MAX. */
uint32_t reachable_index(const reachable *r, const char *target);

#endif
