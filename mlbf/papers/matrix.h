/* mlbf/papers/matrix.h: which stored documents does this one resemble?
 *
 * After Butakov's pseudo-matrix Bloom filter: documents are packed into rows, each row is a Bloom filter of the
 * shingles of its documents, and a query counts in every row how many of the query's shingles are there. If a row has
 * more than chance explains, its documents are compared shingle by shingle.
 *
 *     documents   | a | b |   c   | d  |......|      shingles of each are kept, 8 bytes each
 *     rows        [ a b ] [ c ] [ c d ] [ ... ]      n shingles, m bits each, the same k hashes for all
 *     bit 0        0       1     0                   bit i of 64 rows is one word: one memory access tests
 *     bit 1        1       0     1       ...         64 rows for one hash
 *
 * The paper differs: it keeps no shingles, so that it can neither remove a document nor say which of a row's documents
 * matched; its score is the number of common shingles per row, which grows with the row's fill (mlbf_matrix_row_score
 * gives both scores). A long document is split over several rows, short ones share one, as in the paper's "distributed"
 * layout.
 *
 * Threads: one writer at a time, or any number of readers. */
#ifndef STRATA_MLBF_MATRIX_H
#define STRATA_MLBF_MATRIX_H

#include "mlbf/shingle.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mlbf_matrix_options {
  uint64_t row_shingles; /* n: how many a row is made for; 0: 20,000, some 200 web pages */
  double rate;           /* p: of a shingle that is not in a full row; 0: 0.05, as in the paper */
} mlbf_matrix_options;

typedef struct mlbf_matrix mlbf_matrix;

/* m = -n ln p / (ln 2)^2, rounded to the nearest whole number, as the paper's Table 1 has it. 0: no such row. */
uint64_t mlbf_matrix_row_bits(uint64_t row_shingles, double rate);

/* An empty matrix; NULL options are the defaults. MLBF_BAD_ARGUMENT, MLBF_NO_MEMORY. */
mlbf_status mlbf_matrix_create(const mlbf_matrix_options *options, mlbf_matrix **matrix);
/* NULL is fine. */
void mlbf_matrix_free(mlbf_matrix *matrix);

/* Adds document `id` with its shingles. MLBF_BAD_ARGUMENT: the id is in use, or there are no shingles;
 * MLBF_NO_MEMORY: it was not added. */
mlbf_status mlbf_matrix_add(mlbf_matrix *matrix, uint64_t id, const mlbf_shingles *shingles);

/* Removes documents, and rebuilds only their rows. MLBF_BAD_ARGUMENT: an id is not in the matrix; MLBF_NO_MEMORY. On
 * failure nothing is removed. */
mlbf_status mlbf_matrix_remove(mlbf_matrix *matrix, const uint64_t *ids, size_t count);

typedef struct mlbf_matrix_match {
  uint64_t id;
  double share;      /* of the query's shingles that this document has: 1 = it holds all of the query */
  double back_share; /* of the document's shingles that the query has */
} mlbf_matrix_match;

/* The documents that share most of the query, best first, at most `*count`; how many there were. Rows whose
 * chance-corrected share is below `least_share` are not looked into, so that documents below it may be missing; none
 * above it is, but with the odds of a Bloom filter's errors, which only ever add rows. MLBF_NO_MEMORY. */
mlbf_status mlbf_matrix_query(const mlbf_matrix *matrix, const mlbf_shingles *query, double least_share,
                              mlbf_matrix_match *matches, size_t *count);

typedef struct mlbf_matrix_row {
  uint64_t documents, shingles; /* of documents that are at least in part in it */
  double fill;                  /* share of its bits that are set */
  uint64_t common;              /* the paper's score: query shingles the row knows */
  double score;                 /* ours: (common/query - fill^k) / (1 - fill^k), the share beyond chance */
} mlbf_matrix_row;

/* The scores of row `row`. MLBF_BAD_ARGUMENT: no such row, or an empty query. */
mlbf_status mlbf_matrix_row_score(const mlbf_matrix *matrix, const mlbf_shingles *query, size_t row,
                                  mlbf_matrix_row *score);

typedef struct mlbf_matrix_stats {
  uint64_t documents, shingles, rows;
  uint64_t row_bits, hashes;
  uint64_t bytes; /* of rows and shingles */
} mlbf_matrix_stats;

/* Size and present state. */
void mlbf_matrix_stats_read(const mlbf_matrix *matrix, mlbf_matrix_stats *stats);

/* Packs the documents again, so that removals leave no half-empty rows. MLBF_NO_MEMORY: nothing is changed. */
mlbf_status mlbf_matrix_compact(mlbf_matrix *matrix);

/* A table file (FORMAT.md) of the documents' shingles; rows are built from them when it is loaded. As mlbf_save and
 * mlbf_load. */
mlbf_status mlbf_matrix_save(const mlbf_matrix *matrix, const char *path);
mlbf_status mlbf_matrix_load(const char *path, mlbf_matrix **matrix);

#ifdef __cplusplus
}
#endif
#endif
