/* All visits of a crawl: made when first needed, and reused. */
#ifndef STRATA_CRAWLER_VISIT_POOL_H
#define STRATA_CRAWLER_VISIT_POOL_H

#include "crawler/loop/visit.h"

typedef struct visit_pool {
  void *owner;           /* of each visit */
  const char *directory; /* for files of theirs; NULL: none */
  bool wants_images, wants_text, wants_assets;
  visit *idle;
  visit **all;
  size_t count, room;
  size_t active; /* taken and not put back */
} visit_pool;    /* zeros except the first four: none yet */

visit *visit_pool_take(visit_pool *vs); /* NULL: out of memory */
void visit_pool_put_back(visit_pool *vs, visit *v);
void visit_pool_free(visit_pool *vs);

#endif
