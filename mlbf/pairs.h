/* mlbf/pairs.h: how many words two short texts do not share.
 *
 * Shingles (shingle.h) are too few for that: of a page of 30 words some seven are kept, and one other word in its
 * middle changes three of them. Here each pair of neighbouring words sets one bit of 1,024; the first word makes a pair
 * with nothing. Of bits that only one text has, and of how full both are, follows how many pairs it has for itself
 * (linear counting: Whang, Vander-Zanden, Taylor, "A linear-time probabilistic counting algorithm", 1990). A word of
 * its own in the middle of a text makes two, ten in a row make eleven, and a word that stands there twice counts once
 * where its neighbours are the same. Of ten pairs for itself, nine estimates of ten are off by less than 1.5 in texts
 * of 100 words, 4 in texts of 400, 8 in texts of 1,000. */
#ifndef STRATA_MLBF_PAIRS_H
#define STRATA_MLBF_PAIRS_H

#include "mlbf/shingle.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MLBF_PAIRS_BITS = 1024,
  MLBF_PAIRS_WORDS_MAX = 4096, /* of a longer text no pairs are kept: all bits of it would be set */
};

typedef struct mlbf_pairs {
  uint64_t bits[MLBF_PAIRS_BITS / 64]; /* all of them if the text is longer */
} mlbf_pairs;

/* The pairs of the text that was finished last (mlbf_shingler_finish); valid until the next call on `s`. */
const mlbf_pairs *mlbf_shingler_pairs(const mlbf_shingler *s);

typedef struct mlbf_pairs_difference {
  double own, other; /* pairs that only `a` has, and that only `b` has */
  double common;     /* that both have */
} mlbf_pairs_difference;

/* false: one of them is too full to tell, as texts of more than some 1,400 different pairs are. */
bool mlbf_pairs_compare(const mlbf_pairs *a, const mlbf_pairs *b, mlbf_pairs_difference *difference);

#ifdef __cplusplus
}
#endif
#endif
