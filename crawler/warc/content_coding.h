/* crawler/warc/content_coding.h: undoes the content coding of a stored body, piece by piece: gzip, deflate, br, zstd.
 * (RFC 9110, 8.4.1; RFC 7932; RFC 8878.) What libcurl can decode in a crawl can be read again here. */
#ifndef STRATA_CRAWLER_CONTENT_CODING_H
#define STRATA_CRAWLER_CONTENT_CODING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct content_coding content_coding;

typedef void content_sink(void *context, const char *bytes, size_t size);

typedef enum content_kind { CONTENT_PLAIN, CONTENT_ZLIB, CONTENT_BROTLI, CONTENT_ZSTD, CONTENT_UNKNOWN } content_kind;

/* Of a header's value: the coding that was applied last. */
content_kind content_coding_kind(const char *http_head, size_t size);

/* Of a kind that is to be decoded. NULL: out of memory. */
content_coding *content_coding_create(content_kind kind);
void content_coding_free(content_coding *c); /* NULL is fine */

/* false: the bytes are not coded so; what came before was given. */
bool content_coding_add(content_coding *c, const char *bytes, size_t size, content_sink *sink, void *context);

#endif
