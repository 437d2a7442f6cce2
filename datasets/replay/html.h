/* datasets/replay/html.h: the few things a self-contained page needs. */
#ifndef STRATA_DATASETS_HTML_H
#define STRATA_DATASETS_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct html_head {
  const char *title;
  const char *style;       /* CSS */
  const char *style_hash;  /* SHA-256 of `style`, in base64. A change of the style needs a new hash; the failing test in
                             tests/contract/program/test_crawl_shown.c prints it */
  bool has_images;         /* html_figure is used */
  const char *script;      /* JavaScript, run behind the page's end; NULL: none */
  const char *script_hash; /* as style_hash */
} html_head;

/* Everything before a page's first heading, with a content security policy that allows this style, by its hash, and
 * data: images if there are any, and its script. No other script, no handler, frame, form or address of elsewhere
 * works in the page, whatever got into it. */
void html_open(FILE *out, const html_head *page);

/* The same with the style of replay's reports; and what closes either. */
void html_begin(FILE *out);
void html_end(FILE *out);

/* Text from anywhere: markup, quotes and control bytes escaped; a byte over 0x7e is written as \xNN, so that the
 * page is well-formed whatever the text's encoding was. */
void html_text(FILE *out, const char *text);

/* A whole number with thin spaces every three digits. Returns `text`. */
enum { HTML_COUNT_SIZE = 80 };
const char *html_count_text(uint64_t number, char text[HTML_COUNT_SIZE]);
void html_count(FILE *out, uint64_t number);

/* <figure> with the SVG file inside as data, caption below; false (and nothing) if the file cannot be read. */
bool html_figure(FILE *out, const char *path, const char *caption);

#endif
