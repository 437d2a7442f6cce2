/* tests/site/http.h: as much of HTTP/1.1 as a crawler's test server needs (RFC 9112).
 *
 * Requests without a body, one after the other on a connection; responses with a Content-Length. */
#ifndef STRATA_TESTS_SITE_HTTP_H
#define STRATA_TESTS_SITE_HTTP_H

#include "tests/site/grown_text.h"

enum { HTTP_HEAD_MAX = 32768 }; /* longest request head taken: four times the longest URL a crawler should send */

typedef struct http_span {
  const char *bytes;
  size_t size;
} http_span;

/* Points into the bytes given to http_request_parse. */
typedef struct http_request {
  http_span method, target, host, agent; /* host, agent: empty when the header is missing */
  bool keep_alive;
} http_request;

typedef enum http_progress {
  HTTP_MORE, /* the head is not complete yet */
  HTTP_DONE,
  HTTP_BAD, /* not HTTP/1.x, a body, no Host, or longer than HTTP_HEAD_MAX */
} http_progress;

/* Parse one request at the start of `bytes`; `*used` gets the size of its head when HTTP_DONE. */
http_progress http_request_parse(const char *bytes, size_t size, http_request *request, size_t *used);

/* What a site answers. All zeros but `status` is a fine reply without a body. */
typedef struct http_reply {
  int status;
  const char *type;     /* Content-Type; NULL: none */
  const char *location; /* NULL: none */
  text body;
} http_reply;

/* Append the response head, and the body unless `head_only`. */
void http_reply_write(text *out, const http_reply *reply, bool keep_alive, bool head_only);

bool http_span_is(http_span span, const char *string);

#endif
