/* datasets/reader.h: the lines of a URL list, one at a time, from a file or a pipe of any size.
 *
 * Bytes pass through as they are: no charset is assumed and nothing is decoded, as real lists hold every
 * byte there is. A line ends at LF, CR LF or the end of the file; a UTF-8 byte order mark at the very
 * beginning is dropped; empty lines are passed over. A line that cannot be a row of any list (it holds a NUL,
 * or is longer than DATASET_LINE_MAX) is counted as bad and passed over too: one bad line never ends a run.
 *
 * Memory is fixed, about 128 KiB, however long the lines are. One reader belongs to one thread at a time. */
#ifndef STRATA_DATASETS_READER_H
#define STRATA_DATASETS_READER_H

#include <stddef.h>
#include <stdint.h>

enum {
  DATASET_LINE_MAX = 64 * 1024, /* bytes without the line end: eight times the longest URL we take */
  DATASET_BAD_SHOWN = 5,        /* bad lines whose numbers are kept */
};

typedef enum dataset_status {
  DATASET_OK = 0,
  DATASET_END, /* no more lines */
  DATASET_IO,  /* errno says which; EINTR: a signal came while waiting, and the call may be repeated */
} dataset_status;

typedef enum dataset_fault {
  DATASET_HAS_NUL,
  DATASET_TOO_LONG,
  DATASET_REFUSED, /* well-formed, but the caller would not have it: dataset_refuse */
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

/* Count the line dataset_next gave last as bad: it is not a row of what the caller reads. */
void dataset_refuse(dataset_reader *reader);

const dataset_bad *dataset_bad_lines(const dataset_reader *reader); /* lives as long as the reader */

#endif
