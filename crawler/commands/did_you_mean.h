/* The known word that a mistyped one is probably meant to be. */
#ifndef STRATA_CRAWLER_DID_YOU_MEAN_H
#define STRATA_CRAWLER_DID_YOU_MEAN_H

#include <stddef.h>

typedef struct did_you_mean {
  const char *word; /* as typed, of `size` bytes */
  size_t size;
  const char *best; /* of those offered; NULL: none is near */
  size_t distance;
} did_you_mean;

/* `known` is kept if it is nearer than all before: by letters that are wrong, missing, too many or in the wrong order,
 * one in three at most; or as one word is a part of the other. */
void did_you_mean_offer(did_you_mean *d, const char *known);

#endif
