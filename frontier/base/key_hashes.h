/* What is kept of a key: its own hash, which says whether it is seen, and its segments', which say why it is new. */
#ifndef STRATA_FRONTIER_KEY_HASHES_H
#define STRATA_FRONTIER_KEY_HASHES_H

#include "mlbf/filter.h"

typedef struct key_hashes {
  mlbf_hash128 whole;                  /* of the key */
  uint32_t depth;                      /* so many of its segments, those whose layers have bits */
  mlbf_hash128 layer[MLBF_LAYERS_MAX]; /* theirs */
} key_hashes;

#endif
