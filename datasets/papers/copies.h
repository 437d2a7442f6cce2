/* datasets/papers/copies.h: of which stored text is this one an edited copy? What mlbf_matrix_query answers, held
 * against texts compared four words by four words, of generated texts or of real ones.
 *
 *     stored     four texts of five, in an mlbf_matrix; the fifth is a stranger
 *     passage    a thousand words of a stranger, a share of which is replaced by a passage of a stored text
 *     inserts    a stored text into which sentences of a stranger are put, until they are that share of it
 *
 * A text is named if it seems to have 2 % of the query. Real pages have much in common, so that being named is no false
 * alarm: that it is only if less than half of this is true. What is true, the share of the query's shingles of four
 * words that the text has, is counted from all shingles; the matrix knows two of nine. */
#ifndef STRATA_DATASETS_COPIES_H
#define STRATA_DATASETS_COPIES_H

#include "datasets/make/texts.h"

typedef enum copies_edit { COPIES_PASSAGE, COPIES_INSERTS, COPIES_EDITS } copies_edit;

enum { COPIES_QUERY_WORDS = 1000 };

typedef struct copies copies;

/* Has it a stranger and a stored text of COPIES_QUERY_WORDS? */
bool copies_are_enough(const texts *from, uint64_t seed);

/* NULL: out of memory. `from` must be enough, and outlive it. */
copies *copies_create(const texts *from, uint64_t seed);
void copies_free(copies *of); /* NULL is fine */

size_t copies_stored(const copies *of);
uint64_t copies_bytes(const copies *of); /* of the matrix: rows and shingles */

typedef struct copies_result {
  uint64_t queries;
  uint64_t named;          /* texts, by all queries together */
  uint64_t false_alarms;   /* of those */
  uint64_t missed;         /* queries whose source was not named; none if nothing was copied */
  uint64_t found_first;    /* whose source was named first, or level with the first */
  uint64_t near_duplicates; /* whose source seems to have 90 % of the query */
  double share_error;      /* mean distance of the source's share, as named, from the true one */
} copies_result;

/* Ask `queries` times, `percent` (0 to 50) being copied or put in. False: out of memory. */
bool copies_measure(const copies *of, copies_edit edit, uint32_t percent, uint32_t queries, uint64_t seed,
                    copies_result *result);

#endif
