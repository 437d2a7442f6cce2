/* datasets/papers/copies.h: of which stored text is this one an edited copy? Compares the answers of matrix_query
 * with an exact comparison of all shingles of four words, on generated or real texts.
 *
 *     stored     four texts of five, in a matrix; the fifth, a "stranger", is not stored
 *     passage    a thousand words of a stranger, a share of which is replaced by a passage of a stored text
 *     inserts    a stored text with sentences of a stranger inserted, until they are a given share of it
 *
 * A text is named if its estimated share of the query is 2 % or more. Real pages share much text, so that is a false
 * alarm only if the true share is below 1 %. The true share counts all shingles; the matrix keeps two of nine. */
#ifndef STRATA_DATASETS_COPIES_H
#define STRATA_DATASETS_COPIES_H

#include "datasets/make/texts.h"

typedef enum copies_edit { COPIES_PASSAGE, COPIES_INSERTS, COPIES_EDITS } copies_edit;

enum { COPIES_QUERY_WORDS = 1000 };

typedef struct copies copies;

/* Do the texts have a stranger and a stored text of COPIES_QUERY_WORDS each? */
bool copies_are_enough(const texts *from, uint64_t seed);

/* NULL: out of memory. `from` must be enough, and outlive it. */
copies *copies_create(const texts *from, uint64_t seed);
void copies_free(copies *of); /* NULL is fine */

size_t copies_stored(const copies *of);
uint64_t copies_bytes(const copies *of); /* of the matrix: rows and shingles */

typedef struct copies_result {
  uint64_t queries;
  uint64_t named;           /* texts, by all queries together */
  uint64_t false_alarms;    /* of those */
  uint64_t missed;          /* queries whose source was not named; none if nothing was copied */
  uint64_t found_first;     /* whose source was named first, or level with the first */
  uint64_t near_duplicates; /* whose source has an estimated share of 90 % or more */
  double share_error;       /* mean distance of the source's share, as named, from the true one */
} copies_result;

/* Ask `queries` times, `percent` (0 to 50) being copied or put in. False: out of memory. */
bool copies_measure(const copies *of, copies_edit edit, uint32_t percent, uint32_t queries, uint64_t seed,
                    copies_result *result);

#endif
