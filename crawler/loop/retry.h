/* Retries: temporary errors are retried a limited number of times, with pauses for the host or the page.
 *
 *     no answer (connect, name, timeout, broken off), 429, 503     the host waits: 1 s, 4 s, 16 s, ... or Retry-After
 *     a page whose end is lost                                     the same
 *     408, 425, 500, 502, 504, 520 to 527                          its delay, twice that, ... or Retry-After; where the
 *                                                                  delay is next to none the page alone waits: 100 ms,
 *                                                                  200, ...
 *
 * If all tries for a URL got no answer, the host's other URLs get one try each, until it answers. The counts of URLs
 * that failed and will be retried are in memory: a few for each failing host. A crawl that is interrupted starts
 * counting again. */
#ifndef STRATA_CRAWLER_RETRY_H
#define STRATA_CRAWLER_RETRY_H

#include "crawler/http/fetch.h"
#include "frontier/frontier.h"

enum { RETRY_WAIT_MAX_S = 3600 }; /* the longest Retry-After that is heeded, and the longest wait there is */

typedef struct retries retries;

/* `tries_max` >= 1, the first one included; `delay_ms` between requests to one host. NULL: out of memory, or
 * the operating system gave no random bytes. */
retries *retries_create(unsigned tries_max, uint64_t delay_ms);
void retries_free(retries *r);

/* For a host in trouble, the first time: the delay, but 100 ms at least and a second at most. */
uint64_t retries_peace_ms(uint64_t delay_ms);

/* This try failed. True: try again after `*wait_ms`, which are the host's peace, unless retries_spare_host. */
bool retries_again(retries *r, const frontier_lease *lease, const fetch_response *response, uint64_t *wait_ms);

/* Only the page waits: its host is asked as fast as it answers, and has trouble with this page alone. */
bool retries_spare_host(const retries *r, const fetch_response *response);

/* This answer only asked to come again: with the cookies it set, or by GET. False: this URL did so `most` times. */
bool retries_come_again(retries *r, const frontier_lease *lease, unsigned most);

/* How long the host asks us to wait, also if this URL is not tried again: Retry-After of a 429 or 503; else 0. */
uint64_t retries_asked_ms(const fetch_response *response);

/* The URL ended; how many tries it took. */
unsigned retries_end(retries *r, const frontier_lease *lease, bool was_answered);

/* Tries of this URL that failed. */
unsigned retries_failed(const retries *r, const frontier_lease *lease);

#endif
