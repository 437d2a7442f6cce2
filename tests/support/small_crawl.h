/* tests/support/small_crawl.h: a crawl in a directory, without a network: URLs of a few hosts, one of them crowded,
 * each page giving links to the next ones. Every seventh fails, every eleventh is skipped. The same from the same seed.
 * */
#ifndef STRATA_TESTS_SMALL_CRAWL_H
#define STRATA_TESTS_SMALL_CRAWL_H

#include "frontier/frontier.h"

#include <stdint.h>

typedef struct small_crawl {
  const char *directory, *journal;
  uint64_t seed;
  unsigned urls;    /* the crawl has so many in all, */
  unsigned fetched; /* and at most so many are fetched now */
  const char *path; /* their paths begin so: "/a/" */
  mlbf_kind filter; /* 0: mlbf */
  bool exact;
  url_profile profile;
  uint64_t expected_urls; /* 0: 500 */
  const uint8_t *secret;  /* NULL: drawn */
} small_crawl;

frontier_options small_crawl_options(const small_crawl *c);

/* Opens, or makes and seeds, and fails the test if it cannot. */
frontier *small_crawl_open(const small_crawl *c);

/* Goes on: fetches up to `fetched` pages. How many it did: fewer when nothing is left. */
unsigned small_crawl_run(const small_crawl *c, frontier *f);

/* Open, run, close. */
unsigned small_crawl_make(const small_crawl *c);

/* URL number `number` of this crawl. */
void small_crawl_url(const small_crawl *c, unsigned number, url *u);

#endif
