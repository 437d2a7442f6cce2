/* datasets/read/source.h: the bytes of a file or a pipe, decompressed if they are gzip, zstd or xz.
 *
 * Compression is recognized by the first bytes, never by a name. Several compressed streams end to end are read as
 * one, as from `cat a.gz b.gz`. Decompressing takes at most 128 MiB of memory: a file that needs more is refused like
 * damaged data, as a small hostile file could need any amount. */
#ifndef STRATA_DATASETS_SOURCE_H
#define STRATA_DATASETS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct source source;

/* Open `path`; "-" is standard input. NULL: errno says why. */
source *source_open(const char *path);
void source_close(source *old); /* NULL is fine; standard input stays open */

/* Up to `room` bytes, as soon as there are any; 0 at the end; -1: errno says why. EBADMSG: the compressed data is
 * damaged or ends early. EINTR: a signal came while waiting, and the call may be repeated. */
ssize_t source_read(source *from, void *to, size_t room);

/* From now on `wait` is called before each read(2), when all that was read is decoded and given out. If it returns
 * false, the call in progress fails with its errno, and may be repeated. */
typedef bool source_waiter(void *context, int file);
void source_before_read(source *from, source_waiter *wait, void *context);

uint64_t source_bytes_read(const source *of); /* from the file or pipe so far, before decompression */

const char *source_compression(const source *of); /* "gzip", "zstd", "xz", "none" once something was read */

#endif
