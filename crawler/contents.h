/* crawler/contents.h: what a crawl's pages say, kept so that those that resemble each other can be found: a corpus
 * (mlbf/corpus.h) in DIR/contents/, whose documents are named by their URLs.
 *
 * In step with the frontier: a page is written before it is said to be done, so that death of the program leaves no page
 * out. A page that was written and not committed is fetched again and then there twice; the newest of a URL counts. */
#ifndef STRATA_CRAWLER_CONTENTS_H
#define STRATA_CRAWLER_CONTENTS_H

#include "mlbf/corpus.h"

typedef struct contents contents;

/* A page that another one says as well. */
typedef struct contents_near {
  const char *url; /* of the other */
  double share;    /* of each that is in the other, the lesser of both */
} contents_near;

/* From so much on a page is near another. */
#define CONTENTS_NEAR 0.9

/* Of the crawl in `directory`, for writing. NULL after one sentence on stderr. */
contents *contents_open(const char *directory);
void contents_close(contents *c); /* NULL is fine */

/* One more page, by its URL. What it is near, or NULL; that lives until the next call. After a failure nothing is added any more. */
const contents_near *contents_add(contents *c, const char *page, const mlbf_shingles *shingles);

/* Why nothing is added any more; "": it is. */
const char *contents_failure(const contents *c);

#endif
