/* datasets/replay/html.h: the few things a self-contained page needs. */
#ifndef STRATA_DATASETS_HTML_H
#define STRATA_DATASETS_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Everything before a page's first heading, its style with it; and what closes it. */
void html_begin(FILE *to);
void html_end(FILE *to);

/* Text from anywhere: markup, quotes and control bytes escaped; a byte over 0x7e is written as \xNN, so that the
 * page is well-formed whatever the text's encoding was. */
void html_text(FILE *to, const char *text);

/* A whole number with thin spaces every three digits. */
void html_count(FILE *to, uint64_t number);

/* <figure> with the SVG file inside as data, caption below; false (and nothing) if the file cannot be read. */
bool html_figure(FILE *to, const char *path, const char *caption);

#endif
