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
  uint32_t pages;         /* those that are HTML files */
  uint32_t files;         /* other files */
  uint32_t others;        /* directories asked for without their slash (a redirect), and links to nothing (404) */
  uint32_t forbidden;     /* by robots.txt: among the targets, but their links are not */
  const char *forbidding; /* as given */
} reachable;

/* Everything reachable from "/" of the tree at `root`, if robots.txt has one line, "Disallow: " and `forbidding`, which
 * must live as long as the result; NULL for no such line. */
reachable reachable_find(const char *root, const char *forbidding);
bool reachable_is_forbidden(const reachable *r, const char *target);
void reachable_free(reachable *r);

/* Index of a canonical target, or UINT32_MAX. */
uint32_t reachable_index(const reachable *r, const char *target);

#endif
