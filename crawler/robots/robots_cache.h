/* The robots.txt cache: origins (scheme://host:port) and what their robots.txt says.
 *
 * A visit asks; while robots.txt is on its way it waits in the origin's queue. Rules are kept for 24 hours (RFC
 * 9309, 2.4). Of the answer: 2xx is parsed, 3xx followed up to five hops, 4xx allows everything, 401 and 403 too;
 * 5xx, 429 and 408 forbid everything, and without any answer the visit that asks fails as if its own page had not
 * answered. A 2xx that is cut, or whose coding is, is asked for once more; then the rules that came count, of a last
 * line that has no end only a Disallow.
 *
 * Turns. A robots.txt is requested in the turn of the visit that asks for it. Where it redirects to is asked beside the
 * turns of that host, which `begin` must allow (robots_turns). Until then nothing is held and nothing waits here:
 * visits are told to come later, so two hosts whose robots.txt lead to each other do not block each other. A robots.txt
 * that leads to that of an origin whose rules are known takes those.
 *
 * Memory. Origins not asked for longest are forgotten once all take more than `memory_bytes`: first those with long
 * rules, if they take half of it. Rules of usual size go to a file, and are read from there when the origin is asked
 * for again. What is not there is requested again: no answer is given without the rules.
 *
 * After a 5xx, 429 or 408 the host is to rest, and robots.txt is requested again by the first visit after that: `tries`
 * times at most, for all URLs together. Each rest is 16 times as long as the one before, or as long as Retry-After says
 * if that is longer. When no try is left, or a rest would be an hour though no Retry-After asks for any, robots.txt is
 * given up. Visits then may be skipped; one that comes after the time of another rest, and a minute at least, requests
 * it once more. */
#ifndef STRATA_CRAWLER_ROBOTS_CACHE_H
#define STRATA_CRAWLER_ROBOTS_CACHE_H

#include "crawler/http/fetch.h"
#include "crawler/robots/robots.h"
#include "mlbf/secret.h"

typedef enum origin_answer {
  ORIGIN_WAIT,  /* robots.txt is on its way: `ready` will be called */
  ORIGIN_LATER, /* robots.txt cannot be requested now: ask again after rest_ms */
  ORIGIN_ALLOWED,
  ORIGIN_DENIED,      /* by a rule */
  ORIGIN_UNAVAILABLE, /* robots.txt answered 5xx, 429 or 408: nothing may be fetched (RFC 9309, 2.3.1.4) */
  ORIGIN_UNREACHABLE, /* no answer: `error` and `explanation` say why */
  ORIGIN_NO_MEMORY,
} origin_answer;

typedef struct origin_ruling {
  origin_answer answer;
  double crawl_delay; /* seconds, < 0: none asked for */
  fetch_error error;  /* of UNREACHABLE */
  const char *explanation;
  uint64_t rest_ms; /* of UNAVAILABLE: how long no request may go to the host; > 0 unless it is given up. Of LATER */
  bool is_given_up; /* of UNAVAILABLE: no use in waiting */
} origin_ruling;

typedef struct robots_cache robots_cache;

typedef struct robots_patience {
  unsigned tries;         /* of a robots.txt that gives such answers; >= 1 */
  uint64_t first_rest_ms; /* >= 1 */
} robots_patience;

/* `ready(visit)` is called for each waiting visit once its origin is known; it asks again. */
typedef void robots_cache_ready(void *visit);

/* Each Sitemap: line of a robots.txt that has come: as it stands, where it stood, and how many came before. Then, if
 * there is more than is read, `href` NULL. */
typedef void robots_cache_sitemap(void *context, const char *base, const char *href, size_t before);

/* Of a request for robots.txt: what `begin` likes to know at its end. */
typedef struct robots_turn {
  uint16_t pace, address;
  bool is_beside, has_address;
} robots_turn;

/* Who decides when a host (host[:port]) is asked. `begin` is called before each request: in a visit's turn it has to
 * say true; beside the host's turns (turn->is_beside) it may say false, and when to ask again. `end` after it. */
typedef struct robots_turns {
  bool (*begin)(void *context, const char *host, size_t size, robots_turn *turn, uint64_t *wait_ms);
  void (*end)(void *context, const char *host, size_t size, const robots_turn *turn, const fetch_response *response);
  void *context;
} robots_turns; /* zeros: any, at any time */

typedef struct robots_cache_options {
  const char *agent; /* the product token; borrowed */
  robots_patience patience;
  robots_turns turns;
  uint64_t memory_bytes;
  const char *directory; /* where the file is; NULL: evicted rules are kept in no file */
  const uint8_t *secret; /* MLBF_SECRET_BYTES; NULL: there is no file */
} robots_cache_options;

/* NULL: out of memory. */
robots_cache *robots_cache_create(fetcher *f, const robots_cache_options *options, robots_cache_ready *ready);
/* Without it they are passed over. */
void robots_cache_on_sitemap(robots_cache *o, robots_cache_sitemap *found, void *context);
void robots_cache_free(robots_cache *o);

/* May this resolved URL be fetched? `path_begin` is the length of scheme://host:port. That there was no answer is
 * believed for a minute, but not by one who tries again: of before `since_ms` it counts no more. */
origin_ruling robots_cache_ask(robots_cache *o, const char *address, size_t path_begin, void *visit, uint64_t now_ms,
                               uint64_t since_ms);

uint64_t robots_cache_requests(const robots_cache *o); /* robots.txt fetches started */
uint64_t robots_cache_memory(const robots_cache *o);   /* bytes that its origins take */

#endif
