/* The robots.txt cache: origins (scheme://host:port) and what their robots.txt says.
 *
 * A visit asks; until robots.txt has arrived it waits in the origin's queue. Rules are kept for 24 hours (RFC 9309,
 * 2.4). Of the answer: 2xx is parsed, 3xx followed up to five hops, 4xx allows everything, 5xx forbids everything, and
 * without any answer the visit that asks fails as if its own page had not answered. */
#ifndef STRATA_CRAWLER_ROBOTS_CACHE_H
#define STRATA_CRAWLER_ROBOTS_CACHE_H

#include "crawler/http/fetch.h"
#include "crawler/robots/robots.h"

typedef enum origin_answer {
  ORIGIN_WAIT, /* robots.txt is on its way: `ready` will be called */
  ORIGIN_ALLOWED,
  ORIGIN_DENIED,      /* by a rule */
  ORIGIN_UNAVAILABLE, /* robots.txt answered 5xx: nothing may be fetched (RFC 9309, 2.3.1.4) */
  ORIGIN_UNREACHABLE, /* no answer: `error` and `explanation` say why */
  ORIGIN_NO_MEMORY,
} origin_answer;

typedef struct origin_ruling {
  origin_answer answer;
  double crawl_delay; /* seconds, < 0: none asked for */
  bool is_first;      /* of ALLOWED: the first such answer since robots.txt came */
  fetch_error error;  /* of UNREACHABLE */
  const char *explanation;
  uint64_t retry_after_s; /* of UNAVAILABLE: as its robots.txt asks; 0: it does not */
} origin_ruling;

typedef struct robots_cache robots_cache;

/* `ready(visit)` is called for each waiting visit once its origin is known; it asks again. */
typedef void robots_cache_ready(void *visit);

/* Each Sitemap: line of a robots.txt that has come: as it stands, and where it stood. */
typedef void robots_cache_sitemap(void *context, const char *base, const char *href);

robots_cache *robots_cache_create(fetcher *f, const char *agent_token, robots_cache_ready *ready);
/* Without it they are passed over. */
void robots_cache_on_sitemap(robots_cache *o, robots_cache_sitemap *found, void *context);
void robots_cache_free(robots_cache *o);

/* May this resolved URL be fetched? `path_begin` is the length of scheme://host:port. That there was no answer, or a
 * server error, is believed for a minute, but not by one who tries again: of before `since_ms` it counts no more. */
origin_ruling robots_cache_ask(robots_cache *o, const char *address, size_t path_begin, void *visit, uint64_t now_ms,
                               uint64_t since_ms);

uint64_t robots_cache_requests(const robots_cache *o); /* robots.txt fetches started */

#endif
