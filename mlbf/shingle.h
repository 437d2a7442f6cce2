/* mlbf/shingle.h: a text as a set of numbers, for finding texts that share passages.
 *
 * A shingle is four words in a row; its number is a hash of them. Of any eight neighbouring shingles the least is kept
 * (winnowing: Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", 2003), about two of
 * nine, so that any passage of eleven words that two texts share gives them a number in common, wherever it stands. */
#ifndef STRATA_MLBF_SHINGLE_H
#define STRATA_MLBF_SHINGLE_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MLBF_SHINGLE_WORDS = 4, MLBF_SHINGLE_WINDOW = 8 };

typedef struct mlbf_shingles {
  uint64_t *at; /* ascending, each once */
  size_t count, room;
} mlbf_shingles;

/* The shingles of `text` into `shingles`, which begins as zeros or holds an earlier result, which is freed. A
 * word is a run of letters, digits and bytes above 127, ASCII letters in lower case; all else parts words. A text of fewer
 * than four words has one shingle of all of them, an empty one none. MLBF_NO_MEMORY: nothing is changed. */
mlbf_status mlbf_shingles_of(const char *text, size_t size, mlbf_shingles *shingles);

/* Frees its memory. */
void mlbf_shingles_free(mlbf_shingles *shingles);

/* How many are in both. */
size_t mlbf_shingles_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

#ifdef __cplusplus
}
#endif
#endif
