/* tests/site/judge.h: a crawl held against what the generated site knows of itself. */
#ifndef STRATA_TESTS_SITE_JUDGE_H
#define STRATA_TESTS_SITE_JUDGE_H

#include "tests/site/pages.h"
#include "tests/site/requests.h"
#include "tests/site/site.h"

/* What this crawl should have fetched. */
typedef struct judge_rules {
  bool ignore_robots;
  bool may_repeat; /* after a crash: pages that come again are counted all the same, but not printed */
  uint32_t start;  /* entry of the start URL; 0 is "/" */
  /* Entries more links away than this are not wanted; UINT32_MAX - 1 for all that can be reached. Redirects do not
   * count as links. But a queue meets what lies behind them late, so a page found there first may have been called
   * one deeper already: what is too deep only if redirects did count may be there or not. */
  uint32_t max_depth;
  const char *prefix; /* nor are those whose target does not begin with it; "/" for all */
} judge_rules;

extern const judge_rules judge_everything;    /* all that robots.txt allows, each once */
extern const judge_rules judge_after_a_crash; /* the same, some of it more than once */

/* How the crawl and the truth differ. A perfect crawl has only zeros but for `pages` and `robots`. */
typedef struct verdict {
  unsigned pages;      /* entries that were there at least once */
  unsigned missed;     /* wanted and not there */
  unsigned again;      /* there more often than once */
  unsigned again_hops; /* so many of those are redirects: one visit may have several, and then another entry */
  unsigned forbidden;  /* by robots.txt, by the rules, or by the scope: another host */
  unsigned unknown;    /* no page of the site: a look-alike taken for a link, a spelling read wrongly */
  unsigned robots;     /* robots.txt */
} verdict;

/* The first few differences of each kind are printed to stderr. Marks are passed over. */
verdict judge_requests(const request_log *r, const site *s, const judge_rules *rules);
verdict judge_pages(const page_log *p, const site *s, const judge_rules *rules);

/* "host" or "host:port" as in this site's URLs and Host headers. */
text judge_authority(const site *s);

#endif
