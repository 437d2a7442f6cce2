/* Failed fetches: the last few for the panel, and the names of the counters of their errors. */
#ifndef STRATA_CRAWLER_FAILURES_H
#define STRATA_CRAWLER_FAILURES_H

#include "crawler/http/fetch.h"

enum { FAILURES_KEPT = 3, FAILURES_TEXT = 256 };

typedef struct failures {
  char last[FAILURES_KEPT][FAILURES_TEXT]; /* a ring */
  size_t count;
} failures;

/* One more, for people. */
void failures_note(failures *f, const char *url, const fetch_response *response);

/* The n-th last, 0 the last: what and where; "" if there is none, or it is forgotten. */
const char *failures_last(const failures *f, size_t nth);

/* The frontier's counter of its kind: "failed-timeout", "failed-4xx", ... */
const char *failures_counter(const fetch_response *response);

/* The i-th of these names; NULL past the last. */
const char *failures_counter_at(size_t i);

#endif
