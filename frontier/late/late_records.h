/* The records "run_marks" and "late" of table `meta`: which files of keys are valid, and which links are unconfirmed.
 * FORMAT.md, "meta". */
#ifndef STRATA_FRONTIER_LATE_RECORDS_H
#define STRATA_FRONTIER_LATE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* File "keys.NUMBER" has the keys `from` to `to` - 1 of the log. */
typedef struct run_mark {
  uint64_t number, from, to;
} run_mark;

/* In order of the log, without overlap. false: it contradicts itself, or a log of so many keys. */
bool run_marks_read(const uint8_t *body, size_t size, uint64_t log_keys, size_t *count);
run_mark run_marks_at(const uint8_t *body, size_t i);

/* File "doubts.FIRST" has `keys` keys, of rows `first` to `end` - 1. */
typedef struct doubts_mark {
  uint64_t first, end, keys;
} doubts_mark;

typedef struct late_record {
  uint64_t settled;  /* rows before this one are, and may be gone */
  uint64_t next;     /* row */
  uint64_t accepted; /* of the rows that are not settled */
  uint64_t late;     /* accepted late, ever */
  size_t files;
} late_record;

enum { LATE_RECORD_SIZE = 48, LATE_FILE_SIZE = 24 };                     /* without files, and each of them */
bool late_record_read(late_record *r, const uint8_t *body, size_t size); /* false: it makes no sense */
doubts_mark late_record_file(const uint8_t *body, size_t i);
static inline size_t late_record_size(size_t files)
{
  return LATE_RECORD_SIZE + files * LATE_FILE_SIZE;
}
void late_record_write(const late_record *r, uint8_t *body); /* late_record_size bytes; the files follow: */
void late_record_put_file(uint8_t *body, size_t i, doubts_mark file);

#endif
