/* datasets/papers/passages.h: from which of many documents was a passage copied? Butakov's experiment, on generated
 * documents.
 *
 *     documents   lengths are exponential, roughly like PAN-09's (mean 38,000 words, 95 % below 123,000, longest
 *                 428,000), but a twentieth of them; words are drawn from 5,000, some more often
 *     rows        of matrix.h, for n shingles; 95 % of the documents have fewer than n. One layout gives a row to
 *                 each document, however long; the other, "distributed", fills rows up and splits longer documents
 *     query       a new document of mean length, a share of which is a passage of a stored document
 *     found       a row with a share of the query of `least` or more: as counted, or corrected for chance
 *
 * A found row is right if it holds the source, else wrong. */
#ifndef STRATA_DATASETS_PASSAGES_H
#define STRATA_DATASETS_PASSAGES_H

#include "datasets/papers/matrix.h"

enum { PASSAGES_SCORES = 2 };
typedef enum passages_score { PASSAGES_LITERAL, PASSAGES_CORRECTED } passages_score;

extern const double passages_least[PASSAGES_SCORES]; /* share of the query from which a row counts as found */

typedef struct passages passages;

/* So many documents, at least 20, in both layouts. NULL: out of memory. */
passages *passages_create(uint32_t documents, uint64_t seed);
void passages_free(passages *of); /* NULL is fine */

uint64_t passages_row_shingles(const passages *of); /* n */
size_t passages_rows(const passages *of, matrix_layout layout);

typedef struct passages_result {
  uint64_t queries;
  uint64_t rows_asked[MATRIX_LAYOUTS];              /* that do not hold the source */
  uint64_t wrong[MATRIX_LAYOUTS][PASSAGES_SCORES];  /* of those, found */
  uint64_t missed[MATRIX_LAYOUTS][PASSAGES_SCORES]; /* queries with no row of the source found */
  uint64_t documents_wrong, documents_missed;       /* matrix_query's answers, by shingles */
} passages_result;

/* Ask `queries` times for passages of `percent` (0 to 50) of the query; 0: nothing is copied, nothing can be missed.
 * False: out of memory. */
bool passages_measure(const passages *of, uint32_t percent, uint32_t queries, uint64_t seed, passages_result *result);

#endif
