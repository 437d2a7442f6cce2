/* tests/site/requests.h: what the server saw, read back and judged. */
#ifndef STRATA_TESTS_SITE_REQUESTS_H
#define STRATA_TESTS_SITE_REQUESTS_H

#include "tests/site/trial.h"

typedef struct request_line {
  int status; /* 0: the client went away before the answer */
  const char *host, *method, *target, *agent;
} request_line;

typedef struct requests {
  request_line *lines;
  size_t count;
  text file; /* what the lines point into */
} requests;

requests requests_read(const char *log_path);
void requests_free(requests *r);
bool request_is_mark(const request_line *line, const char *name);

/* How requests and truth differ. A perfect crawl from nothing has only zeros but for robots == 1. */
typedef struct requests_verdict {
  unsigned pages;     /* entries requested at least once */
  unsigned missed;    /* wanted and never requested */
  unsigned again;     /* requests for a page that was requested before */
  unsigned forbidden; /* by robots.txt, or by the scope: another host */
  unsigned unknown;   /* no page of the site: a look-alike taken for a link, a spelling read wrongly */
  unsigned robots;    /* of robots.txt */
} requests_verdict;

typedef struct requests_rules {
  bool ignore_robots;
  uint32_t max_depth; /* entries deeper than this are not wanted; UINT32_MAX for all */
  const char *prefix; /* nor are those whose target does not start with it; NULL: all are */
} requests_rules;

/* Judges all requests but marks; the first few of each kind of difference are printed to stderr. */
requests_verdict requests_judge(const requests *r, const trial *t, const requests_rules *rules);

#endif
