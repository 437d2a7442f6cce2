/* Counts of names: hosts, types, errors, which others choose: so each tally draws a secret for its table. The first
 * TALLY_MAX names have a count each, all others share one. */
#ifndef STRATA_CRAWLER_TALLY_H
#define STRATA_CRAWLER_TALLY_H

#include "mlbf/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALLY_MAX = 100000 };

typedef struct tally_row {
  char *name;
  uint64_t count, failed, bytes;
  double seconds;
} tally_row;

typedef struct tally {
  tally_row *rows; /* in order of first sight, or of tally_sort */
  size_t count, room;
  uint32_t *slots; /* hash table: row + 1 */
  size_t slot_count;
  mlbf_hasher *hasher; /* NULL: no name yet */
  tally_row others;    /* name NULL */
} tally;               /* {0} is empty */

void tally_free(tally *t);

/* The row of that name, made if need be: add to it. NULL: out of memory. Valid until the next call. */
tally_row *tally_at(tally *t, const char *name, size_t size);

void tally_sort(tally *t); /* most first; ends adding */

#endif
