/* crawler/report/missing.h: is a crawl complete, and if not, what is missing: the one place that the summary, stat, the
 * report and their JSON take it from. commands/SUMMARY.md has the fields.
 *
 * Complete: every URL in scope that was found, and is not deeper than --max-depth, was fetched, whole, with all of its
 * links, unless a robots.txt that was read, rel=nofollow or a pattern forbids it or its server says that it is not
 * there. */
#ifndef STRATA_CRAWLER_MISSING_H
#define STRATA_CRAWLER_MISSING_H

#include "crawler/base/json.h"
#include "crawler/loop/lacks.h"

typedef struct missing {
  lacks_rest rest;
  uint64_t lacks[CRAWL_LACKS];
  double lost;      /* expected number of URLs that the filter wrongly called seen; none if less than 0.01 */
  bool has_page;    /* a start URL gave one */
  bool is_counted;  /* ... all of this; else an older version of strata has begun the crawl */
  bool is_complete; /* nothing of this is missing */
} missing;

missing missing_read(frontier *f, const frontier_stats *stats);

/* Is nothing missing but what is held back, which has sentences of its own? */
bool missing_is_only_held(const missing *m);

enum { MISSING_SENTENCE = 256 };
/* The i-th thing that is missing, as "3 pages longer than ...: what fetches it"; NULL past the last. */
const char *missing_sentence(const missing *m, size_t i, char text[MISSING_SENTENCE]);

/* Members of an open object. */
void missing_json(const missing *m, json *out);

#endif
