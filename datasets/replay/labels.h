/* datasets/replay/labels.h: each cell of a table says its column, and each table its heading, also to screen readers.
 *
 * On a narrow screen a table of twelve columns is cut, so there the style of html.c shows each row as a block with a
 * line for each cell, and the heading before it, from the attribute that is written here. */
#ifndef STRATA_DATASETS_LABELS_H
#define STRATA_DATASETS_LABELS_H

#include <stdio.h>

/* Copy `page`, HTML of our own making; give each <td> its <th>, without markup, as data-label, each <table> the last
 * heading above it as aria-label, and each <th> its scope. */
void labels_write(FILE *to, const char *page);

#endif
