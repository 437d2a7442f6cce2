/* The chunked transfer coding (RFC 9112, section 7.1) taken off, as the bytes arrive. */
#ifndef STRATA_CRAWLER_DECHUNK_H
#define STRATA_CRAWLER_DECHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void dechunk_sink(void *context, const char *bytes, size_t size);

typedef struct dechunk {
  enum {
    DECHUNK_SIZE,
    DECHUNK_EXTENSION,
    DECHUNK_DATA,
    DECHUNK_DATA_END,
    DECHUNK_TRAILER,
    DECHUNK_DONE,
    DECHUNK_BAD
  } state;
  uint64_t left;       /* of the chunk's data, or its size so far */
  unsigned digits;     /* of the size line */
  bool line_has_bytes; /* of the trailer */
} dechunk;             /* {0} is the beginning */

/* Gives the data to `sink`. What follows the last chunk is ignored; so is everything behind a fault. */
void dechunk_feed(dechunk *d, const char *bytes, size_t size, dechunk_sink *sink, void *context);

#endif
