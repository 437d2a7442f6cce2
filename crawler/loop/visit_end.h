/* How a visit ends: fetched, failed, skipped, or put off. A single transaction takes its WARC records, its line of
 * pages.jsonl, and that it is done; its links, before that or with it. */
#ifndef STRATA_CRAWLER_VISIT_END_H
#define STRATA_CRAWLER_VISIT_END_H

#include "crawler/loop/crawl.h"
#include "crawler/loop/visit.h"
#include "crawler/robots/robots_cache.h"

/* An answer came, or none did: `finished` of a fetch_receiver whose context is the visit. */
void visit_end_fetched(void *visit, const fetch_response *response);

/* No answer, or one that is no page. `permission`: what robots.txt had to say. */
void visit_end_failed(crawl *c, visit *v, const fetch_response *response, const char *permission);

void visit_end_skipped(crawl *c, visit *v, crawl_skip why, const char *explanation);

/* robots.txt gave a server error, 429 or 408: the URL waits while its host rests, or is skipped if robots.txt was given
 * up. */
void visit_end_without_rules(crawl *c, visit *v, const origin_ruling *ruling);

#endif
