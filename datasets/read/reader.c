/* A window of the file slides over one buffer; lines are handed out in place.
 *
 *     buffer   [ handed out | line being looked for ....... | free ]
 *                           begin           scanned        end    DATASET_LINE_MAX + READ_SIZE
 *
 * begin <= scanned <= end, and [begin, scanned) has no LF: no byte is searched twice.
 * When the window holds more than DATASET_LINE_MAX bytes without an LF, the line is too long: its bytes are
 * dropped as they come until its LF passes by, which is why a line of any length costs no memory.
 *
 * Plain read(2) and not getline(3): getline's buffer grows with the line, without a limit. */
#include "datasets/read/reader.h"
#include "datasets/read/source.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { READ_SIZE = 64 * 1024 }; /* one pipe's worth */

struct dataset_reader {
  source *bytes;
  bool at_end;    /* the source has said so */
  bool ignores;   /* unreadable lines are not counted */
  bool dropping;  /* inside a line that is too long */
  uint64_t lines; /* lines taken so far: the number of the last one */
  size_t begin, scanned, end;
  dataset_bad bad;
  char buffer[DATASET_LINE_MAX + 1 + READ_SIZE]; /* + 1: the CR of a longest line's CR LF */
};

void dataset_before_read(dataset_reader *reader, dataset_waiter *wait, void *context)
{
  source_before_read(reader->bytes, wait, context);
}

/* The picture above. */
static void assert_reader(const dataset_reader *r)
{
  assert(r->begin <= r->scanned && r->scanned <= r->end && r->end <= sizeof r->buffer);
  (void)r;
}

dataset_reader *dataset_open(const char *path)
{
  dataset_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL)
    return NULL;
  reader->bytes = source_open(path);
  if (reader->bytes != NULL)
    return reader;
  int reason = errno;
  free(reader);
  errno = reason;
  return NULL;
}

void dataset_close(dataset_reader *reader)
{
  if (reader == NULL)
    return;
  source_close(reader->bytes);
  free(reader);
}

static void count_bad(dataset_reader *reader, dataset_fault fault)
{
  if (reader->bad.count < DATASET_BAD_SHOWN) {
    reader->bad.first[reader->bad.count].line = reader->lines;
    reader->bad.first[reader->bad.count].fault = fault;
  }
  reader->bad.count++;
}

/* Slide the unfinished line to the front and read on behind it. False: errno says why. */
static bool fill(dataset_reader *reader)
{
  size_t kept = reader->end - reader->begin;
  assert_reader(reader);
  assert(kept <= sizeof reader->buffer - READ_SIZE); /* drop_endless came before */
  memmove(reader->buffer, reader->buffer + reader->begin, kept);
  reader->begin = 0;
  reader->scanned = reader->end = kept;

  ssize_t got = source_read(reader->bytes, reader->buffer + kept, READ_SIZE);
  if (got < 0)
    return false;
  reader->at_end = got == 0;
  reader->end += (size_t)got;
  return true;
}

static dataset_status failure(void)
{
  return errno == EBADMSG ? DATASET_DAMAGED : DATASET_IO;
}

/* What the window holds is the beginning of a line, and too long already. */
static void drop_endless(dataset_reader *reader)
{
  if (reader->end - reader->begin > DATASET_LINE_MAX + 1 &&
      memchr(reader->buffer + reader->begin, '\n', reader->end - reader->begin) == NULL) {
    reader->dropping = true;
    reader->begin = reader->scanned = reader->end;
  }
}

/* Move past one line, reading on as needed. A last line without LF is a line. */
static dataset_status take_line(dataset_reader *reader, const char **line, size_t *size, bool *too_long)
{
  assert_reader(reader);
  for (;;) {
    const char *start = reader->buffer + reader->begin;
    const char *feed = memchr(reader->buffer + reader->scanned, '\n', reader->end - reader->scanned);
    bool unfinished = reader->end > reader->begin || reader->dropping;
    if (feed != NULL || (reader->at_end && unfinished)) {
      *line = start;
      *size = feed != NULL ? (size_t)(feed - start) : reader->end - reader->begin;
      *too_long = reader->dropping;
      reader->dropping = false;
      reader->begin += *size + (feed != NULL);
      reader->scanned = reader->begin;
      reader->lines++;
      assert_reader(reader);
      return DATASET_OK;
    }
    if (reader->at_end)
      return DATASET_END;
    drop_endless(reader);
    if (!fill(reader))
      return failure();
  }
}

dataset_status dataset_peek(dataset_reader *reader, const char **bytes, size_t *size)
{
  while (!reader->at_end && reader->end - reader->begin < DATASET_PEEK) {
    if (!fill(reader))
      return failure();
    drop_endless(reader);
  }
  reader->scanned = reader->begin; /* fill takes what was there before it for searched */
  *bytes = reader->buffer + reader->begin;
  *size = reader->end - reader->begin;
  assert_reader(reader);
  return DATASET_OK;
}

/* Counts an unreadable line, unless it may be part of a page's text. */
static void count_unreadable(dataset_reader *reader, dataset_fault fault)
{
  if (!reader->ignores)
    count_bad(reader, fault);
}

void dataset_ignore_unreadable(dataset_reader *reader)
{
  reader->ignores = true;
}

dataset_status dataset_next(dataset_reader *reader, const char **line, size_t *size)
{
  for (;;) {
    const char *bytes;
    size_t length;
    bool too_long;
    dataset_status status = take_line(reader, &bytes, &length, &too_long);
    if (status != DATASET_OK)
      return status;

    if (reader->lines == 1 && length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
      bytes += 3;
      length -= 3;
    }
    if (length > 0 && bytes[length - 1] == '\r')
      length--;

    if (too_long || length > DATASET_LINE_MAX) {
      count_unreadable(reader, DATASET_TOO_LONG);
    } else if (memchr(bytes, '\0', length) != NULL) {
      count_unreadable(reader, DATASET_HAS_NUL);
    } else if (length > 0) {
      *line = bytes;
      *size = length;
      return DATASET_OK;
    }
  }
}

uint64_t dataset_line_number(const dataset_reader *reader)
{
  return reader->lines;
}

void dataset_refuse(dataset_reader *reader, dataset_fault fault)
{
  count_bad(reader, fault);
}

const dataset_bad *dataset_bad_lines(const dataset_reader *reader)
{
  return &reader->bad;
}

const char *dataset_fault_text(dataset_fault fault)
{
  switch (fault) {
  case DATASET_HAS_NUL: return "holds a NUL byte";
  case DATASET_TOO_LONG: return "is longer than 65536 bytes";
  case DATASET_REFUSED: return "is not an http or https URL";
  case DATASET_MALFORMED: return "is not a row of this format";
  case DATASET_UNKNOWN_ID: return "names an id that is not in the id table";
  case DATASET_NO_URL: return "ends a document without a URL";
  }
  return "is bad";
}

const char *dataset_failure_text(dataset_status status)
{
  return status == DATASET_DAMAGED ? "its compressed data is damaged or ends early" : strerror(errno);
}

uint64_t dataset_bytes_read(const dataset_reader *reader)
{
  return source_bytes_read(reader->bytes);
}

const char *dataset_compression(const dataset_reader *reader)
{
  return source_compression(reader->bytes);
}
