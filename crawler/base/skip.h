/* Why a link or a queued URL was not fetched. The names are the frontier's counters. */
#ifndef STRATA_CRAWLER_SKIP_H
#define STRATA_CRAWLER_SKIP_H

typedef enum crawl_skip {
  SKIP_SCHEME,
  SKIP_HOST,
  SKIP_TOO_LONG,
  SKIP_SYNTAX,
  SKIP_CONTROL,
  SKIP_USERINFO,
  SKIP_SCOPE,
  SKIP_NOFOLLOW,
  SKIP_REDIRECTS,
  SKIP_LINKS,
  SKIP_ROBOTS,
  SKIP_ROBOTS_UNAVAILABLE,
  SKIP_PATTERN,
} crawl_skip;
enum { CRAWL_SKIPS = SKIP_PATTERN + 1 };

const char *crawl_skip_name(crawl_skip why); /* "skipped-scope", ... */

#endif
