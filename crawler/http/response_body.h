/* The body of a response as it comes: decoded as its head says (content_decoder.h), and cut at its longest. */
#ifndef STRATA_CRAWLER_RESPONSE_BODY_H
#define STRATA_CRAWLER_RESPONSE_BODY_H

#include "crawler/base/content_decoder.h"
#include "crawler/http/ledger.h"
#include "crawler/http/request.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

typedef bool response_body_sink(void *context, request *r, const char *bytes, size_t size);

typedef struct response_body {
  request *request; /* whose response's body_bytes and truncated are kept */
  ledger *ledger;   /* where a limit that is exceeded is named */
  uint64_t most;    /* decoded bytes */
  response_body_sink *sink;
  void *context;
  content_decoder *decoder; /* NULL: it has no coding, or none that we know */
} response_body;

/* Once the head is whole, with all fields set but the last. false: it cannot be read; the ledger says why, or memory is
 * short. response_body_end, or response_body_drop, ends it. */
bool response_body_begin(response_body *b);
bool response_body_take(response_body *b, const char *bytes, size_t size); /* false: no more of it is wanted */
void response_body_drop(response_body *b);                                 /* all zero is fine */

/* libcurl ended the transfer so; how it ended, with what is known of the coding. */
CURLcode response_body_end(response_body *b, CURLcode code);

/* The head of the response is whole, and its transfer ended so, with the error that stands there: `truncated` tells
 * what is wrong with the body, and the error is none (fetch.h), but of a page whose end may come another time. */
void response_body_forgive(fetch_response *response, CURL *easy, CURLcode code);

#endif
