/* All visits of a crawl: made when first needed, used again and again. */
#ifndef STRATA_CRAWLER_VISIT_POOL_H
#define STRATA_CRAWLER_VISIT_POOL_H

#include "crawler/loop/visit.h"

typedef struct visits {
  void *owner;      /* of each visit */
  bool wants_images, wants_text;
  visit *idle;
  visit **all;
  size_t count, room;
  size_t active;    /* taken and not put back */
} visits; /* zeros but for the first three: none yet */

visit *visits_take(visits *vs); /* NULL: out of memory */
void visits_put_back(visits *vs, visit *v);
void visits_free(visits *vs);

#endif
