/* A crawl: frontier -> fetch -> links -> frontier, until no URL is left, a limit is reached, or it is stopped. */
#ifndef STRATA_CRAWLER_CRAWL_H
#define STRATA_CRAWLER_CRAWL_H

#include "crawler/loop/body_digests.h"
#include "crawler/loop/edge_log.h"
#include "crawler/loop/fingerprint_index.h"
#include "crawler/loop/failures.h"
#include "crawler/http/fetch.h"
#include "crawler/scope/patterns.h"
#include "crawler/scope/scope.h"
#include "crawler/base/skip.h"
#include "crawler/warc/warc.h"
#include "frontier/exchange.h"
#include "frontier/frontier.h"
#include "frontier/inlinks.h"

typedef enum crawl_sitemaps {
  SITEMAPS_NONE,
  SITEMAPS_ROBOTS, /* those robots.txt names */
  SITEMAPS_GUESS,  /* and /sitemap.xml of each start URL's host */
} crawl_sitemaps;

/* Other processes that crawl other parts of the same crawl (frontier/exchange.h). Both are called by the thread that
 * crawls. */
typedef enum company_state { COMPANY_GOES_ON, COMPANY_OVER, COMPANY_STOPS } company_state;
typedef struct crawl_company {
  void *context;
  /* Each turn of the loop. `rules`: which URLs of others are taken; `is_done`: nothing more is fetched here. */
  frontier_status (*turn)(void *context, const frontier_inbox_rules *rules, bool is_done, uint64_t now_ms);
  company_state (*state)(void *context); /* OVER: of all. STOPS: this process is not to go on */
} crawl_company;

typedef struct crawl_options {
  uint64_t max_pages; /* 2xx responses with a body, over the life of the directory; UINT64_MAX: no cap */
  uint64_t max_bytes; /* of page bodies, decoded, over the life of the directory; UINT64_MAX: no cap */
  uint64_t max_ms;    /* of this run; UINT64_MAX: no cap */
  uint64_t began_ms;  /* it counts from then (machine_monotonic_ms); 0: from crawl_run */
  uint16_t max_depth;
  bool ignore_robots;
  bool follows_nofollow; /* also links that say nofollow, and those of pages that do */
  bool wants_images;     /* <img src> and srcset are links too */
  bool keeps_log;        /* the frontier has a journal: each URL that ends gives it a line */
  uint64_t delay_ms;
  uint64_t recrawl_least_s; /* fetch again what was fetched so long ago; 0: nothing */
  uint64_t recrawl_most_s;  /* however seldom it changes */
  bool looks_back;          /* some were fetched before though nothing is fetched again by age */
  crawl_sitemaps sitemaps;
  unsigned per_host;      /* requests at once to one host, as the frontier's; 0 is 1 */
  unsigned per_address;   /* so many hosts' share is what one address gets, whatever its hosts; 0: no limit */
  uint64_t domain_budget; /* URLs of one domain not named at start, for each domain that links to it; 0: no limit */
  uint64_t robots_bytes;  /* memory for rules of robots.txt files */
  unsigned tries;         /* of a URL whose failure may heal; >= 1 */
  patterns *patterns;     /* which links to take */
  scope *trusted;         /* who gets the user's password, headers and cookies: origins of start URLs */
  inlinks *counts;        /* borrowed: counts which page links where; NULL: not wanted */
  fingerprint_index *contents; /* borrowed: gets the text of pages; NULL: not wanted */
  body_digests *bodies;        /* borrowed: gets bodies that are not HTML; NULL: not wanted */
  edge_log *edges;             /* borrowed: an audit: gets each link, and what is not followed is checked; or NULL */
  bool near_last;              /* what a near-duplicate links to waits for all else */
  const char *directory;       /* for files without a name; NULL: all is in memory. Without a log, none of robots.txt */
  fetch_options fetch;
  const crawl_company *company; /* borrowed; NULL: none */
  warc *warc;                   /* borrowed; NULL: none. `fetch` must then keep exchanges. */
} crawl_options;

typedef enum crawl_end {
  CRAWL_FINISHED,   /* nothing left to fetch */
  CRAWL_DEPTH_CAP,  /* nothing left but what is deeper than max_depth; it waits on disk */
  CRAWL_TRAPS_LEFT, /* nothing left but what looks like a trap's and is over its budget; it waits on disk */
  CRAWL_PAGE_CAP,
  CRAWL_BYTE_CAP,
  CRAWL_TIME_CAP,
  CRAWL_STOPPED, /* crawl_stop was called */
  CRAWL_BROKEN,  /* the frontier failed: crawl_message says how */
} crawl_end;

typedef struct crawl crawl;

/* Borrows the frontier, the scope and what the options point to. NULL: out of memory, or libcurl would not start. */
crawl *crawl_create(frontier *f, scope *s, const crawl_options *options);
void crawl_free(crawl *c);

/* A start URL, already in the scope. It is queued by crawl_sync, at the latest; call that before crawl_run. */
frontier_status crawl_add_start(crawl *c, const url *start);

/* Commit the start URLs so far, the scope and the trusted hosts with them. */
frontier_status crawl_sync(crawl *c);

/* Until it ends. `tick` is called a few times a second, never more than every 100 ms. */
typedef void crawl_tick(void *context, const crawl *c);
crawl_end crawl_run(crawl *c, crawl_tick *tick, void *context);

void crawl_stop(crawl *c); /* from a signal handler too */

/* It was stopped, or its time is over, before crawl_run or in it. */
bool crawl_is_to_end(const crawl *c);

/* It reads a page, of which the frontier knows nothing yet: if the program ends there, only a fetch is lost. From a
 * signal handler too. */
bool crawl_is_reading(const crawl *c);

const char *crawl_message(const crawl *c);
/* The first start URL that failed in this run and why, or "". */
const char *crawl_start_failure(const crawl *c);

/* The first sitemap that failed in this run and why, or "". */
const char *crawl_map_failure(const crawl *c);

/* Why the crawl pauses: what the disk does not take; "": it does not. It goes on by itself. */
const char *crawl_outage(const crawl *c);

/* The process ran out of file descriptors in this run, so there are fewer connections at once than asked for. */
bool crawl_lacks_descriptors(const crawl *c);

const failures *crawl_failures(const crawl *c); /* the last ones of this run */

/* What is under way. */
typedef struct crawl_active {
  const char *host; /* host[:port], host_size bytes */
  size_t host_size;
  bool is_fetching; /* else it waits for robots.txt */
  double seconds;   /* since it began */
} crawl_active;
typedef void crawl_active_taker(void *context, const crawl_active *active);
void crawl_each_active(const crawl *c, crawl_active_taker *take, void *context);

/* Of this run; totals since the crawl began are the frontier's counters of the same names. */
typedef struct crawl_totals {
  uint64_t pages, redirects, errors, retries, robots;
  uint64_t asked_again, unchanged, failed_again; /* of pages fetched before */
  uint64_t wire_bytes, body_bytes;
  double seconds;
  size_t active;
} crawl_totals;

crawl_totals crawl_totals_read(const crawl *c);

#endif
