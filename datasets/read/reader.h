/* datasets/read/reader.h: the lines of a URL list, one at a time, from a file or a pipe of any size, also one that is
 * compressed with gzip, zstd or xz (source.h).
 *
 * Bytes are not changed: no charset is assumed and nothing is decoded, as real lists hold every byte value.
 * A line ends at LF, CR LF or the end of the file; a UTF-8 byte order mark at the very beginning is dropped;
 * empty lines are skipped. A line that cannot be a row of any list (it holds a NUL, or is longer than
 * DATASET_LINE_MAX) is counted as bad and skipped: one bad line never ends a run.
 *
 * Memory is fixed, about 128 KiB, however long the lines are. One reader belongs to one thread at a time. */
#ifndef STRATA_DATASETS_READER_H
#define STRATA_DATASETS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  DATASET_LINE_MAX = 64 * 1024, /* bytes without the line end: eight times the longest URL we take */
  DATASET_BAD_SHOWN = 5,        /* bad lines whose numbers are kept */
  DATASET_PEEK = 64 * 1024 + 2, /* a longest line with its CR LF */
};

typedef enum dataset_status {
  DATASET_OK = 0,
  DATASET_END,     /* no more lines */
  DATASET_IO,      /* errno says which; EINTR: a signal came while waiting, and the call may be repeated */
  DATASET_DAMAGED, /* the compressed data is damaged or ends early */
} dataset_status;

/* For the two failures, right after the call: "No such file or directory", ... */
const char *dataset_failure_text(dataset_status status);

typedef enum dataset_fault {
  DATASET_HAS_NUL,
  DATASET_TOO_LONG,
  /* from here on by the caller, with dataset_refuse */
  DATASET_REFUSED,    /* a URL that is not accepted */
  DATASET_MALFORMED,  /* not a row of the format */
  DATASET_UNKNOWN_ID, /* an id without a known URL */
  DATASET_NO_URL,     /* the end of a document without a URL */
} dataset_fault;

const char *dataset_fault_text(dataset_fault fault); /* "holds a NUL byte", ... */

/* What was bad so far. */
typedef struct dataset_bad {
  uint64_t count;
  struct {
    uint64_t line; /* counted from 1, empty lines included */
    dataset_fault fault;
  } first[DATASET_BAD_SHOWN]; /* the first min(count, DATASET_BAD_SHOWN) are set */
} dataset_bad;

typedef struct dataset_reader dataset_reader;

/* Open `path`; "-" is standard input. NULL: errno says why. */
dataset_reader *dataset_open(const char *path);
void dataset_close(dataset_reader *reader); /* NULL is fine; standard input stays open */

/* The next line, without its end, not NUL-terminated, never empty; valid until the next call. On any other
 * result than DATASET_OK both outputs are untouched. */
dataset_status dataset_next(dataset_reader *reader, const char **line, size_t *size);

/* Number of the line dataset_next gave last, from 1, as an editor counts them. */
uint64_t dataset_line_number(const dataset_reader *reader);

/* Count the line dataset_next gave last as bad. */
void dataset_refuse(dataset_reader *reader, dataset_fault fault);

/* As source_before_read (source.h): no line is left that could be given without reading on. */
typedef bool dataset_waiter(void *context, int file);
void dataset_before_read(dataset_reader *reader, dataset_waiter *wait, void *context);

/* What comes next, at least DATASET_PEEK bytes or all there is, for finding out the format. Takes nothing away that
 * dataset_next would give; a line that is too long is behind us already. */
dataset_status dataset_peek(dataset_reader *reader, const char **bytes, size_t *size);

/* From now on lines that hold a NUL or are too long are skipped and not counted: they are text of pages. */
void dataset_ignore_unreadable(dataset_reader *reader);

uint64_t dataset_bytes_read(const dataset_reader *reader);     /* as source_bytes_read */
const char *dataset_compression(const dataset_reader *reader); /* as source_compression */

const dataset_bad *dataset_bad_lines(const dataset_reader *reader); /* lives as long as the reader */

#endif
