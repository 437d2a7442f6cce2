/* One record of a WARC file, read back. The file is not trusted: anything may be in it. */
#ifndef STRATA_CRAWLER_WARC_READ_H
#define STRATA_CRAWLER_WARC_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct warc_reader {
  /* Both heads are whole, each up to its empty line. false: enough was seen. */
  bool (*heads)(void *context, const char *warc_head, size_t warc_size, const char *http_head, size_t http_size);
  void (*body)(void *context, const char *bytes, size_t size); /* of the HTTP message, as stored */
  void *context;
} warc_reader;

/* Reads the gzip member at `offset`, whose block is an HTTP message. false: one phrase in *why (static, or
 * strerror's). */
bool warc_read(const char *path, uint64_t offset, const warc_reader *reader, const char **why);

/* The same, of the member that begins where the file stands. */
bool warc_read_stream(FILE *file, const warc_reader *reader, const char **why);

#endif
