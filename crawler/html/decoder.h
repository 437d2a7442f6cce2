/* crawler/html/decoder.h: converts a page's bytes to UTF-8, piece by piece.
 *
 *     begin(Content-Type) -> feed, feed, ... -> finish         what decides, in the order of the standard:
 *                                                              BOM, header, <meta> or XML declaration, else as it is
 *
 * A page in UTF-8, or without a declared charset, is passed on uncopied and unchecked, invalid bytes included: url.h
 * has a rule for those. In any other charset invalid bytes become U+FFFD. Memory is fixed. Held back are at most the
 * first PRESCAN_MAX bytes of a page, if the header gives no charset, and the first part of a character that is cut in
 * two. */
#ifndef STRATA_CRAWLER_DECODER_H
#define STRATA_CRAWLER_DECODER_H

#include "crawler/html/prescan.h"

typedef void decoder_sink(void *context, const char *bytes, size_t size);

typedef struct decoder decoder;

decoder *decoder_create(decoder_sink *sink, void *context); /* NULL: out of memory */
void decoder_free(decoder *d);                              /* NULL is fine */

/* A new page; what was left of another is dropped. `said` (NULL: nothing) is the header's word. */
void decoder_begin(decoder *d, const charset *said);
void decoder_expect_xml(decoder *d); /* after decoder_begin: the page is XML, in which a <meta> says nothing */
void decoder_feed(decoder *d, const char *bytes, size_t size);
void decoder_finish(decoder *d);

/* What the page is in, NULL while it is not known or if nothing was said; certain after decoder_finish. */
const charset *decoder_charset(const decoder *d);

#endif
