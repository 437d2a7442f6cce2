/* The robots.txt cache: origins (scheme://host:port) and what their robots.txt says.
 *
 * A visit asks; until robots.txt has arrived it waits in the origin's queue. Rules are kept for 24 hours (RFC 9309,
 * 2.4). Of the answer: 2xx is parsed, 3xx followed up to five hops, 4xx allows everything, 5xx forbids everything, and
 * without any answer the visit that asks fails as if its own page had not answered.
 *
 * After a 5xx the host is to rest, and robots.txt is requested again by the first visit after that: `tries` times at
 * most, for all URLs together. Each rest is 16 times as long as the one before, or as long as Retry-After says if that
 * is longer. When no try is left, or a rest would be an hour though no Retry-After asks for any, robots.txt is given
 * up. Visits then may be skipped; one that comes after the time of another rest, and a minute at least, requests it
 * once more. */
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
  uint64_t rest_ms; /* of UNAVAILABLE: how long no request may go to the host; > 0 unless it is given up */
  bool is_given_up; /* of UNAVAILABLE: no use in waiting */
} origin_ruling;

typedef struct robots_cache robots_cache;

typedef struct robots_patience {
  unsigned tries;         /* of a robots.txt that gives server errors; >= 1 */
  uint64_t first_rest_ms; /* >= 1 */
} robots_patience;

/* `ready(visit)` is called for each waiting visit once its origin is known; it asks again. */
typedef void robots_cache_ready(void *visit);

/* Each Sitemap: line of a robots.txt that has come: as it stands, and where it stood. */
typedef void robots_cache_sitemap(void *context, const char *base, const char *href);

robots_cache *robots_cache_create(fetcher *f, const char *agent_token, robots_patience patience,
                                  robots_cache_ready *ready);
/* Without it they are passed over. */
void robots_cache_on_sitemap(robots_cache *o, robots_cache_sitemap *found, void *context);
void robots_cache_free(robots_cache *o);

/* May this resolved URL be fetched? `path_begin` is the length of scheme://host:port. That there was no answer is
 * believed for a minute, but not by one who tries again: of before `since_ms` it counts no more. */
origin_ruling robots_cache_ask(robots_cache *o, const char *address, size_t path_begin, void *visit, uint64_t now_ms,
                               uint64_t since_ms);

uint64_t robots_cache_requests(const robots_cache *o); /* robots.txt fetches started */

#endif
