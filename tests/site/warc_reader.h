/* tests/site/warc_reader.h: a second reader of WARC files, written from ISO 28500:2017 and RFC 9112 alone; it shares no
 * code with the crawler. Whatever the standard demands and is not so is printed and counted. */
#ifndef STRATA_TESTS_SITE_WARC_READER_H
#define STRATA_TESTS_SITE_WARC_READER_H

#include "tests/site/grown_text.h"

#include <stdint.h>

typedef struct warc_item {
  text head; /* "WARC/1.1" to the empty line */
  text block;
  size_t offset, size; /* of the gzip member in the file */
} warc_item;

typedef struct warc_content {
  warc_item *items;
  size_t count;
  unsigned bad; /* faults */
} warc_content;

/* Reads and judges a whole file, but for what its revisits refer to. One that is not there reads as empty. */
warc_content warc_content_read(const char *path);
void warc_content_free(warc_content *c);

/* One of the first `before` records is the response that a revisit refers to. */
bool warc_content_has_original(const warc_content *c, size_t before, const warc_item *revisit);

/* The value of a named field of the record ("" if it has none); valid until the next call but three. */
const char *warc_item_field(const warc_item *item, const char *name);
bool warc_item_is(const warc_item *item, const char *type);

/* Of a response: the HTTP message's body without its transfer coding. */
text warc_item_payload(const warc_item *item);

#endif
