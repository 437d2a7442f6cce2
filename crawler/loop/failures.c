/* See failures.h. */
#include "crawler/loop/failures.h"

#include <assert.h>
#include <stdio.h>

/* In the order of fetch_error, then what answered. */
static const char *const counters[] = {"failed-3xx",   "failed-name",    "failed-connect", "failed-private",
                                       "failed-tls",   "failed-timeout", "failed-broken",  "failed-encoding",
                                       "failed-other", "failed-limit",   "failed-4xx",     "failed-5xx"};
_Static_assert(sizeof counters / sizeof *counters == FAILURES_KINDS, "a counter for each kind");
enum { ANSWERED = FETCH_ERRORS };

static unsigned code_of(const fetch_response *response)
{
  assert((unsigned)response->error < FETCH_ERRORS);
  return response->error != FETCH_OK ? response->error : (unsigned)response->status;
}

static size_t kind_of(unsigned code)
{
  if (code > FETCH_OK && code < FETCH_ERRORS)
    return code;
  return code >= 500 ? ANSWERED + 1 : code >= 400 ? ANSWERED : 0;
}

const char *failures_counter_of(unsigned code)
{
  return counters[kind_of(code)];
}

const char *failures_counter(const fetch_response *response)
{
  return failures_counter_of(code_of(response));
}

bool failures_may_heal(unsigned code)
{
  enum { TIMEOUT = 408, TOO_EARLY = 425, TOO_MANY = 429 };
  return code < 400 || code > 499 || code == TIMEOUT || code == TOO_EARLY || code == TOO_MANY;
}

const char *failures_next_step(unsigned code)
{
  static const char *const steps[FETCH_ERRORS] = {
    [FETCH_NAME] = "check how the host is spelt, and the network; then run the same command again",
    [FETCH_CONNECT] = "check host and port, and that a server runs there; then run the same command again",
    [FETCH_PRIVATE] = "", /* the reason says it */
    [FETCH_TLS] = "--ca-file FILE trusts the certificate of your own server; a server without TLS has http:// URLs",
    [FETCH_TIMEOUT] = "--timeout S waits longer",
    [FETCH_BROKEN] = "check that this port speaks http, or https; then run the same command again",
    [FETCH_LIMIT] = "--max-body BYTES takes more",
  };
  static const char again[] = "run the same command again later";
  if (code < FETCH_ERRORS)
    return steps[code] ? steps[code] : again;
  switch (code) {
  case 401: return "--user NAME:PASSWORD or --cookies FILE logs in";
  case 403: return "the server refuses crawlers, or wants a log-in: --contact, --user, --cookies";
  case 407: return "--proxy http://NAME:PASSWORD@HOST:PORT logs in to the proxy";
  case 404:
  case 410: return "check the path of the URL";
  default: return failures_may_heal(code) ? again : "check the URL";
  }
}

const char *failures_counter_at(size_t i)
{
  return i < FAILURES_KINDS ? counters[i] : NULL;
}

void failures_note(failures *f, const char *url, const fetch_response *response)
{
  char *text = f->last[f->count++ % FAILURES_KEPT];
  f->of_kind[kind_of(code_of(response))]++;
  if (response->error == FETCH_OK)
    snprintf(text, FAILURES_TEXT, "HTTP status %ld: %.180s", response->status, url);
  else
    snprintf(text, FAILURES_TEXT, "%.64s: %.180s", response->explanation, url);
}

const char *failures_last(const failures *f, size_t nth)
{
  return nth < f->count && nth < FAILURES_KEPT ? f->last[(f->count - 1 - nth) % FAILURES_KEPT] : "";
}
