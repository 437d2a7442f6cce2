/* Failed fetches: the last few for the panel, and the names of the counters of their errors. */
#ifndef STRATA_CRAWLER_FAILURES_H
#define STRATA_CRAWLER_FAILURES_H

#include "crawler/http/fetch.h"

enum { FAILURES_KEPT = 3, FAILURES_TEXT = 256, FAILURES_KINDS = FETCH_ERRORS + 2 };

typedef struct failures {
  char last[FAILURES_KEPT][FAILURES_TEXT]; /* a ring */
  size_t count;
  uint64_t of_kind[FAILURES_KINDS]; /* in the order of failures_counter_at */
} failures;

/* One more, for people. */
void failures_note(failures *f, const char *url, const fetch_response *response);

/* The n-th last, 0 the last: what and where; "" if there is none, or it is forgotten. */
const char *failures_last(const failures *f, size_t nth);

/* The frontier's counter of its kind: "failed-timeout", "failed-4xx", ... */
const char *failures_counter(const fetch_response *response);

/* ... of a URL that failed with this code: an HTTP status, or a fetch_error. */
const char *failures_counter_of(unsigned code);

/* May a URL that failed with this code be well another time? false: its server says that it is not there, or not for
 * us. */
bool failures_may_heal(unsigned code);

/* What its user can do about it: a phrase without a full stop. */
const char *failures_next_step(unsigned code);

/* The i-th of these names; NULL past the last. */
const char *failures_counter_at(size_t i);

#endif
