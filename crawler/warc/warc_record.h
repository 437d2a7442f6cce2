/* One WARC record after another as gzip members, into a file that is appended to.
 *
 * Written bytes stay in memory until a sync succeeds. When a sync fails, the kernel may have dropped some of them, and
 * reports it only once: so all of them are written again. */
#ifndef STRATA_CRAWLER_WARC_RECORD_H
#define STRATA_CRAWLER_WARC_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define ZLIB_CONST /* its input is const */
#include <zlib.h>

typedef struct warc_file {
  int fd;           /* -1: none is open */
  uint64_t settled; /* bytes of it that are on disk */
  uint8_t *pending; /* what follows them */
  size_t size, room;
  z_stream gzip;
  int error; /* ENOMEM: a record is not whole, and the file of no more use; else 0 */
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

/* All of it is on disk. 0, or an errno: it may be repeated. */
int warc_file_settle(warc_file *f);

/* `size` bytes onto the disk, behind the `*end` bytes that are there, which moves. 0, or an errno: `*end` stays, and
 * all is to be given again. */
int warc_append(int fd, const void *bytes, size_t size, uint64_t *end);

#endif
