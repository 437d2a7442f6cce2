/* crawler/base/content_stream.h: one content coding undone, as the bytes arrive: gzip, deflate, br or zstd (RFC 9110,
 * 8.4.1; RFC 1950 to 1952, 7932, 8878, 9659).
 *
 *     do
 *       size_t made = content_stream_read(s, &bytes, &size, out, sizeof out);
 *     while (size || made == sizeof out);
 *
 * Several gzip members, or zstd frames, are one body. What stands behind the end of the last one is ignored, as
 * browsers ignore it, and so is a checksum of gzip or zlib that is wrong: all bytes that it is about have come.
 * "deflate" is zlib's format, or the same without zlib's two bytes in front; gzip's and zlib's formats are told by
 * their first bytes, whatever their name.
 *
 * Safe with any bytes: the work is linear in the bytes taken and made, memory is at most 16 MiB for br, and 8 MiB for
 * zstd (RFC 9659), which stay untouched as long as the body is small. */
#ifndef STRATA_CRAWLER_CONTENT_STREAM_H
#define STRATA_CRAWLER_CONTENT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum content_coding { CODING_GZIP, CODING_DEFLATE, CODING_BROTLI, CODING_ZSTD } content_coding;

typedef enum content_stream_state {
  STREAM_EMPTY,    /* nothing came yet */
  STREAM_OPEN,     /* there is more to come: if nothing does, it was cut */
  STREAM_COMPLETE, /* it may end here, and another member or frame may follow */
  STREAM_ENDED,    /* whatever follows is ignored */
  STREAM_BROKEN,   /* the bytes are not coded so; whatever follows is ignored */
} content_stream_state;

typedef struct content_stream content_stream;

content_stream *content_stream_create(content_coding coding); /* NULL: out of memory */
void content_stream_free(content_stream *s);                  /* NULL is fine */

/* Moves `*bytes` and `*size` behind what it took; how many bytes it wrote to `out`. */
size_t content_stream_read(content_stream *s, const char **bytes, size_t *size, char *out, size_t room);

content_stream_state content_stream_now(const content_stream *s);

/* Of gzip: each member that came ended with its checksum and size, and they are right. */
bool content_stream_is_sound(const content_stream *s);

#endif
