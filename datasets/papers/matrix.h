/* datasets/papers/matrix.h: which stored documents does this one resemble? Butakov's pseudo-matrix Bloom filter.
 *
 * Documents are packed into rows, each row is a Bloom filter of the shingles of its documents, and a query counts in
 * every row how many of the query's shingles are there. If a row has enough of them, its documents are compared shingle
 * by shingle.
 *
 *     documents    | a | b |   c   | d  |......|      shingles of each are kept, 8 bytes each
 *     rows         [ a b ] [ c ] [ c d ] [ ... ]      for n shingles, m bits each, the same k hashes for all
 *     row each     [ a ] [ b ] [   c   ] [ d ] ...    the paper's other layout: long documents overfill their rows
 *
 * The paper differs: it keeps no shingles, so that it can neither remove a document nor say which of a row's documents
 * matched; its score is the number of common shingles per row, which grows with the row's fill (matrix_row_score gives
 * both scores). A long document is split over several rows, short ones share one, as in the paper's "distributed"
 * layout.
 *
 * A crawl's index of near-duplicates, mlbf/corpus.h, is such a matrix on disk. */
#ifndef STRATA_DATASETS_MATRIX_H
#define STRATA_DATASETS_MATRIX_H

#include "mlbf/shingle.h"

typedef enum matrix_layout { MATRIX_ROW_EACH, MATRIX_DISTRIBUTED, MATRIX_LAYOUTS } matrix_layout;

typedef struct matrix_options {
  uint64_t row_shingles; /* n: how many a row is made for */
  double rate;           /* p: of a shingle that is not in a full row */
  matrix_layout layout;
} matrix_options;

/* 20,000 shingles a row, some 200 web pages; 0.05, as in the paper; distributed. */
extern const matrix_options matrix_usual;

typedef struct matrix matrix;

/* m = -n ln p / (ln 2)^2, rounded to the nearest whole number, as the paper's Table 1 has it. 0: no such row. */
uint64_t matrix_row_bits(uint64_t row_shingles, double rate);

/* An empty matrix. NULL: there are no such rows, or no memory. */
matrix *matrix_create(const matrix_options *options);
void matrix_free(matrix *old); /* NULL is fine */

/* Adds document `id`, which is not in it, with its shingles, of which there are some. False: out of memory; then it can
 * only be freed. */
bool matrix_add(matrix *m, uint64_t id, const mlbf_shingles *shingles);

/* Removes documents, and rebuilds only their rows. False: an id is not in it, or out of memory, and nothing is
 * removed. */
bool matrix_remove(matrix *m, const uint64_t *ids, size_t count);

/* Packs the documents again, so that removals leave no half-empty rows. False: no memory, and nothing is changed. */
bool matrix_compact(matrix *m);

typedef struct matrix_match {
  uint64_t id;
  double share;      /* of the query's shingles that this document has: 1 = it holds all of the query */
  double back_share; /* of the document's shingles that the query has */
} matrix_match;

/* The documents that have `least_share` of the query, by their shingles, best first, at most `*count`; how many there
 * were. False: out of memory. */
bool matrix_query(const matrix *m, const mlbf_shingles *query, double least_share, matrix_match *matches,
                  size_t *count);

typedef struct matrix_score {
  double fill;   /* share of the row's bits that are set */
  double share;  /* the paper's score, by the query's size: what the row knows of the query */
  double beyond; /* ours: (share - fill^k) / (1 - fill^k), the share beyond chance */
} matrix_score;

/* Of a query that is not empty. */
matrix_score matrix_row_score(const matrix *m, size_t row, const mlbf_shingles *query);

bool matrix_row_has(const matrix *m, size_t row, uint64_t id); /* some of it */

typedef struct matrix_stats {
  uint64_t documents, shingles, rows;
  uint64_t bytes; /* of rows and shingles */
} matrix_stats;

matrix_stats matrix_stats_read(const matrix *m);

#endif
