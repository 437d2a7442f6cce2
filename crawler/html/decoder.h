/* crawler/html/decoder.h: converts a page's bytes to UTF-8, piece by piece.
 *
 *     begin(Content-Type) -> feed, feed, ... -> finish         what decides, in the order of the standard:
 *                                                              BOM, header, <meta> or XML declaration, else the bytes
 *
 * A page that declares nothing is in UTF-8, if its first PRESCAN_MAX bytes are, and else in windows-1252; if these are
 * ASCII, the first other character decides in the same way. From then on it stays what it is: of a page that was UTF-8
 * so far, and is not any more, the bytes that are none become U+FFFD, as those of any charset do.
 *
 * A <meta> behind the first PRESCAN_MAX bytes, or one that is not what a look at the bytes took for it, changes the
 * charset (HTML 13.2.3.4): from there on, if all before is ASCII; else the page is read again from its start, if no
 * more than DECODER_LATE_MAX bytes of it came. Later ones are not heard.
 *
 * Any cut into pieces gives the same text. Memory: what came of a page while its charset is open, DECODER_LATE_MAX at
 * most, and the first part of a character that is cut in two. Held back are at most the first PRESCAN_MAX bytes, if the
 * header gives no charset. */
#ifndef STRATA_CRAWLER_DECODER_H
#define STRATA_CRAWLER_DECODER_H

#include "crawler/html/prescan.h"

enum { DECODER_LATE_MAX = 64 << 10 };

typedef void decoder_sink(void *context, const char *bytes, size_t size);

/* What the page said so far, in what the sink was given; NULL: nothing. */
typedef const charset *decoder_teller(void *context);

/* What the sink was given of this page is void: it comes again from its start. */
typedef void decoder_restart(void *context);

typedef struct decoder decoder;

decoder *decoder_create(decoder_sink *sink, void *context); /* NULL: out of memory */
void decoder_free(decoder *d);                              /* NULL is fine */

/* For HTML: asks this after each call of the sink, with its context, as long as the charset may change. Without it a
 * late <meta> is not heard. */
void decoder_listen(decoder *d, decoder_teller *tell, decoder_restart *restart);

/* A new page; what was left of another is dropped. `said` (NULL: nothing) is the header's word. */
void decoder_begin(decoder *d, const charset *said);
void decoder_expect_xml(
  decoder *d); /* after decoder_begin: the page is XML: a <meta> says nothing, and UTF-8 need not be said */
void decoder_feed(decoder *d, const char *bytes, size_t size);
void decoder_finish(decoder *d);

/* What the page is in; NULL while it is not known, or if it says nothing and is ASCII; certain after decoder_finish. */
const charset *decoder_charset(const decoder *d);

#endif
