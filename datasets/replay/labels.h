/* datasets/replay/labels.h: each cell of a table says its column.
 *
 * On a narrow screen a table of twelve columns is cut, so there the style of html.c shows each row as a block with a
 * line for each cell, and the heading before it, from the attribute that is written here. */
#ifndef STRATA_DATASETS_LABELS_H
#define STRATA_DATASETS_LABELS_H

#include <stdio.h>

/* Copy `page`, HTML of our own making, and give each <td> its <th>, without markup, as data-label. */
void labels_write(FILE *to, const char *page);

#endif
