/* crawler/html/page_text.h: makes shingles (mlbf/shingle.h) of a page's text, piece by piece and in fixed memory, 72
 * KiB at most. */
#ifndef STRATA_CRAWLER_PAGE_TEXT_H
#define STRATA_CRAWLER_PAGE_TEXT_H

#include "mlbf/corpus.h"
#include "mlbf/pairs.h"

typedef struct page_text page_text;

page_text *page_text_create(void); /* NULL: out of memory */
void page_text_free(page_text *t); /* NULL is fine */
void page_text_begin(page_text *t);

/* UTF-8, of which bytes that are none are passed through. HTML comes as the scanner gives it (links_want_text), and its
 * character references are decoded; plain text has none. Of one page, one of both. */
void page_text_feed_html(page_text *t, const char *bytes, size_t size);
void page_text_feed_plain(page_text *t, const char *bytes, size_t size);

/* The shingles so far are all; they live until the next call. Without memory for them there are none. */
mlbf_shingles page_text_finish(page_text *t);

/* Of the text that was finished last; they live as long. */
const mlbf_pairs *page_text_pairs(const page_text *t);

#endif
