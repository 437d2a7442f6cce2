/* Revisits: the conditional request for a page that was fetched before, and what is noted of each answer for the next
 * time (frontier/recrawl.h). */
#ifndef STRATA_CRAWLER_REVISIT_H
#define STRATA_CRAWLER_REVISIT_H

#include "crawler/http/fetch.h"
#include "frontier/recrawl.h"

typedef struct revisit revisit;

revisit *revisit_create(void); /* NULL: out of memory */
void revisit_free(revisit *r); /* NULL is fine */

/* A lease is to be visited; with `looks_back` its last visit is looked up. */
frontier_status revisit_begin(revisit *r, frontier *f, uint64_t lease, bool looks_back);

/* It is fetched now: the last visit makes the request a conditional one. */
void revisit_ask(revisit *r, fetch_receiver *receiver);

/* The server says that the page is as it was. */
bool revisit_is_unchanged(const revisit *r, const fetch_response *response);

/* What came is what it was then: the server says so, or the body of this hash is the same. */
bool revisit_is_same(const revisit *r, const fetch_response *response, const char *sha256);

/* It was fetched before, and then had these lacks (lacks.h). */
bool revisit_is_again(const revisit *r);
unsigned revisit_lacks(const revisit *r);

/* Before the lease is said to be done. `lacks`: of a page that was fetched, which is then asked for without a condition
 * the next time. `sha256` of the body, in hex: its beginning tells whether the page changed; ""
 * if that is not known. Of a failure only what was visited before is noted: it will be tried again. */
frontier_status revisit_note(const revisit *r, frontier *f, uint64_t lease, const fetch_response *response,
                             const char *sha256, unsigned lacks, bool is_failure);

#endif
