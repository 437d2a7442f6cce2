/* tests/support/page_trees.h: the HTML files of a directory tree, in memory, for tests and benches on real pages. */
#ifndef STRATA_TESTS_PAGE_TREES_H
#define STRATA_TESTS_PAGE_TREES_H

#include <stddef.h>

typedef struct html_page {
  char *name;
  char *bytes; /* NUL-terminated besides */
  size_t size;
} html_page;

typedef struct page_tree {
  html_page *list;
  size_t count, bytes;
} page_tree;

/* Regular files named *.html or *.htm under `directory`, in no order, until `bytes_max` are read. Count 0 if there
 * are none, or no such directory. Exits if memory is short. */
page_tree page_tree_read(const char *directory, size_t bytes_max);
void page_tree_free(page_tree *tree);

#endif
