/* One WARC record after another as gzip members, into a file that is appended to. */
#ifndef STRATA_CRAWLER_WARC_RECORD_H
#define STRATA_CRAWLER_WARC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define ZLIB_CONST /* its input is const */
#include <zlib.h>

typedef struct warc_file {
  int fd;            /* -1: none is open */
  uint64_t written;  /* bytes in the file */
  uint8_t *pending;  /* what follows them */
  size_t size, room;
  z_stream gzip;
  int error;         /* ENOMEM: a record is not whole, and the file of no more use; else 0 */
} warc_file;

bool warc_file_init(warc_file *f); /* false: out of memory */
void warc_file_free(warc_file *f);

/* Where the next byte goes. */
uint64_t warc_file_end(const warc_file *f);

/* begin, add ..., end: one member. The header is yours to add; `end` adds the two line ends behind the block. */
void warc_record_begin(warc_file *f);
void warc_record_add(warc_file *f, const void *bytes, size_t size);
void warc_record_text(warc_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warc_record_end(warc_file *f);

/* Out of memory into the file. 0, or an errno: what could not be written stays in memory, for the next try. */
int warc_file_write(warc_file *f);

/* `size` bytes at the end of a file, which `*end` says and which moves. 0, or an errno. */
int warc_append(int fd, const void *bytes, size_t size, uint64_t *end);

#endif
