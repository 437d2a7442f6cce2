/* Near-duplicates: looked for as a visit ends. What a near-duplicate links to may be queued last. Private to the
 * crawl's loop. */
#ifndef STRATA_CRAWLER_NEAR_DUPLICATES_H
#define STRATA_CRAWLER_NEAR_DUPLICATES_H

#include "crawler/loop/crawl_state.h"

/* Adds the page's text to the fingerprint index, or its body to the digests, and puts a near-duplicate of it into
 * `facts`. To be called before its links are added: they go last if it is a near-duplicate and crawl_options.near_last
 * is set. false: the crawl is to end. */
bool near_duplicates_note(crawl *c, visit *v, page_facts *facts);

/* What the frontier would say of it; errno counts. */
frontier_status near_duplicates_status(mlbf_status status);

/* The body of a visit that ended, however it did. */
void near_duplicates_forget(crawl *c, visit *v);

#endif
