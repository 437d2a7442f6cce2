/* mlbf/shingle.h: a text as a set of numbers, for finding texts that share passages.
 *
 * A shingle is four words in a row; its number is a hash of them. A shingle is kept if it is the smallest in some run
 * of eight neighbouring ones, as about two of nine are (winnowing: Schleimer, Wilkerson, Aiken, "Winnowing: Local
 * Algorithms for Document Fingerprinting", 2003). Eleven words are eight shingles, so any such passage that two texts
 * share gives them a common number.
 *
 * A word is a run of letters, digits and bytes above 127, ASCII letters in lower case; all else separates words.
 * Chinese, Japanese and Korean do not separate words by spaces: each of their characters (U+3000 to U+DFFF, and from
 * U+10000 on) is a word. A text of fewer than four words has one shingle of all of them, an empty text no shingle. */
#ifndef STRATA_MLBF_SHINGLE_H
#define STRATA_MLBF_SHINGLE_H

#include "mlbf/filter.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MLBF_SHINGLE_WORDS = 4,
  MLBF_SHINGLE_WINDOW = 8,
  MLBF_SHINGLES_WHOLE = 256, /* by which two texts of any length are compared: mlbf/corpus.h says how well */
};

typedef struct mlbf_shingles {
  uint64_t *at; /* those that are kept, ascending, each once */
  size_t count, room;
  uint64_t text; /* a hash of all words in order, never 0; equal texts have equal ones. 0: not known */
  /* The MLBF_SHINGLES_WHOLE least of all shingles, kept or not: all, if the text has no more; NULL: not known. */
  uint64_t *whole;
  size_t whole_count;
} mlbf_shingles;

/* The shingles of `text` into `shingles`, which is all zeros or holds an earlier result; that is freed.
 * MLBF_NO_MEMORY: nothing is changed. */
mlbf_status mlbf_shingles_of(const char *text, size_t size, mlbf_shingles *shingles);

/* Frees its memory. */
void mlbf_shingles_free(mlbf_shingles *shingles);

/* The number of shingles in both. */
size_t mlbf_shingles_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

/* ---- as the text arrives -------------------------------------------------------------------------------- */

typedef struct mlbf_shingler mlbf_shingler;

/* Keeps the `most` smallest shingles, 0: all. Equal passages give equal samples (Broder, "On the resemblance and
 * containment of documents", 1997). Memory is at most 128 bytes per kept shingle, and 20 KiB, however long the
 * text. NULL: out of memory. */
mlbf_shingler *mlbf_shingler_create(size_t most);
void mlbf_shingler_free(mlbf_shingler *s); /* NULL is fine */

/* Begins a new text; the rest of an unfinished one is dropped. */
void mlbf_shingler_begin(mlbf_shingler *s);

/* The next piece of the text: any cut into pieces gives the same shingles. */
void mlbf_shingler_feed(mlbf_shingler *s, const char *text, size_t size);

/* Ends the text. `*shingles` then points into `s`: do not free it. It is valid until the next call on `s`.
 * MLBF_NO_MEMORY: some were lost. */
mlbf_status mlbf_shingler_finish(mlbf_shingler *s, mlbf_shingles *shingles);

#ifdef __cplusplus
}
#endif
#endif
