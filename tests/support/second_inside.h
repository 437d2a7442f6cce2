/* tests/support/second_inside.h: what the parts of the second reader share. */
#ifndef STRATA_TESTS_SECOND_INSIDE_H
#define STRATA_TESTS_SECOND_INSIDE_H

#include "tests/support/second_reader.h"

/* The numbers of `progress`; from NEW on, one for each verdict of new. */
enum { NEXT_SEQUENCE, LOG_KEYS, CHECKPOINT_KEYS, SLOT, DONE, FAILED, SKIPPED, SEEN, NEW, PROGRESS = 12 };

static inline uint64_t number(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  while (bytes--)
    value = value << 8 | at[bytes];
  return value;
}

/* Something is not as FORMAT.md says. */
__attribute__((format(printf, 2, 3))) void second_fault(second_view *v, const char *format, ...);

/* Seven bits a byte, lowest first; `*at` behind it, or behind `end` if the number does not end before it. */
uint64_t second_number(const uint8_t *value, size_t *at, size_t end);

/* second_records.c: what is there. */
void second_records(second_view *v, const char *directory);

/* second_rows.c: a value of the table of that name; in this order of the tables. */
void second_text(second_view *v, const second_record *r);
void second_states(second_view *v, const second_record *r);
void second_ended(second_view *v, const second_record *r);
void second_again(second_view *v, const second_record *r);

/* A value of rows, in the order of their numbers, which are not below *next; `read` gets each, and says which bit of
 * the foot its block has for it. */
typedef unsigned second_row_reader(second_view *v, uint64_t row, const uint8_t *bytes, size_t size);
void second_rows(second_view *v, const second_record *r, char kind, uint64_t *next, second_row_reader *read);

/* second_late.c: links whose keys may be known; and once all tables were read, what the files beside them have. */
void second_unconfirmed(second_view *v, const second_record *r);
void second_late(second_view *v, const char *directory);

/* second_agree.c: each table was read; what one says of another must be so. */
void second_agree(second_view *v);

#endif
