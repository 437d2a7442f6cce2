/* mlbf/digest_features.h: which windows of a byte string stand for it. Internal to mlbf/. */
#ifndef STRATA_MLBF_DIGEST_FEATURES_H
#define STRATA_MLBF_DIGEST_FEATURES_H

#include "mlbf/digest.h"

enum {
  DIGEST_WINDOW = 64, /* bytes of a feature, and neighbours it competes with */
  DIGEST_SCORE_MAX = DIGEST_WINDOW + 1, /* digest_scores() says why it is one more than there are neighbourhoods */
};

/* classes[i]: entropy class of the window that begins at bytes[i], for i < size - 64. The window that ends with the last
 * byte has none, as in sdhash. Nothing if size <= 64. */
void digest_classes(const uint8_t *bytes, size_t size, uint16_t *classes);

/* scores[i], for i < size - 64: in how many of the 64 neighbourhoods it belongs to the window at i has the lowest rank.
 * `ranks` holds `size` of them, zeros for the last 64. size > 64. */
void digest_scores(const uint16_t *ranks, size_t size, uint8_t *scores);

#endif
