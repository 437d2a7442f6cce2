/* mlbf/shingle.h: a text as a set of numbers, for finding texts that share passages.
 *
 * A shingle is four words in a row; its number is a hash of them. Of any eight neighbouring shingles the least is kept
 * (winnowing: Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", 2003), about two
 * of nine, so that any passage of eleven words that two texts share gives them a number in common, wherever it stands.
 *
 * A word is a run of letters, digits and bytes above 127, ASCII letters in lower case; all else parts words. Chinese,
 * Japanese and Korean put no blanks between theirs: each character of these (U+3000 to U+DFFF, and from U+10000 on) is
 * a word. A text of fewer than four words has one shingle of all of them, an empty one none. */
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

/* The shingles of `text` into `shingles`, which begins as zeros or holds an earlier result, which is freed.
 * MLBF_NO_MEMORY: nothing is changed. */
mlbf_status mlbf_shingles_of(const char *text, size_t size, mlbf_shingles *shingles);

/* Frees its memory. */
void mlbf_shingles_free(mlbf_shingles *shingles);

/* How many are in both. */
size_t mlbf_shingles_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

/* ---- as the text arrives -------------------------------------------------------------------------------- */

typedef struct mlbf_shingler mlbf_shingler;

/* At most `most` shingles are kept, the least ones: a sample that is the same for the same passages (Broder, "On the
 * resemblance and containment of documents", 1997). Memory is 16 bytes for each of them at most, however long the text.
 * 0: all. NULL: out of memory. */
mlbf_shingler *mlbf_shingler_create(size_t most);
void mlbf_shingler_free(mlbf_shingler *s); /* NULL is fine */

/* A new text; what was left of another is dropped. */
void mlbf_shingler_begin(mlbf_shingler *s);

/* A piece of the text: any cut of it gives the same shingles. */
void mlbf_shingler_feed(mlbf_shingler *s, const char *text, size_t size);

/* The end of the text. Its shingles belong to `s` and live until its next call. MLBF_NO_MEMORY: some were lost. */
mlbf_status mlbf_shingler_finish(mlbf_shingler *s, mlbf_shingles *shingles);

#ifdef __cplusplus
}
#endif
#endif
