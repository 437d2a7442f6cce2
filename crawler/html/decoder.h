/* crawler/html/decoder.h: a page's bytes, piece by piece, into UTF-8.
 *
 *     begin(Content-Type) -> feed, feed, ... -> finish         what decides, in the order of the standard:
 *                                                              BOM, header, <meta> or XML declaration, else as it is
 *
 * A page in UTF-8, or that says nothing, goes through without being copied or looked at, wrong bytes and all: url.h
 * has a rule for those. In any other charset wrong bytes become U+FFFD. Memory is fixed: at most the first
 * PRESCAN_MAX bytes of a page that says nothing in its header are held back, and a character cut in two. */
#ifndef STRATA_CRAWLER_DECODER_H
#define STRATA_CRAWLER_DECODER_H

#include "crawler/html/prescan.h"

typedef void decoder_sink(void *context, const char *bytes, size_t size);

typedef struct decoder decoder;

decoder *decoder_create(decoder_sink *sink, void *context); /* NULL: out of memory */
void decoder_free(decoder *d); /* NULL is fine */

/* A new page; what was left of another is dropped. `said` (NULL: nothing) is the header's word. */
void decoder_begin(decoder *d, const charset *said);
void decoder_feed(decoder *d, const char *bytes, size_t size);
void decoder_finish(decoder *d);

/* What the page is in, NULL while it is not known or if nothing was said; certain after decoder_finish. */
const charset *decoder_charset(const decoder *d);

#endif
