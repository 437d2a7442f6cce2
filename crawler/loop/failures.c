/* See failures.h. */
#include "crawler/loop/failures.h"

#include <assert.h>
#include <stdio.h>

/* In the order of fetch_error, then what answered. */
static const char *const counters[] = {"failed-3xx",   "failed-name",    "failed-connect", "failed-private",
                                       "failed-tls",   "failed-timeout", "failed-broken",  "failed-encoding",
                                       "failed-other", "failed-limit",   "failed-4xx",     "failed-5xx"};
enum { COUNTERS = sizeof counters / sizeof *counters, ANSWERED = FETCH_ERRORS };

const char *failures_counter(const fetch_response *response)
{
  assert((unsigned)response->error < FETCH_ERRORS);
  if (response->error != FETCH_OK)
    return counters[response->error];
  return response->status >= 500 ? counters[ANSWERED + 1] : response->status >= 400 ? counters[ANSWERED] : counters[0];
}

const char *failures_counter_at(size_t i)
{
  return i < COUNTERS ? counters[i] : NULL;
}

void failures_note(failures *f, const char *url, const fetch_response *response)
{
  char *text = f->last[f->count++ % FAILURES_KEPT];
  if (response->error == FETCH_OK)
    snprintf(text, FAILURES_TEXT, "HTTP status %ld: %.180s", response->status, url);
  else
    snprintf(text, FAILURES_TEXT, "%.64s: %.180s", response->explanation, url);
}

const char *failures_last(const failures *f, size_t nth)
{
  return nth < f->count && nth < FAILURES_KEPT ? f->last[(f->count - 1 - nth) % FAILURES_KEPT] : "";
}
