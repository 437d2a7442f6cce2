/* One request on its way, from fetch_start to `finished`: what the web answers, in pieces that come one by one. */
#ifndef STRATA_TESTS_WEB_SIM_FLIGHT_H
#define STRATA_TESTS_WEB_SIM_FLIGHT_H

#include "crawler/http/request.h"
#include "tests/contract/web/web.h"

typedef struct flight {
  struct flight *next; /* in the list of idle ones */
  request *request;
  const fetch_options *options;
  web_reply reply;
  uint64_t begun_us;
  uint64_t at_us, tie; /* when the next of it comes; among those of one moment the smaller tie is first */
  uint64_t end_us;     /* the fetch's own timeout */
  size_t given;        /* bytes of the body */
  bool has_head;
  bool is_late; /* what comes next is the timeout */
} flight;

flight *flight_create(const fetch_options *options); /* NULL: out of memory */
void flight_free(flight *l);                         /* NULL is fine */

/* Asks the web, and sets at_us and tie. false: out of memory. */
bool flight_begin(flight *l, const char *url, const fetch_receiver *receiver);

/* What was to come at at_us has come: true, and at_us is set anew; false: that was all, the response is complete. */
bool flight_go_on(flight *l);

#endif
