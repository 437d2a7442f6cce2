/* mlbf/similar/digest_features.h: which windows of a byte string are its features. Internal to mlbf/. */
#ifndef STRATA_MLBF_DIGEST_FEATURES_H
#define STRATA_MLBF_DIGEST_FEATURES_H

#include "mlbf/digest.h"

enum {
  DIGEST_WINDOW = 64,                   /* bytes of a feature, and neighbours it competes with */
  DIGEST_SCORE_MAX = DIGEST_WINDOW + 1, /* digest_score_windows says why it is one more than there are neighbourhoods */
};

/* Only the order of ranks matters: the same order in numbers up to DIGEST_RANK_MAX, one for each class at most. */
enum { DIGEST_RANK_MAX = MLBF_ENTROPY_CLASSES };
void digest_ranks_pack(const mlbf_digest_ranks *ranks, mlbf_digest_ranks *packed);

/* out[i] = of_class[c], c being the entropy class of the window that begins at bytes[i], for i < windows; so bytes
 * holds windows + 63. */
void digest_classes(const uint8_t *bytes, size_t windows, const uint16_t of_class[MLBF_ENTROPY_CLASSES], uint16_t *out);

/* Goes over windows once, in pieces of any size. */
typedef struct digest_scorer {
  size_t begin;  /* of the next neighbourhood */
  size_t best;   /* the rarest window of the last one, */
  uint16_t rank; /* and its rank; 0: there was none */
} digest_scorer;

/* scores[i] += in how many neighbourhoods that begin before `end` the window i has the lowest rank. Of `ranks`,
 * end + 64 are read, none above DIGEST_RANK_MAX; the scores below `end` are final. */
void digest_score_windows(digest_scorer *scorer, const uint16_t *ranks, size_t end, uint8_t *scores);

/* What was window `by` is window 0 from now on. by <= begin. */
void digest_scorer_shift(digest_scorer *scorer, size_t by);

#endif
