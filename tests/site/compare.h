/* tests/site/compare.h: a server's log held against what can be reached in a tree of files. */
#ifndef STRATA_TESTS_SITE_COMPARE_H
#define STRATA_TESTS_SITE_COMPARE_H

#include "tests/site/reachable.h"
#include "tests/site/requests.h"

/* A perfect crawl has only zeros but for `robots`. */
typedef struct difference {
  unsigned missed;    /* can be reached, and was not requested */
  unsigned extra;     /* was requested, and cannot be reached */
  unsigned twice;     /* further requests of a target */
  unsigned forbidden; /* requests of what robots.txt forbids */
  unsigned robots;    /* requests of robots.txt */
} difference;

/* The first few differences of each kind are printed to stderr. */
difference compare_requests(const reachable *truth, const request_log *log);

#endif
