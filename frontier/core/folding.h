/* Folding: the older rows of table `ended` go into table `states`, some groups with each commit. A part of the handle
 * (part.h). */
#ifndef STRATA_FRONTIER_FOLDING_H
#define STRATA_FRONTIER_FOLDING_H

#include "frontier/store/store_urls.h"

typedef struct folding {
  ended_fold fold;     /* under way if it has rows */
  size_t sealed_at;    /* so far it is sealed */
  size_t groups;       /* of its rows */
  bool is_over;        /* with the transaction that is gathered */
  uint64_t first_kept; /* number of the first row of `ended` */
} folding;

void folding_begin(folding *f, uint64_t first_kept); /* at open */

#endif
